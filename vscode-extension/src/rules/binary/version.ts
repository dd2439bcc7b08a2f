// Which binary this extension works with.

/** The oldest one whose JSON has all that is read here. */
export const NEEDED = '0.1.0';

/** Whether a program that printed this for `--version` is symposium. */
export const isSymposium = (printed: string): boolean => /^symposium \d+\.\d+\.\d+/.test(printed);

/** Whether `--version` printed the needed version or a newer one. */
export function isNewEnough(printed: string, needed: string = NEEDED): boolean {
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
