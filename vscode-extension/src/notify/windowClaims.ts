// What the windows on one machine have in common, in a folder that VS Code keeps for the extension: which news were told, so
// that one window tells them and no other, and when somebody was last at any of them. Knows nothing of VS Code.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** For so long what was told is remembered: longer than a window sleeps that then hears of it. */
const REMEMBERED = 7 * 86_400_000;

export class Windows {
  private readonly told: string;
  private readonly here: string;

  constructor(
    folder: string,
    private readonly log: (line: string) => void = () => undefined,
  ) {
    this.told = join(folder, 'told');
    this.here = join(folder, 'here');
    this.attempt(() => {
      mkdirSync(this.told, { recursive: true });
      for (const name of readdirSync(this.told)) {
        const file = join(this.told, name);
        if (Date.now() - statSync(file).mtimeMs > REMEMBERED) rmSync(file, { force: true });
      }
    });
  }

  /** Whether this window is the one to tell it: the first that asks. Where nothing can be written each is. */
  claim(news: string): boolean {
    const name = createHash('sha256').update(news).digest('hex').slice(0, 32);
    try {
      writeFileSync(join(this.told, name), '', { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      this.log(String(error));
      return true;
    }
  }

  /** When somebody was last at any window, as far as is known. */
  lastHere(): number {
    try {
      return Number(readFileSync(this.here, 'utf8')) || 0;
    } catch {
      return 0;
    }
  }

  noteHere(now: number): void {
    this.attempt(() => {
      const fresh = `${this.here}.${process.pid}`;
      writeFileSync(fresh, String(now));
      renameSync(fresh, this.here);
    });
  }

  private attempt(what: () => void): void {
    try {
      what();
    } catch (error) {
      this.log(String(error));
    }
  }
}
