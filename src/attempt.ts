/** One try at one target: support, conversion, signature, the network, and the first chunk. */

import { type ChatRequest, type CompletionBody, isObject } from "./chat.ts";
import type { Clock } from "./clock.ts";
import type { Target } from "./config.ts";
import { renew, sign } from "./credentials.ts";
import { Deadline } from "./deadline.ts";
import { ChunkWriter, type Stamp } from "./envelope.ts";
import { GatewayError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { refuseOver } from "./framing.ts";
import type { GoogleTokens } from "./google_tokens.ts";
import type { Adapter, Call, Failure, VendorRequest } from "./providers/adapter.ts";
import { applySupport, checkContent, Receipt } from "./providers/support.ts";
import type { Shutdown } from "./shutdown.ts";
import type { State } from "./state.ts";
import { type OpenStream, StreamFold } from "./stream.ts";
import { type Fetch, readPackets, readText, send } from "./upstream.ts";
import { readable, toCallerError, unreadable } from "./verdict.ts";

/** What an attempt needs of the world. */
export interface AttemptDeps {
  readonly fetch: Fetch;
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
  /** Refuse rather than ignore. */
  readonly strict: boolean;
  /** The most milliseconds that it may take. */
  readonly limit: number;
}

/** An answer; of a stream, the first chunk has just been seen. */
export interface Answer {
  readonly adapter: Adapter;
  /** The vendor's headers. */
  readonly headers: Headers;
  readonly stamp: Stamp;
  readonly deadline: Deadline;
  readonly result:
    | { readonly type: "completion"; readonly body: CompletionBody }
    | { readonly type: "stream"; readonly stream: OpenStream };
}

/** One try, with everything that its steps need. */
interface Try {
  readonly target: Target;
  readonly key: string | undefined;
  readonly adapter: Adapter;
  readonly call: Call;
  readonly stamp: Stamp;
  readonly deadline: Deadline;
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
  const { adapter, call, unsigned } = prepare(target, request, receipt, deps.newId);
  let body = repairs.apply(target, unsigned.body, request, receipt);
  if (strict) refuseIgnored(receipt);
  exchange.attempts++;
  // Only now: a target that could not take the request has not been reached.
  exchange.reached = reached;
  exchange.upstreamRequestId = undefined;
  const limits = { ...target.timeouts, deadline: aim.limit };
  const deadline = new Deadline(exchange.signal, deps.shutdown, deps.clock, limits, call.stream);
  const one: Try = { target, key: aim.key, adapter, call, stamp: stampFor(call, deps), deadline };
  try {
    for (;;) {
      const response = await post(one, { ...unsigned, body }, deps);
      const { headers } = response;
      exchange.upstreamRequestId = headers.get(adapter.requestIdHeader ?? "x-request-id") ??
        undefined;
      if (response.ok) {
        return { adapter, headers, stamp: one.stamp, deadline, result: await read(one, response) };
      }
      const failure = await readFailure(response, deadline.signal);
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

/** A request in a target's own words, and what was done to bring it there. */
export interface Prepared {
  /** The adapter that serves this call. */
  readonly adapter: Adapter;
  readonly call: Call;
  readonly unsigned: VendorRequest;
}

/**
 * Converts a request for one target, without sending anything.
 *
 * @param receipt is told of all that is ignored or converted
 * @throws {GatewayError} with status 400 for what cannot be conveyed.
 */
export function prepare(
  target: Target,
  asked: ChatRequest,
  receipt: Receipt,
  newId: Call["newId"],
): Prepared {
  const { provider, model } = target;
  const request: ChatRequest = { ...target.params, ...asked };
  const outline: Call = {
    request,
    fields: {},
    model,
    provider: provider.settings,
    receipt,
    stream: request.stream ?? false,
    newId,
  };
  const adapter = provider.adapter.route?.(outline) ?? provider.adapter;
  return withinDepth(() => {
    checkContent(request.messages, adapter.supports, model.facts.capabilities?.vision);
    const overrides = adapter.supportFor?.(request, model) ?? {};
    const fields = applySupport(request, adapter.supports, overrides, receipt);
    const call = { ...outline, fields };
    return { adapter, call, unsigned: adapter.toRequest(call) };
  });
}

/** JSON nested some thousand levels deep overflows the stack of whatever walks it. */
function withinDepth<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new GatewayError("invalid_request", "The request is nested too deeply", {
      cause: thrown,
    });
  }
}

function refuseIgnored(receipt: Receipt): void {
  const [first] = receipt.ignored;
  if (first === undefined) return;
  const names = [...receipt.ignored].map((name) => `'${name}'`).join(", ");
  throw new GatewayError("unsupported_parameter", `The provider does not support ${names}`, {
    param: first,
  });
}

function stampFor(call: Call, deps: AttemptDeps): Stamp {
  return {
    id: deps.newId("chatcmpl-"),
    created: Math.floor(deps.clock.now() / 1000),
    model: call.model.upstream,
  };
}

async function post(one: Try, request: VendorRequest, deps: AttemptDeps): Promise<Response> {
  const { adapter, deadline, target } = one;
  const { clock, fetch, tokens, state } = deps;
  const { signal } = deadline;
  const { serve } = adapter;
  if (serve) {
    const turn = state.turnOf(target);
    return await send(
      { ...request, body: "" },
      signal,
      async () => await serve(request.body, { signal, clock, turn }),
    );
  }
  const text = withinDepth(() => JSON.stringify(request.body));
  const { provider } = target;
  const world = { clock, fetch, signal, tokens };
  const signed = await sign(request, text, provider, one.key, world);
  const response = await send(signed, signal, fetch);
  if (response.status !== 401 || !renew(request.auth, signed, provider, world)) return response;
  await response.body?.cancel();
  return await send(await sign(request, text, provider, one.key, world), signal, fetch);
}

async function readFailure(response: Response, signal: AbortSignal): Promise<Failure> {
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
async function read(one: Try, response: Response): Promise<Answer["result"]> {
  const json = response.headers.get("content-type")?.includes("json") ?? false;
  if (one.call.stream && !(json && one.adapter.framing === "sse")) {
    return { type: "stream", stream: await open(one, response) };
  }
  const text = await readText(response, one.deadline.signal);
  const body = parse(text);
  if (isObject(body) && body.error) {
    const verdict = readable(() => one.adapter.toError({ where: "stream", body }));
    throw toCallerError(verdict, one.target.provider);
  }
  if (one.call.stream) throw unreadable("The provider answered without a stream");
  one.deadline.end();
  return { type: "completion", body: toCompletion(one, response, body) };
}

function parse(text: string): unknown {
  if (text.trim() === "") throw unreadable("The provider's answer is empty");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable("The provider's answer is not JSON", cause);
  }
}

function toCompletion({ adapter, call }: Try, response: Response, body: unknown): CompletionBody {
  const { status, headers } = response;
  return readable(() => adapter.toCompletion({ status, headers, body }, call));
}

async function open(one: Try, response: Response): Promise<OpenStream> {
  const fold = createFold(one);
  const packets = readPackets(response, one.deadline.signal);
  let first = "";
  try {
    while (!fold.started && !fold.ended) {
      const packet = await packets.next();
      first += textOf(readable(() => packet === undefined ? fold.end() : fold.push(packet)));
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

function textOf(output: string | Uint8Array): string {
  return typeof output === "string" ? output : new TextDecoder().decode(output);
}

/**
 * The fold for one call's stream: bytes of the vendor in, events for the caller out.
 *
 * @param fast false to take the long way for every event
 */
export function createFold(
  { adapter, call, stamp, target }: Pick<Try, "adapter" | "call" | "stamp" | "target">,
  fast = true,
): StreamFold {
  const includeUsage = call.request.stream_options?.include_usage === true;
  return new StreamFold({
    framing: adapter.framing,
    decoder: adapter.decoder(call),
    writer: new ChunkWriter(stamp, includeUsage),
    toError: (verdict) => toCallerError(verdict, target.provider),
    fast,
  });
}
