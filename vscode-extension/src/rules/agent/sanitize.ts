// Sanitizes text from agents, specs and repositories, so that it is shown as text and never as markup, link or icon.

// Control characters and marks that change the direction of the text.
const controlCharacters = /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** Puts a text on one line without control characters, and cuts it to a length. */
export function oneLine(text: string, most = 120): string {
  const line = text.replace(/\s+/gu, ' ').replace(controlCharacters, '').trim();
  // Counts code points, so that no surrogate pair is cut in half.
  const characters = Array.from(line);
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

// Characters that are invisible, or look like a space and are none.
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]|(?! )\p{Zs}/gu;

// Right-to-left letters with their combining marks. Of two such words with only spaces, slashes or digits between them,
// the second is drawn before the first.
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]\p{M}*/u.source;
const rightToLeftWord = new RegExp(`(?:${rightToLeft})+`, 'gu');

/** Words between two of these marks are drawn in the order in which they are executed. */
const LEFT_TO_RIGHT_MARK = '\u200e';

/** Spells out invisible characters and keeps the order of words, for text that a user reads before an approval. */
export const spellOutInvisible = (text: string): string =>
  text
    .split('\n')
    .map((line) =>
      line
        .replace(invisible, (mark) => `<U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`)
        .replace(rightToLeftWord, (word) => `${LEFT_TO_RIGHT_MARK}${word}${LEFT_TO_RIGHT_MARK}`),
    )
    .join('\n');

/** Wraps long lines for an editor that does not wrap them. */
export const wrapLines = (text: string, most = 72): string =>
  text
    .split('\n')
    .map((line) => (line.match(new RegExp(`.{1,${most}}`, 'gu')) ?? ['']).join('\n⤷ '))
    .join('\n');

/** Escapes a text for the status bar, where `$(name)` becomes an icon. */
export const withoutIcons = (text: string): string => text.replace(/\$\(/g, '$\u2009(');

/** Invisible, and treated by Markdown as a space: it ends a link, a tag or an address, and no emphasis begins before
 *  it. */
const GAP = '\ufeff';

/** Looks like a backtick. A gap does not help against backticks, because any text between two of them is code. */
const BACKTICK = '\u02cb';

/** Escapes a text for a quick pick, where `$(name)` becomes an icon and hovers are Markdown that loads images. The text
 *  looks the same. An underscore within a word stays, so that the filter finds names. */
export const escapeQuickPick = (text: string): string =>
  oneLine(text, Infinity)
    .replace(/`/g, BACKTICK)
    .replace(/[*~<]|(?<![\p{L}\p{N}])_|\$(?=\()|!(?=\[)|\](?=[([:])|:(?=\/\/)|www(?=\.)|@(?=\w)|&(?=[#\w])|\\(?=[!-/:-@[-`{-~])/giu, `$&${GAP}`)
    // Marks that turn a whole line into a heading, list, quote or rule.
    .replace(/^(?=#+(?: |$)|[>+=|-]|\d+[.)])/u, GAP);

/** Escapes a text for a notification or dialog, where `[text](target)` becomes a link. */
export const withoutLinks = (text: string): string => text.replace(/\]\(/g, '] (');

/** Escapes a text for Markdown: every punctuation character becomes a character reference. */
export const escapeMarkdown = (text: string): string =>
  text.replace(/[!-/:-@[-`{-~]/g, (mark) => `&#${mark.charCodeAt(0)};`);

/** Returns a Markdown code block whose fence is longer than any fence in the text. */
export function fenced(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, run) => Math.max(most, run[0].length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${text.replace(/\r/g, '')}\n${fence}`;
}
