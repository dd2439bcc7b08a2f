// Runs an action on request, one at a time and with a pause between two starts. Requests meanwhile cause one more run.
// Pure.

/** The clock of an action; tests pass their own. */
export interface PaceClock {
  now: () => number;
  /** Calls a function later, and returns a function that cancels the call. */
  later: (act: () => void, ms: number) => () => void;
}

const systemClock: PaceClock = {
  now: () => Date.now(),
  later: (act, ms) => {
    const timer = setTimeout(act, ms);
    return () => { clearTimeout(timer); };
  },
};

export class PacedAction {
  private startedAt = -Infinity;
  private isRunning = false;
  private isRequested = false;
  private cancelStart: (() => void) | undefined;

  /** The action must not reject. */
  constructor(
    private readonly act: () => Promise<void>,
    private readonly pauseMs: number,
    private readonly clock: PaceClock = systemClock,
  ) {}

  /** Starts the action now, or as soon as the running one and the pause are over. */
  request(): void {
    this.isRequested = true;
    if (!this.isRunning && this.cancelStart === undefined) this.schedule();
  }

  /** Forgets the requested run. */
  cancel(): void {
    this.isRequested = false;
    this.cancelStart?.();
    this.cancelStart = undefined;
  }

  private schedule(): void {
    const wait = this.startedAt + this.pauseMs - this.clock.now();
    if (wait <= 0) {
      this.start();
      return;
    }
    this.cancelStart = this.clock.later(() => {
      this.cancelStart = undefined;
      this.start();
    }, wait);
  }

  private start(): void {
    this.isRequested = false;
    this.isRunning = true;
    this.startedAt = this.clock.now();
    void this.act().finally(() => {
      this.isRunning = false;
      if (this.isRequested) this.schedule();
    });
  }
}
