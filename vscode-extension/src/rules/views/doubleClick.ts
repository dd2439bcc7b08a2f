// Tells a double click on a row from a single one: VS Code runs the command of a row for each click. Pure.

/** Two clicks on a row within this many milliseconds are a double click; commands may be late on a busy machine. */
const DOUBLE_CLICK = 700;

export class Clicks {
  private last: { id: string; at: number } | undefined;

  /** Notes a click, and returns whether it is the second one of a double click. */
  isDouble(id: string, now: number): boolean {
    const isSecond = this.last?.id === id && now - this.last.at <= DOUBLE_CLICK;
    this.last = isSecond ? undefined : { id, at: now };
    return isSecond;
  }
}
