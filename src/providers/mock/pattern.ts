/**
 * A short text that fits a regular expression, written from its source: the
 * expression is never run, since it comes from a caller. What it takes is in
 * proportion to the source and to the text.
 */

/** The longest text that is written, in UTF-16 units. */
const MAX_TEXT_LENGTH = 1000;

/** Groups within groups. */
const MAX_DEPTH = 50;

/** The source has something that is not understood, such as a look-ahead. */
class Unsupported extends Error {
  override readonly name = "Unsupported";
}

/**
 * A text that fits the source of a regular expression, or undefined where that
 * is not understood.
 *
 * @param minLength how long it should be at least, where the expression allows that
 */
export function toMatch(source: string, minLength: number): string | undefined {
  try {
    const shortest = new Writer(source, 0).write();
    const missing = Math.max(1, minLength) - shortest.length;
    return missing <= 0 ? shortest : new Writer(source, missing).write();
  } catch (thrown) {
    if (thrown instanceof Unsupported) return undefined;
    throw thrown;
  }
}

/** Reads the source once, and writes as it goes. */
class Writer {
  readonly #source: string;
  #at = 0;
  #depth = 0;
  /** How often things may still be repeated beyond what they must be. */
  #extra: number;

  constructor(source: string, extra: number) {
    this.#source = source;
    this.#extra = Math.min(extra, MAX_TEXT_LENGTH);
  }

  write(): string {
    const text = this.#alternatives();
    if (this.#at < this.#source.length) throw new Unsupported();
    return text;
  }

  /** Takes the first of several alternatives, and reads over the others. */
  #alternatives(): string {
    if (++this.#depth > MAX_DEPTH) throw new Unsupported();
    const first = this.#sequence();
    while (this.#take("|")) {
      const extra = this.#extra;
      this.#sequence();
      this.#extra = extra;
    }
    this.#depth--;
    return first;
  }

  #sequence(): string {
    let text = "";
    while (this.#at < this.#source.length && !"|)".includes(this.#peek())) {
      text += this.#repeated();
      if (text.length > MAX_TEXT_LENGTH) throw new Unsupported();
    }
    return text;
  }

  /** One atom, as often as it must stand, and more often for the sake of the length. */
  #repeated(): string {
    const before = this.#extra;
    const atom = this.#atom();
    const [least, most] = this.#quantifier();
    if (atom === "") return "";
    // A group that may be left out is kept for what it holds beyond its least.
    const wanted = this.#extra < before ? Math.max(least, Math.min(most, 1)) : least;
    const extra = Math.min(this.#extra, most - wanted);
    this.#extra -= extra;
    if (atom.length * (wanted + extra) > MAX_TEXT_LENGTH) throw new Unsupported();
    return atom.repeat(wanted + extra);
  }

  /** How often the atom before may stand, at least and at most. */
  #quantifier(): readonly [number, number] {
    const counts = this.#counts();
    // A lazy quantifier means the same for a text that fits as a whole.
    if (counts !== undefined) this.#take("?");
    return counts ?? [1, 1];
  }

  #counts(): readonly [number, number] | undefined {
    if (this.#take("*")) return [0, Infinity];
    if (this.#take("+")) return [1, Infinity];
    if (this.#take("?")) return [0, 1];
    COUNTS.lastIndex = this.#at;
    const [all, least, comma, most] = COUNTS.exec(this.#source) ?? [];
    if (all === undefined) return undefined;
    this.#at += all.length;
    if (comma === undefined) return [Number(least), Number(least)];
    return [Number(least), most ? Number(most) : Infinity];
  }

  #atom(): string {
    const character = this.#next();
    switch (character) {
      case "^":
      case "$":
        return "";
      case ".":
        return "a";
      case "(":
        return this.#group();
      case "[":
        return this.#class();
      case "\\":
        return this.#escape();
      case "*":
      case "+":
      case "?":
        throw new Unsupported();
      default:
        return character;
    }
  }

  #group(): string {
    if (this.#take("?")) {
      GROUP_NAME.lastIndex = this.#at;
      const name = GROUP_NAME.exec(this.#source)?.[0];
      if (name === undefined) throw new Unsupported();
      this.#at += name.length;
    }
    const text = this.#alternatives();
    if (!this.#take(")")) throw new Unsupported();
    return text;
  }

  #class(): string {
    const isNegated = this.#take("^");
    const ranges: Range[] = [];
    while (!this.#take("]")) ranges.push(...this.#classItem());
    const excludes = (one: string) => ranges.some(([from, to]) => from <= one && one <= to);
    const text = isNegated ? [...CANDIDATES].find((one) => !excludes(one)) : ranges[0]?.[0];
    if (text === undefined) throw new Unsupported();
    return text;
  }

  #classItem(): readonly Range[] {
    if (this.#take("\\")) {
      const set = SETS.get(this.#peek());
      if (set === undefined) return this.#range(this.#escape());
      this.#at++;
      return set;
    }
    return this.#range(this.#next());
  }

  #range(from: string): readonly Range[] {
    if (this.#peek() !== "-" || this.#source[this.#at + 1] === "]") return [[from, from]];
    this.#at++;
    return [[from, this.#take("\\") ? this.#escape() : this.#next()]];
  }

  /** A character for what follows a backslash. */
  #escape(): string {
    const character = this.#next();
    const known = ESCAPES.get(character);
    if (known !== undefined) return known;
    const digits = character === "x" ? 2 : character === "u" ? 4 : 0;
    if (digits > 0) {
      const code = this.#source.slice(this.#at, this.#at + digits);
      if (!/^[0-9a-f]+$/i.test(code) || code.length < digits) throw new Unsupported();
      this.#at += digits;
      return String.fromCharCode(parseInt(code, 16));
    }
    // References, properties and boundaries within words.
    if (/\w/.test(character)) throw new Unsupported();
    return character;
  }

  #peek(): string {
    return this.#source[this.#at] ?? "";
  }

  #next(): string {
    const character = this.#source[this.#at++];
    if (character === undefined) throw new Unsupported();
    return character;
  }

  #take(character: string): boolean {
    const isThere = this.#peek() === character;
    if (isThere) this.#at++;
    return isThere;
  }
}

const COUNTS = /\{(\d{1,9})(,(\d{0,9}))?\}/y;
/** What follows the `(?` of a group that matches what it holds. */
const GROUP_NAME = /:|<[A-Za-z_]\w{0,99}>/y;
/** The first and the last character of a run. */
type Range = readonly [string, string];

/** The escapes of a class that stand for several characters. */
const SETS: ReadonlyMap<string, readonly Range[]> = new Map<string, readonly Range[]>([
  ["d", [["0", "9"]]],
  ["w", [["a", "z"], ["A", "Z"], ["0", "9"], ["_", "_"]]],
  ["s", [[" ", " "], ["\t", "\r"]]],
]);

/** What a negated class is tried with. */
const CANDIDATES = "a0 _-A!~";
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["d", "0"],
  ["D", "a"],
  ["w", "a"],
  ["W", "-"],
  ["s", " "],
  ["S", "a"],
  ["b", ""],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["f", "\f"],
  ["v", "\v"],
]);
