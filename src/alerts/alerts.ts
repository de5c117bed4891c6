/** Checks alert conditions at an interval, and reports when one begins or ends. */

import type { AlertName, AlertRules } from "../config/alerts.ts";
import type { Clock } from "../core/clock.ts";
import type { LogLevel } from "../core/log_level.ts";
import type { OpenAlert } from "../gateway/admin.ts";
import type { Gauge, Registry } from "../telemetry/prom_client.ts";
import { type Counter, Meter } from "../telemetry/series.ts";
import type { AlertClaims } from "./claims.ts";
import type { Condition } from "./conditions.ts";
import type { DeliveryResult, WebhookMessage } from "./webhook.ts";

/** The interval between two condition checks, in milliseconds. */
const INTERVAL_MS = 15_000;
/** How long other replicas consider a condition valid, in milliseconds: one check may fail. */
export const HOLD_MS = 3 * INTERVAL_MS;

type AlertState = "firing" | "resolved" | "test";

export class AlertMetrics {
  readonly #alerts: Counter<"rule" | "state">;
  readonly #open: Gauge<"rule">;
  readonly #deliveries: Counter<"result">;

  constructor(registry: Registry) {
    const meter = new Meter(registry);
    this.#alerts = meter.counter(
      "sluice_alerts_total",
      "Alerts that this replica sent, by rule and state: firing or resolved",
      ["rule", "state"],
    );
    this.#open = meter.gauge(
      "sluice_open_alerts",
      "Conditions of alerts that hold now, by rule",
      ["rule"],
    );
    this.#deliveries = meter.counter(
      "sluice_alert_deliveries_total",
      "Alerts for the webhook: delivered, failed after all attempts, or dropped",
      ["result"],
    );
  }

  sent(rule: AlertName, state: AlertState): void {
    this.#alerts.add(1, rule, state);
  }

  ended(result: DeliveryResult, count: number): void {
    this.#deliveries.add(count, result);
  }

  open(alerts: readonly OpenAlert[]): void {
    this.#open.reset();
    for (const { rule } of alerts) this.#open.inc({ rule });
  }
}

/** Writes a log message with additional members. */
type Log = (
  text: string,
  level: LogLevel,
  members: Readonly<Record<string, string>>,
) => void;

export interface AlertsOptions {
  readonly clock: Clock;
  /** The current settings; undefined while the configuration has no alerts. */
  readonly rules: () => AlertRules | undefined;
  readonly read: (rules: AlertRules) => Promise<readonly Condition[]>;
  /** Decides which replica sends; undefined without a shared store. */
  readonly claims: Pick<AlertClaims, "claim" | "release" | "close"> | undefined;
  readonly webhook: { send(message: WebhookMessage): void; close(): Promise<void> };
  readonly metrics: Pick<AlertMetrics, "open" | "sent">;
  readonly log: Log;
  readonly newId: (prefix: string) => string;
  /** Reports a failure of the alerts themselves. */
  readonly onBug: (thrown: unknown) => void;
}

/** An active condition. */
interface Holding {
  condition: Condition;
  /** When it was first detected, according to the monotonic clock. */
  readonly readAt: number;
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  isOpen: boolean;
}

/** Whether an alert is open, and until when it is not sent again. */
interface Mark {
  isOpen: boolean;
  until: number;
}

export class Alerts {
  readonly #options: AlertsOptions;
  readonly #holding = new Map<string, Holding>();
  /** The alerts that are known to have been sent, by ID. */
  readonly #marks = new Map<string, Mark>();
  #cancel = () => {};
  #reading: Promise<void> | undefined;
  #isClosed = false;

  /** Starts reading the conditions, until {@linkcode close}. */
  constructor(options: AlertsOptions) {
    this.#options = options;
    this.#schedule();
  }

  /** The alerts whose conditions hold, including those that another replica sent. */
  get open(): readonly OpenAlert[] {
    return [...this.#holding.values()].filter(({ isOpen }) => isOpen)
      .map(({ condition: { rule, object, text }, since }) => ({ rule, object, text, since }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#reading;
    await Promise.all([this.#options.webhook.close(), this.#options.claims?.close()]);
  }

  #schedule(): void {
    if (this.#isClosed) return;
    this.#cancel = this.#options.clock.after(INTERVAL_MS, () => {
      this.#reading = this.#update().catch(this.#options.onBug).finally(() => {
        this.#reading = undefined;
        this.#schedule();
      });
    });
  }

  async #update(): Promise<void> {
    const { clock, metrics, read, rules: readRules } = this.#options;
    const rules = readRules();
    const conditions = rules === undefined ? [] : await read(rules);
    const now = clock.now();
    const ids = new Set(conditions.map(({ id }) => id));
    for (const [id, held] of this.#holding) {
      if (ids.has(id)) continue;
      this.#holding.delete(id);
      // If the section was removed from the configuration, the end of an alert is not sent.
      if (held.isOpen && await this.#release(id) && rules !== undefined) {
        this.#report(held, "resolved", `Resolved: ${held.condition.text}`);
      }
    }
    for (const condition of conditions) await this.#hold(condition, now);
    for (const [id, { until }] of this.#marks) if (until <= now) this.#marks.delete(id);
    metrics.open(this.open);
  }

  async #hold(condition: Condition, now: number): Promise<void> {
    const { id, afterMs, periodMs, since = this.#options.clock.wallTime() } = condition;
    let held = this.#holding.get(id);
    if (held === undefined) {
      this.#holding.set(id, held = { condition, readAt: now, since, isOpen: false });
    }
    held.condition = condition;
    if (now - held.readAt < afterMs) return;
    held.isOpen = true;
    if (await this.#claim(id, periodMs, now)) this.#report(held, "firing", condition.text);
  }

  /**
   * Whether this replica sends the alert. It remembers that the alert was sent, in case the store
   * fails later.
   */
  async #claim(id: string, periodMs: number, now: number): Promise<boolean> {
    const shared = await this.#options.claims?.claim(id, periodMs);
    const mark = this.#marks.get(id);
    const until = now + periodMs;
    if (shared ?? (mark === undefined || mark.until <= now)) {
      this.#marks.set(id, { isOpen: true, until });
      return true;
    }
    if (mark === undefined) this.#marks.set(id, { isOpen: true, until });
    else if (mark.isOpen) mark.until = until;
    return false;
  }

  /** Whether this replica sends the alert's end. */
  async #release(id: string): Promise<boolean> {
    const shared = await this.#options.claims?.release(id);
    const mark = this.#marks.get(id);
    const isOpen = mark?.isOpen ?? false;
    if (mark !== undefined) mark.isOpen = false;
    return shared ?? isOpen;
  }

  #report({ condition, since }: Holding, state: AlertState, text: string): void {
    const { clock, log, metrics, newId, webhook } = this.#options;
    const { rule, object } = condition;
    const time = clock.wallTime();
    log(`alert: ${text}`, "warn", { event: "alert", rule, object, state });
    metrics.sent(rule, state);
    webhook.send(toMessage({ rule, object, state, text, since }, time, newId));
  }
}

/** An alert's content. */
export interface AlertContent extends OpenAlert {
  readonly state: AlertState;
}

/** An alert's message: the payload that Standard Webhooks recommends. */
export function toMessage(
  { rule, object, state, text, since }: AlertContent,
  time: number,
  newId: (prefix: string) => string,
): WebhookMessage {
  const body = {
    type: `alert.${state}`,
    timestamp: new Date(time).toISOString(),
    data: { rule, object, state, text, since: new Date(since).toISOString() },
  };
  return { id: newId("msg_"), body: JSON.stringify(body) };
}
