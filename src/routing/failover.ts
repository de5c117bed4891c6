/**
 * The plan of one request: targets × keys × retries, as a small machine over
 * the outcomes of its attempts. Everything is decided before the first byte
 * goes to the caller.
 */

import { type Aim, type Answer, attempt, type AttemptDeps } from "./attempt.ts";
import { backoff, retryAfterOf } from "./backoff.ts";
import type { Breaker } from "./circuit_breaker.ts";
import type { CallerFormat } from "../chat/caller_format.ts";
import type { ChatRequest } from "../chat/chat.ts";
import type { FallbackTarget, Target } from "../config/config.ts";
import { pause } from "./deadline.ts";
import { ERROR_KINDS, GatewayError, toGatewayError } from "../core/errors.ts";
import type { Exchange } from "./request_record.ts";
import type { RequestImages } from "../upstream/images/request_images.ts";
import type { RequestObserver } from "./observer.ts";
import { RequestKeys } from "./request_keys.ts";

/** What the path of a request uses. */
export interface PathDeps extends AttemptDeps {
  readonly observer: RequestObserver;
}

/** What the caller asked for beside the body. */
export interface Wishes {
  /** How the answer is written. */
  readonly format: CallerFormat;
  /** Refuse rather than ignore: the header `x-sluice-strict`. */
  readonly strict: boolean;
  /** All attempts together may take this many milliseconds: `x-sluice-deadline-ms`. */
  readonly deadline: number | undefined;
}

/** What one target's failure leads to. */
type Next =
  | { readonly type: "key" }
  | { readonly type: "retry"; readonly wait: number }
  /** `why` when another try of this target was due, and could not be. */
  | { readonly type: "target"; readonly error: GatewayError; readonly why?: string };

/** What this request knows of a target's breaker. */
interface TargetHealth {
  readonly breaker: Breaker;
  /** Whether the attempt is the one that tries a half-open target. */
  isProbe: boolean;
  /** Whether a failure that the prompt may have caused was counted. */
  blamed: boolean;
}

/** No attempt is made in less, in milliseconds; and timers may ring a little early. */
const LEAST = 2;

const DEADLINE = "the caller's deadline is too near";

/** Runs the plan of one request, once. */
export class Plan {
  readonly #request: ChatRequest;
  readonly #wishes: Wishes;
  readonly #images: RequestImages;
  readonly #exchange: Exchange;
  readonly #deps: PathDeps;
  /** When no attempt may go on, in milliseconds since the epoch. */
  readonly #end: number;
  /** Another try was due, but for the caller's deadline. */
  #cutShort = false;

  constructor(
    request: ChatRequest,
    wishes: Wishes,
    images: RequestImages,
    exchange: Exchange,
    deps: PathDeps,
  ) {
    this.#request = request;
    this.#wishes = wishes;
    this.#images = images;
    this.#exchange = exchange;
    this.#deps = deps;
    this.#end = exchange.startedAt + (wishes.deadline ?? Infinity);
  }

  /**
   * The first answer that a target of the chain gives. Targets whose breaker is
   * open come last: they are used rather than failing.
   *
   * @throws {GatewayError} the last failure; one of ours for a deadline or a caller who left.
   */
  async run(links: readonly FallbackTarget[]): Promise<Answer> {
    const turns = [...links];
    let last: GatewayError | undefined;
    let misfit: GatewayError | undefined;
    for (const [turn, { target, onFailures }] of turns.entries()) {
      const isPutOff = turn >= links.length;
      if (last !== undefined && !leadsTo(last, onFailures)) continue;
      // To pass over a target is to take it for unavailable.
      const passedOver = last === undefined && turns.length > links.length;
      if (passedOver && !isPutOff && !onFailures.has("unavailable")) continue;
      if (!isPutOff && this.#isShut(target)) {
        turns.push({ target, onFailures });
        continue;
      }
      if (last !== undefined) this.#noteNextTarget();
      try {
        return await this.#ask(target, turns.slice(turn + 1));
      } catch (thrown) {
        const error = toGatewayError(thrown);
        if (ERROR_KINDS[error.kind].targetMismatch) misfit ??= error;
        else if (ERROR_KINDS[error.kind].failureClass === null || this.#isOver()) {
          throw this.#told(error);
        } else last = error;
      }
    }
    throw this.#told(last ?? misfit ?? new GatewayError("internal", "The chain has no target"));
  }

  #isShut(target: Target): boolean {
    return this.#deps.state.breakerOf(target).isShut(this.#deps.clock.now());
  }

  /** Asks one target until it answers, or there is no use in asking it again. */
  async #ask(target: Target, others: readonly FallbackTarget[]): Promise<Answer> {
    const { clock, state } = this.#deps;
    const breaker = state.breakerOf(target);
    const keys = new RequestKeys(target, state.poolOf(target.provider));
    const health: TargetHealth = { breaker, isProbe: false, blamed: false };
    for (let retry = 0;;) {
      if (this.#isOver()) throw this.#spent();
      const began = clock.now();
      const key = keys.pick(began);
      health.isProbe = breaker.enter(began);
      const sent = this.#exchange.attempts;
      try {
        const answer = await this.#attempt(target, key);
        breaker.succeeded(this.#caller, clock.now());
        this.#note(target, began, undefined, undefined);
        return answer;
      } catch (thrown) {
        const error = toGatewayError(thrown);
        if (this.#exchange.attempts === sent) {
          breaker.left(health.isProbe);
          throw error;
        }
        let next = this.#afterFailure(target, keys, key, error, retry);
        this.#tell(health, error, next);
        if (next.type === "retry" && this.#isShut(target) && this.#isBetter(others, error)) {
          next = { type: "target", error, why: "its breaker is open" };
        }
        this.#cutShort = next.type === "target" && next.why === DEADLINE;
        this.#note(target, began, error, next);
        if (next.type === "target") throw next.error;
        if (next.type === "key") continue;
        retry++;
        keys.waited();
        await this.#exchange.waiting(pause(next.wait, this.#exchange.signal, this.#deps), clock);
      }
    }
  }

  #attempt(target: Target, key: string | undefined): Promise<Answer> {
    const { format, strict } = this.#wishes;
    const end = this.#end;
    const aim = { target, key, format, request: this.#request, images: this.#images, strict, end };
    return this.#observed(aim);
  }

  async #observed(aim: Aim): Promise<Answer> {
    const exchange = this.#exchange;
    const observer = this.#deps.observer.attemptStarted(aim, exchange);
    if (observer === undefined) return await attempt(aim, exchange, this.#deps);
    const sent = exchange.attempts;
    try {
      const answer = await attempt(aim, exchange, this.#deps, observer.run);
      observer.answered(answer);
      return answer;
    } catch (thrown) {
      observer.failed(toGatewayError(thrown), exchange.attempts > sent);
      throw thrown;
    }
  }

  /** Whether one of these may be asked after this failure, and is well. */
  #isBetter(others: readonly FallbackTarget[], error: GatewayError): boolean {
    return others.some(({ target, onFailures }) =>
      leadsTo(error, onFailures) && !this.#isShut(target)
    );
  }

  /**
   * Tells a target's breaker what a failure means. An answer about this request alone says nothing
   * of whether the target works: a caller could close a breaker with requests that are refused.
   */
  #tell(health: TargetHealth, error: GatewayError, next: Next): void {
    const { breaker, isProbe } = health;
    const isOurs = error.kind === "upstream_timeout" && this.#isOver();
    const { breaker: effect } = ERROR_KINDS[error.kind];
    if (isOurs || next.type === "key" || effect === "ignores" || !error.retryable) {
      return breaker.left(isProbe);
    }
    const now = this.#deps.clock.now();
    if (effect === "counts") return breaker.failed(undefined, now);
    // The same prompt again proves no more than the first time.
    if (health.blamed && !isProbe) return;
    health.blamed = true;
    breaker.failed(this.#caller, now);
  }

  #afterFailure(
    { provider, retries }: Target,
    keys: RequestKeys,
    key: string | undefined,
    thrown: GatewayError,
    retry: number,
  ): Next {
    const now = this.#deps.clock.now();
    const after = keys.failed(
      key,
      thrown,
      retryAfterOf(thrown.headers, this.#deps.clock.wallTime()),
      now,
    );
    if (after.type === "other_key") return { type: "key" };
    const { error, wait: asked } = after;
    if (!error.retryable || retry >= retries || this.#isOver()) return { type: "target", error };
    const wait = asked ?? backoff(retry, this.#deps.random);
    if (asked !== undefined && wait > provider.maxWait) {
      return { type: "target", error, why: `asked to wait ${Math.ceil(wait / 1000)} s` };
    }
    if (wait >= this.#left() - LEAST) return { type: "target", error, why: DEADLINE };
    return { type: "retry", wait };
  }

  /** The service key that the request came with. */
  get #caller(): string {
    return this.#exchange.key ?? "";
  }

  /** Milliseconds that are left of the caller's deadline. */
  #left(): number {
    return this.#end - this.#deps.clock.now();
  }

  #isOver(): boolean {
    return this.#left() <= LEAST;
  }

  #note(
    target: Target,
    began: number,
    error: GatewayError | undefined,
    next: Next | undefined,
  ): void {
    const { clock } = this.#deps;
    this.#exchange.tries.push({
      provider: target.provider.settings.id,
      upstream: target.model.upstream,
      outcome: error?.kind ?? "done",
      cause: error?.transportCause,
      at: clock.wallTime(),
      ms: clock.now() - began,
      next: next === undefined ? undefined : wordsOf(next),
    });
  }

  /** Only when another target is asked is it known that the last failure led to one. */
  #noteNextTarget(): void {
    const before = this.#exchange.tries.at(-1);
    if (before === undefined || before.next?.startsWith(NEXT_TARGET)) return;
    before.next = before.next === undefined ? NEXT_TARGET : `${NEXT_TARGET}: ${before.next}`;
  }

  /** A failure as the caller is told it, who is not to repeat what we have repeated. */
  #told(error: GatewayError): GatewayError {
    const late = this.#cutShort || this.#isOver();
    if (late && ERROR_KINDS[error.kind].failureClass !== null) return this.#spent();
    // Credentials that were refused are refused again until the operator mends them.
    const isFinal = this.#exchange.attempts > 1 || error.kind === "upstream_auth";
    return isFinal ? error.withHeaders({ "x-should-retry": "false" }) : error;
  }

  #spent(): GatewayError {
    const tries = this.#exchange.tries.map(({ provider, ms, outcome, next }) =>
      `${provider} ${Math.round(ms)} ms (${next === undefined ? outcome : `${outcome}, ${next}`})`
    );
    const how = tries.length === 0 ? "before any attempt" : tries.join(", then ");
    return new GatewayError(
      "upstream_timeout",
      `There was no answer within the deadline of ${this.#wishes.deadline} ms: ${how}`,
      { headers: { "x-should-retry": "false" } },
    );
  }
}

/** Targets whose breaker is open come last: they are used rather than failing. */
export function inTurn(
  links: readonly FallbackTarget[],
  { state, clock }: Pick<PathDeps, "state" | "clock">,
): readonly FallbackTarget[] {
  const now = clock.now();
  const isShut = ({ target }: FallbackTarget) => state.breakerOf(target).isShut(now);
  const shut = links.filter(isShut);
  return shut.length === 0 ? links : [...links.filter((link) => !isShut(link)), ...shut];
}

const NEXT_TARGET = "next target";

function wordsOf(next: Next): string | undefined {
  switch (next.type) {
    case "key":
      return "next key";
    case "retry":
      return `retry in ${Math.round(next.wait)} ms`;
    case "target":
      return next.why;
  }
}

function leadsTo(error: GatewayError, onFailures: FallbackTarget["onFailures"]): boolean {
  const { failureClass } = ERROR_KINDS[error.kind];
  return failureClass !== null && onFailures.has(failureClass);
}
