// Paths as the binary sees them: without symbolic links, also when what they lead to is gone. Knows nothing of VS Code.

import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What paths were without symbolic links when they were last there. */
const known = new Map<string, string>();

/** A path without symbolic links. One that is gone: as it was, or by what is left of the way to it. */
export function real(path: string): string {
  try {
    const found = realpathSync(path);
    known.set(path, found);
    return found;
  } catch {
    const above = dirname(path);
    return known.get(path) ?? (above === path ? path : join(real(above), basename(path)));
  }
}
