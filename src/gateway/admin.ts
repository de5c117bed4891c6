/** Admin commands that list and reset the state of one thread. */

import type { Config, Provider } from "../config/config.ts";
import type { BreakerReport } from "./circuit_breaker.ts";
import type { SuspensionReport } from "./key_pool.ts";
import type { RejectionReport } from "./rejected_fields.ts";
import type { ClearedState, State } from "./state.ts";

/** An admin command, which every thread runs. */
export type AdminCommand =
  | { readonly type: "report" }
  /** Clears the suspended keys, breakers and rejected fields of one provider. */
  | { readonly type: "reset"; readonly provider: string };

/** The state of one provider in one thread. `model` is the upstream name. */
export interface ProviderReport {
  readonly suspended_keys: readonly (SuspensionReport & {
    /** The position of the key in `api_key`, from 0. */
    readonly key: number;
  })[];
  readonly breakers: readonly (BreakerReport & { readonly model: string })[];
  readonly learned_rejections: readonly (RejectionReport & { readonly model: string })[];
}

/** Statistics of model requests in one thread. */
export interface Load {
  /** The number of requests that have not ended. */
  readonly inFlight: number;
  /** The number of completed requests since startup, and the number of failures. */
  readonly requests: number;
  readonly errors: number;
  /** The number of open requests, by the provider of their last attempt. */
  readonly byProvider: ReadonlyMap<string, number>;
}

/** An open alert. */
export interface OpenAlert {
  readonly rule: string;
  /** The target, the key or the store; empty for the gateway. */
  readonly object: string;
  readonly text: string;
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
}

/** The result in one thread: its state by provider ID, or the cleared state. */
export type AdminResult =
  | {
    readonly type: "report";
    readonly providers: ReadonlyMap<string, ProviderReport>;
    readonly load: Load;
    /** Present only from the thread that evaluates alerts. */
    readonly alerts?: readonly OpenAlert[] | undefined;
  }
  | { readonly type: "reset"; readonly cleared: ClearedState };

/** The reply of one thread. The result is absent if the thread did not reply in time. */
export interface AdminAnswer {
  readonly worker: number;
  readonly result: AdminResult | undefined;
}

/** Runs an admin command in every thread. */
export type Administer = (command: AdminCommand) => Promise<readonly AdminAnswer[]>;

/** Runs an admin command in this thread. */
export function administer(
  command: AdminCommand,
  config: Config,
  state: State,
  now: number,
  load: () => Load,
  alerts?: () => readonly OpenAlert[],
): AdminResult {
  if (command.type === "reset") {
    return { type: "reset", cleared: state.reset(command.provider, now) };
  }
  const reports = [...config.providers].map(([id, provider]) =>
    [id, reportOf(provider, state, now)] as const
  );
  return {
    type: "report",
    providers: new Map(reports),
    load: load(),
    ...(alerts && { alerts: alerts() }),
  };
}

function reportOf(provider: Provider, state: State, now: number): ProviderReport {
  const pool = state.poolOf(provider);
  // Several models may share an upstream name.
  const all = new Map(provider.models.map((model) => [model.upstream, model]));
  // Models from a vendor's list are included only if they have had requests.
  const models = [...all].filter(([, model]) =>
    provider.list === undefined || state.hasTarget({ provider, model })
  );
  return {
    suspended_keys: provider.keys.flatMap((key, index) =>
      pool.report(key, now).map((suspension) => ({ key: index, ...suspension }))
    ),
    breakers: models.map(([name, model]) => ({
      model: name,
      ...state.breakerOf({ provider, model }).report(now),
    })),
    learned_rejections: models.flatMap(([name, model]) =>
      (state.rejectionsOf({ provider, model })?.report(now) ?? [])
        .map((rejection) => ({ model: name, ...rejection }))
    ),
  };
}
