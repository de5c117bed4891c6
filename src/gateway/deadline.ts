/** The time limits of one attempt. One signal combines all reasons for stopping the attempt. */

import type { Clock, TimeLimit, TimeLimited } from "../core/clock.ts";
import type { Timeouts } from "../config/config.ts";
import { GatewayError } from "../core/errors.ts";
import type { ListEntry } from "../core/collections.ts";
import {
  type Shutdown,
  type ShutdownListener,
  Stopper,
  type StopSignal,
} from "../core/stop_signal.ts";
import { endpointOf, TransportError } from "../core/transport_error.ts";
import type { ProviderSettings } from "../contract/vendor_request.ts";

/** The inputs for the time limits. */
export interface LimitedWork {
  /** Fires when the caller has disconnected. */
  readonly signal: AbortSignal;
  readonly timeouts: Timeouts;
  /** Milliseconds that remain until the caller's deadline for all attempts. */
  readonly leftMs: number;
  /** Whether `firstToken` applies. */
  readonly stream: boolean;
  /** The caller sees the provider's ID; the address is only logged. */
  readonly provider: Pick<ProviderSettings, "id" | "baseUrl">;
}

/** The time limits of an attempt, by name. */
type LimitName = "total" | "deadline" | "first" | "idle";

export class Deadline extends Stopper implements TimeLimited<LimitName>, ShutdownListener {
  readonly #work: LimitedWork;
  readonly #clock: Clock;
  readonly #shutdown: Shutdown;
  readonly #untilShutdown: ListEntry<ShutdownListener>;
  #touchedAt = 0;
  #held = false;
  #total: TimeLimit | undefined;
  #deadline: TimeLimit | undefined;
  #first: TimeLimit | undefined;
  #idle: TimeLimit | undefined;

  /** @param shutdown begins when the process stops waiting for answers */
  constructor(
    work: LimitedWork,
    { clock, shutdown }: { readonly clock: Clock; readonly shutdown: Shutdown },
  ) {
    super();
    this.#work = work;
    this.#clock = clock;
    this.#shutdown = shutdown;
    const { leftMs, signal, stream, timeouts } = work;
    signal.addEventListener("abort", this);
    this.#untilShutdown = shutdown.waiting.add(this);
    if (signal.aborted) this.leave();
    if (shutdown.begun) this.onShutdown();
    if (this.aborted) return;
    this.#total = clock.limit(timeouts.total, this, "total");
    if (leftMs !== Infinity) this.#deadline = clock.limit(leftMs, this, "deadline");
    if (stream) this.#watchFirst();
  }

  /** The signal. Its reason is a {@linkcode GatewayError}. */
  get signal(): StopSignal {
    return this;
  }

  /** Called when the first chunk has arrived: from now on, the idle timeout applies. */
  begun(): void {
    this.#first?.cancel();
    this.touch(this.#clock.now());
    this.#watchIdle(this.#work.timeouts.idle);
  }

  /**
   * Called before another stream is read; until its first chunk, the first-token timeout applies
   * again.
   */
  beginsAgain(): void {
    this.#idle?.cancel();
    if (!this.aborted) this.#watchFirst();
  }

  /**
   * Stops the idle timeout while the client is not reading, since nothing is read from the vendor
   * either.
   */
  hold(): void {
    this.#held = true;
  }

  /** Restarts the idle timeout, because a packet has arrived or reading has resumed. */
  touch(now: number): void {
    this.#held = false;
    this.#touchedAt = now;
  }

  /** Cancels every timer and removes every listener. */
  end(): void {
    this.#work.signal.removeEventListener("abort", this);
    this.#shutdown.waiting.remove(this.#untilShutdown);
    this.#total?.cancel();
    this.#deadline?.cancel();
    this.#first?.cancel();
    this.#idle?.cancel();
  }

  onTimeLimit(name: LimitName): void {
    const { provider, timeouts: { total, firstToken } } = this.#work;
    if (name === "total") this.stop(tooSlow("finish", total, provider));
    else if (name === "deadline") this.stop(tooLate());
    else if (name === "first") this.stop(tooSlow("begin", firstToken, provider));
    else this.#checkIdle();
  }

  #watchFirst(): void {
    this.#first = this.#clock.limit(this.#work.timeouts.firstToken, this, "first");
  }

  #watchIdle(ms: number): void {
    this.#idle = this.#clock.limit(ms, this, "idle");
  }

  /** One timer serves the whole stream: when it fires, it checks the time of the last packet. */
  #checkIdle(): void {
    const now = this.#clock.now();
    const { provider, timeouts: { idle } } = this.#work;
    const left = (this.#held ? now : this.#touchedAt) + idle - now;
    if (left > 0) this.#watchIdle(left);
    else this.stop(stalled(idle, provider));
  }

  /** Ends the attempt because the client no longer waits for the answer. */
  leave(): void {
    this.stop(clientGone());
  }

  /** Called when the caller's signal has fired. */
  handleEvent(): void {
    this.leave();
  }

  onShutdown(): void {
    this.stop(shuttingDown());
  }

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

/** The error for requests whose caller has disconnected. */
export function clientGone(): GatewayError {
  return new GatewayError("client_gone", "The caller has disconnected");
}

/** The error for answers that are interrupted by the shutdown. */
export function shuttingDown(): GatewayError {
  return new GatewayError("overloaded", "The gateway is shutting down", {
    headers: { "retry-after": "1" },
  });
}

type NamedProvider = LimitedWork["provider"];

function tooSlow(what: "begin" | "finish", ms: number, provider: NamedProvider): GatewayError {
  return timedOut(`did not ${what} its answer within ${seconds(ms)}`, provider);
}

function tooLate(): GatewayError {
  return new GatewayError(
    "upstream_timeout",
    "The answer was not complete at the caller's deadline",
  );
}

function stalled(ms: number, provider: NamedProvider): GatewayError {
  return timedOut(`sent nothing for ${seconds(ms)}`, provider);
}

function timedOut(what: string, { id, baseUrl }: NamedProvider): GatewayError {
  return new GatewayError("upstream_timeout", `Provider '${id}' ${what}`, {
    cause: new TransportError("timeout", `timed out: it ${what}`, endpointOf(baseUrl)),
  });
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}
