// Detects double clicks on rows. VS Code runs the command of a row for each click. Pure.

/** The longest time between the clicks of a double click. Commands may be late on a busy machine. */
const DOUBLE_CLICK_MS = 700;

export class DoubleClickDetector {
  private last: { id: string; at: number } | undefined;

  /** Forgets the last click, because a key has acted on the row since. */
  forget(): void {
    this.last = undefined;
  }

  /** Records a click and returns whether it completes a double click. */
  isDouble(id: string, now: number): boolean {
    const isSecond = this.last?.id === id && now - this.last.at <= DOUBLE_CLICK_MS;
    this.last = isSecond ? undefined : { id, at: now };
    return isSecond;
  }
}
