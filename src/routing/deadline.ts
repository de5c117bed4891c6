/** The time limits of one attempt. One abort signal combines all reasons to stop it. */

import type { Clock } from "../core/clock.ts";
import type { Timeouts } from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";
import type { Shutdown } from "../core/shutdown.ts";
import { endpointOf, TransportError } from "../core/transport_error.ts";

/** Milliseconds. `deadline` is what remains of the caller's own deadline for all attempts. */
export interface Limits extends Timeouts {
  readonly deadline: number;
}

/** The vendor that an attempt waits for. */
export interface Awaited {
  /** The name in messages, e.g. `provider 'openai'`. */
  readonly name: string;
  readonly baseUrl: string;
}

export class Deadline {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #forgetShutdown: () => void;
  readonly #clock: Clock;
  readonly #firstToken: number;
  readonly #idle: number;
  readonly #vendor: Awaited;
  #touchedAt = 0;
  #held = false;
  #cancelTotal: (() => void) | undefined;
  #cancelDeadline: (() => void) | undefined;
  #cancelFirst: (() => void) | undefined;
  #cancelIdle: (() => void) | undefined;

  /**
   * @param caller fires when the caller has disconnected
   * @param shutdown fires when the process stops waiting for answers
   * @param stream whether `firstToken` applies
   * @param vendor its name goes to the caller, its address to the log only
   */
  constructor(
    caller: AbortSignal,
    shutdown: Shutdown,
    clock: Clock,
    limits: Limits,
    stream: boolean,
    vendor: Awaited,
  ) {
    this.#caller = caller;
    this.#clock = clock;
    this.#firstToken = limits.firstToken;
    this.#idle = limits.idle;
    this.#vendor = vendor;
    caller.addEventListener("abort", this.leave);
    this.#forgetShutdown = shutdown.onBegin(() => this.#abort(shuttingDown()));
    if (caller.aborted) this.leave();
    if (shutdown.begun) this.#abort(shuttingDown());
    if (this.signal.aborted) return;
    const { total, deadline } = limits;
    this.#cancelTotal = clock.after(total, () => this.#abort(tooSlow("finish", total, vendor)));
    if (deadline !== Infinity) {
      this.#cancelDeadline = clock.after(deadline, () => this.#abort(tooLate()));
    }
    if (stream) this.#watchFirst();
  }

  /** Aborted with a {@linkcode GatewayError} as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first chunk has arrived: from now on the idle timeout applies. */
  begun(): void {
    this.#cancelFirst?.();
    this.touch(this.#clock.now());
    this.#watch(this.#idle);
  }

  /** Another stream follows: until its first chunk, the timeout of a first token applies again. */
  beginsAgain(): void {
    this.#cancelIdle?.();
    if (!this.signal.aborted) this.#watchFirst();
  }

  /**
   * Stops the idle timeout while the client is not reading, since the vendor is not read either.
   */
  hold(): void {
    this.#held = true;
  }

  /** Restarts the idle timeout: a packet has arrived, or reading has resumed. */
  touch(now: number): void {
    this.#held = false;
    this.#touchedAt = now;
  }

  /** Cancels every timer and removes every listener. */
  end(): void {
    this.#caller.removeEventListener("abort", this.leave);
    this.#forgetShutdown();
    this.#cancelTotal?.();
    this.#cancelDeadline?.();
    this.#cancelFirst?.();
    this.#cancelIdle?.();
  }

  #watchFirst(): void {
    const ms = this.#firstToken;
    const onLate = () => this.#abort(tooSlow("begin", ms, this.#vendor));
    this.#cancelFirst = this.#clock.after(ms, onLate);
  }

  /** One timer serves the whole stream: it checks the time of the last packet when it fires. */
  #watch(ms: number): void {
    this.#cancelIdle = this.#clock.after(ms, () => {
      const since = this.#held ? this.#clock.now() : this.#touchedAt;
      const left = since + this.#idle - this.#clock.now();
      if (left > 0) this.#watch(left);
      else this.#abort(stalled(this.#idle, this.#vendor));
    });
  }

  /** Ends the attempt: the caller does not wait for the answer any more. */
  readonly leave = (): void => this.#abort(clientGone());

  #abort(error: GatewayError): void {
    this.#controller.abort(error);
    this.end();
  }
}

/**
 * Waits, unless the caller disconnects or the gateway shuts down first.
 *
 * @throws {GatewayError} `client_gone` or `overloaded`.
 */
export async function pause(
  ms: number,
  caller: AbortSignal,
  { clock, shutdown }: { readonly clock: Clock; readonly shutdown: Shutdown },
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = () => resolve();
  const cancel = clock.after(ms, wake);
  const forget = shutdown.onBegin(wake);
  caller.addEventListener("abort", wake);
  if (caller.aborted || shutdown.begun) wake();
  await promise;
  cancel();
  forget();
  caller.removeEventListener("abort", wake);
  if (caller.aborted) throw clientGone();
  if (shutdown.begun) throw shuttingDown();
}

/** The error of requests whose caller does not wait for the answer. */
export function clientGone(): GatewayError {
  return new GatewayError("client_gone", "The caller has disconnected");
}

/** The error of answers that are cut off by the shutdown. */
export function shuttingDown(): GatewayError {
  return new GatewayError("overloaded", "The gateway is shutting down", {
    headers: { "retry-after": "1" },
  });
}

function tooSlow(what: "begin" | "finish", ms: number, vendor: Awaited): GatewayError {
  return timedOut(`did not ${what} its answer within ${seconds(ms)}`, vendor);
}

function tooLate(): GatewayError {
  return new GatewayError(
    "upstream_timeout",
    "The answer was not complete at the caller's deadline",
  );
}

function stalled(ms: number, vendor: Awaited): GatewayError {
  return timedOut(`sent nothing for ${seconds(ms)}`, vendor);
}

function timedOut(what: string, { name, baseUrl }: Awaited): GatewayError {
  return new GatewayError("upstream_timeout", `${upperFirst(name)} ${what}`, {
    cause: new TransportError("timeout", `timed out: it ${what}`, endpointOf(baseUrl)),
  });
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}
