/**
 * Answers that a vendor finishes after their request (`background`). That request is charged an
 * estimate; the first request that sees the final usage is billed the difference.
 */

import { isObject, type JsonObject, type Usage } from "../../../contract/chat.ts";
import { isText, toText } from "../../../core/json/values.ts";
import type { ModelPrices } from "../../../contract/model_facts.ts";
import type { MemoryLimits, OnceStore } from "../../../memory/store.ts";
import type { AttemptState } from "../../attempt_state.ts";
import { usedBy } from "../../attempt_usage.ts";
import type { PrepareContext } from "../../operation.ts";
import type { RequestRecord } from "../../request_record.ts";
import { type Charge, isPossible, toSettlement } from "../../attempt_usage.ts";
import { readTier, readUsage } from "../../../apis/responses/native_answers.ts";

/** The stored charges of such answers, for all workers together. */
export const UNSETTLED_LIMITS: MemoryLimits = { bytes: 8 * 1024 * 1024, ttlMs: 24 * 3_600_000 };

/** An answer of a provider, by the provider's own ID. */
export interface AnswerAddress {
  /** The owner of the service key. */
  readonly owner: string;
  readonly provider: string;
  readonly id: string;
}

/** The charge of an answer, and the contents of its ledger row. */
interface UnsettledAnswer extends Charge {
  readonly model: string | undefined;
  /** The configured ID of the model. */
  readonly modelId: string;
  readonly upstream: string;
  readonly tags: readonly string[];
  readonly session?: string | undefined;
  readonly endUser?: string | undefined;
  readonly prices: ModelPrices | undefined;
}

/** Final statuses of answers. */
const FINAL = new Set<unknown>(["completed", "incomplete", "cancelled", "failed"]);

const NO_USAGE: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The final usage of an answer; undefined as long as it is unknown. A failed answer without usage
 * costs nothing, like any request that fails at the vendor.
 */
function finalUsageOf({ status, usage }: JsonObject): Usage | undefined {
  if (!FINAL.has(status)) return undefined;
  const counted = readUsage(usage) ?? (status === "failed" ? NO_USAGE : undefined);
  return counted !== undefined && isPossible(counted) ? counted : undefined;
}

/** Stores the charge of a new background answer until it is settled. */
export class NewAnswer {
  readonly #attempt: AttemptState;
  readonly #record: RequestRecord;
  readonly #owner: string;
  readonly #store: OnceStore;

  constructor(attempt: AttemptState, record: RequestRecord, owner: string, store: OnceStore) {
    this.#attempt = attempt;
    this.#record = record;
    this.#owner = owner;
    this.#store = store;
  }

  /** Called with each state of the answer, with the provider's own IDs. */
  seen({ id, status }: JsonObject): void {
    const attempt = this.#attempt;
    attempt.isPending = !FINAL.has(status) && isText(id);
    const address = { owner: this.#owner, provider: attempt.provider, id: toText(id) };
    attempt.onRequestEnded = attempt.isPending ? () => this.#keep(address) : undefined;
  }

  #keep(address: AnswerAddress): void {
    const { alias, columns: { session, endUser }, model, tags } = this.#record;
    const attempt = this.#attempt;
    const { counts: { input, output }, microUsd } = usedBy(attempt, this.#record);
    put(this.#store, address, {
      ...{ input, output, microUsd },
      model: alias ?? model,
      modelId: attempt.target.model.id,
      upstream: attempt.upstream,
      ...{ tags, session, endUser },
      prices: attempt.facts.prices,
    });
  }
}

/** The current attempt of a request about an answer. */
export type SettlingAttempt = Pick<PrepareContext, "attempt" | "record">;

/** The dependencies of settling an answer. */
export interface SettlingContext {
  readonly address: AnswerAddress;
  readonly store: OnceStore;
  /** Records the output of a model. */
  readonly learn: (modelId: string, usage: Usage) => void;
}

/** Settles an answer by a request about it. */
export class SettledAnswer {
  readonly #context: SettlingContext;
  /** The charge that this request has removed from the store but not yet settled. */
  #held: UnsettledAnswer | undefined;
  #final: JsonObject | undefined;

  constructor(context: SettlingContext) {
    this.#context = context;
  }

  /** Takes the charge before a stream begins, since the end of a stream must not wait. */
  async hold({ attempt, record }: SettlingAttempt): Promise<void> {
    this.#held ??= await this.#take();
    attempt.onRequestEnded = () => this.#release();
    if (record.ended) this.#release();
  }

  /** Called with each state of the answer. */
  seen(response: JsonObject, context: SettlingAttempt): void {
    this.#final = finalUsageOf(response) === undefined ? this.#final : response;
    if (this.#held !== undefined) this.#settle(context, this.#held);
  }

  /** Settles an answer whose final state was seen. */
  async settle(context: SettlingAttempt): Promise<void> {
    const { attempt, record } = context;
    if (this.#final === undefined || attempt.settlement !== undefined) return;
    const charged = await this.#take();
    if (charged === undefined) return;
    if (!record.ended) this.#settle(context, charged);
    // If the client has disconnected, the next request settles it.
    if (attempt.settlement === undefined) put(this.#context.store, this.#context.address, charged);
  }

  #settle({ attempt, record }: SettlingAttempt, charged: UnsettledAnswer): void {
    const usage = this.#final && finalUsageOf(this.#final);
    if (this.#final === undefined || usage === undefined) return;
    this.#held = undefined;
    const { prices: _, ...facts } = attempt.facts;
    attempt.upstream = charged.upstream;
    attempt.facts = charged.prices === undefined ? facts : { ...facts, prices: charged.prices };
    record.model = charged.model;
    record.tags = charged.tags;
    const { session, endUser } = charged;
    Object.assign(record.columns, { session, endUser });
    attempt.serviceTier = readTier(this.#final);
    attempt.settlement = toSettlement(usage, charged);
    record.isModelRequest = true;
    this.#context.learn(charged.modelId, usage);
  }

  #release(): void {
    if (this.#held !== undefined) put(this.#context.store, this.#context.address, this.#held);
    this.#held = undefined;
  }

  async #take(): Promise<UnsettledAnswer | undefined> {
    const { address, store } = this.#context;
    const state = await store.take(address.owner, keyOf(address));
    return state && toUnsettled(JSON.parse(decoder.decode(state)));
  }
}

/** The name of an entry. A provider's ID has no space. */
function keyOf({ provider, id }: AnswerAddress): string {
  return `${provider} ${id}`;
}

function put(store: OnceStore, address: AnswerAddress, answer: UnsettledAnswer): void {
  const { prices, ...rest } = answer;
  const stored = { ...rest, prices: prices && { ...prices, tiers: [...prices.tiers ?? []] } };
  store.put(address.owner, keyOf(address), encoder.encode(JSON.stringify(stored)));
}

/** The gateway wrote the entries, so their members have the right types. */
function toUnsettled(
  { prices, ...rest }: UnsettledAnswer & { readonly prices?: JsonObject },
): UnsettledAnswer {
  const own = isObject(prices) ? { ...prices, tiers: new Map(prices.tiers) } : undefined;
  return { ...rest, prices: own };
}
