/**
 * Estimates the number of tokens in a text from its scripts.
 *
 * A text is split into runs: words of Latin letters, digits, marks, letters of other alphabets,
 * ideographs. Each run counts as the average number of tokens in OpenAI's encoding `o200k_base`,
 * multiplied by a factor per script and model family. tests/core/tokens/token_counter_test.ts
 * states the error.
 */

import { random } from "../ids.ts";

/** The classes up to this one are letters in Latin words. */
const LAST_OF_WORD = 4;
const VOWEL = 0;
const CONSONANT = 1;
/** Rare lowercase letters. */
const SELDOM = 2;
const CAPITAL = 3;
const ACCENTED = LAST_OF_WORD;
const SPACE = 5;
const LINE = 6;
const DIGIT = 7;
const MARK = 8;
const CYRILLIC = 9;
const ALPHABETIC = 10;
const THAI = 11;
const HANGUL = 12;
const IDEOGRAPH = 13;
const SYMBOL = 14;
/** The first surrogate of an emoji; the second one is RARE. */
const EMOJI = 15;
/** Scripts whose characters take up to four tokens each. */
const RARE = 16;

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
function textClasses(): Uint8Array {
  if (table !== undefined) return table;
  table = new Uint8Array(0x10000).fill(RARE);
  for (const [kind, first, last] of RANGES) table.fill(kind, first, last + 1);
  return table;
}

function each(kind: number, letters: string): [number, number, number][] {
  return Array.from(letters, (letter) => [kind, letter.charCodeAt(0), letter.charCodeAt(0)]);
}

/** The scripts that are counted separately: indexes of lists. */
enum Script {
  latin,
  /** The additional tokens for accented Latin letters. */
  accents,
  digits,
  marks,
  cyrillic,
  alphabetic,
  ideographs,
  rare,
}

/** The number of scripts. */
const SCRIPTS = 8;

/** Models whose tokenizers produce similar counts. */
export interface TokenFamily {
  readonly name: string;
  /** Tokens for each script relative to `o200k_base`, by {@linkcode Script}. */
  readonly factors: readonly number[];
}

/** The factor for a script's tokens. */
function factorOf({ factors }: TokenFamily, script: Script): number {
  return factors[script] ?? 1;
}

/** UTF-16 units that are read one by one. Longer text is sampled: 300 kB take 0.3 ms. */
const MAX_READ = 12 * 1024;
/** One window in each stratum is read, at a random position. */
const WINDOW = 192;
/**
 * A run that crosses the end of a window is counted if it begins in the window, and is read for up
 * to this many more units.
 */
const MAX_CUT = 16;
/**
 * The length of a stratum is this share of the preceding text, so that its error is a small part of
 * the total. Strata have a maximum length, so that dense parts of a long text are found; 30 MB take
 * 3 ms.
 */
const STRATUM_PART = 1 / 56;
const MAX_STRATUM = 8192;

/**
 * Accents show that a text is not English. These values bound the tokens that they add to Latin
 * words.
 */
const ACCENTS_WEIGHT = 7;
const MAX_ACCENTS = 0.35;

/** Tokens per unit, for classes whose runs have no separate tokens. */
const PER_UNIT: Readonly<Record<number, readonly [script: Script, tokens: number]>> = {
  [CYRILLIC]: [Script.cyrillic, 0.29],
  [ALPHABETIC]: [Script.alphabetic, 0.38],
  [THAI]: [Script.alphabetic, 0.5],
  [HANGUL]: [Script.ideographs, 0.78],
  [IDEOGRAPH]: [Script.ideographs, 0.88],
  [SYMBOL]: [Script.rare, 0.8],
  [EMOJI]: [Script.rare, -0.3],
  [RARE]: [Script.rare, 1.9],
};

/** No tokens for any script. Copying this array takes less time than creating a typed array. */
const NO_TOKENS: readonly number[] = Array(SCRIPTS).fill(0);

/** Adds up the tokens in texts, in bounded time. */
export class TokenCounter {
  /** By script. */
  readonly #tokens: number[] = NO_TOKENS.slice();
  #known = 0;
  /** The number of UTF-16 units so far. */
  #length = 0;
  /** The number of units to read next, each with this weight, or the number to skip. */
  #toRead = MAX_READ;
  #weight = 1;
  #toSkip = 0;
  /** The rest of the stratum, after its window. */
  #behindWindow = 0;
  #letters = 0;
  #accented = 0;
  /** Tokens for the words since the start of a scan. */
  #words = 0;

  /** Adds a text. Strata continue across texts, so only some of many short texts are read. */
  add(text: string): void {
    const { length } = text;
    this.#length += length;
    if (length < this.#toSkip) {
      this.#toSkip -= length;
      return;
    }
    for (let at = 0; at < length;) {
      if (this.#toRead > 0) {
        const end = Math.min(length, at + this.#toRead);
        this.#scan(text, endOfCutRun(text, at), endOfCutRun(text, end), this.#weight);
        this.#toRead -= end - at;
        at = end;
        if (this.#toRead === 0) this.#beginStratum(this.#length - length + at);
      } else {
        const skipped = Math.min(length - at, this.#toSkip);
        this.#toSkip -= skipped;
        at += skipped;
        if (this.#toSkip === 0) this.#toRead = WINDOW;
      }
    }
  }

  /** Places the window of the next stratum. */
  #beginStratum(before: number): void {
    const stratum = Math.min(MAX_STRATUM, Math.ceil(before * STRATUM_PART));
    const start = Math.floor(random() * (stratum - WINDOW + 1));
    this.#toSkip = this.#behindWindow + start;
    this.#behindWindow = stratum - WINDOW - start;
    this.#weight = stratum / WINDOW;
    if (this.#toSkip === 0) this.#toRead = WINDOW;
  }

  /** Adds a known number of tokens, such as those that frame a message. */
  addTokens(tokens: number): void {
    this.#known += tokens;
  }

  /** The tokens for a family of models. */
  tokens(family: TokenFamily): number {
    const accents = this.#accented / Math.max(1, this.#letters);
    const latin = this.#tokens[Script.latin] ?? 0;
    let sum = this.#known + latin * Math.min(MAX_ACCENTS, ACCENTS_WEIGHT * accents) *
        factorOf(family, Script.accents);
    for (let script = 0; script < SCRIPTS; script++) {
      sum += (this.#tokens[script] ?? 0) * factorOf(family, script);
    }
    return Math.ceil(sum);
  }

  #add(script: Script, tokens: number): void {
    this.#tokens[script] = (this.#tokens[script] ?? 0) + tokens;
  }

  /** Adds the tokens from one index to another, each `weight` times. */
  #scan(text: string, start: number, end: number, weight: number): void {
    const classes = textClasses();
    let latin = 0;
    let digits = 0;
    let marks = 0;
    this.#words = 0;
    for (let at = start; at < end;) {
      const first = at;
      const kind = classes[text.charCodeAt(at)] ?? RARE;
      if (kind <= LAST_OF_WORD) {
        at = this.#word(text, at, end, weight, classes);
        continue;
      }
      do at++; while (at < end && classes[text.charCodeAt(at)] === kind);
      const length = at - first;
      if (kind === SPACE) {
        if (length > 1) latin += 0.6 + length / 100;
        else if (at < end && classes[text.charCodeAt(at)] === DIGIT) latin += 0.8;
      } else if (kind === LINE) latin += 0.5 + length / 100;
      else if (kind === DIGIT) digits += 0.08 + Math.ceil(length / 3);
      else if (kind === MARK) marks += length === 1 ? 0.78 : marksTokens(text, first, at);
      else {
        const [script, tokens] = PER_UNIT[kind] ?? [Script.rare, 1];
        this.#add(script, weight * (0.3 + length * tokens));
      }
    }
    this.#add(Script.latin, weight * (latin + this.#words));
    this.#add(Script.digits, weight * digits);
    this.#add(Script.marks, weight * marks);
  }

  /**
   * Adds a word of Latin letters. An uppercase letter after a lowercase one ends the word. Returns
   * its end.
   */
  #word(text: string, start: number, end: number, weight: number, classes: Uint8Array): number {
    let capitals = 0;
    let accented = 0;
    let consonants = 0;
    let hard = 0;
    let kind = 0;
    let at = start;
    for (; at < end; at++) {
      kind = classes[text.charCodeAt(at)] ?? RARE;
      if (kind === CONSONANT) {
        if (++consonants > 3) hard++;
      } else if (kind === VOWEL) consonants = 0;
      else if (kind === ACCENTED) {
        accented++;
        consonants = 0;
      } else if (kind === SELDOM) hard++;
      else if (kind !== CAPITAL || at - start > capitals) break;
      else capitals++;
    }
    const length = at - start;
    const isCut = kind === DIGIT || kind === CAPITAL;
    this.#words += wordTokens(length, capitals, hard, isCut);
    this.#letters += weight * length;
    if (accented > 0) {
      this.#accented += weight * accented;
      const isDense = accented > 3 && accented > length / 2;
      this.#add(Script.accents, weight * accented * (isDense ? 0.7 : 0.25));
    }
    return at;
  }
}

/** The end of a run that began before a position; the position itself if there is none. */
function endOfCutRun(text: string, position: number): number {
  if (position === 0 || position === text.length) return position;
  const run = runAt(text, position - 1);
  const last = Math.min(text.length, position + MAX_CUT);
  let at = position;
  while (at < last && runAt(text, at) === run) at++;
  return at;
}

/** The class of the run that a unit belongs to. */
function runAt(text: string, at: number): number {
  const kind = textClasses()[text.charCodeAt(at)] ?? RARE;
  return kind <= LAST_OF_WORD ? LAST_OF_WORD : kind;
}

/**
 * The tokens for a word.
 *
 * @param hard letters that make rare combinations
 * @param isCut whether a digit or a capital follows, as in identifiers and base64
 */
function wordTokens(length: number, capitals: number, hard: number, isCut: boolean): number {
  // Longer than any word, so it consists of random letters or of many words without spaces.
  if (length > 20) return 3.5 + (length - 20) * 0.5 + capitals * 0.08;
  let tokens = length <= 9 ? 1 + Math.max(0, length - 5) * 0.07 : 1.28 + (length - 9) * 0.2;
  if (capitals > 1) tokens += (capitals - 1) * 0.27;
  if (isCut && length <= 3) tokens += 0.55;
  return tokens + hard * 0.6;
}

/** Up to four marks often form one token, as do repeated marks. */
function marksTokens(text: string, start: number, end: number): number {
  let different = 1;
  for (let at = start + 1; at < end; at++) {
    if (text.charCodeAt(at) !== text.charCodeAt(at - 1)) different++;
  }
  const same = end - start - different;
  return 0.4 + Math.min(4, different) * 0.38 + Math.max(0, different - 4) * 0.62 + same * 0.1;
}
