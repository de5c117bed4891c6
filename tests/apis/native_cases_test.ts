/**
 * What native targets answer, in the caller's own format: the cases below tests/fixtures whose
 * vendor speaks that format, and the errors of every vendor that has it. The goldens are
 * `messages.json`, `messages.sse`, `responses.json` and `responses.sse`; UPDATE_GOLDENS=1 writes
 * them.
 */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../src/contract/chat.ts";
import type { Target } from "../../src/config/config.ts";
import { nativeAnswers as geminiAnswers } from "../../src/apis/gemini/native_answers.ts";
import { nativeAnswers } from "../../src/apis/messages/native_answers.ts";
import { nativeAnswers as ollamaAnswers } from "../../src/apis/ollama/native_answers.ts";
import { createNativeResponses } from "../../src/apis/responses/native_answers.ts";
import { IdMarker } from "../../src/apis/responses/provider_ids.ts";
import type { NativeApi, NativeFormat } from "../../src/contract/native.ts";
import { createNativeFold } from "../../src/gateway/execute/native.ts";
import { toCallerError } from "../../src/upstream/upstream_errors.ts";
import { cutsOf } from "../support/cuts.ts";
import { encodeMessages } from "../support/event_stream.ts";
import { configOf, exists, type Fixture, readFixtures } from "../support/fixtures.ts";
import { loadTestConfig } from "../support/gateway.ts";
import { runCase } from "../support/run_case.ts";

const UPDATE = Deno.env.get("UPDATE_GOLDENS") === "1";

interface NativeCase {
  readonly fixture: Fixture;
  readonly format: NativeFormat;
  readonly api: NativeApi;
  readonly target: Target;
}

/** Names of the cases in which a vendor of several APIs is asked through this one. */
const NATIVE_NAMES: Readonly<Record<NativeFormat, ReadonlyMap<string, RegExp>>> = {
  gemini: new Map([["gemini", /(?:)/], ["vertex", /^(?!claude_)/]]),
  messages: new Map([["anthropic", /(?:)/], ["vertex", /^claude_/]]),
  ollama: new Map([["ollama", /(?:)/]]),
  responses: new Map([
    ["openai", /^responses_(?!not_)/],
    ["azure", /^responses_(?!not_)/],
  ]),
};

const FORMATS: readonly NativeFormat[] = ["gemini", "messages", "ollama", "responses"];

const cases = readFixtures().flatMap((fixture) =>
  FORMATS.flatMap((format) => toCase(fixture, format) ?? [])
);

function toCase(fixture: Fixture, format: NativeFormat): NativeCase | undefined {
  const { about, name, request, upstream, vendor } = fixture;
  if (about.sent === false) return undefined;
  const isError = upstream.type === "answer" && upstream.status >= 400;
  if (!NATIVE_NAMES[format].get(vendor)?.test(name) && !isError) return undefined;
  const [link] = loadTestConfig(configOf(fixture)).resolve(String(request.model)) ?? [];
  if (link === undefined) return undefined;
  const { target } = link;
  const { adapter, settings } = target.provider;
  const api = adapter.native?.(format, target.model, settings);
  return api && { fixture, format, api, target };
}

/** A request of the format; what the vendor answers does not depend on it. */
function requestOf({ fixture: { request, upstream }, format }: NativeCase): JsonObject {
  const { model } = request;
  const stream = isStreamed(request, upstream);
  if (format === "gemini") return { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
  if (format === "ollama") return { model, messages: [{ role: "user", content: "Hi" }], stream };
  const asked = format === "messages"
    ? { model, max_tokens: 100, messages: [{ role: "user", content: "Hi" }] }
    : { model, input: "Hi" };
  return stream ? { ...asked, stream } : asked;
}

function isStreamed(request: JsonObject, upstream: Fixture["upstream"]): boolean {
  return upstream.type === "stream" || request.stream === true;
}

/** The path of a request of the format. */
function pathOf({ fixture: { request, upstream }, format }: NativeCase): string {
  if (format === "ollama") return "/api/chat";
  if (format !== "gemini") return `/v1/${format}`;
  const method = isStreamed(request, upstream)
    ? "streamGenerateContent?alt=sse"
    : "generateContent";
  return `/v1beta/models/${request.model}:${method}`;
}

for (const one of cases) {
  const { fixture, format } = one;

  Deno.test(`${fixture.vendor}/${fixture.name}: the answer of the native ${format} API is as it must be`, async () => {
    const { sent, answer } = await runCase(fixture, pathOf(one), requestOf(one));
    assert(sent !== undefined);
    if (format === "gemini") return expectPassed(fixture, answer);
    if (format === "ollama") return expectLines(fixture, answer);
    const shown = JSON.parse(JSON.stringify(answer).replaceAll(TAG, ""));
    expectGolden(`${fixture.directory}/${format}`, shown);
  });
}

/** Answers of Gemini's API hold no IDs of ours, so goldens would be copies of the fixtures. */
function expectPassed({ upstream }: Fixture, answer: string | JsonObject): void {
  if (upstream.type === "stream") {
    const eventsOf = (text: string) => text.split(/(?<=\r?\n\r?\n)/);
    const events = eventsOf(decoder.decode(upstream.bytes));
    if (typeof answer !== "string") return expectError(answer);
    const passed = eventsOf(answer);
    const last = passed.at(-1);
    const isFailed = last?.startsWith('data: {"error"') ?? false;
    assertEquals(
      isFailed ? passed.slice(0, -1) : passed,
      events.slice(0, passed.length - (isFailed ? 1 : 0)),
    );
    if (!isFailed) assertEquals(passed.length, events.length);
    return;
  }
  if (typeof answer === "string") throw new TypeError(answer);
  if (answer.status === 200) assertEquals(answer.body, upstream.body);
  else expectError(answer);
}

/** The same for lines. */
function expectLines({ upstream }: Fixture, answer: string | JsonObject): void {
  const linesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "");
  if (upstream.type !== "stream") {
    if (typeof answer === "string") throw new TypeError(answer);
    if (answer.status === 200) return assertEquals(answer.body, upstream.body);
    return assertEquals(typeof (answer.body as JsonObject).error, "string");
  }
  // A failure on the first line is an answer with its status.
  if (typeof answer !== "string") {
    return assertEquals(typeof (answer.body as JsonObject).error, "string");
  }
  const passed = linesOf(answer);
  const isFailed = passed.at(-1)?.startsWith('{"error"') ?? false;
  const whole = isFailed ? passed.slice(0, -1) : passed;
  assertEquals(whole, linesOf(decoder.decode(upstream.bytes)).slice(0, whole.length));
  if (!isFailed) assertEquals(passed.length, linesOf(decoder.decode(upstream.bytes)).length);
}

function expectError({ status, body }: JsonObject): void {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  assertEquals(error.code, status);
  assertEquals(typeof error.status, "string");
}

/** What binds an ID to its service key: the goldens hold IDs without it. */
const TAG = /\.[\w-]{16}(?=@)/g;

function expectGolden(path: string, answer: string | JsonObject): void {
  const isStream = typeof answer === "string";
  const file = `${path}.${isStream ? "sse" : "json"}`;
  const text = isStream ? answer : JSON.stringify(answer, null, 2) + "\n";
  if (UPDATE) return Deno.writeTextFileSync(file, text);
  assert(exists(file), `${file} is missing; run with UPDATE_GOLDENS=1 and read what it writes`);
  const golden = Deno.readTextFileSync(file);
  if (isStream) assertEquals(text, golden);
  else assertEquals(answer, JSON.parse(golden));
}

const streams = cases.flatMap((one) =>
  one.fixture.upstream.type === "stream" ? [{ ...one, bytes: one.fixture.upstream.bytes }] : []
);

for (const { bytes, ...one } of streams) {
  Deno.test(`${one.fixture.vendor}/${one.fixture.name}: the native ${one.format} events are the same wherever the stream is cut`, () => {
    const whole = fold(one, [bytes]);
    for (const cut of cutsOf(bytes.length)) {
      const events = fold(one, [bytes.subarray(0, cut), bytes.subarray(cut)]);
      if (events !== whole) assertEquals(events, whole, `cut at ${cut}`);
    }
    assertEquals(fold(one, Array.from(bytes, (byte) => Uint8Array.of(byte))), whole);
  });
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Comments that vendors send as data: clients would parse them. */
const HEARTBEATS = ["data: : keepalive", "data::", "event: ping\ndata: :ping", "data:"];

for (const { bytes, ...one } of streams) {
  const { framing } = one.api;
  if (framing === "aws-event-stream") continue;
  const text = decoder.decode(bytes).replaceAll("\r\n", "\n");
  const events = text.split(framing === "sse" ? /(?<=\n\n)/ : /(?<=\n)/);
  if (events.at(-1)?.startsWith("{") && framing === "sse") continue;

  Deno.test(`${one.fixture.vendor}/${one.fixture.name}: heartbeats that are sent as data do not pass to ${one.format} callers`, () => {
    const said = fold(one, [encoder.encode(text)]);
    const heard = encoder.encode(
      events.map((event, at) =>
        (framing === "sse" ? `${HEARTBEATS[at % HEARTBEATS.length]}\n\n` : ": ping\n") + event
      ).join(""),
    );
    assertEquals(fold(one, [heard]), said);
    assertEquals(fold(one, Array.from(heard, (byte) => Uint8Array.of(byte))), said);
    if (framing !== "sse") return;
    const within = encoder.encode(
      events.map((event) => `data: : heartbeat words\n${event}`).join(""),
    );
    const passed = fold(one, [within]);
    assert(!passed.includes("heartbeat words"), passed);
  });
}

/** The events that pass, and the failure that ends them. */
function fold(
  { api, format, target: { provider } }: Pick<NativeCase, "api" | "format" | "target">,
  pieces: readonly Uint8Array[],
): string {
  const answers = format === "gemini"
    ? geminiAnswers
    : format === "ollama"
    ? ollamaAnswers
    : format === "messages"
    ? nativeAnswers
    : createNativeResponses(new IdMarker((id) => `${id}@${provider.settings.id}`)).answers;
  const fold = createNativeFold(api, answers, (error) => toCallerError(error, provider, {}));
  let text = "";
  for (const piece of pieces) {
    const output = fold.push(piece);
    text += typeof output === "string" ? output : decoder.decode(output);
  }
  if (!fold.ended) text += fold.end();
  return `${text}\n\n${fold.failure?.kind}\n\n${fold.failure?.message}`;
}

/** The other vendors with the API, and how they frame its events. */
const OTHERS: Readonly<Record<NativeFormat, readonly JsonObject[]>> = {
  gemini: [{ kind: "vertex" }],
  messages: [
    { kind: "bedrock", region: "us-east-1", models: ["anthropic.claude-haiku-4-5"] },
    { kind: "deepseek" },
    { kind: "fireworks" },
    { kind: "qwen" },
    { kind: "vllm", base_url: "http://v.test/v1", api: "messages" },
  ],
  ollama: [],
  responses: [
    { kind: "azure", base_url: "https://res.openai.azure.com/openai/v1" },
    { kind: "xai" },
    { kind: "fireworks" },
    { kind: "qwen" },
    { kind: "groq" },
    { kind: "openrouter" },
  ],
};

for (const format of FORMATS) {
  for (const other of OTHERS[format]) {
    Deno.test(`${other.kind}: the same events pass through its native ${format} API, wherever they are cut`, () => {
      const provider = { api_key: "sk-vendor", models: ["m"], ...other };
      const config = loadTestConfig({ providers: { vendor: provider } });
      const [{ target } = { target: undefined }] = config.resolve(provider.models[0] ?? "") ?? [];
      if (target === undefined) throw new RangeError("The model is not configured");
      const { adapter, settings } = target.provider;
      const api = adapter.native?.(format, target.model, settings);
      if (api === undefined) throw new RangeError("The API is not native");
      const main =
        { gemini: "gemini", messages: "anthropic", ollama: "ollama", responses: "openai" }[
          format
        ];
      const own = streams.filter((one) => one.format === format && one.fixture.vendor === main);
      assert(own.length > 10, `${own.length} streams`);
      for (const { bytes: events, ...one } of own) {
        if (isFailing(fold(one, [events]))) continue;
        const bytes = api.framing === "sse" ? events : toFrames(events);
        const whole = fold({ api, format, target }, [bytes]);
        assert(!isFailing(whole), `${one.fixture.name}: ${whole}`);
        const marked = fold({ ...one, target }, [events]);
        assertEquals(toData(whole), toData(marked), one.fixture.name);
        for (const cut of cutsOf(bytes.length)) {
          const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
          assertEquals(fold({ api, format, target }, pieces), whole, `cut at ${cut}`);
        }
      }
    });
  }
}

const isFailing = (folded: string) => !folded.endsWith("\n\nundefined\n\nundefined");

/** The data of each event, without what only one framing has. */
function toData(folded: string): unknown[] {
  return folded.split("\n").filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

/** The events in binary frames, as InvokeModelWithResponseStream sends them. */
function toFrames(events: Uint8Array): Uint8Array<ArrayBuffer> {
  const data = decoder.decode(events).split("\n").filter((line) => line.startsWith("data: {"))
    .map((line) => new TextEncoder().encode(line.slice("data: ".length)).toBase64());
  return encodeMessages(data.map((bytes) => ({ event: "chunk", data: { bytes } })));
}

/** Only two vendors have Gemini's API, and one has Ollama's. */
const FEWEST_VENDORS: Readonly<Record<NativeFormat, number>> = {
  gemini: 2,
  messages: 6,
  ollama: 1,
  responses: 6,
};

Deno.test("the cases hold answers, streams and errors of many vendors", () => {
  for (const format of FORMATS) {
    const own = cases.filter((one) => one.format === format);
    const vendors = new Set(own.map(({ fixture }) => fixture.vendor));
    assert(vendors.size >= FEWEST_VENDORS[format], `${format}: ${[...vendors]}`);
    assert(streams.filter((one) => one.format === format).length > 9, format);
  }
  assert(cases.length > 100, `${cases.length} cases`);
});
