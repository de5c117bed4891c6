/**
 * Hashes that are the same in every worker and replica. They are not secret: each service key has
 * separate sessions, so a collision does not affect other keys.
 */

/** A 32-bit hash, as a signed integer. */
export type Hash = number;

/** Hashes a text (MurmurHash2's mixing, one round per UTF-16 unit). */
export function hashText(text: string, seed: Hash = 0): Hash {
  const hasher = new TextHasher(seed ^ text.length);
  hasher.add(text, 0, text.length);
  return hasher.hash;
}

/** Hashes text piece by piece, without joining the pieces, to 64 bits, as two 32-bit hashes. */
export class TextHasher {
  #hash: Hash;
  #other: Hash;

  constructor(seed: Hash) {
    this.#hash = seed;
    this.#other = ~seed;
  }

  /** Adds the UTF-16 units of a text from `start` to `end`. */
  add(text: string, start: number, end: number): void {
    let hash = this.#hash;
    let other = this.#other;
    for (let at = start; at < end; at++) {
      const unit = text.charCodeAt(at);
      hash = Math.imul(hash ^ unit, 0x5bd1e995);
      hash ^= hash >>> 15;
      other = Math.imul(other ^ unit, 0x85ebca6b);
      other ^= other >>> 13;
    }
    this.#hash = hash;
    this.#other = other;
  }

  /** Adds a number, such as the length of the following text. */
  addNumber(number: number): void {
    this.#hash = mix(this.#hash ^ number);
    this.#other = mix(this.#other + number | 0);
  }

  get hash(): Hash {
    return mix(this.#hash);
  }

  /** The second hash. */
  get other(): Hash {
    return mix(this.#other);
  }
}

/** The score of a target for a session, which uses the target with the highest score. */
export function scoreOf(session: Hash, place: Place, weight = 1): number {
  const unit = ((mix(session ^ place) >>> 0) + 0.5) / 2 ** 32;
  // Weighted rendezvous hashing: each target's share of sessions is proportional to its weight.
  return -weight / Math.log(unit);
}

/** The hash of a target, mixed once more in advance for computing scores. */
export type Place = Hash;

/** The hash of a name. */
export function placeOf(name: string): Place {
  return mix(hashText(name));
}

/** A hash as eight hexadecimal digits. */
export function toHex(hash: Hash): string {
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** MurmurHash3's finalizer. */
function mix(hash: Hash): Hash {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
