// What agents, specs and repositories say, made harmless: it is shown as text and never as markup, link or icon.

// Control characters, and the marks that turn the direction of what follows.
const unprintable = /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** On one line, without control characters, cut where it gets long. */
export function oneLine(text: string, most = 120): string {
  const line = text.replace(/\s+/gu, ' ').replace(unprintable, '').trim();
  // By code points, so that no half of one is left.
  const characters = Array.from(line);
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

/** For a QuickPick, where `$(name)` would become an icon. */
export const noIcons = (text: string): string => text.replace(/\$\(/g, '$\u2009(');

/** For a notification or dialog, where `[text](target)` would become a link. */
export const noLinks = (text: string): string => text.replace(/\]\(/g, '] (');

/** For Markdown: every character that could mean something there becomes a reference. */
export const escapeMarkdown = (text: string): string =>
  text.replace(/[!-/:-@[-`{-~]/g, (mark) => `&#${mark.charCodeAt(0)};`);

/** A block of text in Markdown; its fence is longer than any in it. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.replace(/\r/g, '')}\n${fence}`;
}
