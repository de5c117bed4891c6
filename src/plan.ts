/**
 * The plan of one request: targets × keys × retries, as a small machine over
 * the outcomes of its attempts. Everything is decided before the first byte
 * goes to the caller.
 */

import { type Answer, attempt, type AttemptDeps } from "./attempt.ts";
import { backoff, retryAfterOf } from "./backoff.ts";
import { classOf } from "./chain.ts";
import type { ChatRequest } from "./chat.ts";
import type { Link, Target } from "./config.ts";
import { GatewayError, toGatewayError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import type { RequestImages } from "./images.ts";

/** What the caller asked for beside the body. */
export interface Wishes {
  /** Refuse rather than ignore: the header `x-sluice-strict`. */
  readonly strict: boolean;
  /** All attempts together may take this many milliseconds: `x-sluice-deadline-ms`. */
  readonly deadline: number | undefined;
}

/** What one target's failure leads to. */
type Next =
  | { readonly type: "key" }
  | { readonly type: "retry"; readonly wait: number }
  | { readonly type: "target" };

/** Runs the plan of one request, once. */
export class Plan {
  readonly #request: ChatRequest;
  readonly #wishes: Wishes;
  readonly #images: RequestImages;
  readonly #exchange: Exchange;
  readonly #deps: AttemptDeps;
  /** When no attempt may go on, in milliseconds since the epoch. */
  readonly #end: number;

  constructor(
    request: ChatRequest,
    wishes: Wishes,
    images: RequestImages,
    exchange: Exchange,
    deps: AttemptDeps,
  ) {
    this.#request = request;
    this.#wishes = wishes;
    this.#images = images;
    this.#exchange = exchange;
    this.#deps = deps;
    this.#end = exchange.startedAt + (wishes.deadline ?? Infinity);
  }

  /**
   * The first answer that a target of the chain gives.
   *
   * @throws {GatewayError} the last failure; one of ours for a deadline or a caller who left.
   */
  async run(links: readonly Link[]): Promise<Answer> {
    let last: GatewayError | undefined;
    let misfit: GatewayError | undefined;
    for (const { target, when } of inTurn(links, this.#deps)) {
      if (last !== undefined && !leadsTo(last, when)) continue;
      try {
        return await this.#ask(target);
      } catch (thrown) {
        const error = toGatewayError(thrown);
        if (MISFITS.has(error.kind)) misfit ??= error;
        else if (classOf(error.kind) === undefined || this.#left() <= 0) throw this.#told(error);
        else last = error;
      }
    }
    throw this.#told(last ?? misfit ?? new GatewayError("internal", "The chain has no target"));
  }

  /** Asks one target until it answers, or there is no use in asking it again. */
  async #ask(target: Target): Promise<Answer> {
    const breaker = this.#deps.state.breakerOf(target);
    for (let retry = 0;;) {
      const { clock } = this.#deps;
      if (this.#left() <= 0) throw this.#spent();
      const key = this.#pickKey(target);
      breaker.enter(clock.now());
      const began = clock.now();
      const sent = this.#exchange.attempts;
      try {
        const answer = await this.#attempt(target, key);
        breaker.succeeded();
        this.#note(target, began, "done", undefined);
        return answer;
      } catch (thrown) {
        const error = toGatewayError(thrown);
        if (this.#exchange.attempts === sent || SAYS_NOTHING.has(error.kind)) breaker.left();
        else if (error.retryable) breaker.failed(clock.now());
        else breaker.succeeded();
        if (this.#exchange.attempts === sent) throw error;
        const next = this.#afterFailure(target, key, error, retry);
        this.#note(target, began, error.kind, next);
        if (next.type === "target") throw error;
        if (next.type === "key") continue;
        retry++;
        await this.#sleep(next.wait);
      }
    }
  }

  #attempt(target: Target, key: string | undefined): Promise<Answer> {
    const { strict } = this.#wishes;
    const end = this.#end;
    const aim = { target, key, request: this.#request, images: this.#images, strict, end };
    return attempt(aim, this.#exchange, this.#deps);
  }

  #pickKey(target: Target): string | undefined {
    const { keys } = target.provider;
    // A single key never rests: there is no other to use in its place.
    if (keys.length < 2) return keys[0];
    const now = this.#deps.clock.now();
    const pool = this.#deps.state.poolOf(target.provider);
    const key = pool.pick(keys, target.model.upstream, now);
    if (key !== undefined) return key;
    const soonest = pool.soonest(keys, target.model.upstream, now);
    const seconds = Math.ceil(Math.max(0, (soonest?.until ?? now) - now) / 1000);
    const name = target.provider.settings.id;
    throw new GatewayError(
      soonest?.kind ?? "upstream_auth",
      `Every key of the provider '${name}' rests; the first may be used in ${seconds} s`,
      { headers: { "retry-after": String(seconds) } },
    );
  }

  #afterFailure(
    target: Target,
    key: string | undefined,
    error: GatewayError,
    retry: number,
  ): Next {
    const now = this.#deps.clock.now();
    const asked = retryAfterOf(error.headers, now);
    const { provider, model } = target;
    if (key !== undefined && provider.keys.length > 1) {
      const pool = this.#deps.state.poolOf(provider);
      const rests = pool.rest(key, model.upstream, error.kind, asked, now);
      const another = rests && pool.pick(provider.keys, model.upstream, now) !== undefined;
      if (another) return { type: "key" };
    }
    if (!error.retryable || retry >= target.retries) return { type: "target" };
    const wait = asked ?? backoff(retry, this.#deps.random);
    if (asked !== undefined && wait > provider.maxWait) return { type: "target" };
    return wait >= this.#left() ? { type: "target" } : { type: "retry", wait };
  }

  /** Milliseconds that are left of the caller's deadline. */
  #left(): number {
    return this.#end - this.#deps.clock.now();
  }

  /** Waits, unless the caller leaves or the process ends first. */
  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#exchange;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const cancel = this.#deps.clock.after(ms, wake);
    const forget = this.#deps.shutdown.onBegin(wake);
    signal.addEventListener("abort", wake);
    if (signal.aborted) wake();
    await promise;
    cancel();
    forget();
    signal.removeEventListener("abort", wake);
    if (signal.aborted) throw new GatewayError("client_gone", "The caller has left");
  }

  #note(target: Target, began: number, outcome: string, next: Next | undefined): void {
    this.#exchange.tries.push({
      provider: target.provider.settings.id,
      upstream: target.model.upstream,
      outcome,
      ms: this.#deps.clock.now() - began,
      next: next === undefined
        ? undefined
        : next.type === "retry"
        ? `retry in ${Math.round(next.wait)} ms`
        : `next ${next.type}`,
    });
  }

  /** A failure as the caller is told it, who is not to repeat what we have repeated. */
  #told(error: GatewayError): GatewayError {
    if (this.#left() <= 0 && error.kind === "upstream_timeout") return this.#spent();
    return this.#exchange.attempts > 1 ? error.withHeaders({ "x-should-retry": "false" }) : error;
  }

  #spent(): GatewayError {
    const tries = this.#exchange.tries.map(({ provider, ms, outcome }) =>
      `${provider} ${Math.round(ms)} ms (${outcome})`
    );
    const how = tries.length === 0 ? "before any attempt" : tries.join(", ");
    return new GatewayError(
      "upstream_timeout",
      `The deadline of ${this.#wishes.deadline} ms has passed: ${how}`,
      { headers: { "x-should-retry": "false" } },
    );
  }
}

/** Targets whose breaker is open come last: they are used rather than failing. */
export function inTurn(
  links: readonly Link[],
  { state, clock }: Pick<AttemptDeps, "state" | "clock">,
): readonly Link[] {
  const now = clock.now();
  const isShut = ({ target }: Link) => state.breakerOf(target).isShut(now);
  const shut = links.filter(isShut);
  return shut.length === 0 ? links : [...links.filter((link) => !isShut(link)), ...shut];
}

/** Failures of a target to take the request: another may, and nothing was sent. */
const MISFITS = new Set<string>(["unsupported_parameter", "unsupported_content"]);

/** Failures that tell nothing of how well the target is. */
const SAYS_NOTHING = new Set<string>(["client_gone", "overloaded", "upstream_auth", "quota"]);

function leadsTo(error: GatewayError, when: Link["when"]): boolean {
  const failure = classOf(error.kind);
  return failure !== undefined && when.has(failure);
}
