/** The time limits of one attempt. One signal combines all reasons to stop it. */

import type { Clock } from "../core/clock.ts";
import type { Timeouts } from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";
import type { Shutdown } from "../core/shutdown.ts";
import { Stopper, type StopSignal } from "../core/stop_signal.ts";
import type { TimeLimit, TimeLimited } from "../core/time_limits.ts";
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

/** The time limits of an attempt by their names. */
type LimitName = "total" | "deadline" | "first" | "idle";

export class Deadline extends Stopper implements TimeLimited<LimitName> {
  readonly #caller: AbortSignal;
  readonly #forgetShutdown: () => void;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #vendor: Awaited;
  #touchedAt = 0;
  #held = false;
  #total: TimeLimit | undefined;
  #deadline: TimeLimit | undefined;
  #first: TimeLimit | undefined;
  #idle: TimeLimit | undefined;

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
    super();
    this.#caller = caller;
    this.#clock = clock;
    this.#limits = limits;
    this.#vendor = vendor;
    caller.addEventListener("abort", this.leave);
    this.#forgetShutdown = shutdown.onBegin(() => this.stop(shuttingDown()));
    if (caller.aborted) this.leave();
    if (shutdown.begun) this.stop(shuttingDown());
    if (this.aborted) return;
    const { total, deadline } = limits;
    this.#total = clock.limit(total, this, "total");
    if (deadline !== Infinity) this.#deadline = clock.limit(deadline, this, "deadline");
    if (stream) this.#watchFirst();
  }

  /** Stopped with a {@linkcode GatewayError} as its reason. */
  get signal(): StopSignal {
    return this;
  }

  /** The first chunk has arrived: from now on the idle timeout applies. */
  begun(): void {
    this.#first?.cancel();
    this.touch(this.#clock.now());
    this.#watchIdle(this.#limits.idle);
  }

  /** Another stream follows: until its first chunk, the timeout of a first token applies again. */
  beginsAgain(): void {
    this.#idle?.cancel();
    if (!this.aborted) this.#watchFirst();
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
    this.#total?.cancel();
    this.#deadline?.cancel();
    this.#first?.cancel();
    this.#idle?.cancel();
  }

  onTimeLimit(name: LimitName): void {
    const { total, firstToken } = this.#limits;
    if (name === "total") this.stop(tooSlow("finish", total, this.#vendor));
    else if (name === "deadline") this.stop(tooLate());
    else if (name === "first") this.stop(tooSlow("begin", firstToken, this.#vendor));
    else this.#checkIdle();
  }

  #watchFirst(): void {
    this.#first = this.#clock.limit(this.#limits.firstToken, this, "first");
  }

  #watchIdle(ms: number): void {
    this.#idle = this.#clock.limit(ms, this, "idle");
  }

  /** One limit serves the whole stream: it checks the time of the last packet when it is over. */
  #checkIdle(): void {
    const now = this.#clock.now();
    const { idle } = this.#limits;
    const left = (this.#held ? now : this.#touchedAt) + idle - now;
    if (left > 0) this.#watchIdle(left);
    else this.stop(stalled(idle, this.#vendor));
  }

  /** Ends the attempt: the caller does not wait for the answer any more. */
  readonly leave = (): void => this.stop(clientGone());

  /** Ends the attempt with this error. */
  override stop(error: GatewayError): void {
    super.stop(error);
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
