/** A snapshot of a gateway's state, as sent by `GET /v1/live`. */

import type { Config, Provider, ServiceKey } from "../config/config.ts";
import { toName } from "../governance/ledger/summary.ts";
import type { StaleConfig } from "../config/snapshot.ts";
import type { AdminAnswer, Load, OpenAlert, ProviderReport } from "../gateway/admin.ts";
import type { BreakerReport } from "../gateway/circuit_breaker.ts";
import { type KnownHealth, toAdminHealth, toKeyHealth } from "./health/report.ts";
import { type LastFailure, type RecentAttempts, targetName } from "./recent_attempts.ts";
import { STATES } from "./health/target_health.ts";

/** The sums over all threads' reports. */
export interface GatheredState {
  readonly load: Load;
  /** All threads' reports, by provider ID. */
  readonly reports: ReadonlyMap<string, readonly ProviderReport[]>;
  readonly workers: number;
  /** The open alerts; undefined if no thread evaluates them. */
  readonly alerts?: readonly OpenAlert[] | undefined;
}

/** Adds up all threads' answers. A thread that has not answered in time is omitted. */
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
  const alerts = answers.flatMap(({ result }) =>
    result?.type === "report" && result.alerts !== undefined ? [result.alerts] : []
  );
  return { load, reports, workers: answers.length, alerts: alerts[0] };
}

/** The inputs for a state. */
export interface StateInput {
  readonly config: Config;
  readonly stale: StaleConfig | undefined;
  readonly gathered: GatheredState;
  /** Requests and errors for each second; undefined while unknown. */
  readonly rates: { readonly requests: number; readonly errors: number } | undefined;
  readonly attempts: RecentAttempts;
  /** Undefined without the console. */
  readonly health: KnownHealth | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * The part of the state that a key may see.
 *
 * @param key undefined for an admin
 */
export function toLiveState(input: StateInput, key: ServiceKey | undefined) {
  const { attempts: { historySince, since }, config, stale, gathered, rates, now } = input;
  const isAllowed = (model: string, provider: string) =>
    key === undefined || config.isAllowedAt(key, model, provider);
  const enabled = [...config.providers.values()].map((provider) => ({
    provider,
    models: provider.models.filter(({ id }) => isAllowed(id, provider.settings.id)),
  })).filter(({ models }) => models.length > 0);
  return {
    at: new Date(now).toISOString(),
    since: new Date(since).toISOString(),
    history_since: new Date(historySince).toISOString(),
    workers: gathered.workers,
    in_flight: gathered.load.inFlight,
    requests_per_second: rates?.requests ?? null,
    errors_per_second: rates?.errors ?? null,
    providers: [
      ...enabled.map(({ provider, models }) => ({
        ...toProvider(provider, models, input, key === undefined),
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
      models.map((model) => toModel(model, provider.settings.id, input, key === undefined))
        // Models from a vendor's list are included only if they have had requests.
        .filter((model) => provider.list === undefined || isUsed(model))
    ),
    config: {
      valid: stale === undefined,
      loaded_at: new Date(config.loadedAt).toISOString(),
      reason: stale?.reason ?? null,
      ...(key === undefined && { faults: stale?.faults ?? [] }),
    },
    // Alerts name other keys.
    ...(key === undefined && gathered.alerts && { alerts: gathered.alerts.map(toAlert) }),
  };
}

function toAlert({ since, ...alert }: OpenAlert) {
  return { ...alert, since: new Date(since).toISOString() };
}

type Model = Provider["models"][number];

/** A provider's state. Its attempts are those at all of its models. */
function toProvider(
  { adapter, keys, settings: { id } }: Provider,
  models: readonly Model[],
  input: StateInput,
  isAdmin: boolean,
) {
  const { attempts: { hours }, gathered } = input;
  const suspended = (gathered.reports.get(id) ?? [])
    .flatMap(({ suspended_keys }) => suspended_keys.map((suspension) => suspension.key));
  const own = hours.get(id) ?? [];
  const failures = models.flatMap(({ upstream }) => failureOf(input, id, upstream) ?? []);
  const last = failures.toSorted((one, other) => other.time - one.time)[0];
  return {
    id,
    kind: adapter.kind,
    enabled: true,
    reason: null,
    in_flight: gathered.load.byProvider.get(id) ?? 0,
    ...attemptsOf(input, ({ provider }) => provider === id),
    usual_p50_ms: medianOf(own.slice(0, -2).flatMap((hour) => hour?.p50Ms ?? [])),
    last_failure: last === undefined ? null : toFailure(last, isAdmin),
    health: worstHealth(
      models.map(({ upstream }) => healthOf(input, id, upstream, isAdmin)),
    ),
    /** Attempts and failures for each hour since `history_since`; null without attempts. */
    history: own.map((hour) => hour === undefined ? null : [hour.attempts, hour.failures]),
    keys: keys.length,
    resting_keys: new Set(suspended).size,
  };
}

function toModel(
  { id, upstream }: Model,
  provider: string,
  input: StateInput,
  isAdmin: boolean,
) {
  const breaker = breakerOf(input, provider, upstream);
  const last = failureOf(input, provider, upstream);
  return {
    id,
    provider,
    upstream,
    breaker: breaker?.state ?? "closed",
    failures: breaker?.failures ?? 0,
    tries_again_in_ms: breaker?.tries_again_in_ms ?? null,
    ...attemptsOf(
      input,
      (target) => target.provider === provider && target.upstream === toName(upstream),
    ),
    last_failure: last === undefined ? null : toFailure(last, isAdmin),
    health: healthOf(input, provider, upstream, isAdmin),
  };
}

/** A target's health; null without the console. */
function healthOf({ health }: StateInput, provider: string, upstream: string, isAdmin: boolean) {
  if (health === undefined) return null;
  const target = health.byTarget.get(targetName(provider, toName(upstream)));
  if (target === undefined) return { state: "unused" as const, since: null };
  return isAdmin ? toAdminHealth(target, health.texts) : toKeyHealth(target);
}

type Health = ReturnType<typeof healthOf>;

/** A provider's health: that of its worst target; null without the console. */
function worstHealth(all: readonly Health[]): Health {
  const known = all.filter((health) => health !== null);
  return STATES.flatMap((state) => known.find((health) => health.state === state) ?? [])[0] ??
    null;
}

function isUsed({ attempts, breaker, last_failure: last }: ReturnType<typeof toModel>): boolean {
  return (attempts ?? 0) > 0 || breaker !== "closed" || last !== null;
}

/** The attempts at some targets; null if the store fails. */
function attemptsOf(
  { attempts: { targets } }: StateInput,
  isIn: (target: { readonly provider: string; readonly upstream: string }) => boolean,
) {
  const own = targets?.filter(isIn);
  const sum = (name: "errors" | "requests" | "rescued") =>
    own?.reduce((total, { sums }) => total + sums[name], 0) ?? null;
  // Percentiles cannot be added, so those of the target with the most attempts are used.
  const main = own?.toSorted((one, other) => other.sums.requests - one.sums.requests)[0]?.sums;
  return {
    attempts: sum("requests"),
    failed_attempts: sum("errors"),
    rescued: sum("rescued"),
    p50_ms: main?.p50Ms ?? null,
    p95_ms: main?.p95Ms ?? null,
  };
}

function failureOf({ attempts }: StateInput, provider: string, upstream: string) {
  return attempts.failures.get(targetName(provider, upstream));
}

/** Only admins see which hosts could not be reached. */
function toFailure({ cause, error, id, status, time }: LastFailure, isAdmin: boolean) {
  const shown = { request: id, time: new Date(time).toISOString(), error, status };
  return isAdmin ? { ...shown, cause: cause ?? null } : shown;
}

function medianOf(values: readonly number[]): number | null {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? null;
}

const LEVELS = ["closed", "half_open", "open"] as const;

function worst(states: readonly (BreakerReport["state"] | undefined)[]): BreakerReport["state"] {
  return LEVELS.findLast((level) => states.includes(level)) ?? "closed";
}

/** A model's worst breaker across threads. */
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
