// State shared by all windows on this machine, in the storage folder of the extension: the notices that one window has
// claimed, and the time when a window was last used. Does not depend on VS Code.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How long a claim is kept. Exceeds the time for which a window may be suspended. */
const CLAIM_LIFETIME_MS = 7 * 86_400_000;

export class WindowClaims {
  private readonly claims: string;
  private readonly lastUseFile: string;

  constructor(
    folder: string,
    private readonly log: (line: string) => void = () => undefined,
  ) {
    this.claims = join(folder, 'claims');
    this.lastUseFile = join(folder, 'here');
    this.attempt(() => {
      mkdirSync(this.claims, { recursive: true });
      for (const name of readdirSync(this.claims)) {
        const file = join(this.claims, name);
        if (Date.now() - statSync(file).mtimeMs > CLAIM_LIFETIME_MS) rmSync(file, { force: true });
      }
    });
  }

  /** Claims a notice for this window. Returns false if another window has claimed it. If the folder cannot be written,
   *  every window succeeds. */
  claim(event: string): boolean {
    const name = createHash('sha256').update(event).digest('hex').slice(0, 32);
    try {
      writeFileSync(join(this.claims, name), '', { flag: 'wx' });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      this.log(String(error));
      return true;
    }
  }

  /** Returns the time when any window was last used, or 0. */
  lastActive(): number {
    try {
      return Number(readFileSync(this.lastUseFile, 'utf8')) || 0;
    } catch {
      return 0;
    }
  }

  noteActive(now: number): void {
    this.attempt(() => {
      const temporary = `${this.lastUseFile}.${process.pid}`;
      writeFileSync(temporary, String(now));
      renameSync(temporary, this.lastUseFile);
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
