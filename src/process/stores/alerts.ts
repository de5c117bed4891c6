/** Starts the alerts of the process, in one worker. */

import { AlertMetrics, Alerts } from "../../alerts/alerts.ts";
import type { AlertClaims } from "../../alerts/claims.ts";
import { type AlertSources, Conditions } from "../../alerts/conditions.ts";
import { Webhook } from "../../alerts/webhook.ts";
import type { WebhookRules } from "../../config/alerts.ts";
import type { Config } from "../../config/config.ts";
import type { StaleConfig } from "../../config/snapshot.ts";
import { type Clock, systemClock } from "../../core/clock.ts";
import { newId, random } from "../../core/ids.ts";
import type { Administer } from "../../gateway/admin.ts";
import type { Counters } from "../../governance/counters.ts";
import type { Registry } from "../../telemetry/prom_client.ts";
import { HttpClient } from "../../upstream/http1/client.ts";
import { dial, dialPublic } from "../../upstream/http1/dial.ts";
import type { Fetch } from "../../upstream/transport.ts";
import { readEnvironmentProxies } from "../config/network_clients.ts";
import { logMessage, reportBug } from "../system/stdio.ts";

/** The inputs of the alerts of a gateway. */
export interface AlertContext {
  readonly sources: AlertSources;
  readonly config: () => Config;
  readonly stale: () => StaleConfig | undefined;
  readonly clock: Clock;
  readonly counters: Counters;
  readonly registry: Registry;
  /** Undefined without a shared store. */
  readonly claims: AlertClaims | undefined;
  /** The number of completed requests to models in this worker. */
  readonly countOwnRequests: () => number;
  /** Runs a command in all workers; undefined if there is only one. */
  readonly administer: Administer | undefined;
}

/** Starts checking the conditions of alerts. */
export function startAlerts(context: AlertContext): Alerts {
  const { sources, config, stale, clock, counters, registry, claims } = context;
  const metrics = new AlertMetrics(registry);
  const rules = () => config().alerts?.webhook;
  const conditions = new Conditions({
    ...sources,
    ...{ clock, config, stale, counters },
    isSharedStoreLost: () => claims?.isLost ?? false,
    countRequests: () => countRequests(context),
    hasTraffic: (isOwn) => claims?.hasTraffic(isOwn) ?? Promise.resolve(undefined),
  });
  return new Alerts({
    ...{ clock, claims, metrics, newId },
    rules: () => config().alerts,
    read: (all) => conditions.read(all),
    webhook: new Webhook({
      ...{ clock, rules, random },
      fetch: webhookFetch(rules),
      onResult: (result, count) => metrics.ended(result, count),
      log: logMessage,
    }),
    log: logMessage,
    onBug: (thrown) => reportBug(thrown, "the alerts"),
  });
}

async function countRequests({ administer, countOwnRequests }: AlertContext): Promise<number> {
  const answers = await administer?.({ type: "report" });
  if (answers === undefined) return countOwnRequests();
  return answers.reduce(
    (sum, { result }) => result?.type === "report" ? sum + result.load.requests : sum,
    0,
  );
}

/** The client for a webhook, which uses the environment's proxies. */
export function webhookFetch(rules: () => WebhookRules | undefined): Fetch {
  return new HttpClient({
    dial: (...target) => (rules()?.allowPrivate ? dial : dialPublic)(...target),
    clock: systemClock,
    proxyFor: readEnvironmentProxies(),
  }).fetch;
}
