// Captures of a screen as the server sends them, and what the emulator has to interpret to show them.

import type { Terminal } from "@xterm/xterm";

export interface Capture {
  width: number;
  height: number;
  /** Column and line, counted from 0. */
  cursor: [number, number];
  has_cursor: boolean;
  alternate: boolean;
  /** Lines above the screen, oldest first, with colours and attributes. */
  history: string[];
  lines: string[];
}

/** Removes what tmux and xterm.js give different widths: U+FE0F, and characters after a joiner. The server does the same with output. */
function narrow(line: string): string {
  return line.replace(/\ufe0f|\u200d./gu, "");
}

function cursor({ cursor: [column, line], has_cursor }: Capture): string {
  return `\x1b[0m\x1b[${line + 1};${column + 1}H\x1b[?25${has_cursor ? "h" : "l"}`;
}

/** Returns the output that fills a new emulator with a capture and its history. */
export function filled(capture: Capture): string {
  const { history, height, alternate } = capture;
  const above = history.map((line) => `${narrow(line)}\x1b[0m\r\n`).join("");
  // The last lines of the history leave the screen only when more lines follow.
  const left = "\n".repeat(Math.min(history.length, height - 1));
  const lines = capture.lines.map((line, at) => `\x1b[${at + 1};1H\x1b[0m${narrow(line)}`).join("");
  return `${above}\x1b[${height};1H${left}${alternate ? "\x1b[?1049h" : ""}${lines}${cursor(capture)}`;
}

/** Returns the output that draws a capture over whatever the screen shows. The history stays. */
export function redrawn(capture: Capture, isAlternate: boolean): string {
  const buffer = capture.alternate === isAlternate ? "" : `\x1b[?1049${capture.alternate ? "h" : "l"}`;
  const lines = capture.lines.map((line, at) => `\x1b[${at + 1};1H\x1b[0m\x1b[2K${narrow(line)}`).join("");
  return `\x1b[!p${buffer}${lines}${cursor(capture)}`;
}

/** Returns the text of a captured line. */
function plain(line: string): string {
  return narrow(line)
    .replace(/\x1b\[[0-9;:]*m|\x1b\]8;[^\x07\x1b]*(?:\x07|\x1b\\)|[\x0e\x0f]/g, "")
    .trimEnd();
}

/** Checks whether an emulator shows the text and the cursor of a capture, at the same size. */
export function shows(terminal: Terminal, capture: Capture): boolean {
  const buffer = terminal.buffer.active;
  const [column, line] = capture.cursor;
  const text = (at: number) => buffer.getLine(buffer.baseY + at)?.translateToString(true).trimEnd() ?? "";
  return (
    terminal.cols === capture.width &&
    terminal.rows === capture.height &&
    (buffer.type === "alternate") === capture.alternate &&
    Math.min(buffer.cursorX, capture.width - 1) === Math.min(column, capture.width - 1) &&
    buffer.cursorY === line &&
    capture.lines.every((captured, at) => text(at) === plain(captured))
  );
}
