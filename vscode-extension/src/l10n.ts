// Looks up translations, so that rules can be tested without VS Code. extension.ts installs vscode.l10n.t; without it
// the English text is used.

export type Translate = (message: string, ...args: (string | number)[]) => string;

let translate: Translate = (message, ...args) =>
  message.replace(/\{(\d+)\}/g, (whole, at: string) => String(args[Number(at)] ?? whole));

/** Installs a translation function and returns the previous one. */
export function setTranslate(translation: Translate): Translate {
  const former = translate;
  translate = translation;
  return former;
}

/** Translates a text for users. `{0}` is the first argument. */
export const t: Translate = (message, ...args) => translate(message, ...args);
