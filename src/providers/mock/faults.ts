/**
 * Models of the mock that simulate failures according to their names; docs/vendors/mock.md lists
 * them.
 */

import type { JsonObject } from "../../contract/chat.ts";
import type { ServeContext } from "../../contract/adapter.ts";
import { sleep, untilAborted } from "../../core/stop_signal.ts";

/** The answer: the events of a stream, pieces of audio, or a text. */
type Pieces = readonly (string | Uint8Array<ArrayBuffer>)[];

interface Scene {
  readonly body: JsonObject;
  readonly pieces: Pieces;
  readonly stream: boolean;
  readonly context: ServeContext;
  /** The media type. */
  readonly type: string;
}

type Scenario = (scene: Scene) => Response | Promise<Response>;

/** The delay before the first word of `mock-slow`, in milliseconds. */
const SLOW_START = 1000;
/** The delay between its words, in milliseconds. */
const SLOW_WORD = 200;

/** The number of bytes of `mock-drip` that are sent one by one. */
const MAX_DRIPPED = 20_000;

/**
 * Answers with these pieces, or fails as the model name says. A name without a known failure
 * succeeds.
 *
 * @param body the request
 * @param stream whether the pieces are sent one by one
 * @param type the media type of the answer
 */
export function play(
  body: JsonObject,
  pieces: Pieces,
  stream: boolean,
  context: ServeContext,
  type = stream ? "text/event-stream" : "application/json",
): Response | Promise<Response> {
  const scene = { body, pieces, stream, context, type };
  const [, what = ""] = /^mock-(.+)$/.exec(String(body.model)) ?? [];
  const status = /^[45]\d\d$/.test(what) ? Number(what) : undefined;
  if (status !== undefined) return failure(status, `The mock was asked for a ${status}`);
  return (SCENARIOS.get(what) ?? well)(scene);
}

const SCENARIOS: ReadonlyMap<string, Scenario> = new Map<string, Scenario>([
  ["slow", (scene) => played(scene, slowly(scene))],
  [
    "flaky",
    (scene) =>
      scene.context.requestIndex % 2 === 1 ? well(scene) : failure(503, "Every other time"),
  ],
  ["picky", (scene) => refusedParameter(scene.body) ?? well(scene)],
  ["quota", () => failure(429, "You exceeded your current quota", "insufficient_quota")],
  ["too-long", () => failure(400, "The prompt is too long", "context_length_exceeded")],
  ["filtered", () => failure(400, "The prompt was filtered", "content_filter")],
  ["refuse", () => Promise.reject(new TypeError("connection refused by the mock"))],
  ["hang", ({ context }) => hang(context.signal)],
  ["empty", (scene) => played(scene, each([]))],
  ["garbage", () => new Response("<html>Bad gateway</html>", { headers: HTML })],
  ["half", (scene) => played(scene, each([halfOf(scene.pieces.join(""))]))],
  ["cut", (scene) => played(scene, broken(scene))],
  ["stall", (scene) => played(scene, stalled(scene))],
  ["drip", (scene) => played(scene, bytewise(scene))],
  ["error-first", (scene) => played(scene, each([errorEvent(scene)]))],
  ["error-later", (scene) => played(scene, each([...opening(scene), errorEvent(scene)]))],
  ["unfinished", (scene) => played(scene, each(opening(scene)))],
  ["huge", (scene) => played(scene, each([...opening(scene), huge(scene)]))],
]);

/** The failures after `mock-` in model names, except statuses. Exported for tests. */
export const MOCK_FAULTS: readonly string[] = [...SCENARIOS.keys()];

const HTML = { "content-type": "text/html" };

function well(scene: Scene): Response {
  return played(scene, each(scene.pieces));
}

/** The error of a model that does not support a parameter of the request. */
function refusedParameter({ max_tokens, response_format }: JsonObject): Response | undefined {
  const refuse = (param: string, hint = "") => {
    const message = `Unsupported parameter: '${param}' is not supported with this model.${hint}`;
    return failure(400, message, "unsupported_parameter", param);
  };
  if (max_tokens !== undefined) {
    return refuse("max_tokens", " Use 'max_completion_tokens' instead.");
  }
  return response_format === undefined ? undefined : refuse("response_format");
}

function failure(
  status: number,
  message: string,
  code: string | null = null,
  param: string | null = null,
): Response {
  const headers = status === 429 || status === 503 ? { "retry-after": "1" } : undefined;
  const error = { message, type: "mock_error", param, code };
  return Response.json({ error }, { status, ...(headers && { headers }) });
}

function errorEvent({ stream }: Scene): string {
  const error = { message: "The mock was asked for an error", type: "server_error", code: null };
  const text = JSON.stringify({ error });
  return stream ? `data: ${text}\n\n` : text;
}

/** The first half of the words of a stream, or of the text of an answer. */
function opening({ pieces, stream }: Scene): Pieces {
  return stream ? pieces.slice(0, Math.ceil(pieces.length / 2)) : [halfOf(pieces.join(""))];
}

function halfOf(text: string): string {
  return text.slice(0, Math.floor(text.length / 2));
}

/** An event that exceeds the limit of the gateway. */
function huge({ stream }: Scene): string {
  return `${stream ? "data: " : ""}${"x".repeat(20 * 1024 * 1024)}`;
}

type Script = AsyncGenerator<string | Uint8Array<ArrayBuffer>, void, void>;
/** Creates a script that the signal ends. */
type Writing = (signal: AbortSignal) => Script;

function each(pieces: Pieces): Writing {
  return async function* () {
    yield* pieces;
  };
}

function slowly({ pieces, context: { clock } }: Scene): Writing {
  return async function* (signal) {
    await sleep(SLOW_START, signal, clock);
    for (const [index, piece] of pieces.entries()) {
      // The role is part of the first word's event.
      if (index > 1) await sleep(SLOW_WORD, signal, clock);
      yield piece;
    }
  };
}

function broken(scene: Scene): Writing {
  return async function* () {
    yield* opening(scene);
    throw new TypeError("The mock cuts the connection");
  };
}

function stalled(scene: Scene): Writing {
  return async function* (signal) {
    yield* opening(scene);
    await hang(signal);
  };
}

function bytewise({ pieces }: Scene): Writing {
  return async function* () {
    const bytes = Uint8Array.from(pieces.flatMap((piece) => [...toBytes(piece)]));
    for (const byte of bytes.subarray(0, MAX_DRIPPED)) yield Uint8Array.of(byte);
    if (bytes.length > MAX_DRIPPED) yield bytes.subarray(MAX_DRIPPED);
  };
}

const encoder = new TextEncoder();

function toBytes(piece: string | Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return typeof piece === "string" ? encoder.encode(piece) : piece;
}

/** A response whose body a script writes, until the signal or the reader ends it. */
function played({ context, type }: Scene, write: Writing): Response {
  const left = new AbortController();
  const script = write(AbortSignal.any([context.signal, left.signal]));
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await script.next();
      if (done) controller.close();
      else controller.enqueue(toBytes(value));
    },
    cancel: () => left.abort(),
  });
  return new Response(body, { headers: { "content-type": type } });
}

function hang(signal: AbortSignal): Promise<never> {
  return untilAborted(new Promise<never>(() => {}), signal);
}
