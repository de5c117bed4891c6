/**
 * Embeddings as an operation: a batch is split to fit the target's limits, and its answers are
 * joined.
 */

import { isObject, type JsonObject, type Usage } from "../../../contract/chat.ts";
import { isText } from "../../../core/json/values.ts";
import type { Target } from "../../../config/config.ts";
import { TimeSlice } from "../../../core/clock.ts";
import { GatewayError, toGatewayError, unreadable, withinDepth } from "../../../core/errors.ts";
import type { EmbeddingsAnswer } from "../../../apis/embeddings/embeddings.ts";
import { countInput } from "../../../apis/chat/token_estimate.ts";
import type { TokenFamily } from "../../../core/tokens/token_counter.ts";
import { tokenFamilyOf } from "../../../apis/token_families.ts";
import { MAX_BYTES_AT_ONCE } from "../../../core/json/writer.ts";
import type {
  EmbeddingsBody,
  EmbeddingsCall,
  EmbeddingsRequest,
  Encoding,
} from "../../../contract/embeddings.ts";
import { readArrivingJson } from "../../../upstream/arriving_json.ts";
import { type Packets, readPackets } from "../../../upstream/read_response.ts";
import type { VendorResponse } from "../../../upstream/transport.ts";
import { readable } from "../../../upstream/upstream_errors.ts";
import type { OpenStream } from "../../../streaming/fold.ts";
import {
  type CheckedEmbeddings,
  checkEmbeddings,
  explainEmbeddings,
  InputCounter,
  type InputRange,
  NO_MARKS,
  splitInputs,
} from "./prepare_embeddings.ts";
import {
  beginAnswer,
  type BegunAnswer,
  type PassedAnswer,
  type PassedMembers,
} from "./passed_embeddings.ts";
import type {
  AttemptResult,
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  TokenEstimate,
  UnaryResult,
} from "../../operation.ts";
import { NO_FEATURES, type RequestFeatures } from "../../request_features.ts";
import { isUnconnected } from "../../attempt_state.ts";
import type { RequestRecord } from "../../request_record.ts";
import type { VendorSession } from "../../vendor_session.ts";
import type { VendorRequest } from "../../../contract/vendor_request.ts";
import { andThen } from "../../../core/steps.ts";

/** The maximum number of parts of one batch that are sent at the same time. */
const MAX_CONCURRENT_PARTS = 4;

/** The number of vectors below which answers are short and read completely. */
const MIN_INPUTS_PASSED = 4;

/** Writes an answer; undefined for vectors that cannot be read. */
export type WriteEmbeddings = (
  answer: EmbeddingsAnswer,
  encoding: Encoding,
  slice: TimeSlice,
) => Promise<UnaryResult["text"] | undefined>;

/** One part of a batch: the request, and the inputs that it covers. */
interface Part {
  readonly range: InputRange;
  readonly call: EmbeddingsCall;
  readonly request: VendorRequest;
}

/** The answers of a target so far, by the first input of each part. */
type Finished = Map<number, EmbeddingsBody>;

/** The embeddings of one request. */
export class EmbeddingsOperation implements ExplainableOperation {
  readonly name = "embeddings";
  readonly #request: EmbeddingsRequest;
  readonly #write: WriteEmbeddings;
  readonly #features: RequestFeatures;
  readonly #passes: boolean;
  /** Parts that were answered, so that a retry sends only the others. */
  readonly #finished = new Map<Target, Finished>();

  /** @param passes whether an answer of the OpenAI dialect is one of the caller's format */
  constructor(
    request: EmbeddingsRequest,
    write: WriteEmbeddings,
    features: RequestFeatures = NO_FEATURES,
    passes = false,
  ) {
    this.#features = features;
    this.#request = request;
    this.#write = write;
    // A feature needs the whole answer.
    this.#passes = passes && !features.readsAnswers;
  }

  estimate(family: TokenFamily): TokenEstimate {
    return { input: countInput(this.#request.input).tokens(family), maxOutput: 0 };
  }

  prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    const checked = checkEmbeddings(target, this.#request, context.changes);
    const { api, call } = checked;
    const family = tokenFamilyOf(call.model.base);
    const [first, ...others] = splitInputs(call.inputs, api.limitsFor(call.model), family);
    if (first === undefined) throw new TypeError("A request has at least one part");
    const part = toPart(first, checked, this.#features);
    return others.length === 0 && !(part instanceof Promise)
      ? this.#toPrepared([part], target, checked, context)
      : toParts(part, others, checked, this.#features)
        .then((parts) => this.#toPrepared(parts, target, checked, context));
  }

  #toPrepared(
    parts: readonly Part[],
    target: Target,
    checked: CheckedEmbeddings,
    context: PrepareContext,
  ): PreparedAttempt {
    let finished = this.#finished.get(target);
    if (finished === undefined) this.#finished.set(target, finished = new Map());
    const isWhole = parts.length === 1 && this.#passes && checked.api.passes === true &&
      this.#request.input.length >= MIN_INPUTS_PASSED;
    const batch = new Batch(checked, parts, finished, context.record, this.#write, isWhole);
    return {
      adapter: checked.adapter,
      stream: false,
      execute: (session) => batch.execute(session),
    };
  }

  explain(target: Target, context: ExplainContext): Promise<ExplainedRequest> {
    return explainEmbeddings(this.#request, target, context, this.#features);
  }
}

/** Converts parts of a request, in time slices. */
async function toParts(
  first: Part | Promise<Part>,
  ranges: readonly InputRange[],
  checked: CheckedEmbeddings,
  features: RequestFeatures,
): Promise<Part[]> {
  const parts: Part[] = [await first];
  const slice = new TimeSlice();
  for (const range of ranges) {
    parts.push(await toPart(range, checked, features));
    if (slice.isOver) await slice.next();
  }
  return parts;
}

function toPart(
  range: InputRange,
  { adapter, api, call: whole }: CheckedEmbeddings,
  features: RequestFeatures,
): Part | Promise<Part> {
  const call = { ...whole, inputs: whole.inputs.slice(range.start, range.end) };
  const converted = withinDepth(() => api.toRequest(call));
  if (!features.sends) return { range, call, request: converted };
  const sent = features.send(converted, { ...call, api: NO_MARKS, adapter });
  return andThen(sent, (request) => ({ range, call, request }));
}

/** The parts of one attempt. */
class Batch {
  readonly #checked: CheckedEmbeddings;
  readonly #parts: readonly Part[];
  readonly #finished: Finished;
  /** The answers to this attempt. */
  readonly #answered = new Map<Part, EmbeddingsBody>();
  /** The parts of this attempt that the vendor has neither refused nor answered. */
  readonly #unanswered = new Set<Part>();
  readonly #record: RequestRecord;
  readonly #write: WriteEmbeddings;
  readonly #passes: boolean;
  /** The answer, if it is forwarded as it arrives. */
  #passed: OpenStream | undefined;

  constructor(
    checked: CheckedEmbeddings,
    parts: readonly Part[],
    finished: Finished,
    record: RequestRecord,
    write: WriteEmbeddings,
    passes: boolean,
  ) {
    this.#checked = checked;
    this.#parts = parts;
    this.#finished = finished;
    this.#record = record;
    this.#write = write;
    this.#passes = passes;
  }

  /** Sends the parts that have no answer yet. If one part fails, all fail. */
  async execute(session: VendorSession): Promise<AttemptResult> {
    const waiting = this.#parts.filter(({ range }) => !this.#finished.has(range.start));
    const entries = waiting.values();
    let failure: GatewayError | undefined;
    const run = async () => {
      for (const part of entries) {
        if (failure !== undefined) return;
        try {
          this.#unanswered.add(part);
          const body = await this.#ask(part, session);
          this.#unanswered.delete(part);
          if (body === undefined) return;
          this.#answered.set(part, body);
          this.#finished.set(part.range.start, body);
        } catch (thrown) {
          const isAborted = session.deadline.signal.aborted;
          if (!isAborted && isUnconnected(thrown)) this.#unanswered.delete(part);
          failure ??= this.#toFailure(thrown, part.range);
        }
      }
    };
    // When a part fails, parts in flight are awaited, because the vendor bills them.
    await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT_PARTS, waiting.length) }, run));
    if (failure !== undefined) {
      const usage = this.#usageIn(session);
      if (usage?.prompt_tokens !== 0) session.attempt.report(usage);
      throw failure;
    }
    return this.#passed === undefined
      ? await this.#toResult(session)
      : { type: "stream", stream: this.#passed };
  }

  /** The usage of this attempt. Answers to earlier attempts were billed with these attempts. */
  #usageIn({ attempt }: VendorSession): Usage | undefined {
    if (this.#answered.size === this.#parts.length) return billed([...this.#answered.values()]);
    let tokens = 0;
    for (const part of [...this.#answered.keys(), ...this.#unanswered]) {
      const counted = this.#answered.get(part)?.tokens;
      if (counted === undefined) attempt.isPartial = true;
      tokens += counted ?? estimateOf(part.call);
    }
    return { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens };
  }

  /** The answer to a part; undefined if it is forwarded as it arrives. */
  async #ask(part: Part, session: VendorSession): Promise<EmbeddingsBody | undefined> {
    const { call, range, request } = part;
    const { api } = this.#checked;
    const response = await session.send(request, this.#record.bodyBytes > MAX_BYTES_AT_ONCE);
    if (!response.ok) {
      this.#unanswered.delete(part);
      const error = await session.readError(response, api.toError);
      throw session.toCallerError(error, call.request, response);
    }
    const all = readPackets(response, session.deadline.signal);
    let packets: Pick<Packets, "next" | "close"> = all;
    if (this.#passes) {
      const begun = await this.#begin(part, response, all, session);
      if ("stream" in begun) {
        this.#passed = begun.stream;
        session.deadline.begun();
        return undefined;
      }
      packets = begun.packets;
    }
    const body = await readArrivingJson(packets, {
      wait: (vendor) => session.wait(vendor),
      onGrowth: (bytes) => session.hold(bytes),
    });
    if (isObject(body) && body.error) throw this.#errorIn(body, part, session);
    const embeddings = readable(() => api.toEmbeddings(toAnswer(response, body), call));
    if (embeddings === undefined) throw this.#errorIn(body, part, session);
    const { length } = embeddings.vectors;
    const inputs = range.end - range.start;
    if (length !== inputs) {
      throw unreadable(`The provider returned ${length} vectors for ${inputs} inputs`);
    }
    return embeddings;
  }

  /** Reads the beginning of an answer that may be forwarded as it arrives. */
  #begin(
    { call, range }: Part,
    response: VendorResponse,
    packets: Packets,
    session: VendorSession,
  ): Promise<BegunAnswer> {
    const answer: PassedAnswer = {
      encoding: call.request.encoding_format ?? "float",
      inputs: range.end - range.start,
      read: (members) => {
        const whole = toAnswer(response, { ...members, data: [] });
        const body = readable(() => this.#checked.api.toEmbeddings(whole, call));
        return this.#toMembers(body === undefined ? [] : [body]);
      },
    };
    return beginAnswer(packets, answer, { wait: (vendor) => session.wait(vendor) });
  }

  /** The error of an answer without vectors; vendors use different members for it. */
  #errorIn(body: unknown, part: Part, session: VendorSession): GatewayError {
    this.#unanswered.delete(part);
    session.refused(body);
    const { adapter, api } = this.#checked;
    const toError = api.toError ?? adapter.toError;
    const error = readable(() => toError({ where: "stream", body }));
    const message = error.message ?? "The provider's answer holds no embeddings";
    return session.toCallerError({ ...error, message }, part.call.request);
  }

  /** The failure of a part names its inputs. */
  #toFailure(thrown: unknown, { start, end }: InputRange): GatewayError {
    const error = toGatewayError(thrown);
    if (this.#parts.length === 1 || error.kind === "internal") return error;
    const { kind, code, param, headers, suspends, final, cause } = error;
    const last = end - 1;
    const which = last === start ? `input[${start}]` : `input[${start}] to input[${last}]`;
    const message = `${error.message} (${which} of ${this.#checked.call.inputs.length})`;
    return new GatewayError(kind, message, { param, code, headers, suspends, final, cause });
  }

  async #toResult(session: VendorSession): Promise<UnaryResult> {
    const { call } = this.#checked;
    const bodies = this.#parts.flatMap(({ range }) => this.#finished.get(range.start) ?? []);
    const { id, model, usage, extra = {} } = this.#toMembers(bodies);
    const [first] = bodies;
    const isWhole = bodies.length === 1;
    const vectors = isWhole ? first?.vectors ?? [] : bodies.flatMap(({ vectors }) => vectors);
    const encoding = call.request.encoding_format ?? "float";
    const answer: EmbeddingsAnswer = { id, vectors, model, usage, extra };
    const text = await this.#write(answer, encoding, new TimeSlice());
    if (text === undefined) throw unreadable("The provider's vectors are not numbers");
    session.deadline.end();
    const billed = this.#usageIn(session);
    const summary = { id, model, finishReasons: [] };
    return { type: "text", text, outputChars: 0, usage: billed, summary };
  }

  /** The members of the caller's answer other than the vectors. */
  #toMembers(bodies: readonly EmbeddingsBody[]): PassedMembers {
    const [first] = bodies;
    const isWhole = bodies.length === 1;
    const model = first?.model ?? this.#checked.call.model.upstream;
    const extra = (isWhole ? first?.extra : undefined) ?? {};
    const id = isText(extra.id) ? extra.id : this.#record.id;
    const usage = { ...toUsage(bodies, this.#parts), ...(isWhole && first?.usage) };
    return { id, model, usage, billed: billed(bodies), extra };
  }
}

function toAnswer({ status, headers }: VendorResponse, body: unknown) {
  return { status, headers, body };
}

/** The usage that the vendor reports, for the log; undefined if it reports none. */
function billed(bodies: readonly EmbeddingsBody[]): Usage | undefined {
  const counts = bodies.flatMap(({ tokens }) => tokens ?? []);
  if (counts.length === 0) return undefined;
  const sum = counts.reduce((total, count) => total + count, 0);
  return { prompt_tokens: sum, completion_tokens: 0, total_tokens: sum };
}

/**
 * The usage that the caller gets. If the vendor reports none, it is an estimate and marked as such.
 */
function toUsage(bodies: readonly EmbeddingsBody[], parts: readonly Part[]): JsonObject {
  let sum = 0;
  let counter: InputCounter | undefined;
  for (const [index, { tokens }] of bodies.entries()) {
    const call = parts[index]?.call;
    if (tokens !== undefined) sum += tokens;
    else if (call !== undefined) {
      counter ??= new InputCounter(tokenFamilyOf(call.model.base));
      for (const input of call.inputs) counter.add(input);
    }
  }
  if (counter === undefined) return { prompt_tokens: sum, total_tokens: sum };
  sum += counter.sum;
  return { prompt_tokens: sum, total_tokens: sum, estimated: true };
}

function estimateOf({ inputs, model }: EmbeddingsCall): number {
  const counter = new InputCounter(tokenFamilyOf(model.base));
  for (const input of inputs) counter.add(input);
  return counter.sum;
}
