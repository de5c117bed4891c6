/**
 * Answers that a vendor finishes after the request that asked for them (`background`). That request
 * is charged an estimate; the first one that sees the final usage is billed the difference.
 */

import { isObject, type JsonObject, type Usage } from "../../chat/chat.ts";
import type { Target } from "../../config/config.ts";
import { isText, toText } from "../../core/json/values.ts";
import type { ModelPrices } from "../../providers/contract/model_facts.ts";
import type { MemoryLimits, OnceStore } from "../../memory/store.ts";
import { microUsdUsedBy, type RequestRecord } from "../../routing/request_record.ts";
import { type Charge, isPossible, toSettlement } from "../../routing/settlement.ts";
import { readTier, readUsage } from "../../formats/responses/native_answers.ts";

/** What is remembered of such answers, by all workers together. */
export const UNSETTLED_LIMITS: MemoryLimits = { bytes: 8 * 1024 * 1024, ttlMs: 24 * 3_600_000 };

/** An answer of a provider, by the provider's own ID. */
export interface AnswerAddress {
  /** The owner of the service key. */
  readonly owner: string;
  readonly provider: string;
  readonly id: string;
}

/** What an answer was charged, and what its row in the ledger says about it. */
interface UnsettledAnswer extends Charge {
  readonly model: string | undefined;
  /** The configured ID of the model. */
  readonly modelId: string;
  readonly upstream: string;
  readonly tags: readonly string[];
  readonly prices: ModelPrices | undefined;
}

/** Statuses of answers that do not change any more. */
const FINAL = new Set<unknown>(["completed", "incomplete", "cancelled", "failed"]);

const NO_USAGE: Usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The final usage of an answer; undefined as long as it is unknown. A failed answer without usage has
 * used nothing, like any request that a vendor fails.
 */
function finalUsageOf({ status, usage }: JsonObject): Usage | undefined {
  if (!FINAL.has(status)) return undefined;
  const counted = readUsage(usage) ?? (status === "failed" ? NO_USAGE : undefined);
  return counted !== undefined && isPossible(counted) ? counted : undefined;
}

/** Stores the charge of a new background answer until it is settled. */
export class NewAnswer {
  readonly #record: RequestRecord;
  readonly #target: Target;
  readonly #owner: string;
  readonly #store: OnceStore;

  constructor(record: RequestRecord, target: Target, owner: string, store: OnceStore) {
    this.#record = record;
    this.#target = target;
    this.#owner = owner;
    this.#store = store;
    record.pending = undefined;
    record.onEnded = undefined;
  }

  /** Called with each state of the answer, with the provider's own IDs. */
  seen({ id, status }: JsonObject): void {
    const record = this.#record;
    const isPending = !FINAL.has(status) && isText(id);
    record.pending = isPending ? this.#target : undefined;
    const address = {
      owner: this.#owner,
      provider: this.#target.provider.settings.id,
      id: toText(id),
    };
    record.onEnded = isPending ? () => this.#keep(address) : undefined;
  }

  #keep(address: AnswerAddress): void {
    const record = this.#record;
    const { usage } = record.used;
    const { model, upstream } = toNames(record, this.#target);
    put(this.#store, address, {
      input: usage?.prompt_tokens ?? 0,
      output: usage?.completion_tokens ?? 0,
      microUsd: microUsdUsedBy(record),
      model,
      modelId: this.#target.model.id,
      upstream,
      tags: record.tags,
      prices: this.#target.model.facts.prices,
    });
  }
}

function toNames({ alias, model }: RequestRecord, target: Target) {
  return { model: alias ?? model, upstream: target.model.upstream };
}

/** What the settlement of an answer depends on. */
export interface SettlingContext {
  readonly address: AnswerAddress;
  readonly store: OnceStore;
  /** Learns how much a model writes. */
  readonly learn: (modelId: string, usage: Usage) => void;
}

/** Settles an answer by a request about it. */
export class SettledAnswer {
  readonly #context: SettlingContext;
  /** What this request has taken from the store and not settled yet. */
  #held: UnsettledAnswer | undefined;
  #final: JsonObject | undefined;

  constructor(context: SettlingContext) {
    this.#context = context;
  }

  /** Takes what was charged before a stream begins, since its end waits for nothing. */
  async hold(record: RequestRecord): Promise<void> {
    this.#held ??= await this.#take();
    record.onEnded = () => this.#release();
    if (record.ended) this.#release();
  }

  /** Called with each state of the answer. */
  seen(response: JsonObject, record: RequestRecord): void {
    this.#final = finalUsageOf(response) === undefined ? this.#final : response;
    if (this.#held !== undefined) this.#settle(record, this.#held);
  }

  /** Settles an answer whose final state was seen. */
  async settle(record: RequestRecord): Promise<void> {
    if (this.#final === undefined || record.settlement !== undefined) return;
    const charged = await this.#take();
    if (charged === undefined) return;
    if (!record.ended) this.#settle(record, charged);
    // The caller has left meanwhile: the next request settles it.
    if (record.settlement === undefined) put(this.#context.store, this.#context.address, charged);
  }

  #settle(record: RequestRecord, charged: UnsettledAnswer): void {
    const { reached } = record;
    const usage = this.#final && finalUsageOf(this.#final);
    if (this.#final === undefined || usage === undefined || reached === undefined) return;
    this.#held = undefined;
    const { prices: _, ...facts } = reached.facts;
    const own = charged.prices === undefined ? facts : { ...facts, prices: charged.prices };
    record.reached = { ...reached, upstream: charged.upstream, facts: own };
    record.model = charged.model;
    record.tags = charged.tags;
    record.serviceTier = readTier(this.#final);
    record.settlement = toSettlement(usage, charged);
    record.asksModel = true;
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

/** Entries are the gateway's own, so their members have the right types. */
function toUnsettled(
  { prices, ...rest }: UnsettledAnswer & { readonly prices?: JsonObject },
): UnsettledAnswer {
  const own = isObject(prices) ? { ...prices, tiers: new Map(prices.tiers) } : undefined;
  return { ...rest, prices: own };
}
