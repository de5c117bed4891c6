/** One try at one target: support, conversion, signature, the network, and the first chunk. */

import { type ChatRequest, type CompletionBody, isObject } from "./chat.ts";
import type { Clock } from "./clock.ts";
import type { Target } from "./config.ts";
import { redact, renew, sign } from "./credentials.ts";
import { Deadline } from "./deadline.ts";
import { ChunkWriter, isWhole, type Stamp } from "./envelope.ts";
import type { Exchange } from "./exchange.ts";
import { refuseOver } from "./framing.ts";
import type { GoogleTokens } from "./google_tokens.ts";
import type { Download } from "./image_download.ts";
import { needsImages, type RequestImages } from "./images.ts";
import { MAX_BYTES_AT_ONCE, toJsonText } from "./json_text.ts";
import { check, type Checked, convert, refuseIgnored, withinDepth } from "./preparation.ts";
import type { Adapter, Call, Failure, VendorHeaders, VendorRequest } from "./providers/adapter.ts";
import { Receipt } from "./providers/support.ts";
import type { Shutdown } from "./shutdown.ts";
import type { State } from "./state.ts";
import { type OpenStream, StreamFold } from "./stream.ts";
import { type Fetch, readPackets, readText, send, type VendorResponse } from "./upstream.ts";
import { readable, toCallerError, unreadable } from "./verdict.ts";

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
  /** Kept from one try to the next. */
  readonly images: RequestImages;
  /** Refuse rather than ignore. */
  readonly strict: boolean;
  /** When it must have ended, in milliseconds since the epoch. */
  readonly end: number;
}

/** An answer; of a stream, the first chunk has just been seen. */
export interface Answer {
  readonly adapter: Adapter;
  /** The vendor's headers. */
  readonly headers: VendorHeaders;
  readonly stamp: Stamp;
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
  readonly stamp: Stamp;
  readonly deadline: Deadline;
  /** Waits for the vendor on the exchange's stopwatch. */
  readonly wait: <Result>(vendor: Promise<Result>) => Promise<Result>;
  /** Whether its body is too large to be written at once. */
  readonly isLarge: boolean;
}

/**
 * Tries one target once. A field that the vendor turns out not to know is left
 * out and the request sent again at once: that is one try still.
 *
 * @throws {GatewayError} whatever went wrong, in words the caller may see.
 */
export async function attempt(
  aim: Aim,
  exchange: Exchange,
  deps: AttemptDeps,
): Promise<Answer> {
  const { target, request, strict } = aim;
  const { repairs } = deps.state;
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
  let body = repairs.apply(target, unsigned.body, request, receipt);
  if (strict) refuseIgnored(receipt);
  exchange.attempts++;
  // Only now: a target that could not take the request has not been reached.
  exchange.reached = reached;
  exchange.upstreamRequestId = undefined;
  const deadline = deadlineOf(aim, exchange, deps, call.stream);
  const wait: Try["wait"] = (vendor) => exchange.waiting(vendor, deps.clock);
  const one: Try = { ...aim, adapter, call, stamp: stampFor(call, deps), deadline, wait, isLarge };
  try {
    for (;;) {
      const response = await post(one, { ...unsigned, body }, deps);
      const { headers } = response;
      const id = headers.get(adapter.requestIdHeader ?? "x-request-id");
      exchange.upstreamRequestId = id === null ? undefined : redact(id, target.provider);
      if (response.ok) {
        return { adapter, headers, stamp: one.stamp, deadline, result: await read(one, response) };
      }
      const failure = await wait(readFailure(response, deadline.signal));
      const verdict = readable(() => adapter.toError(failure));
      const mendable = !strict && verdict.repair !== undefined &&
        repairs.learn(target, verdict.repair, body);
      if (!mendable) throw toCallerError(verdict, target.provider, response);
      body = repairs.apply(target, body, request, receipt);
    }
  } catch (thrown) {
    deadline.end();
    throw thrown;
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
  return new Deadline(signal, shutdown, clock, limits, stream);
}

function stampFor(call: Call, deps: AttemptDeps): Stamp {
  return {
    id: deps.newId("chatcmpl-"),
    created: Math.floor(deps.clock.now() / 1000),
    model: call.model.upstream,
  };
}

async function post(one: Try, request: VendorRequest, deps: AttemptDeps): Promise<VendorResponse> {
  const { adapter, deadline, target, wait } = one;
  const { clock, tokens, state } = deps;
  const { signal } = deadline;
  const { serve } = adapter;
  if (serve) {
    const turn = state.turnOf(target);
    return await send(
      { ...request, body: "" },
      signal,
      () => wait(Promise.resolve(serve(request.body, { signal, clock, turn }))),
    );
  }
  const text = one.isLarge
    ? await toJsonText(request.body)
    : withinDepth(() => JSON.stringify(request.body));
  const fetch: Fetch = (url, init) => wait(deps.fetch(url, init));
  const { provider } = target;
  const world = { clock, fetch, signal, tokens };
  const signed = await sign(request, text, provider, one.key, world);
  const response = await send(signed, signal, fetch);
  if (response.status !== 401 || !renew(request.auth, signed, provider, world)) return response;
  await response.body?.cancel();
  return await send(await sign(request, text, provider, one.key, world), signal, fetch);
}

async function readFailure(response: VendorResponse, signal: AbortSignal): Promise<Failure> {
  const { status, headers } = response;
  let body: unknown;
  try {
    body = JSON.parse(await readText(response, signal));
  } catch {
    signal.throwIfAborted();
  }
  return { where: "answer", status, headers, body };
}

/** Reads a 200: all of it, or a stream up to its first chunk. */
async function read(one: Try, response: VendorResponse): Promise<Answer["result"]> {
  const json = response.headers.get("content-type")?.includes("json") ?? false;
  if (one.call.stream && !(json && one.adapter.framing === "sse")) {
    return { type: "stream", stream: await open(one, response) };
  }
  const answer = await one.wait(readText(response, one.deadline.signal));
  const body = parse(answer);
  if (isObject(body) && body.error) {
    const verdict = readable(() => one.adapter.toError({ where: "stream", body }));
    throw toCallerError(verdict, one.target.provider);
  }
  if (one.call.stream) throw unreadable("The provider answered without a stream");
  one.deadline.end();
  if (one.adapter.transparent && isWhole(body)) return { type: "completion", body, text: answer };
  return { type: "completion", body: toCompletion(one, response, body), text: undefined };
}

function parse(text: string): unknown {
  if (text.trim() === "") throw unreadable("The provider's answer is empty");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable("The provider's answer is not JSON", cause);
  }
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
  { adapter, call, stamp, target }: Pick<Try, "adapter" | "call" | "stamp" | "target">,
  learnsAfter?: number,
): StreamFold {
  const includeUsage = call.request.stream_options?.include_usage === true;
  return new StreamFold({
    framing: adapter.framing,
    decoder: adapter.decoder(call),
    writer: new ChunkWriter(stamp, includeUsage),
    toError: (verdict) => toCallerError(verdict, target.provider),
    ...(learnsAfter === undefined ? {} : { learnsAfter }),
  });
}
