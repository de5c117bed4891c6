/** An embeddings request for a target: the supported fields, and its parts. */

import { Buffer } from "node:buffer";
import { addInput } from "../../../apis/chat/token_estimate.ts";
import { TokenCounter, type TokenFamily } from "../../../core/tokens/token_counter.ts";
import type { Target } from "../../../config/config.ts";
import { GatewayError, withinDepth } from "../../../core/errors.ts";
import type { Adapter } from "../../../contract/adapter.ts";
import {
  applyEmbeddingsSupport,
  type EmbeddingsApi,
  type EmbeddingsCall,
  type EmbeddingsInput,
  type EmbeddingsLimits,
  embeddingsParametersOf,
  type EmbeddingsRequest,
  embeddingsRuleFor,
  kindOfInput,
} from "../../../contract/embeddings.ts";
import type { RequestChanges } from "../../../contract/request_changes.ts";
import { tokenFamilyOf } from "../../../apis/token_families.ts";
import type { RequestFeatures } from "../../request_features.ts";
import { addedRows, ChangeEntries, type Row } from "../../explained_changes.ts";
import type { ExplainContext, ExplainedRequest } from "../../operation.ts";

/** A request that passed the checks of a target's support tables. */
export interface CheckedEmbeddings {
  readonly adapter: Adapter;
  readonly api: EmbeddingsApi;
  /** The request with all inputs. */
  readonly call: EmbeddingsCall;
}

/** A range of a request's inputs. `end` is exclusive. */
export interface InputRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Applies a target's tables to a request.
 *
 * @throws {GatewayError} with status 400 for input that the target does not support.
 */
export function checkEmbeddings(
  target: Target,
  asked: EmbeddingsRequest,
  changes: RequestChanges,
): CheckedEmbeddings {
  const { provider: { adapter, settings }, model, params } = target;
  const api = adapter.embeddings;
  if (api === undefined) throw new TypeError(`The kind '${adapter.kind}' has no embeddings`);
  const request: EmbeddingsRequest = params === undefined ? asked : { ...params, ...asked };
  checkInputs(request.input, api);
  const parts = { request, model, provider: settings, changes };
  const { fields, refused } = applyEmbeddingsSupport(api, parts);
  if (refused !== undefined) {
    const message = `The model '${model.id}' does not take '${refused.name}': ${refused.note}`;
    throw new GatewayError("unsupported_parameter", message, { param: refused.name });
  }
  return { adapter, api, call: { ...parts, fields, inputs: request.input } };
}

/** Instructions for clients that send tokens by default. */
const SEND_TEXT = "; send text, in LangChain with check_embedding_ctx_length=False";

function checkInputs(inputs: readonly EmbeddingsInput[], { supports }: EmbeddingsApi): void {
  for (const [index, input] of inputs.entries()) {
    const kind = kindOfInput(input);
    if (kind === undefined) continue;
    const support = supports.inputs[kind];
    if (support.level !== "refused") continue;
    const what = kind === "tokens" ? "tokens" : "parts of content";
    const advice = kind === "tokens" ? SEND_TEXT : "";
    throw new GatewayError(
      "unsupported_content",
      `The provider cannot take ${what} as input: ${support.note}${advice}`,
      { param: inputs.length === 1 ? "input" : `input[${index}]` },
    );
  }
}

/** The share of a vendor's limit that batches use, since their tokens are estimated. */
const MARGIN = 0.8;

/** Splits inputs into parts that are within a vendor's limits, in their order. */
export function splitInputs(
  inputs: readonly EmbeddingsInput[],
  { inputs: most, tokens: mostTokens = Infinity }: EmbeddingsLimits,
  family: TokenFamily,
): InputRange[] {
  if (inputs.length <= most && areSurelyWithin(inputs, mostTokens)) {
    return [{ start: 0, end: inputs.length }];
  }
  const counter = new InputCounter(family);
  const ranges: InputRange[] = [];
  let start = 0;
  let tokens = 0;
  for (const [index, input] of inputs.entries()) {
    const more = mostTokens === Infinity ? 0 : counter.add(input);
    const isFull = index - start === most || tokens + more > mostTokens * MARGIN;
    if (isFull && index > start) {
      ranges.push({ start, end: index });
      start = index;
      tokens = 0;
    }
    tokens += more;
  }
  ranges.push({ start, end: inputs.length });
  return ranges;
}

/** Tokens that frame an input. */
const PER_INPUT = 4;

/** Whether inputs are certainly within a token limit, since a token has at least one byte. */
function areSurelyWithin(inputs: readonly EmbeddingsInput[], tokens: number): boolean {
  if (tokens === Infinity) return true;
  let most = PER_INPUT * inputs.length;
  for (const input of inputs) {
    if (typeof input === "string") most += Buffer.byteLength(input);
    else if (kindOfInput(input) === "tokens") most += (input as readonly number[]).length;
    else return false;
    if (most > tokens) return false;
  }
  return true;
}

/** Estimates the tokens of the inputs of a request, in bounded time for all of them. */
export class InputCounter {
  readonly #counter = new TokenCounter();
  readonly #family: TokenFamily;
  #sum = 0;

  constructor(family: TokenFamily) {
    this.#family = family;
  }

  /** The tokens of all inputs so far. */
  get sum(): number {
    return this.#sum;
  }

  /** Adds an input. Returns its tokens. */
  add(input: EmbeddingsInput): number {
    if (kindOfInput(input) === "tokens") return this.#take((input as readonly number[]).length);
    const before = this.#counter.tokens(this.#family);
    addInput(input, this.#counter);
    return this.#take(this.#counter.tokens(this.#family) - before);
  }

  #take(tokens: number): number {
    this.#sum += tokens;
    return tokens;
  }
}

/** Embeddings have no cache breakpoints. */
export const NO_MARKS = {};

/** Converts a request for a target like an attempt; for a batch, its first part. */
export async function explainEmbeddings(
  request: EmbeddingsRequest,
  target: Target,
  { changes }: ExplainContext,
  features: RequestFeatures,
): Promise<ExplainedRequest> {
  const checked = checkEmbeddings(target, request, changes);
  const { adapter, api, call } = checked;
  const ranges = splitInputs(
    call.inputs,
    api.limitsFor(call.model),
    tokenFamilyOf(call.model.base),
  );
  const own = { ...call, inputs: call.inputs.slice(0, ranges[0]?.end) };
  const converted = withinDepth(() => api.toRequest(own));
  const unsigned = await features.send(converted, { ...own, api: NO_MARKS, adapter });
  const rows = toRows(checked, request, changes);
  return { unsigned, rows, ...(ranges.length > 1 && { parts: ranges.length }) };
}

function toRows(
  { api, call }: CheckedEmbeddings,
  asked: EmbeddingsRequest,
  changes: RequestChanges,
): readonly Row[] {
  const entries = new ChangeEntries(changes);
  const rows = embeddingsParametersOf(call.request).map((name): Row => ({
    ...entries.take(name, embeddingsRuleFor(name, api, call.model, call.provider)),
    ...(asked[name] === undefined && { from: "config" }),
  }));
  return [...rows, ...entries.remaining(), ...addedRows(changes, api.adds)];
}
