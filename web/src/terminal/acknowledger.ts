// Tells the server which parts the emulator has interpreted. The server sends more only then, so a slow page is never
// flooded.

/** Characters after which parts are acknowledged without a delay. The server permits 256 KiB. */
const LARGE = 64 * 1024;
/** Delay of other acknowledgements, so that a key and its echo share the connection with nothing else. */
const DELAY_MS = 150;

export class Acknowledger {
  private last: number | undefined;
  private size = 0;
  private isSending = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly send: (part: number) => Promise<unknown>) {}

  /** Notes that the emulator has interpreted a part. */
  done(part: number, size: number): void {
    this.last = part;
    this.size += size;
    if (this.size >= LARGE) void this.flush();
    else this.timer ??= setTimeout(() => void this.flush(), DELAY_MS);
  }

  /** Forgets everything, because the connection is lost. */
  reset(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.last = undefined;
    this.size = 0;
  }

  private async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.isSending || this.last === undefined) return;
    const part = this.last;
    this.last = undefined;
    this.size = 0;
    this.isSending = true;
    // A lost connection or a revoked device ends the stream; there is nothing to report here.
    await this.send(part).catch(() => undefined);
    this.isSending = false;
    if (this.last !== undefined) void this.flush();
  }
}
