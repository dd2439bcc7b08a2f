// Resolves symbolic links like the binary, also for paths that no longer exist. Does not depend on VS Code.

import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The last known result for each path. */
const known = new Map<string, string>();

/** Resolves the symbolic links of a path. For a path that no longer exists, returns its last known result, or resolves
 *  the folders above it. */
export function realPath(path: string): string {
  try {
    const found = realpathSync(path);
    known.set(path, found);
    return found;
  } catch {
    const above = dirname(path);
    return known.get(path) ?? (above === path ? path : join(realPath(above), basename(path)));
  }
}
