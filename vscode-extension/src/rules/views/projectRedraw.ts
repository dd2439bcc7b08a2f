// Redraws the projects after VS Code has asked for them, when it has not asked for their rows for a while.
//
// VS Code 1.100 ignored the children of a project when it asked for rows within it at the same time, as it does at its
// start, and the project stayed empty until the next redraw. On a busy machine, VS Code asks for the children seconds after
// it asked for the projects. This redraws the projects and not the whole tree, so it does not repeat itself.

/** Exceeds the time in which VS Code processes the rows that it has asked for. */
export const PROJECT_REDRAW_DELAY_MS = 1_500;

export class ProjectRedraw {
  private timer: NodeJS.Timeout | undefined;
  /** Whether VS Code has asked for the projects and not yet for the rows of one of them. */
  private areRowsDue = false;

  constructor(private readonly redraw: () => void) {}

  /** Records that VS Code asked for the projects. */
  projectsRequested(): void {
    this.areRowsDue = true;
    this.schedule();
  }

  /** Records that VS Code asked for the rows of a project: postpones a redraw that is due, and causes another one if these
   *  are the first rows that it asked for. */
  rowsRequested(): void {
    if (this.timer === undefined && !this.areRowsDue) return;
    this.areRowsDue = false;
    this.schedule();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private schedule(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.redraw();
    }, PROJECT_REDRAW_DELAY_MS);
  }
}
