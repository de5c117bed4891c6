/**
 * Generates a short text that matches a regular expression. The expression is never executed, since
 * it comes from a caller. The time is linear in the source and in the text.
 */

/** The longest generated text, in UTF-16 units. */
const MAX_TEXT_LENGTH = 1000;

/** The maximum nesting of groups. */
const MAX_DEPTH = 50;

/** The source uses an unsupported feature, such as a look-ahead. */
class Unsupported extends Error {
  override readonly name = "Unsupported";
}

/**
 * Generates a text that matches a regular expression. Returns undefined if it uses an unsupported
 * feature.
 *
 * @param minLength the minimum length, if the expression allows it
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

/** Reads the source once and generates the text. */
class Writer {
  readonly #source: string;
  #at = 0;
  #depth = 0;
  /** The number of optional repetitions that are left. */
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

  /** Uses the first alternative and skips the others. */
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

  /** Repeats an atom as often as required, and more often to reach the length. */
  #repeated(): string {
    const before = this.#extra;
    const atom = this.#atom();
    const [minimum, maximum] = this.#quantifier();
    if (atom === "") return "";
    // An optional group is kept, because it may contain optional repetitions.
    const count = this.#extra < before ? Math.max(minimum, Math.min(maximum, 1)) : minimum;
    const extra = Math.min(this.#extra, maximum - count);
    this.#extra -= extra;
    if (atom.length * (count + extra) > MAX_TEXT_LENGTH) throw new Unsupported();
    return atom.repeat(count + extra);
  }

  /** The minimum and maximum repetitions of the preceding atom. */
  #quantifier(): readonly [number, number] {
    const counts = this.#counts();
    // A lazy quantifier makes no difference for a complete match.
    if (counts !== undefined) this.#take("?");
    return counts ?? [1, 1];
  }

  #counts(): readonly [number, number] | undefined {
    if (this.#take("*")) return [0, Infinity];
    if (this.#take("+")) return [1, Infinity];
    if (this.#take("?")) return [0, 1];
    COUNTS.lastIndex = this.#at;
    const [all, minimum, comma, maximum] = COUNTS.exec(this.#source) ?? [];
    if (all === undefined) return undefined;
    this.#at += all.length;
    if (comma === undefined) return [Number(minimum), Number(minimum)];
    return [Number(minimum), maximum ? Number(maximum) : Infinity];
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

  /** A character for an escape sequence. */
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
    // References, properties and word boundaries.
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
/** The text after `(?` of a non-capturing or named group. */
const GROUP_NAME = /:|<[A-Za-z_]\w{0,99}>/y;
/** The first and the last character of a range. */
type Range = readonly [string, string];

/** Escapes for several characters. */
const SETS: ReadonlyMap<string, readonly Range[]> = new Map<string, readonly Range[]>([
  ["d", [["0", "9"]]],
  ["w", [["a", "z"], ["A", "Z"], ["0", "9"], ["_", "_"]]],
  ["s", [[" ", " "], ["\t", "\r"]]],
]);

/** Characters that are tried for a negated class. */
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
