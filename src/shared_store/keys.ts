/**
 * The names of keys in the server. All of them begin with `{sluice`. A cluster hashes what is between
 * the first braces: so what belongs together is on one node, where one script may use it, and the
 * rest is spread over all nodes.
 */

/**
 * A key.
 *
 * @param owner what the key belongs to, such as a service key or a model
 */
export function keyOf(owner: string, name: string): string {
  return `{sluice:${owner.replace(/[{}]/g, encodeURIComponent)}}:${name}`;
}

/** A key that all replicas use, whatever they serve. Versions before 0.3 had no others. */
export function commonKeyOf(name: string): string {
  return `{sluice}:${name}`;
}
