// Holds redraws of a view back while the keyboard focus leaves it. When a view of VS Code has been redrawn, it takes the
// focus if it had the focus until just now, so a redraw at the wrong moment takes the focus back. Pure.

export class RedrawGate<Row> {
  private holders = 0;
  /** The rows to redraw after the hold; undefined stands for the whole view. */
  private readonly due: (readonly Row[] | undefined)[] = [];
  private redraw: (rows: Row[] | undefined) => void = () => undefined;

  /** Sets the function that redraws rows, or with undefined the whole view. */
  onRedraw(redraw: (rows: Row[] | undefined) => void): void {
    this.redraw = redraw;
  }

  /** Redraws rows now, or after the hold. */
  request(rows: readonly Row[] | undefined): void {
    this.due.push(rows);
    this.release();
  }

  /** Holds redraws back until an action has ended. */
  async hold<T>(act: () => Promise<T>): Promise<T> {
    this.holders++;
    try {
      return await act();
    } finally {
      this.holders--;
      this.release();
    }
  }

  private release(): void {
    if (this.holders > 0 || this.due.length === 0) return;
    const due = this.due.splice(0);
    this.redraw(due.includes(undefined) ? undefined : [...new Set(due.flatMap((rows) => rows ?? []))]);
  }
}
