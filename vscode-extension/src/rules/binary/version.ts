// The versions of the binary that this extension works with.

/** The oldest version whose JSON has all fields that the extension reads. */
export const REQUIRED_VERSION = '0.1.0';

/** Returns whether a program with this `--version` output is symposium. */
export const isSymposium = (printed: string): boolean => /^symposium \d+\.\d+\.\d+/.test(printed);

/** Returns whether this `--version` output names the required version or a newer one. */
export function isNewEnough(printed: string, needed: string = REQUIRED_VERSION): boolean {
  const numbers = (text: string) => /(\d+)\.(\d+)\.(\d+)/.exec(text)?.slice(1).map(Number);
  const is = numbers(printed);
  const least = numbers(needed);
  if (is === undefined || least === undefined) return false;
  for (const [at, wanted] of least.entries()) {
    const given = is[at] ?? 0;
    if (given !== wanted) return given > wanted;
  }
  return true;
}
