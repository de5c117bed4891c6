/** Aliases with a `*` in their names: each matches all names that are not taken otherwise. */

/** The aliases whose texts before and after the `*` have the same lengths. */
interface Shape<Value> {
  readonly prefix: number;
  readonly suffix: number;
  readonly aliases: Map<string, Value>;
}

/** Whether an alias stands for more than its own name. */
export function isAliasPattern(alias: string): boolean {
  return alias.includes("*");
}

/**
 * Finds the alias that a name fits. The longest pattern wins, not counting the `*`; of two with the
 * same length, the one with the longer text before it. A name is looked up once for each shape,
 * however many aliases there are.
 */
export class AliasPatterns<Value> {
  /** The names of the aliases, in the order in which they are tried. */
  readonly ids: readonly string[];
  readonly #shapes: readonly Shape<Value>[];

  /** @param aliases with one `*` in each name */
  constructor(aliases: Iterable<readonly [string, Value]>) {
    const shapes = new Map<string, Shape<Value>>();
    for (const [id, value] of aliases) {
      const prefix = id.indexOf("*");
      const suffix = id.length - prefix - 1;
      const text = `${prefix} ${suffix}`;
      let shape = shapes.get(text);
      if (shape === undefined) shapes.set(text, shape = { prefix, suffix, aliases: new Map() });
      shape.aliases.set(id, value);
    }
    this.#shapes = [...shapes.values()].sort((one, other) =>
      other.prefix + other.suffix - one.prefix - one.suffix || other.prefix - one.prefix
    );
    this.ids = this.#shapes.flatMap((shape) => [...shape.aliases.keys()]);
  }

  /** The alias that a name fits. A `*` matches any characters, or none, but no `@`. */
  find(name: string): { readonly id: string; readonly value: Value } | undefined {
    for (const { prefix, suffix, aliases } of this.#shapes) {
      const end = name.length - suffix;
      if (end < prefix || name.slice(prefix, end).includes("@")) continue;
      const id = `${name.slice(0, prefix)}*${name.slice(end)}`;
      const value = aliases.get(id);
      if (value !== undefined) return { id, value };
    }
    return undefined;
  }
}
