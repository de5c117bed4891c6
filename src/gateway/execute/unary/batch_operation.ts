/**
 * Operations with batches: a request is split to fit the target's limits, and the answers to its
 * parts are joined.
 */

import {
  type Batch,
  type BatchPart,
  type InputRange,
  inputUsage,
  type PassedList,
  type UnaryKind,
} from "../../../apis/operation.ts";
import { tokenFamilyOf } from "../../../apis/token_families.ts";
import type { Target } from "../../../config/config.ts";
import { isObject, type JsonObject, type Usage } from "../../../contract/chat.ts";
import type { OperationCall, OperationRequest } from "../../../contract/operation_api.ts";
import type { OperationName } from "../../../contract/operations.ts";
import { TimeSlice } from "../../../core/clock.ts";
import { GatewayError, toGatewayError, unreadable } from "../../../core/errors.ts";
import { MAX_BYTES_AT_ONCE } from "../../../core/json/writer.ts";
import { andThen } from "../../../core/steps.ts";
import type { TokenFamily } from "../../../core/tokens/token_counter.ts";
import type { OpenStream } from "../../../streaming/fold.ts";
import { readArrivingJson } from "../../../upstream/arriving_json.ts";
import { type Packets, readPackets } from "../../../upstream/read_response.ts";
import type { VendorResponse } from "../../../upstream/transport.ts";
import { readable } from "../../../upstream/upstream_errors.ts";
import { isUnconnected } from "../../attempt_state.ts";
import type {
  AttemptResult,
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  TokenEstimate,
} from "../../operation.ts";
import type { RequestFeatures } from "../../request_features.ts";
import type { VendorSession } from "../../vendor_session.ts";
import {
  type CheckedCall,
  convert,
  type ConvertedCall,
  explainedRows,
  toAnswerError,
  toCall,
  toWriteContext,
} from "./convert.ts";
import { beginAnswer, type BegunAnswer } from "./read_answer.ts";

/** The maximum number of parts of one batch that are sent at the same time. */
const MAX_CONCURRENT_PARTS = 4;

/** One part of a batch: the request, and the inputs that it covers. */
interface Part<Request extends OperationRequest> extends ConvertedCall<Request> {
  readonly range: InputRange;
}

/** How the requests of an operation are split, and the rules of one of them. */
export interface BatchKind<Request extends OperationRequest, Body>
  extends UnaryKind<Request, Body> {
  readonly batch: Batch<Request, Body>;
}

/** One request of such an operation. */
export class BatchOperation<Request extends OperationRequest, Body>
  implements ExplainableOperation {
  readonly name: OperationName;
  readonly #kind: BatchKind<Request, Body>;
  readonly #request: Request;
  readonly #features: RequestFeatures;
  /** The answers by the first input of each part, so that a retry sends only the others. */
  readonly #finished = new Map<Target, Map<number, Body>>();

  constructor(kind: BatchKind<Request, Body>, request: Request, features: RequestFeatures) {
    this.name = kind.name;
    this.#kind = kind;
    this.#request = request;
    this.#features = features;
  }

  estimate(family: TokenFamily): TokenEstimate {
    return this.#kind.estimate(this.#request, family);
  }

  prepare(
    target: Target,
    { changes }: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    const checked = toCall(this.#kind, this.#request, target, changes);
    const ranges = this.#kind.batch.split(checked.call, checked.api);
    const [range, ...others] = ranges;
    return others.length === 0 && range !== undefined
      ? andThen(
        convert(checked, checked.call, this.#features),
        (own) => this.#toPrepared(checked, [{ ...own, range }], target),
      )
      : this.#toParts(checked, ranges).then((parts) => this.#toPrepared(checked, parts, target));
  }

  /** Converts a request for a target like an attempt; of a batch, its first part. */
  explain(
    target: Target,
    { changes }: ExplainContext,
  ): ExplainedRequest | Promise<ExplainedRequest> {
    const checked = toCall(this.#kind, this.#request, target, changes);
    const [range, ...others] = this.#kind.batch.split(checked.call, checked.api);
    const isBatch = others.length > 0 && range !== undefined;
    const call = isBatch ? this.#partOf(checked, range) : checked.call;
    return andThen(convert(checked, call, this.#features), ({ request }) => ({
      unsigned: request,
      rows: explainedRows(checked, this.#kind),
      ...(isBatch && { parts: others.length + 1 }),
    }));
  }

  #partOf({ call }: CheckedCall<Request, Body>, range: InputRange): OperationCall<Request> {
    return { ...call, request: this.#kind.batch.part(call.request, range) };
  }

  /** Converts the parts of a request, in time slices. */
  async #toParts(
    checked: CheckedCall<Request, Body>,
    ranges: readonly InputRange[],
  ): Promise<readonly Part<Request>[]> {
    const parts: Part<Request>[] = [];
    const slice = new TimeSlice();
    for (const range of ranges) {
      const own = await convert(checked, this.#partOf(checked, range), this.#features);
      parts.push({ ...own, range });
      if (slice.isOver) await slice.next();
    }
    return parts;
  }

  #toPrepared(
    checked: CheckedCall<Request, Body>,
    parts: readonly Part<Request>[],
    target: Target,
  ): PreparedAttempt {
    let finished = this.#finished.get(target);
    if (finished === undefined) this.#finished.set(target, finished = new Map());
    // A feature needs the whole answer.
    const mayPass = parts.length === 1 && !this.#features.readsAnswers;
    const attempt = new BatchAttempt(this.#kind, checked, parts, finished, mayPass);
    return {
      adapter: checked.adapter,
      stream: false,
      execute: (session) => attempt.execute(session),
    };
  }
}

/** The parts of one attempt. */
class BatchAttempt<Request extends OperationRequest, Body> {
  readonly #kind: BatchKind<Request, Body>;
  readonly #checked: CheckedCall<Request, Body>;
  readonly #parts: readonly Part<Request>[];
  /** The answers of the target so far. */
  readonly #finished: Map<number, Body>;
  /** The answers to this attempt. */
  readonly #answered = new Map<Part<Request>, Body>();
  /** The parts of this attempt that the vendor has neither refused nor answered. */
  readonly #unanswered = new Set<Part<Request>>();
  readonly #passes: Batch<Request, Body>["passes"];
  /** The answer, if it is forwarded as it arrives. */
  #passed: OpenStream | undefined;
  #failure: GatewayError | undefined;

  /** @param mayPass whether the answer may be forwarded as it arrives */
  constructor(
    kind: BatchKind<Request, Body>,
    checked: CheckedCall<Request, Body>,
    parts: readonly Part<Request>[],
    finished: Map<number, Body>,
    mayPass: boolean,
  ) {
    this.#kind = kind;
    this.#checked = checked;
    this.#parts = parts;
    this.#finished = finished;
    const { passes } = kind.batch;
    const entries = parts[0]?.range.end ?? 0;
    const canPass = mayPass && checked.api.passes === true && entries >= (passes?.minEntries ?? 0);
    this.#passes = canPass ? passes : undefined;
  }

  /** Sends the parts that have no answer yet. If one part fails, all fail. */
  async execute(session: VendorSession): Promise<AttemptResult> {
    const waiting = this.#parts.filter(({ range }) => !this.#finished.has(range.start));
    const entries = waiting.values();
    if (waiting.length === 1) await this.#askEach(entries, session);
    else {
      // When a part fails, parts in flight are awaited, because the vendor bills them.
      const count = Math.min(MAX_CONCURRENT_PARTS, waiting.length);
      await Promise.all(Array.from({ length: count }, () => this.#askEach(entries, session)));
    }
    if (this.#failure !== undefined) {
      const usage = this.#usageIn(session);
      if (usage?.prompt_tokens !== 0) session.attempt.report(usage);
      throw this.#failure;
    }
    if (this.#passed !== undefined) return { type: "stream", stream: this.#passed };
    const context = toWriteContext(session.record, session.deps.clock);
    const written = await this.#kind.write(this.#joined(), this.#checked.call, context);
    session.deadline.end();
    const { text, id, model } = written;
    const summary = { id, model, finishReasons: [] };
    return { type: "text", text, outputChars: 0, usage: this.#usageIn(session), summary };
  }

  /** Sends one part after the other, until one fails. */
  async #askEach(parts: Iterable<Part<Request>>, session: VendorSession): Promise<void> {
    for (const part of parts) {
      if (this.#failure !== undefined) return;
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
        this.#failure ??= this.#toFailure(thrown, part.range);
      }
    }
  }

  /** The answers to all parts as one. */
  #joined(): Body {
    const parts: BatchPart<Request, Body>[] = [];
    for (const { call, range } of this.#parts) {
      const body = this.#finished.get(range.start);
      if (body !== undefined) parts.push({ call, body });
    }
    const [first] = parts;
    return first !== undefined && parts.length === 1 ? first.body : this.#kind.batch.join(parts);
  }

  /** The usage of this attempt. Answers to earlier attempts were billed with these attempts. */
  #usageIn({ attempt }: VendorSession): Usage | undefined {
    const { batch, estimate } = this.#kind;
    const isWhole = this.#answered.size === this.#parts.length;
    const uncounted = [...this.#unanswered];
    let tokens: number | undefined;
    for (const [part, body] of this.#answered) {
      const counted = batch.tokensOf(body);
      if (counted !== undefined) tokens = (tokens ?? 0) + counted;
      else if (!isWhole) uncounted.push(part);
    }
    for (const { call: { model, request } } of uncounted) {
      attempt.isPartial = true;
      tokens = (tokens ?? 0) + estimate(request, tokenFamilyOf(model.base)).input;
    }
    return isWhole && tokens === undefined ? undefined : inputUsage(tokens ?? 0);
  }

  /** The answer to a part; undefined if it is forwarded as it arrives. */
  async #ask(part: Part<Request>, session: VendorSession): Promise<Body | undefined> {
    const { call, range, request } = part;
    const { api } = this.#checked;
    const { batch } = this.#kind;
    const response = await session.send(request, session.record.bodyBytes > MAX_BYTES_AT_ONCE);
    if (!response.ok) {
      this.#unanswered.delete(part);
      const error = await session.readError(response, api.toError);
      throw session.toCallerError(error, call.request, response);
    }
    const all = readPackets(response, session.deadline.signal);
    let packets: Pick<Packets, "next" | "close"> = all;
    if (this.#passes !== undefined) {
      const begun = await this.#begin(this.#passes, part, response, all, session);
      if ("stream" in begun) {
        this.#passed = begun.stream;
        session.deadline.begun();
        return undefined;
      }
      packets = begun.packets;
    }
    const answer = await readArrivingJson(packets, {
      wait: (vendor) => session.wait(vendor),
      onGrowth: (bytes) => session.hold(bytes),
    });
    const body = isObject(answer) && answer.error
      ? undefined
      : readable(() => api.toBody(toAnswer(response, answer), call));
    if (body === undefined) throw this.#errorIn(answer, part, session);
    const results = batch.resultsOf(body);
    const inputs = range.end - range.start;
    if (results !== inputs) {
      throw unreadable(`The provider returned ${results} ${batch.noun} for ${inputs} inputs`);
    }
    return body;
  }

  /** Reads the beginning of an answer that may be forwarded as it arrives. */
  #begin(
    passes: PassedList<Request, Body>,
    part: Part<Request>,
    response: VendorResponse,
    packets: Packets,
    session: VendorSession,
  ): Promise<BegunAnswer> {
    const { call, range } = part;
    const { noun } = this.#kind.batch;
    const answer = {
      ...passes,
      request: call.request,
      entries: range.end - range.start,
      noun,
      end: (members: JsonObject) => {
        const whole = toAnswer(response, { ...members, [passes.list]: [] });
        const body = readable(() => this.#checked.api.toBody(whole, call));
        if (body === undefined) throw this.#errorIn(members, part, session);
        return passes.members(body, call, toWriteContext(session.record, session.deps.clock));
      },
    };
    return beginAnswer(packets, answer, { wait: (vendor) => session.wait(vendor) });
  }

  /** The error of an answer without results. */
  #errorIn(answer: unknown, part: Part<Request>, session: VendorSession): GatewayError {
    this.#unanswered.delete(part);
    const usual = `The provider's answer holds no ${this.#kind.name}`;
    return toAnswerError(answer, this.#checked, part.call, session, usual);
  }

  /** The failure of a part names its inputs. */
  #toFailure(thrown: unknown, { start, end }: InputRange): GatewayError {
    const error = toGatewayError(thrown);
    if (this.#parts.length === 1 || error.kind === "internal") return error;
    const { kind, code, param, headers, suspends, final, cause } = error;
    const last = end - 1;
    const which = last === start ? `input[${start}]` : `input[${start}] to input[${last}]`;
    const message = `${error.message} (${which} of ${this.#parts.at(-1)?.range.end})`;
    return new GatewayError(kind, message, { param, code, headers, suspends, final, cause });
  }
}

function toAnswer({ status, headers }: VendorResponse, body: unknown) {
  return { status, headers, body };
}
