/**
 * Sends the request to a second target if the first one takes longer than usual ("The Tail at
 * Scale", Dean and Barroso, 2013), within a limited share of requests and cost. The first answer is
 * used; the other request is aborted, and billed to the extent that its vendor may bill it.
 */

import type { FallbackTarget, HedgeRule, Provider, Target } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type {
  AskedRecord,
  AttemptRules,
  RacingAttempt,
  RequestLimitsBeside,
  TargetAnswer,
  TargetAsking,
} from "../../gateway/feature_attempts.ts";
import type { Admission } from "../../governance/admission.ts";
import type { SpendingLimit } from "../../governance/spending_limit.ts";
import type { AttemptState } from "../../gateway/attempt_state.ts";
import type { TargetQueue } from "../../gateway/order/target_queue.ts";
import type { State } from "../../gateway/state.ts";
import type { HedgingState } from "./hedging_state.ts";
import { HedgeReserve, type HedgeShare } from "./hedge_reserve.ts";
import { GatewayError } from "../../core/errors.ts";

/** The dependencies for hedging. */
export interface HedgerDeps {
  readonly clock: Clock;
  readonly hedging: HedgingState;
  readonly state: State;
}

/** The rule for a model. */
export interface HedgePlan {
  /** The alias or model as named in config.yaml. */
  readonly name: string;
  readonly rule: HedgeRule;
}

/** A request's second target, and the reservations for it. */
interface Second {
  readonly target: Target;
  readonly admission: Admission | undefined;
}

/** Hedges one request, at most once. */
export class Hedger {
  readonly #rule: HedgeRule;
  readonly #record: AskedRecord;
  readonly #limits: RequestLimitsBeside;
  readonly #rules: AttemptRules | undefined;
  readonly #spending: SpendingLimit | undefined;
  readonly #deps: HedgerDeps;
  readonly #share: HedgeShare;
  #isUsed = false;

  constructor(
    { name, rule }: HedgePlan,
    { record, limits, rules }: Pick<TargetAsking<TargetAnswer>, "limits" | "record" | "rules">,
    deps: HedgerDeps,
  ) {
    this.#rule = rule;
    this.#record = record;
    this.#limits = limits;
    this.#rules = rules;
    this.#deps = deps;
    const { usd_per_hour: usd } = rule;
    this.#spending = usd === undefined ? undefined : limits.spendingOf(rule, `hedge:${name}`, usd);
    this.#share = deps.hedging.shareOf(rule);
    this.#share.earn();
  }

  /**
   * Calls a target, and a second one in parallel if it takes too long.
   *
   * @throws {GatewayError} as {@linkcode TargetAsking.ask}; if both fail, that of the first target.
   */
  async ask<Answer extends TargetAnswer>(
    target: Target,
    asking: TargetAsking<Answer>,
  ): Promise<Answer> {
    const { admission } = asking;
    const delay = this.#isUsed ? undefined : this.#delayOf(target);
    if (delay === undefined) {
      const answer = await asking.ask(target, admission);
      this.#learn(answer.attempt);
      return answer;
    }
    const racing = new HedgeAttempt(this.#record, false);
    const first = asking.ask(target, admission, racing);
    const wait = new Wait(first);
    const second = await wait.isOver(delay, this.#deps.clock)
      ? undefined
      : await this.#enter(target, asking.remaining());
    if (second === undefined) {
      const answer = await first;
      this.#learn(answer.attempt);
      return answer;
    }
    return await this.#race(first, racing, second, asking);
  }

  async #race<Answer extends TargetAnswer>(
    first: Promise<Answer>,
    racing: HedgeAttempt,
    second: Second,
    asking: TargetAsking<Answer>,
  ): Promise<Answer> {
    const { target, admission } = second;
    const other = new HedgeAttempt(this.#record, true);
    const hedge = asking.ask(target, admission, other).catch((thrown) => {
      if (admission !== undefined) this.#record.leave(admission);
      throw thrown;
    });
    let answer: Answer;
    try {
      answer = await Promise.any([first, hedge]);
    } catch {
      return await first;
    } finally {
      this.#note(other);
    }
    const hasWon = answer.attempt.isHedge;
    const [lost, pending] = hasWon ? [racing, first] : [other, hedge];
    lost.lose();
    // The other target may have answered at the same time.
    pending.then((late) => asking.discard(late), () => {});
    if (hasWon && racing.attempt !== undefined) this.#learn(racing.attempt);
    this.#learn(answer.attempt);
    this.#record.attempt = answer.attempt;
    return answer;
  }

  /** Records the hedge, unless the second target did not support the request. */
  #note({ attempt }: HedgeAttempt): void {
    if (attempt === undefined || attempt.requests === 0) return;
    this.#record.columns.hedged = true;
    this.#record.notes.add("hedged");
  }

  /** Chooses a second target and makes the reservations for it; undefined if there is none. */
  async #enter(first: Target, queue: TargetQueue): Promise<Second | undefined> {
    const { clock, state } = this.#deps;
    const isSecond = (entry: FallbackTarget) => isSecondTarget(entry, first, state, clock.now());
    const entry = queue.take((entry) =>
      isSecond(entry) && this.#rules?.allowsBeside?.(entry.target) !== false
    );
    if (entry === undefined) {
      const note = this.#rules?.overNote;
      if (note !== undefined && queue.take(isSecond) !== undefined) {
        queue.putBack();
        this.#record.notes.add(note);
      }
      return undefined;
    }
    if (!this.#share.take()) {
      queue.putBack();
      return undefined;
    }
    const { target } = entry;
    const reserve = new HedgeReserve(this.#spending, this.#limits, this.#record);
    const entered = await reserve.enter(target);
    if (entered === undefined) {
      this.#share.giveBack();
      queue.putBack();
      return undefined;
    }
    this.#isUsed = true;
    return { target, admission: entered.admission };
  }

  #delayOf(target: Target): number | undefined {
    const { clock, hedging, state } = this.#deps;
    const measured = {
      stats: state.statsOf(target),
      stream: this.#record.stream,
      bytes: this.#record.bodyBytes,
    };
    return hedging.delayOf(this.#rule, measured, clock.now());
  }

  /** Records the duration of an attempt, or the wait for it. */
  #learn({ target, ms }: AttemptState): void {
    const { clock, hedging, state } = this.#deps;
    const stats = state.statsOf(target);
    const { bodyBytes, stream } = this.#record;
    hedging.timesOf(stats).add(stream, bodyBytes, ms, clock.now());
  }
}

/** Waits for an answer for a limited time. */
class Wait {
  readonly #settled: Promise<void>;
  #isOver = false;

  constructor(answer: Promise<unknown>) {
    const over = () => void (this.#isOver = true);
    this.#settled = answer.then(over, over);
  }

  /** Whether the answer arrived or failed within a time, in milliseconds. */
  async isOver(ms: number, clock: Clock): Promise<boolean> {
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(ms, () => late.resolve());
    await Promise.race([this.#settled, late.promise]);
    cancel();
    return this.#isOver;
  }
}

/** Whether a target may be called while another call is pending. */
export function isSecondTarget(
  { target, onFailures }: FallbackTarget,
  first: Target,
  state: State,
  now: number,
): boolean {
  return onFailures.has("timeout") && !isSameAccount(target.provider, first.provider) &&
    state.breakerOf(target).state(now) === "closed";
}

/** Whether two providers share quotas, as far as can be told from config.yaml. */
function isSameAccount(one: Provider, other: Provider): boolean {
  if (one.settings.id === other.settings.id) return true;
  if (one.settings.baseUrl !== other.settings.baseUrl) return false;
  return one.keys.length === 0 || one.keys.some((key) => other.keys.includes(key));
}

class HedgeAttempt implements RacingAttempt {
  /** Whether it is the second target. */
  readonly isHedge: boolean;
  /** Fires when the client has disconnected, or the other target has answered. */
  readonly signal: AbortSignal;
  /** Whether the other target has answered. */
  isLost = false;
  /** The current attempt, or the last one. */
  attempt: AttemptState | undefined;
  readonly #record: AskedRecord;
  readonly #controller = new AbortController();

  constructor(record: AskedRecord, isHedge: boolean) {
    this.#record = record;
    this.isHedge = isHedge;
    this.signal = AbortSignal.any([record.signal, this.#controller.signal]);
  }

  /** Called when an attempt begins. */
  began(attempt: AttemptState): void {
    attempt.isHedge = this.isHedge;
    this.attempt = attempt;
  }

  /**
   * Called when the other target has answered; ends the attempt at once, so that it is billed in
   * any case.
   */
  lose(): void {
    this.isLost = true;
    const { attempt } = this;
    if (attempt !== undefined && !attempt.hasEnded && attempt.requests > 0) {
      attempt.abandoned();
      this.#record.endedAttempts.push(attempt);
    }
    this.#controller.abort(new GatewayError("client_gone", "Another target has answered"));
  }
}
