/**
 * The names of keys in the server. All of them begin with `{sluice`. A cluster hashes the text
 * between the first braces, so that related keys are on one node, where a script can use them, and
 * others are spread over all nodes.
 */

/**
 * A key.
 *
 * @param owner the owner of the key, such as a service key or a model
 */
export function keyOf(owner: string, name: string): string {
  return `{sluice:${owner.replace(/[{}]/g, encodeURIComponent)}}:${name}`;
}

/** A key that all replicas use. Versions before 0.3 had no others. */
export function commonKeyOf(name: string): string {
  return `{sluice}:${name}`;
}
