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

// What shows nothing of itself, or looks like a blank and is none.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]|(?! )\p{Zs}/gu;

// Letters that are written from right to left, and the marks on them. Where two such words follow one another, be there a
// blank, a slash or a number between them, the second is drawn before the first.
const leftward = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]\p{M}*/u.source;
const leftwardWord = new RegExp(`(?:${leftward})+`, 'gu');

/** Stands for nothing but a direction: words between two of it are drawn in the order in which they are run. */
const RIGHTWARD = '\u200e';

/** Line by line, with everything spelt out that would not be seen, and the words in their order: for what somebody is to
 *  read before they say yes. */
export const visible = (text: string): string =>
  text
    .split('\n')
    .map((line) =>
      line
        .replace(unseen, (mark) => `<U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`)
        .replace(leftwardWord, (word) => `${RIGHTWARD}${word}${RIGHTWARD}`),
    )
    .join('\n');

/** With long lines broken, for an editor that would let them run out of sight. */
export const broken = (text: string, most = 72): string =>
  text
    .split('\n')
    .map((line) => (line.match(new RegExp(`.{1,${most}}`, 'gu')) ?? ['']).join('\n⤷ '))
    .join('\n');

/** For the status bar, where `$(name)` would become an icon. */
export const noIcons = (text: string): string => text.replace(/\$\(/g, '$\u2009(');

/** Shows nothing, and is a blank to Markdown, which begins no emphasis before one and goes no further with a link, a tag or
 *  an address. */
const GAP = '\ufeff';

/** Looks like a backtick: whatever stands between two of those is code, so no gap helps. */
const BACKTICK = '\u02cb';

/** For a QuickPick, where `$(name)` would become an icon, and whose hovers are Markdown that fetches images. It looks the same
 *  there, and a `_` within a word stays as it is, so that names are found by what is typed. */
export const inPick = (text: string): string =>
  oneLine(text, Infinity)
    .replace(/`/g, BACKTICK)
    .replace(/[*~<]|(?<![\p{L}\p{N}])_|\$(?=\()|!(?=\[)|\](?=[([:])|:(?=\/\/)|www(?=\.)|@(?=\w)|&(?=[#\w])|\\(?=[!-/:-@[-`{-~])/giu, `$&${GAP}`)
    // What makes a heading, list, quote or rule of a whole line.
    .replace(/^(?=#+(?: |$)|[>+=|-]|\d+[.)])/u, GAP);

/** For a notification or dialog, where `[text](target)` would become a link. */
export const noLinks = (text: string): string => text.replace(/\]\(/g, '] (');

/** For Markdown: every character that could mean something there becomes a reference. */
export const escapeMarkdown = (text: string): string =>
  text.replace(/[!-/:-@[-`{-~]/g, (mark) => `&#${mark.charCodeAt(0)};`);

/** A block of text in Markdown; its fence is longer than any in it. */
export function fenced(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, run) => Math.max(most, run[0].length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.replace(/\r/g, '')}\n${fence}`;
}
