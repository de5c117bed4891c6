/** What was learned about prompt caching, separately for each service key. */

import { touch } from "../../core/bounded_map.ts";
import { Payoff } from "./payoff.ts";

/** The key of a learned decision. */
export interface MarkedPlace {
  /** The name of the service key: no key's requests decide for another. */
  readonly key: string;
  /** The alias or model as config.yaml names it. */
  readonly model: string;
  readonly provider: string;
  readonly upstream: string;
}

/** The maximum number of service keys; the least recently used one is dropped. */
const MAX_KEYS = 1000;
/** The maximum number of models at targets per service key. */
const MAX_PLACES = 200;

/** The payoffs of one process, bounded. Dropped entries are learned again. */
export class Payoffs {
  readonly #keys = new Map<string, Map<string, Payoff>>();

  /** What was learned for a place, if anything. */
  find(place: MarkedPlace): Payoff | undefined {
    return this.#keys.get(place.key)?.get(nameOf(place));
  }

  /** The payoff of a place; a new one if nothing was learned. */
  of(place: MarkedPlace): Payoff {
    const places = touch(this.#keys, place.key, MAX_KEYS, () => new Map<string, Payoff>());
    return touch(places, nameOf(place), MAX_PLACES, () => new Payoff());
  }
}

function nameOf({ model, provider, upstream }: MarkedPlace): string {
  return JSON.stringify([model, provider, upstream]);
}
