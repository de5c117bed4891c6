/** The names of keys in the server. */

/** A key. All keys have one hash slot, so that a script may use several of them. */
export function keyOf(name: string): string {
  return `{sluice}:${name}`;
}
