/** The scripts of texts, and what a family of models needs for each. */

/** The scripts that are counted apart: indexes of lists. */
export enum Script {
  latin,
  /** What accents add to the Latin letters. */
  accents,
  digits,
  marks,
  cyrillic,
  alphabetic,
  ideographs,
  rare,
}

/** The number of scripts. */
export const SCRIPTS = 8;

/** Models whose tokenizers need about the same for a text. */
export interface TokenFamily {
  readonly name: string;
  /** Tokens of each script relative to `o200k_base`, by {@linkcode Script}. */
  readonly factors: readonly number[];
}

/** What the tokens of a script are multiplied with. */
export function factorOf({ factors }: TokenFamily, script: Script): number {
  return factors[script] ?? 1;
}
