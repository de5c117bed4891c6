/**
 * Hashes that are the same in every worker and replica. They are not secret: each service key has
 * separate sessions, so that a collision affects no other key.
 */

/** A hash of 32 bits, as a signed integer. */
export type Hash = number;

/** Hashes a text (MurmurHash2's mixing, one round for each UTF-16 unit). */
export function hashText(text: string, seed: Hash = 0): Hash {
  let hash = seed ^ text.length;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return mix(hash);
}

/** The score of a place for a session: the place with the highest score is the session's. */
export function scoreOf(session: Hash, place: Hash, weight = 1): number {
  const unit = ((mix(session ^ mix(place)) >>> 0) + 0.5) / 2 ** 32;
  // Weighted rendezvous hashing: each place wins a share of sessions by its weight.
  return -weight / Math.log(unit);
}

/** MurmurHash3's finalizer. */
function mix(hash: Hash): Hash {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
