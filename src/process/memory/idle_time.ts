/** How long a gateway has had no request to a model. */

import type { Clock } from "../../core/clock.ts";

/** Returns the number of open requests to models, and of all that have ended. */
export type ReadLoad = () => { readonly inFlight: number; readonly requests: number };

export class IdleTime {
  readonly #clock: Pick<Clock, "now">;
  readonly #load: ReadLoad;
  #requests: number;
  #since: number;

  constructor(clock: Pick<Clock, "now">, load: ReadLoad) {
    this.#clock = clock;
    this.#load = load;
    this.#requests = load().requests;
    this.#since = clock.now();
  }

  /** Milliseconds since a call last found a new or open request, or since the start. */
  read(): number {
    const { inFlight, requests } = this.#load();
    if (inFlight > 0 || requests !== this.#requests) this.#since = this.#clock.now();
    this.#requests = requests;
    return this.#clock.now() - this.#since;
  }
}
