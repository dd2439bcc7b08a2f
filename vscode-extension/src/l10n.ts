// The one place where text for people is looked up, so that rules can be tested without an editor.
// extension.ts puts vscode.l10n.t in; without it the English text is its own translation.

export type Translate = (message: string, ...args: (string | number)[]) => string;

let translate: Translate = (message, ...args) =>
  message.replace(/\{(\d+)\}/g, (whole, at: string) => String(args[Number(at)] ?? whole));

/** Says which one was used so far. */
export function useTranslation(translation: Translate): Translate {
  const former = translate;
  translate = translation;
  return former;
}

/** A text for people, `{0}` being the first argument. */
export const t: Translate = (message, ...args) => translate(message, ...args);
