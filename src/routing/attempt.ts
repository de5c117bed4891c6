/** One try at one target: support, conversion, signature, the network, and the first chunk. */

import { type ChatRequest, type CompletionBody, isObject } from "../chat/chat.ts";
import type { Clock } from "../core/clock.ts";
import type { Target } from "../config/config.ts";
import { renew, sign } from "../upstream/credentials.ts";
import { Deadline } from "./deadline.ts";
import type { CallerFormat, Envelope } from "../chat/caller_format.ts";
import { type Exchange, recipientOf } from "./request_record.ts";
import { refuseOver } from "../streaming/frame_readers.ts";
import type { GoogleTokens } from "../upstream/google_tokens.ts";
import type { Download } from "../upstream/images/download.ts";
import { needsImages, type RequestImages } from "../upstream/images/request_images.ts";
import { type LearnedRejections, mend, type MendedRequest } from "./learned_rejections.ts";
import { MAX_BYTES_AT_ONCE, toJsonText } from "../core/json/writer.ts";
import { check, type Checked, convert, refuseIgnored, withinDepth } from "./prepare_request.ts";
import type { Adapter, Call, VendorRequest } from "../providers/contract/adapter.ts";
import { Receipt } from "../providers/contract/support.ts";
import type { Shutdown } from "../core/shutdown.ts";
import type { State } from "./state.ts";
import { type OpenStream, StreamFold } from "../streaming/fold.ts";
import {
  type Fetch,
  readFailure,
  readPackets,
  readText,
  type Recipient,
  send,
  type VendorResponse,
} from "../upstream/transport.ts";
import {
  label,
  parseAnswer,
  passedHeaders,
  readable,
  toCallerError,
  unreadable,
} from "../upstream/upstream_errors.ts";

/** What an attempt needs of the world. */
export interface AttemptDeps {
  readonly fetch: Fetch;
  readonly download: Download;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  /** A number from 0 to 1. */
  readonly random: () => number;
  readonly state: State;
  readonly tokens: GoogleTokens;
  readonly shutdown: Shutdown;
}

/** What is tried, and how. */
export interface Aim {
  readonly target: Target;
  /** The vendor's key, for kinds that need one. */
  readonly key: string | undefined;
  readonly request: ChatRequest;
  /** How the answer is written. */
  readonly format: CallerFormat;
  /** Kept from one try to the next. */
  readonly images: RequestImages;
  /** Refuse rather than ignore. */
  readonly strict: boolean;
  /** When it must have ended, in milliseconds since the epoch. */
  readonly end: number;
}

/** An answer; of a stream, the first chunk has just been seen. */
export interface Answer {
  /** The vendor's headers that pass through. */
  readonly headers: Readonly<Record<string, string>>;
  readonly stamp: Envelope;
  readonly deadline: Deadline;
  readonly result:
    | {
      readonly type: "completion";
      readonly body: CompletionBody;
      /** The vendor's own text, when nothing in it has to change. */
      readonly text: string | undefined;
    }
    | { readonly type: "stream"; readonly stream: OpenStream };
}

/** One try, with everything that its steps need. */
interface Try extends Aim {
  readonly adapter: Adapter;
  readonly call: Call;
  readonly receipt: Receipt;
  readonly rejections: LearnedRejections;
  readonly stamp: Envelope;
  readonly deadline: Deadline;
  readonly recipient: Recipient;
  /** Waits for the vendor on the exchange's stopwatch. */
  readonly wait: <Result>(vendor: Promise<Result>) => Promise<Result>;
  /** Runs what sends the request. */
  readonly run: Run;
  /** Whether its body is too large to be written at once. */
  readonly isLarge: boolean;
}

type Run = <Result>(send: () => Result) => Result;

const runPlainly: Run = (send) => send();

/**
 * Tries one target once.
 *
 * @param run runs what sends the request, for tracing
 * @throws {GatewayError} whatever went wrong, in words the caller may see.
 */
export async function attempt(
  aim: Aim,
  exchange: Exchange,
  deps: AttemptDeps,
  run: Run = runPlainly,
): Promise<Answer> {
  const { target, request, strict } = aim;
  const receipt = new Receipt();
  const reached = {
    provider: target.provider.settings.id,
    kind: target.provider.adapter.kind,
    upstream: target.model.upstream,
    facts: target.model.facts,
    receipt,
  };
  exchange.reached ??= reached;
  let checked = check(target, request, receipt, deps.newId);
  let isLarge = exchange.bodyBytes > MAX_BYTES_AT_ONCE;
  if (needsImages(checked.call.request.messages, checked.adapter.imageSources)) {
    if (strict) refuseIgnored(receipt);
    checked = await withImages(checked, aim, exchange, deps);
    isLarge = true;
  }
  if (exchange.slice?.isOver) await exchange.slice.next();
  const { adapter, call, unsigned } = convert(checked);
  if (exchange.slice?.isOver) await exchange.slice.next();
  const rejections = deps.state.rejectionsOf(target);
  const body = rejections.apply(unsigned.body, request, receipt, deps.clock);
  if (strict) refuseIgnored(receipt);
  exchange.attempts++;
  // Only now: a target that could not take the request has not been reached.
  exchange.reached = reached;
  exchange.upstreamRequestId = undefined;
  const deadline = deadlineOf(aim, exchange, deps, call.stream);
  const wait: Try["wait"] = (vendor) => exchange.waiting(vendor, deps.clock);
  const stamp = stampFor(call, deps, aim.format);
  const recipient = recipientOf(target, exchange, deps.clock);
  const one: Try = {
    ...aim,
    adapter,
    call,
    receipt,
    rejections,
    stamp,
    deadline,
    recipient,
    wait,
    run,
    isLarge,
  };
  try {
    return await ask(one, { ...unsigned, body }, exchange, deps);
  } catch (thrown) {
    deadline.end();
    throw thrown;
  }
}

/** How often one attempt is sent again without a field that the vendor does not take. */
const MAX_REPAIRS = 8;

/**
 * Sends a request and reads the answer. A field that the vendor does not take is left out and the
 * request sent again at once, which is still the same attempt.
 */
async function ask(
  one: Try,
  asked: VendorRequest,
  exchange: Exchange,
  deps: AttemptDeps,
): Promise<Answer> {
  const { adapter, deadline, receipt, request, stamp, strict, target: { provider } } = one;
  let sent = asked;
  let mended: MendedRequest | undefined;
  for (let repairs = 0;; repairs++) {
    const response = await post(one, sent, deps);
    const id = response.headers.get(adapter.requestIdHeader ?? "x-request-id");
    exchange.upstreamRequestId = id === null ? undefined : label(id, provider);
    if (response.ok) {
      const result = await read(one, response);
      if (mended !== undefined) one.rejections.confirm(mended.repair, request, adapter, deps.clock);
      const headers = passedHeaders(response.headers, adapter, provider);
      return { headers, stamp, deadline, result };
    }
    const failure = await one.wait(readFailure(response, deadline.signal));
    const verdict = readable(() => adapter.toError(failure));
    const repair = strict || repairs === MAX_REPAIRS ? undefined : verdict.repair;
    mended = mend(repair, { body: sent.body, request, receipt });
    if (mended === undefined) throw toCallerError(verdict, provider, request, response);
    sent = { ...sent, body: mended.body };
  }
}

/** The call with those images in it that the vendor would not fetch itself. */
async function withImages(
  { adapter, call }: Checked,
  aim: Aim,
  exchange: Exchange,
  deps: AttemptDeps,
): Promise<Checked> {
  const deadline = deadlineOf(aim, exchange, deps, false);
  try {
    const { messages } = call.request;
    const { signal } = deadline;
    const filling = aim.images.fill(messages, adapter.imageSources, signal);
    const filled = await exchange.waiting(filling, deps.clock);
    return { adapter, call: { ...call, request: { ...call.request, messages: filled } } };
  } finally {
    deadline.end();
  }
}

function deadlineOf(
  { target, end }: Aim,
  { signal }: Exchange,
  { clock, shutdown }: AttemptDeps,
  stream: boolean,
): Deadline {
  const limits = { ...target.timeouts, deadline: end - clock.now() };
  const { id, baseUrl } = target.provider.settings;
  const vendor = { name: `provider '${id}'`, baseUrl };
  return new Deadline(signal, shutdown, clock, limits, stream, vendor);
}

function stampFor(call: Call, deps: AttemptDeps, format: CallerFormat): Envelope {
  return {
    id: deps.newId(format.idPrefix),
    created: Math.floor(deps.clock.wallTime() / 1000),
    model: call.model.upstream,
  };
}

async function post(one: Try, request: VendorRequest, deps: AttemptDeps): Promise<VendorResponse> {
  const { adapter, deadline, recipient, run, target, wait } = one;
  const { clock, tokens, state } = deps;
  const { signal } = deadline;
  const { serve } = adapter;
  if (serve) {
    const turn = state.turnOf(target);
    return await send(
      { ...request, body: "" },
      recipient,
      signal,
      () => wait(Promise.resolve(serve(request.body, { signal, clock, turn }))),
    );
  }
  const text = one.isLarge
    ? await toJsonText(request.body)
    : withinDepth(() => JSON.stringify(request.body));
  const fetch: Fetch = (url, init) => wait(run(() => deps.fetch(url, init)));
  const { provider } = target;
  const world = { clock, fetch, signal, tokens };
  const signed = await sign(request, text, provider, one.key, world);
  const response = await send(signed, recipient, signal, fetch);
  if (response.status !== 401 || !renew(request.auth, signed, provider, world)) return response;
  await response.body?.cancel();
  return await send(await sign(request, text, provider, one.key, world), recipient, signal, fetch);
}

/** Reads a 200: all of it, or a stream up to its first chunk. */
async function read(one: Try, response: VendorResponse): Promise<Answer["result"]> {
  const json = response.headers.get("content-type")?.includes("json") ?? false;
  if (one.call.stream && !(json && one.adapter.framing === "sse")) {
    return { type: "stream", stream: await open(one, response) };
  }
  const answer = await one.wait(readText(response, one.deadline.signal));
  const body = parseAnswer(answer);
  if (isObject(body) && body.error) {
    const verdict = readable(() => one.adapter.toError({ where: "stream", body }));
    throw toCallerError(verdict, one.target.provider, one.request);
  }
  if (one.call.stream) throw unreadable("The provider answered without a stream");
  one.deadline.end();
  if (one.adapter.transparent && one.format.isPassable(body)) {
    return { type: "completion", body, text: answer };
  }
  return { type: "completion", body: toCompletion(one, response, body), text: undefined };
}

function toCompletion(
  { adapter, call }: Try,
  response: VendorResponse,
  body: unknown,
): CompletionBody {
  const { status, headers } = response;
  return readable(() => adapter.toCompletion({ status, headers, body }, call));
}

async function open(one: Try, response: VendorResponse): Promise<OpenStream> {
  const fold = createFold(one);
  const packets = readPackets(response, one.deadline.signal);
  let first = new Uint8Array();
  try {
    while (!fold.started && !fold.ended) {
      const packet = await one.wait(packets.next());
      const output = readable(() => packet === undefined ? fold.end() : fold.push(packet));
      first = joined(first, typeof output === "string" ? encoder.encode(output) : output);
      refuseOver(first.length);
    }
    if (!fold.started && fold.failure !== undefined) throw fold.failure;
  } catch (thrown) {
    packets.close();
    throw thrown;
  }
  one.deadline.begun();
  return { fold, packets, first };
}

const encoder = new TextEncoder();

/** A copy: what a fold gives is good until its next push. */
function joined(before: Uint8Array, after: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(before.length + after.length);
  bytes.set(before);
  bytes.set(after, before.length);
  return bytes;
}

/**
 * The fold for one call's stream: bytes of the vendor in, events for the caller out.
 *
 * @param learnsAfter as {@linkcode StreamFold} takes it
 */
export function createFold(
  { adapter, call, format, stamp, target }: Pick<
    Try,
    "adapter" | "call" | "format" | "stamp" | "target"
  >,
  learnsAfter?: number,
): StreamFold {
  return new StreamFold({
    framing: adapter.framing,
    decoder: adapter.decoder(call),
    writer: format.createStreamWriter(stamp, call.request),
    toError: (verdict) => toCallerError(verdict, target.provider, call.request),
    ...(learnsAfter === undefined ? {} : { learnsAfter }),
  });
}
