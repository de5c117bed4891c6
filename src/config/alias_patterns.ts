/** Aliases with a `*` in their names: each matches all names that are not taken otherwise. */

interface Pattern<Value> {
  readonly id: string;
  readonly prefix: string;
  readonly suffix: string;
  readonly value: Value;
}

/** Whether an alias stands for more than its own name. */
export function isAliasPattern(alias: string): boolean {
  return alias.includes("*");
}

/** Finds the alias that a name fits. The longest pattern wins, not counting the `*`. */
export class AliasPatterns<Value> {
  readonly #patterns: readonly Pattern<Value>[];

  /** @param aliases with one `*` in each name */
  constructor(aliases: Iterable<readonly [string, Value]>) {
    const patterns = [...aliases].map(([id, value]) => {
      const star = id.indexOf("*");
      return { id, prefix: id.slice(0, star), suffix: id.slice(star + 1), value };
    });
    // Of two with the same length, the longer prefix is first; else the order of config.yaml holds.
    this.#patterns = patterns.sort((one, other) =>
      other.id.length - one.id.length || other.prefix.length - one.prefix.length
    );
  }

  /** The names of the aliases, in the order in which they are tried. */
  get ids(): readonly string[] {
    return this.#patterns.map(({ id }) => id);
  }

  /** The alias that a name fits. A `*` matches any characters, or none, but no `@`. */
  find(name: string): { readonly id: string; readonly value: Value } | undefined {
    return this.#patterns.find(({ prefix, suffix }) =>
      name.length >= prefix.length + suffix.length && name.startsWith(prefix) &&
      name.endsWith(suffix) &&
      !name.slice(prefix.length, name.length - suffix.length).includes("@")
    );
  }
}
