/** What is learned while running, and outlives a change of the configuration. */

import { Breaker, type BreakerState } from "./circuit_breaker.ts";
import type { Provider, Target } from "../config/config.ts";
import { KeyPool } from "./key_pool.ts";
import { RepairBook } from "./learned_rejections.ts";

/** The state of one breaker that has seen a request. */
export interface BreakerReading {
  readonly provider: string;
  /** The upstream name of the model. */
  readonly model: string;
  readonly state: BreakerState;
}

/** Keyed by names of config.yaml, so it is as bounded as the file is. */
export class State {
  readonly repairs = new RepairBook();
  readonly #breakers = new Map<string, Breaker>();
  readonly #pools = new Map<string, KeyPool>();
  readonly #turns = new Map<string, number>();

  breakerOf({ provider, model }: Pick<Target, "provider" | "model">): Breaker {
    return entryOf(this.#breakers, breakerName(provider, model.upstream), Breaker);
  }

  /** The breakers of targets that were asked, by provider and upstream model. */
  breakers(now: number): BreakerReading[] {
    return [...this.#breakers].map(([name, breaker]) => {
      const cut = name.indexOf("\n");
      return {
        provider: name.slice(0, cut),
        model: name.slice(cut + 1),
        state: breaker.state(now),
      };
    });
  }

  poolOf(provider: Provider): KeyPool {
    return entryOf(this.#pools, provider.settings.id, KeyPool);
  }

  /** How many requests a target that answers within the process has had before this one. */
  turnOf({ provider, model }: Target): number {
    const name = breakerName(provider, model.upstream);
    const turn = this.#turns.get(name) ?? 0;
    this.#turns.set(name, turn + 1);
    return turn;
  }

  /** Forgets what no provider of the new configuration can use. */
  prune(providers: Iterable<Provider>): void {
    const ids = new Set<string>();
    const names = new Set<string>();
    for (const provider of providers) {
      ids.add(provider.settings.id);
      this.#pools.get(provider.settings.id)?.keep(new Set(provider.keys));
      for (const model of provider.models) names.add(breakerName(provider, model.upstream));
    }
    for (const id of this.#pools.keys()) if (!ids.has(id)) this.#pools.delete(id);
    for (const name of this.#breakers.keys()) if (!names.has(name)) this.#breakers.delete(name);
    for (const name of this.#turns.keys()) if (!names.has(name)) this.#turns.delete(name);
    this.repairs.keep(names);
  }
}

function breakerName(provider: Provider, upstream: string): string {
  return `${provider.settings.id}\n${upstream}`;
}

function entryOf<Value>(
  entries: Map<string, Value>,
  name: string,
  Made: new () => Value,
): Value {
  let entry = entries.get(name);
  if (entry === undefined) entries.set(name, entry = new Made());
  return entry;
}
