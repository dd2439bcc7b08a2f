// Draws a terminal screen as SVG: reads the output of `tmux capture-pane -e` from stdin, writes SVG to stdout.
//
//   node scripts/terminal-svg.mjs TITLE COLUMNS <screen >picture.svg
//
// It understands the colour and style sequences (SGR) that tmux writes, and nothing else.

const [, , title, columnsArgument] = process.argv;
const columns = Number(columnsArgument);
if (!title || !Number.isInteger(columns)) {
  console.error('usage: node scripts/terminal-svg.mjs TITLE COLUMNS');
  process.exit(2);
}

// 8.43 is the width of a letter of DejaVu Sans Mono at 14 px; other fonts are fitted with textLength.
const CELL = { width: 8.43, height: 19, size: 14 };
const FRAME = { padding: 14, bar: 34 };
const FOREGROUND = '#d8dee9';
const BACKGROUND = '#1f2430';
// The 16 colours of the terminal, then the cube and the greys of xterm are computed.
const PALETTE = [
  '#3b4252', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#d8dee9',
  '#6b7489', '#ef7d86', '#a9d48a', '#f0cd8a', '#7cc0ff', '#d794ea', '#6fd0dc', '#ffffff',
];

function indexed(index) {
  if (index < 16) return PALETTE[index];
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey},${grey},${grey})`;
  }
  const level = (value) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return `rgb(${level(Math.floor(cube / 36))},${level(Math.floor(cube / 6) % 6)},${level(cube % 6)})`;
}

/** Reads the colour behind 38 or 48 in a list of SGR parameters, and returns it with the number of parameters read. */
function extended(parameters) {
  if (parameters[0] === 5) return [indexed(parameters[1]), 2];
  if (parameters[0] === 2) return [`rgb(${parameters.slice(1, 4).join(',')})`, 4];
  return [null, 0];
}

function applied(style, text) {
  const next = { ...style };
  const parameters = (text === '' ? '0' : text).split(/[;:]/).map(Number);
  while (parameters.length > 0) {
    const code = parameters.shift();
    if (code === 0) Object.assign(next, { fg: null, bg: null, bold: false, dim: false, italic: false, underline: false, reverse: false });
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 7) next.reverse = true;
    else if (code === 22) Object.assign(next, { bold: false, dim: false });
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code === 27) next.reverse = false;
    else if (code >= 30 && code <= 37) next.fg = indexed(code - 30);
    else if (code >= 40 && code <= 47) next.bg = indexed(code - 40);
    else if (code >= 90 && code <= 97) next.fg = indexed(code - 82);
    else if (code >= 100 && code <= 107) next.bg = indexed(code - 92);
    else if (code === 39) next.fg = null;
    else if (code === 49) next.bg = null;
    else if (code === 38 || code === 48) {
      const [colour, used] = extended(parameters);
      parameters.splice(0, used);
      next[code === 38 ? 'fg' : 'bg'] = colour;
    }
  }
  return next;
}

/** Splits a line into runs of one style, with the column at which each begins. */
function runs(line, start) {
  const out = [];
  let style = start;
  let column = 0;
  // tmux writes charset switches too; they have no width.
  for (const part of line.replaceAll(/\u001b\([0B]|[\u000e\u000f]/g, '').split(/(\u001b\[[0-9;:]*m)/)) {
    const sequence = /^\u001b\[([0-9;:]*)m$/.exec(part);
    if (sequence) style = applied(style, sequence[1]);
    else if (part !== '') {
      out.push({ column, text: part, style });
      column += [...part].length;
    }
  }
  return [out, style];
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const number = (value) => String(Math.round(value * 100) / 100);

/** Splits a text at runs of spaces, because browsers collapse them, and tells the offset of each word group. */
function groups(text) {
  const letters = [...text];
  const out = [];
  let begin = 0;
  for (let at = 0; at <= letters.length; at += 1) {
    const gap = at === letters.length || (letters[at] === ' ' && (at + 1 === letters.length || letters[at + 1] === ' ' || at === begin));
    if (!gap) continue;
    if (at > begin) out.push({ offset: begin, text: letters.slice(begin, at).join('') });
    begin = at + 1;
  }
  return out;
}

function drawn({ column, text, style }, row) {
  const left = (offset) => FRAME.padding + (column + offset) * CELL.width;
  const width = (content) => [...content].length * CELL.width;
  const top = FRAME.bar + row * CELL.height;
  let [fg, bg] = [style.fg ?? FOREGROUND, style.bg];
  if (style.reverse) [fg, bg] = [bg ?? BACKGROUND, fg];
  const attributes = [`fill="${fg}"`];
  if (style.bold) attributes.push('font-weight="bold"');
  if (style.dim) attributes.push('opacity="0.65"');
  if (style.italic) attributes.push('font-style="italic"');
  if (style.underline) attributes.push('text-decoration="underline"');
  const background = bg ? `<rect x="${number(left(0))}" y="${number(top)}" width="${number(width(text))}" height="${CELL.height}" fill="${bg}"/>` : '';
  const words = groups(text).map(
    (group) =>
      `<text x="${number(left(group.offset))}" y="${number(top + 14)}" textLength="${number(width(group.text))}" ${attributes.join(' ')}>${escaped(group.text)}</text>`,
  );
  return background + words.join('');
}

let input = '';
for await (const chunk of process.stdin.setEncoding('utf8')) input += chunk;
const lines = input.replace(/(\n *)+$/, '').split('\n');
const width = columns * CELL.width + 2 * FRAME.padding;
const height = FRAME.bar + lines.length * CELL.height + FRAME.padding;
const parts = [
  `<svg xmlns="http://www.w3.org/2000/svg" width="${number(width)}" height="${number(height)}" viewBox="0 0 ${number(width)} ${number(height)}">`,
  `<title>${escaped(title)}</title>`,
  `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
  ...['#e06c75', '#e5c07b', '#98c379'].map((fill, index) => `<circle cx="${20 + index * 18}" cy="17" r="5.5" fill="${fill}"/>`),
  `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${CELL.size}">`,
];
let style = applied({}, '0');
lines.forEach((line, row) => {
  const [found, after] = runs(line, style);
  style = after;
  const text = found.map((run) => drawn(run, row)).join('');
  if (text !== '') parts.push(text);
});
parts.push('</g>', '</svg>', '');
process.stdout.write(parts.join('\n'));
