/** State that is kept across reloads of the configuration: keys, breakers, rejected fields. */

import { Breaker, type BreakerChange, type BreakerState } from "./circuit_breaker.ts";
import type { Provider, Target } from "../config/config.ts";
import { KeyPool, type SuspensionChange } from "./key_pool.ts";
import type { Leaders } from "./order/strategy.ts";
import { TargetStats } from "./target_stats.ts";
import type { RejectedFields, RejectionReport } from "./rejected_fields.ts";
import { Quotas } from "./quota.ts";
import { GroupLeaders } from "./order/rank.ts";

/** How many entries of each kind a reset has cleared. */
export interface ClearedState {
  suspended_keys: number;
  /** Breakers that were open or half open. */
  breakers: number;
  learned_rejections: number;
}

/** The state of one model at one provider. */
export interface TargetState {
  readonly breaker: Breaker;
  /** Undefined if no request without a rejected field has succeeded yet. */
  rejections: RejectedFields | undefined;
  readonly stats: TargetStats;
  /** Until when the server is considered to lack the caller's native API. */
  nativeAbsentUntil: number;
  /** The number of requests to an adapter that answers in-process. */
  requests: number;
}

interface ProviderState {
  readonly keys: KeyPool;
  /** Keyed by the upstream name of the model. */
  readonly targets: Map<string, TargetState>;
}

/** The request properties that are relevant to limits. */
export interface EndedRequest {
  /** The name of the service key. */
  readonly key: string | undefined;
  readonly model: string | undefined;
  /** The alias to which the model name belongs. */
  readonly columns: { readonly alias?: string | undefined };
}

/** A change to share with other workers and replicas. Times are in milliseconds by the clock. */
export type StateChange =
  | ({ readonly type: "breaker"; readonly model: string } & BreakerChange)
  | ({ readonly type: "suspension" } & SuspensionChange)
  /** A reset of the provider by an admin. */
  | { readonly type: "reset" };

/** A breaker that was opened or closed by requests of this worker or by an admin. */
export interface BreakerSwitch {
  readonly provider: string;
  /** The upstream name of the model. */
  readonly model: string;
  /** Also true if a failed probe extends the open period. */
  readonly isOpen: boolean;
}

type TargetName = Pick<Target, "provider" | "model">;

/** The state of one breaker, for the metrics. */
export interface BreakerGauge {
  readonly provider: string;
  /** The upstream name of the model. */
  readonly model: string;
  readonly state: BreakerState;
}

/** The measurements of one target, for the metrics. */
export interface TargetGauge {
  readonly provider: string;
  /** The upstream name of the model. */
  readonly model: string;
  readonly inFlight: number;
  /** Undefined without a recent stream. */
  readonly firstContentMs: number | undefined;
  /** From 0 to 1; undefined without a recent stream. */
  readonly failureShare: number | undefined;
}

/** One learned rejection, for the metrics. */
export interface RejectionGauge extends RejectionReport {
  readonly provider: string;
  /** The upstream name of the model. */
  readonly model: string;
}

/** Milliseconds for which the lack of an API is remembered. */
const ABSENT_MS = 3_600_000;

/** The state, keyed by the names in config.yaml, which bounds its size. */
export class State {
  /** The groups' preferred targets. */
  readonly leaders: Leaders = new GroupLeaders();
  /** Called when a request has ended; undefined unless others wait for limits. */
  onRequestEnded: ((request: EndedRequest) => void) | undefined;
  /** The vendors' remaining rate limits. */
  readonly quotas = new Quotas();
  /** By provider ID. */
  readonly #providers = new Map<string, ProviderState>();
  /** Called with a provider's ID when requests or an admin have changed its state. */
  onChange: (provider: string, change: StateChange) => void = () => {};
  /** Called when a breaker opens or closes; undefined unless the console shows it. */
  onBreaker: ((change: BreakerSwitch) => void) | undefined;
  /** Called when a vendor has rejected a provider's credentials, since there may be newer ones. */
  onRefused: () => void = () => {};

  breakerOf(target: TargetName): Breaker {
    return this.targetOf(target).breaker;
  }

  /** Whether requests should use another target because the breaker of this one is open. */
  isOpen(target: TargetName, now: number): boolean {
    return this.targetOf(target).breaker.isOpen(now);
  }

  /** The breakers of targets that have been used, by provider and upstream model. */
  breakers(now: number): BreakerGauge[] {
    return this.#eachTarget((provider, model, { breaker }) => [
      { provider, model, state: breaker.state(now) },
    ]);
  }

  /** The statistics of a target: its speed and open requests. */
  statsOf(target: TargetName): TargetStats {
    return this.targetOf(target).stats;
  }

  /** Whether a request with these tokens is within the rate limits of any usable key. */
  hasRoom({ model, provider }: Target, tokens: number, now: number): boolean {
    if (this.quotas.isEmpty) return true;
    const key = this.poolOf(provider).pick(provider.keys, model.upstream, now) ?? "";
    return this.quotas.of({ model, provider }, key).hasRoom(tokens, now);
  }

  /** The fields that a target rejects, if there are any. */
  rejectionsOf(target: TargetName): RejectedFields | undefined {
    return this.targetOf(target).rejections;
  }

  /** The rejections of every target, by provider and upstream model. */
  rejections(now: number): RejectionGauge[] {
    return this.#eachTarget((provider, model, { rejections }) =>
      rejections?.report(now).map((report) => ({ provider, model, ...report })) ?? []
    );
  }

  /** The measurements of every target, by provider and upstream model. */
  targets(now: number): TargetGauge[] {
    return this.#eachTarget((provider, model, { stats: { inFlight, streams } }) => [{
      provider,
      model,
      inFlight,
      firstContentMs: streams.firstContent.value(now),
      failureShare: streams.failures.value(now),
    }]);
  }

  /** Whether a target's server is known to lack the caller's native API. */
  lacksNative(target: TargetName, now: number): boolean {
    return now < this.targetOf(target).nativeAbsentUntil;
  }

  /** Records that a target's server lacks the caller's native API; it is tried again in an hour. */
  nativeIsAbsent(target: TargetName, now: number): void {
    this.targetOf(target).nativeAbsentUntil = now + ABSENT_MS;
  }

  poolOf(provider: Provider): KeyPool {
    return this.#providerOf(provider).keys;
  }

  /** Whether anything is known about a target. */
  hasTarget({ provider, model }: TargetName): boolean {
    return this.#providers.get(provider.settings.id)?.targets.has(model.upstream) === true;
  }

  /** The number of earlier requests to a target that answers in-process. */
  nextRequestIndex(target: TargetName): number {
    return this.targetOf(target).requests++;
  }

  /** Removes state that no provider in the new configuration uses. */
  prune(providers: Iterable<Provider>): void {
    const configured = new Map([...providers].map((provider) => [provider.settings.id, provider]));
    this.quotas.keep(configured.values());
    for (const [id, { keys, targets }] of this.#providers) {
      const provider = configured.get(id);
      if (provider === undefined) {
        this.#providers.delete(id);
        continue;
      }
      keys.keep(new Set(provider.keys), keepModels(targets, provider));
    }
  }

  /** Clears the suspended keys, breakers and rejected fields of one provider. */
  reset(provider: string, now: number): ClearedState {
    this.onChange(provider, { type: "reset" });
    return this.#clear(provider, now);
  }

  /**
   * Applies a change from another worker or replica.
   *
   * @returns whether it changed the state here
   */
  apply(provider: Provider, change: StateChange, now: number): boolean {
    if (change.type === "reset") {
      const cleared = this.#clear(provider.settings.id, now);
      return Object.values(cleared).some((count) => count > 0);
    }
    if (change.type === "suspension") {
      const { keys } = provider;
      return keys.includes(change.key) &&
        this.poolOf(provider).suspendedElsewhere(change, keys, now);
    }
    const model = provider.models.find(({ upstream }) => upstream === change.model);
    if (model === undefined) return false;
    const breaker = this.breakerOf({ provider, model });
    return change.openUntil === undefined
      ? breaker.closedElsewhere(now)
      : breaker.openedElsewhere(change, now);
  }

  #clear(provider: string, now: number): ClearedState {
    const cleared = { suspended_keys: 0, breakers: 0, learned_rejections: 0 };
    const known = this.#providers.get(provider);
    if (known === undefined) return cleared;
    cleared.suspended_keys = known.keys.clear(now);
    for (const [model, target] of known.targets) {
      const { breaker, rejections } = target;
      target.nativeAbsentUntil = 0;
      if (breaker.reset()) {
        cleared.breakers++;
        this.onBreaker?.({ provider, model, isOpen: false });
      }
      cleared.learned_rejections += rejections?.clear() ?? 0;
    }
    return cleared;
  }

  #providerOf({ settings: { id } }: Provider): ProviderState {
    let state = this.#providers.get(id);
    if (state === undefined) {
      const keys = new KeyPool(
        (change) => this.onChange(id, { type: "suspension", ...change }),
        () => this.onRefused(),
      );
      this.#providers.set(id, state = { keys, targets: new Map() });
    }
    return state;
  }

  /** The state of a target. */
  targetOf(target: TargetName): TargetState {
    const { provider, model } = target;
    return this.#providers.get(provider.settings.id)?.targets.get(model.upstream) ??
      this.#create(target);
  }

  #create({ provider, model: { upstream } }: TargetName): TargetState {
    const { targets } = this.#providerOf(provider);
    let state = targets.get(upstream);
    if (state === undefined) {
      if (targets.size >= provider.models.length + MAX_UNLISTED) keepModels(targets, provider);
      const { id } = provider.settings;
      const breaker = new Breaker((change) => {
        this.onChange(id, { type: "breaker", model: upstream, ...change });
        const isOpen = change.openUntil !== undefined;
        this.onBreaker?.({ provider: id, model: upstream, isOpen });
      });
      state = {
        breaker,
        rejections: undefined,
        stats: new TargetStats(),
        nativeAbsentUntil: 0,
        requests: 0,
      };
      targets.set(upstream, state);
    }
    return state;
  }

  #eachTarget<Item>(
    read: (provider: string, model: string, state: TargetState) => Item[],
  ): Item[] {
    return [...this.#providers].flatMap(([provider, { targets }]) =>
      [...targets].flatMap(([model, state]) => read(provider, model, state))
    );
  }
}

/** The maximum number of unlisted models that have state. */
const MAX_UNLISTED = 1000;

/** Removes the state of models that a provider does not list. Returns their upstream names. */
function keepModels(targets: Map<string, unknown>, { models }: Provider): Set<string> {
  const names = new Set(models.map(({ upstream }) => upstream));
  for (const name of targets.keys()) if (!names.has(name)) targets.delete(name);
  return names;
}
