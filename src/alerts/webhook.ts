/**
 * Sends alerts to a webhook, signed as Standard Webhooks
 * (https://github.com/standard-webhooks/standard-webhooks, version 1.0.0). A failed delivery is
 * retried for a day, with the same ID and a new timestamp.
 */

import { createHmac } from "node:crypto";
import type { WebhookRules } from "../config/alerts.ts";
import { DEFAULT_CONNECTION_RULES } from "../config/connection_rules.ts";
import type { Clock } from "../core/clock.ts";
import { toGatewayError } from "../core/errors.ts";
import type { LogLevel } from "../core/log_level.ts";
import { TransportError } from "../core/transport_error.ts";
import { VERSION } from "../core/version.ts";
import { PrivateAddressError } from "../upstream/http1/dial.ts";
import { type Fetch, send } from "../upstream/transport.ts";

/** The time limit for one attempt, in milliseconds. */
const TIMEOUT_MS = 15_000;
/** Milliseconds from a failed attempt to the next one: eight attempts within a day. */
const DELAYS_MS: readonly number[] = [
  ...[5000, 5 * 60_000, 30 * 60_000],
  ...[2 * 3_600_000, 5 * 3_600_000, 8 * 3_600_000, 8 * 3_600_000],
];
/** The random share added to a delay, so that replicas do not send at the same time. */
const MAX_JITTER = 0.02;
/** The maximum number of queued alerts. */
const MAX_QUEUED = 1000;
/** The endpoint no longer wants alerts. */
const GONE = 410;

/** Why a delivery failed, without addresses. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";

  /** @param status the response status; undefined if there was none */
  constructor(message: string, readonly status?: number) {
    super(message);
  }
}

/** A delivery's result. */
export type DeliveryResult = "delivered" | "failed" | "dropped";

/** A message for the webhook. */
export interface WebhookMessage {
  /** The same for all attempts. */
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** The inputs for one attempt. */
export interface DeliveryDeps {
  readonly clock: Clock;
  readonly fetch: Fetch;
}

/** An attempt's headers. Exported for tests. */
export function headersOf(
  { id, body }: WebhookMessage,
  { secret }: Pick<WebhookRules, "secret">,
  wallTime: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(wallTime / 1000));
  const signature = createHmac("sha256", secret).update(`${id}.${timestamp}.${body}`)
    .digest("base64");
  return {
    "content-type": "application/json",
    "user-agent": `sluice/${VERSION}`,
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}

/**
 * Makes one attempt. Redirects are not followed.
 *
 * @returns the response status
 * @throws {DeliveryError} when the endpoint does not accept the message.
 */
export async function deliver(
  message: WebhookMessage,
  rules: WebhookRules,
  { clock, fetch }: DeliveryDeps,
  stop?: AbortSignal,
): Promise<number> {
  const controller = new AbortController();
  const leave = () => controller.abort(new DeliveryError("the gateway ends"));
  stop?.addEventListener("abort", leave);
  const cancel = clock.after(
    TIMEOUT_MS,
    () => controller.abort(new DeliveryError("the webhook did not answer in time")),
  );
  let status: number;
  try {
    const headers = headersOf(message, rules, clock.wallTime());
    const response = await send(
      { url: rules.url, headers, body: message.body },
      { name: "the webhook", connection: { ...DEFAULT_CONNECTION_RULES, reuse: false } },
      ...[controller.signal, fetch] as const,
    );
    status = response.status;
    await response.body?.cancel();
  } catch (thrown) {
    throw toDeliveryError(thrown);
  } finally {
    cancel();
    stop?.removeEventListener("abort", leave);
  }
  if (status >= 200 && status <= 299) return status;
  throw new DeliveryError(`the webhook responded with status ${status}`, status);
}

function toDeliveryError(thrown: unknown): DeliveryError {
  if (thrown instanceof DeliveryError) return thrown;
  const { cause, message } = toGatewayError(thrown);
  if (cause instanceof TransportError && cause.cause instanceof PrivateAddressError) {
    return new DeliveryError(
      "the host of the webhook has a private address; 'allow_private: true' allows it",
    );
  }
  return new DeliveryError(message.slice(0, 1).toLowerCase() + message.slice(1));
}

export interface WebhookOptions extends DeliveryDeps {
  /** The current settings; undefined while there is no webhook. */
  readonly rules: () => WebhookRules | undefined;
  /** A random number from 0 to 1. */
  readonly random: () => number;
  readonly onResult: (result: DeliveryResult, count: number) => void;
  /** Writes a message for the operator. */
  readonly log: (text: string, level: LogLevel) => void;
}

/** A queued message. */
interface Queued extends WebhookMessage {
  /** Failed attempts. */
  attempts: number;
  /** When it is due, according to the monotonic clock. */
  dueAt: number;
}

/** A webhook's queue. One message is sent at a time. */
export class Webhook {
  readonly #options: WebhookOptions;
  readonly #queue = new Set<Queued>();
  readonly #stop = new AbortController();
  /** The URL that responded with 410. */
  #goneUrl: string | undefined;
  #sending: Promise<void> | undefined;
  #cancel = () => {};

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  /** The number of messages that are queued or being sent. */
  get size(): number {
    return this.#queue.size;
  }

  /** Queues a message. Does nothing without a webhook. */
  send(message: WebhookMessage): void {
    const { clock, log, onResult, rules } = this.#options;
    const { url } = rules() ?? {};
    if (url === undefined || this.#stop.signal.aborted) return;
    if (url === this.#goneUrl || this.#queue.size >= MAX_QUEUED) {
      onResult("dropped", 1);
      if (url !== this.#goneUrl) log("an alert was dropped: the queue is full", "warn");
      return;
    }
    this.#queue.add({ ...message, attempts: 0, dueAt: clock.now() });
    this.#proceed();
  }

  /** Stops the timer and the current attempt. Queued messages are lost. */
  async close(): Promise<void> {
    this.#cancel();
    this.#stop.abort();
    await this.#sending;
    const { size } = this.#queue;
    if (size > 0) this.#options.log(`undelivered alerts: ${size}`, "warn");
  }

  /** Sends the next message when it is due. */
  #proceed(): void {
    this.#cancel();
    if (this.#sending !== undefined || this.#stop.signal.aborted) return;
    const [first] = [...this.#queue].sort((one, other) => one.dueAt - other.dueAt);
    if (first === undefined) return;
    const { clock } = this.#options;
    const wait = first.dueAt - clock.now();
    if (wait > 0) {
      this.#cancel = clock.after(wait, () => this.#proceed());
      return;
    }
    this.#sending = this.#attempt(first).finally(() => {
      this.#sending = undefined;
      this.#proceed();
    });
  }

  async #attempt(message: Queued): Promise<void> {
    const { onResult, rules: readRules } = this.#options;
    const rules = readRules();
    if (rules === undefined) {
      this.#queue.delete(message);
      return;
    }
    try {
      await deliver(message, rules, this.#options, this.#stop.signal);
      this.#queue.delete(message);
      onResult("delivered", 1);
    } catch (thrown) {
      if (this.#stop.signal.aborted) return;
      if (!(thrown instanceof DeliveryError)) throw thrown;
      if (thrown.status === GONE) this.#giveUp(rules.url);
      else this.#retry(message, thrown);
    }
  }

  #retry(message: Queued, { message: reason }: DeliveryError): void {
    const { clock, log, onResult, random } = this.#options;
    const delay = DELAYS_MS[message.attempts++];
    const attempt = `attempt ${message.attempts} of ${DELAYS_MS.length + 1}`;
    if (delay === undefined) {
      this.#queue.delete(message);
      onResult("failed", 1);
      return log(`an alert was not delivered: ${reason} (${attempt})`, "error");
    }
    message.dueAt = clock.now() + delay * (1 + MAX_JITTER * random());
    log(
      `delivery of an alert failed; retrying in ${delay / 1000} s: ${reason} (${attempt})`,
      "warn",
    );
  }

  /** Sends nothing more to this URL. */
  #giveUp(url: string): void {
    const { log, onResult } = this.#options;
    this.#goneUrl = url;
    onResult("dropped", this.#queue.size);
    this.#queue.clear();
    log(
      `the webhook responded with ${GONE}: no alerts will be sent until its URL changes`,
      "error",
    );
  }
}
