// Questions that are approved with two taps: commands whose effect cannot be undone, and questions that are not shown
// completely. The list of commands is a help for tired eyes, not a protection: a command that is not in it may do harm
// as well.

import harmful from "../../src/rules/notify/harmful_commands.json";
import type { Question } from "./types.js";

const PATTERNS: [RegExp, string][] = [
  ...harmful.map(({ pattern, ignore_case, effect }): [RegExp, string] => [new RegExp(pattern, ignore_case ? "i" : ""), effect]),
  // The server writes invisible characters in this form. A tab is harmless.
  [/<U\+(?!0009>)[0-9A-F]{4,6}>/, "contains invisible characters"],
];

/** Why a question needs two taps. */
export interface Caution {
  /** The sentence below the question. */
  remark: string;
  /** The label of the button after the first tap. */
  second: string;
}

/** Returns why approving a question needs two taps, or `undefined` if one is enough. */
export function cautionFor(question: Question): Caution | undefined {
  const harm = PATTERNS.find(([pattern]) => pattern.test(question.text))?.[1];
  if (harm) return { remark: `This ${harm}. Approving needs two taps.`, second: `Tap again: it ${harm}` };
  // The part that is not shown may do harm.
  if (question.extent === "whole") return undefined;
  return { remark: "Not all of the question is shown here. Approving needs two taps.", second: "Tap again: not all is shown" };
}
