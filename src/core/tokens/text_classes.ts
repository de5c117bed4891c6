/** The class of each UTF-16 unit for the estimate of tokens. */

/** The classes up to this one are the letters of Latin words. */
export const LAST_OF_WORD = 4;
export const VOWEL = 0;
export const CONSONANT = 1;
/** Rare lowercase letters. */
export const SELDOM = 2;
export const CAPITAL = 3;
export const ACCENTED = LAST_OF_WORD;
export const SPACE = 5;
export const LINE = 6;
export const DIGIT = 7;
export const MARK = 8;
export const CYRILLIC = 9;
export const ALPHABETIC = 10;
export const THAI = 11;
export const HANGUL = 12;
export const IDEOGRAPH = 13;
export const SYMBOL = 14;
/** The first half of an emoji; the second is RARE. */
export const EMOJI = 15;
/** Scripts whose characters take up to four tokens each. */
export const RARE = 16;

/** Classes of ranges of units; later ones take precedence. */
const RANGES: readonly (readonly [kind: number, first: number, last: number])[] = [
  [MARK, 0, 0x7f],
  [SPACE, 0x20, 0x20],
  [SPACE, 0x09, 0x09],
  [LINE, 0x0a, 0x0a],
  [LINE, 0x0d, 0x0d],
  [DIGIT, 0x30, 0x39],
  [CAPITAL, 0x41, 0x5a],
  [CONSONANT, 0x61, 0x7a],
  ...each(VOWEL, "aeiouy"),
  ...each(SELDOM, "jqx"),
  [SYMBOL, 0xa0, 0xbf],
  [ACCENTED, 0xc0, 0x24f],
  [ALPHABETIC, 0x370, 0x3ff],
  [CYRILLIC, 0x400, 0x4ff],
  [ALPHABETIC, 0x5d0, 0x6ff],
  [ALPHABETIC, 0x900, 0x97f],
  [THAI, 0xe00, 0xe7f],
  [ACCENTED, 0x1e00, 0x1eff],
  [SYMBOL, 0x2000, 0x206f],
  [SYMBOL, 0x2500, 0x257f],
  [SYMBOL, 0x3000, 0x303f],
  [IDEOGRAPH, 0x3040, 0x30ff],
  [IDEOGRAPH, 0x4e00, 0x9fff],
  [HANGUL, 0xac00, 0xd7a3],
  [EMOJI, 0xd83c, 0xd83e],
  [SYMBOL, 0xff00, 0xff0f],
  [SYMBOL, 0xff1a, 0xff1f],
];

let table: Uint8Array | undefined;

/** The class of each UTF-16 unit, by its code. Created on first use. */
export function textClasses(): Uint8Array {
  if (table !== undefined) return table;
  table = new Uint8Array(0x10000).fill(RARE);
  for (const [kind, first, last] of RANGES) table.fill(kind, first, last + 1);
  return table;
}

function each(kind: number, letters: string): [number, number, number][] {
  return Array.from(letters, (letter) => [kind, letter.charCodeAt(0), letter.charCodeAt(0)]);
}
