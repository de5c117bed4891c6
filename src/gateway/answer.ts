/** The path of a request: resolves the model, runs the fallback chain, and answers. */

import type { AttemptAnswer } from "./attempt.ts";
import { askTargets, type Taker, type TargetsRequest } from "./failover.ts";
import { type AttemptTarget, toTargetName } from "./attempt_state.ts";
import { planOf, toChain } from "./fallback_chain.ts";
import type { CallerFormat } from "../apis/chat/caller_format.ts";
import type { Config, FallbackTarget } from "../config/config.ts";
import { GatewayError, toGatewayError } from "../core/errors.ts";
import { type RequestRecord, toErrorRecord } from "./request_record.ts";
import type { GatewayRequest, ParsedRequest } from "./parsed_request.ts";
import { tokensOfChars } from "../apis/chat/token_estimate.ts";
import { type ModelPlan, startRequest } from "./plan.ts";
import type { EndedAnswer } from "./feature.ts";
import type { RequestAttempts } from "./feature_attempts.ts";
import { toDecimal, usdOf } from "../governance/cost.ts";
import { keepStream, keepText, type KeptText } from "../streaming/kept_text.ts";
import type { Operation, ReadyResult } from "./operation.ts";
import { RequestLimits } from "./request_limits.ts";
import { AnsweredStream } from "./answered_stream.ts";
import { toResponseBody } from "../streaming/response_stream.ts";
import type { AnswerFold, OpenStream } from "../streaming/fold.ts";
import { readable } from "../upstream/upstream_errors.ts";
import { type RouteOptions, withBalance } from "./order/route_trace.ts";

/** The answer to the caller. */
export interface RouteAnswer {
  readonly status: 200;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON as text or in pieces of UTF-8, or a stream of events. */
  readonly body:
    | string
    | readonly Uint8Array<ArrayBuffer>[]
    | ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** The headers of a stream. */
export function streamHeaders({ streamType }: CallerFormat): Readonly<Record<string, string>> {
  return {
    "content-type": streamType ?? "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    // nginx and other reverse proxies buffer event streams without this header.
    "x-accel-buffering": "no",
  };
}

/**
 * Answers a model request.
 *
 * @throws {GatewayError} `model_not_found`, or the error of the last target, synchronously or as a
 * rejection.
 */
export function answerModel(parsed: ParsedRequest, request: GatewayRequest): Promise<RouteAnswer> {
  const { config, deps, options, principal, record } = request;
  const { key } = principal;
  const { models } = parsed;
  const chosen = options.balance === undefined
    ? parsed.routeOptions
    : withBalance(parsed.routeOptions, options.balance);
  const { plan: named } = record;
  const isSingle = models.models === undefined;
  const plan = isSingle && named?.model === models.model
    ? named
    : planOf(models, key, config, deps.plans);
  const features = record.features = startRequest(parsed, plan, request, chosen);
  const isPlain = isSingle && chosen === undefined && parsed.providerOf === undefined &&
    (key.models === undefined || config.isAllowed(key, models.model));
  const chain = isPlain && plan.chain || toOrderedChain(parsed, plan, request, chosen);
  if (features.continuesStreams) record.continuesStreams = true;
  const creating = parsed.createOperation(request);
  return creating instanceof Promise
    ? creating.then((operation) => answer(operation, chain, request))
    : answer(creating, chain, request);
}

/** The fallback chain for a request that has more than one target. */
function toOrderedChain(
  parsed: ParsedRequest,
  plan: ModelPlan,
  request: GatewayRequest,
  chosen: RouteOptions | undefined,
): readonly FallbackTarget[] {
  const { config, deps: { clock, random, state }, principal, record } = request;
  const { models, stream } = parsed;
  const { bodyBytes, features, notes } = record;
  const tokens = tokensOfChars(bodyBytes);
  const order = {
    ...{ clock, random, state, stream, tokens, notes, options: chosen },
    order: features.order,
  };
  const providerOf = parsed.providerOf && (() => parsed.providerOf?.(request));
  return toChain(models, principal.key, config, order, { plan, providerOf });
}

/**
 * Runs an operation: tries the targets in turn until one answers.
 *
 * @throws {GatewayError} the error of the last target, synchronously or as a rejection.
 */
export function answer(
  operation: Operation,
  chain: readonly FallbackTarget[],
  { config, deps, options, record }: GatewayRequest,
): Promise<RouteAnswer> {
  const limits = new RequestLimits(operation, record, config.limits, deps.limiter);
  const { features } = record;
  const rules = features.hasRules
    ? features.rules(toRequestAttempts(operation, chain, limits, record))
    : undefined;
  const request = { operation, chain, options, config, record, deps, limits, rules };
  const ready = operation.answer?.(request);
  return ready === undefined
    ? askTargets(request, TAKER)
    : ready.then((found) => answerReady(found, request));
}

/** A request, with the data needed to answer it. */
interface AnsweredRequest extends TargetsRequest {
  readonly config: Config;
}

/** Replies with an answer that needs no target, if one exists. */
async function answerReady(
  found: ReadyResult | undefined,
  request: AnsweredRequest,
): Promise<RouteAnswer> {
  if (found === undefined) return await askTargets(request, TAKER);
  const { limits, record } = request;
  try {
    await limits.admitAnswered();
    return replyReady(found, request);
  } catch (thrown) {
    record.features.end(endedWithout(false));
    throw thrown;
  }
}

/** Creates a reply from a target's answer. */
const TAKER: Taker<RouteAnswer, AnsweredRequest> = {
  take: reply,
  onFailure: ({ record: { features } }) => features.end(endedWithout(false)),
};

/** The reply with a target's answer. */
function reply(found: AttemptAnswer, request: AnsweredRequest): RouteAnswer {
  const { limits, record } = request;
  const { features } = record;
  const { attempt, result } = found;
  const { target } = attempt;
  record.cache = features.headers?.[CACHE_HEADER];
  const headers = headersOf(found, record);
  const { keepsText } = features;
  if (result.type === "stream") {
    const parts = new AnsweredStream(found, result, request);
    const kept = keepsText > 0 ? keepStream(result.stream, keepsText) : undefined;
    const onEnd = (fold: AnswerFold, cancelled: boolean) => {
      const { target } = parts.answer.attempt;
      if (fold.ended) {
        limits.answered(target, fold.usage);
      }
      // An answer in two parts is not cached.
      features.end(toEnded(fold, target, parts.isContinued ? undefined : kept));
      parts.ended(fold, cancelled);
    };
    const body = toStream(parts.stream, { parts, onEnd }, request);
    return { status: 200, headers, body };
  }
  limits.answered(target, result.usage);
  const kept = keepsText > 0 ? keepText(result.text, keepsText) : undefined;
  if (!features.isEmpty) features.end(toEnded({ ...WHOLE, ...result }, target, kept));
  return { status: 200, headers, body: result.text };
}

/** The forwarded vendor headers, those of features, and the media type. */
function headersOf(
  { attempt, result }: AttemptAnswer,
  record: RequestRecord,
): RouteAnswer["headers"] {
  const { headers: own } = record.features;
  const defaults = result.type === "stream" ? streamHeaders(record.format) : JSON_HEADERS;
  const type = result.type === "stream" ? result.stream.contentType : result.contentType;
  const headers = { ...defaults, ...attempt.headers };
  if (own !== undefined) Object.assign(headers, own);
  if (type !== undefined) headers["content-type"] = type;
  return headers;
}

const JSON_HEADERS = { "content-type": "application/json" };

function toRequestAttempts(
  { chat }: Operation,
  [first]: readonly FallbackTarget[],
  limits: RequestLimits,
  record: RequestRecord,
): RequestAttempts {
  const { notes, serviceKey: key } = record;
  if (key === undefined) throw new GatewayError("internal", "The request has no service key");
  return {
    ...{ key, notes, first: first?.target, estimates: record },
    tier: chat?.service_tier ?? undefined,
    estimateFor: (target) => limits.estimateFor(target),
  };
}

/** The result of the cache lookup. */
const CACHE_HEADER = "x-sluice-cache";

/** Facts about a completed answer. */
type Ending = Pick<AnswerFold, "ended" | "failure" | "usage" | "serviceTier" | "summary">;

/** A complete answer. */
const WHOLE = { ended: true, failure: undefined, serviceTier: undefined };

function toEnded(
  { ended, failure, usage, serviceTier: tier, summary }: Ending,
  target: AttemptTarget,
  kept: KeptText | undefined,
): EndedAnswer {
  const complete = ended && failure === undefined;
  const answer = { complete, target: toTargetName(target), usage };
  if (kept?.text === undefined) return answer;
  const usd = usage && usdOf({ usage, prices: target.model.facts.prices, tier });
  return { ...answer, written: { text: kept.text, finishReasons: summary.finishReasons, usd } };
}

/** An answer without a target, or no answer. */
function endedWithout(complete: boolean): EndedAnswer {
  return { complete, target: undefined, usage: undefined };
}

/** The reply with an answer that needs no target, for which nothing is billed. */
function replyReady(
  { format, headers: own, result, savedUsd, note }: ReadyResult,
  request: AnsweredRequest,
): RouteAnswer {
  const { record } = request;
  if (format !== undefined) record.routeFormat = format;
  record.cache = own[CACHE_HEADER];
  if (note !== undefined) record.notes.add(note);
  if (savedUsd !== undefined) record.columns.savedUsd = savedUsd;
  const saved = savedUsd === undefined ? {} : { "x-sluice-saved-usd": toDecimal(savedUsd) };
  const onEnd = () => record.features.end(endedWithout(true));
  if (result.type === "stream") {
    const headers = { ...streamHeaders(record.format), ...own, ...saved };
    const body = toStream(result.stream, { onEnd }, request);
    return { status: 200, headers, body };
  }
  onEnd();
  return { status: 200, headers: { ...JSON_HEADERS, ...own, ...saved }, body: result.text };
}

/** The target's stream. */
interface StreamSource {
  /** Absent if the answer needs no target. */
  readonly parts?: AnsweredStream;
  readonly onEnd: (fold: AnswerFold, cancelled: boolean) => void;
}

function toStream(
  stream: OpenStream,
  { parts, onEnd }: StreamSource,
  { config: { server }, deps, record }: AnsweredRequest,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  record.open = true;
  record.answered(200, parts?.answer.attempt.firstTokenAt ?? deps.clock.now());
  return toResponseBody(stream, {
    clock: deps.clock,
    format: record.format,
    requestId: record.id,
    keepAlive: server.keep_alive,
    writeTimeout: server.write_timeout,
    onPacket: (now) => parts?.answer.deadline.touch(now),
    onPause: () => parts?.answer.deadline.hold(),
    onUnread: () => record.connection?.closeUnread(),
    onGap: deps.observer.streamStarted(record),
    onReadError: (thrown) => toReadError(thrown),
    onEnd: (fold, cancelled) => {
      onEnd(fold, cancelled);
      noteEnd(record, fold, cancelled);
      record.end();
    },
  });
}

/** Unreadable bytes are the vendor's failure, not a bug in the gateway. */
function toReadError(thrown: unknown): GatewayError {
  try {
    return readable(() => {
      throw thrown;
    });
  } catch (error) {
    return toGatewayError(error);
  }
}

function noteEnd(record: RequestRecord, fold: AnswerFold, cancelled: boolean): void {
  const { failure } = fold;
  if (cancelled && !fold.ended || failure?.kind === "client_gone") {
    record.outcome = "client_gone";
  } else if (failure !== undefined) {
    record.outcome = "failed";
    record.error = toErrorRecord(failure);
  }
}
