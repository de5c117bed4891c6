/** The state of a gateway at one moment, as `GET /v1/live` sends it. */

import type { Config, ServiceKey } from "../../config/config.ts";
import type { StaleConfig } from "../../config/stale_config.ts";
import type { UsageSummary } from "../../governance/ledger/usage_store.ts";
import type { AdminAnswer, Load, ProviderReport } from "../../routing/admin.ts";
import type { BreakerReport } from "../../routing/circuit_breaker.ts";

/** What all threads report, added up. */
export interface GatheredState {
  readonly load: Load;
  /** The reports of all threads by provider ID. */
  readonly reports: ReadonlyMap<string, readonly ProviderReport[]>;
  readonly workers: number;
}

/** Adds up the answers of all threads. A thread that has not answered in time is left out. */
export function gather(answers: readonly AdminAnswer[]): GatheredState {
  const load = { inFlight: 0, requests: 0, errors: 0, byProvider: new Map<string, number>() };
  const reports = new Map<string, ProviderReport[]>();
  for (const { result } of answers) {
    if (result?.type !== "report") continue;
    load.inFlight += result.load.inFlight;
    load.requests += result.load.requests;
    load.errors += result.load.errors;
    for (const [id, count] of result.load.byProvider) {
      load.byProvider.set(id, (load.byProvider.get(id) ?? 0) + count);
    }
    for (const [id, report] of result.providers) {
      const known = reports.get(id);
      if (known === undefined) reports.set(id, [report]);
      else known.push(report);
    }
  }
  return { load, reports, workers: answers.length };
}

/** What a state is made of. */
export interface StateInput {
  readonly config: Config;
  readonly stale: StaleConfig | undefined;
  readonly gathered: GatheredState;
  /** Requests and errors for each second; undefined while unknown. */
  readonly rates: { readonly requests: number; readonly errors: number } | undefined;
  /** The usage by provider; undefined if the store does not answer. */
  readonly usage: readonly UsageSummary[] | undefined;
  /** The beginning of the usage, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * The state that a key may see.
 *
 * @param key undefined for an admin
 */
export function toLiveState(input: StateInput, key: ServiceKey | undefined) {
  const { config, stale, gathered, rates, since, now } = input;
  const isAllowed = (model: string) => key === undefined || config.isAllowed(key, model);
  const enabled = [...config.providers.values()].map((provider) => ({
    provider,
    models: provider.models.filter(({ id }) => isAllowed(id)),
  })).filter(({ models }) => models.length > 0);
  return {
    at: new Date(now).toISOString(),
    since: new Date(since).toISOString(),
    workers: gathered.workers,
    in_flight: gathered.load.inFlight,
    requests_per_second: rates?.requests ?? null,
    errors_per_second: rates?.errors ?? null,
    providers: [
      ...enabled.map(({ provider, models }) => ({
        ...toProvider(provider.settings.id, provider.adapter.kind, provider.keys.length, input),
        breaker: worst(
          models.map(({ upstream }) => breakerOf(input, provider.settings.id, upstream)?.state),
        ),
      })),
      ...config.disabled.map(({ id, kind, reason, publicReason }) => ({
        id,
        kind,
        enabled: false,
        reason: key === undefined ? reason : publicReason,
      })),
    ],
    models: enabled.flatMap(({ provider, models }) =>
      models.map(({ id, upstream }) => toModel(id, provider.settings.id, upstream, input))
    ),
    config: {
      valid: stale === undefined,
      loaded_at: new Date(config.loadedAt).toISOString(),
      reason: stale?.reason ?? null,
      ...(key === undefined && { faults: stale?.faults ?? [] }),
    },
  };
}

function toProvider(id: string, kind: string, keys: number, { gathered, usage }: StateInput) {
  const suspended = (gathered.reports.get(id) ?? [])
    .flatMap(({ suspended_keys }) => suspended_keys.map((suspension) => suspension.key));
  const used = usage?.find(({ group: [provider] }) => provider === id);
  const none = usage === undefined ? null : 0;
  return {
    id,
    kind,
    enabled: true,
    reason: null,
    in_flight: gathered.load.byProvider.get(id) ?? 0,
    requests: used?.requests ?? none,
    errors: used?.errors ?? none,
    p50_ms: used?.p50Ms ?? null,
    p95_ms: used?.p95Ms ?? null,
    keys,
    resting_keys: new Set(suspended).size,
  };
}

function toModel(id: string, provider: string, upstream: string, input: StateInput) {
  const breaker = breakerOf(input, provider, upstream);
  return {
    id,
    provider,
    upstream,
    breaker: breaker?.state ?? "closed",
    failures: breaker?.failures ?? 0,
    tries_again_in_ms: breaker?.tries_again_in_ms ?? null,
  };
}

const LEVELS = ["closed", "half_open", "open"] as const;

function worst(states: readonly (BreakerReport["state"] | undefined)[]): BreakerReport["state"] {
  return LEVELS.findLast((level) => states.includes(level)) ?? "closed";
}

/** The worst breaker of a model in all threads. */
function breakerOf(
  { gathered }: StateInput,
  provider: string,
  upstream: string,
): BreakerReport | undefined {
  const breakers = (gathered.reports.get(provider) ?? [])
    .flatMap((report) => report.breakers.filter(({ model }) => model === upstream));
  const state = worst(breakers.map((breaker) => breaker.state));
  const same = breakers.filter((breaker) => breaker.state === state);
  return same.toSorted((one, other) => other.failures - one.failures)[0];
}
