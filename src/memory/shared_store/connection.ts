/**
 * One connection to the shared store, which is reopened whenever it is lost. A request gets a reply
 * in time or none: it never waits for a slow, hanging or unreachable store.
 */

import type { Buffer } from "node:buffer";
import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";

/** A connected client whose scripts have been loaded. */
export interface ScriptClient<Script extends string, Argument, Reply> {
  /** @throws {Error} when the server rejects the script or the connection ends. */
  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply>;
  /** Resolves with the reason when the connection has ended. */
  readonly ended: Promise<string>;
  /** Called whenever a server has replaced another one, so that data may have been lost. */
  onChange?(listener: () => void): void;
  close(): void;
}

/** One server of several cannot be reached. The others may work. */
export class NodeLostError extends Error {
  override readonly name = "NodeLostError";
}

/** A script argument. */
export type StoreArgument = string | number | Buffer;

/** A client for the scripts of all of a connection's users. */
export type StoreClient = ScriptClient<string, StoreArgument, unknown>;

/** The kind of failure: no reply in time, no connection, or an error reply. */
export type StoreFailure = "timeout" | "connection" | "reply";

/** The settings and callbacks of a connection. */
export interface ConnectionOptions {
  readonly open: (signal: AbortSignal) => Promise<StoreClient>;
  readonly clock: Clock;
  /** Called with a new client, before requests use it. It throws if the server is not usable. */
  readonly onOpen: (client: StoreClient) => Promise<void>;
  readonly onUp: () => void;
  /** Called when a connection is lost or cannot be established. */
  readonly onLost: () => void;
  /** Called for the first loss after the connection worked. */
  readonly onDown: (reason: string) => void;
}

/** The options for waiting for a reply. */
export interface AskOptions<Reply> {
  /** The maximum wait in milliseconds. */
  readonly waitMs?: number;
  /**
   * Called once if the call was sent but there was no reply in time: with the late reply, or with
   * undefined if none will arrive.
   */
  readonly onLate?: (reply: Reply | undefined) => void;
  /** Called if there is no reply in time, or an error reply. */
  readonly onFailure?: (failure: StoreFailure) => void;
  /** Called for a reply in time, with its latency in milliseconds. */
  readonly onReply?: (ms: number) => void;
}

/** A request's time limit for the store, in milliseconds. */
export const MAX_WAIT_MS = 50;
/** The time limit for connecting. */
const CONNECT_MS = 800;
/** The delay before reconnecting. It doubles up to the maximum. */
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 500;
/** A connection that worked for this long is reopened with the first delay. */
const MIN_HEALTHY_MS = 10_000;
/**
 * A connection without any reply for this long is closed if at least this many requests are
 * waiting.
 */
const MAX_SILENCE_MS = 400;
const MAX_TIMEOUTS = 3;
/** A timer that fires this late means that this process was busy, not that the store is slow. */
const LATE_MS = 10;
/** Extra time for a reply that has already arrived. */
const GRACE_MS = 5;
/** A server's errors begin with a word in capitals. */
const REPLY_ERROR = /^[A-Z]{2,}\b/;
/** Error replies about the server rather than one script. */
const SERVER_ERRORS =
  /^(NOSCRIPT|READONLY|LOADING|MASTERDOWN|NOAUTH|NOPERM|OOM|MISCONF|MOVED|ASK|CLUSTERDOWN|CROSSSLOT)\b/;

/** A cluster node's error replies about other nodes' keys. */
const CLUSTER_ERRORS = /^(MOVED|ASK|CROSSSLOT)\b/;

const TIMED_OUT = Symbol("timed out");

export class StoreConnection {
  readonly #options: ConnectionOptions;
  #client: StoreClient | undefined;
  /** The first attempt to connect; requests wait for it as for a reply. */
  #first: Promise<void> | undefined;
  #upSince = 0;
  #retryMs = FIRST_RETRY_MS;
  /**
   * The number of unanswered requests since the last reply, and when the first of them was sent.
   */
  #timeouts = 0;
  #silentSince = 0;
  #hasFailed = false;
  #isClosed = false;
  #cancelRetry = () => {};
  #connecting: AbortController | undefined;
  /** The last connection's number. */
  #generation = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#first = this.#connect().finally(() => this.#first = undefined);
  }

  /** The current connection's number; undefined while there is none. */
  get generation(): number | undefined {
    return this.#client && this.#generation;
  }

  /**
   * Runs a script.
   *
   * @returns undefined if the store is unavailable, replies with an error or does not reply in time
   */
  async ask(
    script: string,
    keys: readonly string[],
    args: readonly StoreArgument[],
    options: AskOptions<unknown>,
  ): Promise<unknown> {
    const { waitMs = MAX_WAIT_MS } = options;
    let leftMs = waitMs;
    if (this.#client === undefined && this.#first !== undefined) {
      const began = this.#options.clock.now();
      await this.#inTime(this.#first, waitMs);
      leftMs = Math.max(0, waitMs - (this.#options.clock.now() - began));
    }
    const client = this.#client;
    if (client === undefined) return undefined;
    return await this.#run(client, client.run(script, keys, args), { ...options, waitMs: leftMs });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry();
    this.#connecting?.abort(new Error("closed"));
    const client = this.#client;
    this.#client = undefined;
    client?.close();
    await client?.ended;
  }

  async #run(
    client: StoreClient,
    running: Promise<unknown>,
    { waitMs, onLate, onFailure, onReply }: AskOptions<unknown> & { readonly waitMs: number },
  ): Promise<unknown> {
    const { clock } = this.#options;
    const began = clock.now();
    try {
      const reply = await this.#inTime(running, waitMs);
      if (reply !== TIMED_OUT) {
        this.#timeouts = 0;
        onReply?.(clock.now() - began);
        return reply;
      }
      onFailure?.("timeout");
      running.then(onLate, () => onLate?.(undefined));
      if (this.#timeouts++ === 0) this.#silentSince = began;
      const silence = clock.now() - this.#silentSince;
      if (this.#timeouts >= MAX_TIMEOUTS && silence >= MAX_SILENCE_MS) {
        this.#lost(client, `no reply for ${Math.round(silence)} ms`);
      }
    } catch (thrown) {
      const reason = messageOf(thrown);
      // Otherwise the connection has ended, and `ended` says why.
      if (thrown instanceof NodeLostError) onFailure?.("connection");
      else if (REPLY_ERROR.test(reason)) onFailure?.("reply");
      if (!(thrown instanceof NodeLostError) && SERVER_ERRORS.test(reason)) {
        this.#lost(client, toReason(reason));
      }
      onLate?.(undefined);
    }
    return undefined;
  }

  /** Waits for a promise with a time limit in milliseconds. */
  #inTime<Result>(promise: Promise<Result>, waitMs: number): Promise<Result | typeof TIMED_OUT> {
    const { clock } = this.#options;
    const began = clock.now();
    const { promise: settled, resolve, reject } = Promise.withResolvers<
      Result | typeof TIMED_OUT
    >();
    const onTimeout = () => {
      // The reply may be waiting to be read.
      if (clock.now() - began > waitMs + LATE_MS) {
        cancel = clock.after(GRACE_MS, () => resolve(TIMED_OUT));
      } else resolve(TIMED_OUT);
    };
    let cancel = clock.after(waitMs, onTimeout);
    promise.then(resolve, reject).finally(() => cancel());
    return settled;
  }

  async #connect(): Promise<void> {
    const { open, clock, onOpen } = this.#options;
    const controller = this.#connecting = new AbortController();
    const { signal } = controller;
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    const late = new Error(`cannot connect within ${CONNECT_MS} ms`);
    const cancel = clock.after(CONNECT_MS, () => controller.abort(late));
    const opening = open(signal);
    try {
      const client = await Promise.race([opening, aborted]);
      await Promise.race([onOpen(client), aborted]);
      this.#opened(client);
    } catch (thrown) {
      controller.abort(thrown);
      opening.then((client) => client.close(), () => {});
      this.#failed(toReason(messageOf(thrown)));
    } finally {
      cancel();
    }
  }

  #opened(client: StoreClient): void {
    if (this.#isClosed) return client.close();
    this.#client = client;
    this.#generation++;
    this.#upSince = this.#options.clock.now();
    this.#timeouts = 0;
    this.#hasFailed = false;
    this.#options.onUp();
    client.onChange?.(() => void this.#changed(client));
    client.ended.then((reason) => this.#lost(client, reason));
  }

  /** Restores the data that a replacement server may lack. */
  async #changed(client: StoreClient): Promise<void> {
    await this.#options.onOpen(client).catch(() => {});
    if (this.#client !== client) return;
    this.#generation++;
    this.#options.onUp();
  }

  /** Handles a connection that has ended or is abandoned. */
  #lost(client: StoreClient, reason: string): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.close();
    const uptime = this.#options.clock.now() - this.#upSince;
    if (uptime >= MIN_HEALTHY_MS) this.#retryMs = FIRST_RETRY_MS;
    this.#failed(reason);
  }

  #failed(reason: string): void {
    if (this.#isClosed) return;
    this.#options.onLost();
    if (!this.#hasFailed) this.#options.onDown(reason);
    this.#hasFailed = true;
    this.#cancelRetry = this.#options.clock.after(this.#retryMs, () => void this.#connect());
    this.#retryMs = Math.min(2 * this.#retryMs, MAX_RETRY_MS);
  }
}

/** The reason for a failure, for the operator. */
function toReason(message: string): string {
  if (message.startsWith("CLUSTERDOWN")) return "the cluster is down";
  if (/^(?:WRONGPASS|ERR invalid password)/.test(message)) {
    return "the server rejected the user name or the password";
  }
  if (message.startsWith("NOAUTH")) return "the server needs a password";
  return CLUSTER_ERRORS.test(message)
    ? "it is a cluster node; a cluster's URL begins with 'redis+cluster://'"
    : message;
}
