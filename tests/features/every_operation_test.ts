/**
 * A feature that asks a service: it waits, and replaces one word of each request and each answer,
 * in every operation and every way in which an answer comes.
 */

import { allTrials } from "../support/read_trials.ts";
import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/contract/chat.ts";
import type { Feature, RequestFeature } from "../../src/gateway/feature.ts";
import { GEMINI_METHODS } from "../../src/gateway/execute/gemini/gemini_endpoints.ts";
import { OPERATIONS } from "../../src/gateway/execute/list.ts";
import { responseCache } from "../../src/features/response_cache/response_cache.ts";
import { MemoryStore } from "../../src/memory/store.ts";
import {
  createTestGateway,
  SERVICE_KEY,
  type TestGateway,
  VENDOR_KEY,
} from "../support/gateway.ts";
import { turns } from "../support/elapse.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { Client, createWorld, textOf } from "../support/responses_client.ts";
import { sayHello, toEventStream } from "../support/scripted_vendor.ts";

/** Requests have this word, and vendors get another one. */
const ASKED = ["apple", "pear"] as const;
/** Vendors answer with this word, and callers get another one. */
const ANSWERED = ["Hello", "Howdy"] as const;

/** A value with another word in its texts. Bytes and members without names stay as they are. */
function replaced<Value>(value: Value, [word, other]: readonly [string, string]): Value {
  if (typeof value === "string") return value.replaceAll(word, other) as Value;
  if (Array.isArray(value)) return value.map((entry) => replaced(entry, [word, other])) as Value;
  if (typeof value !== "object" || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy = { ...value } as Record<string, unknown>;
  for (const name of Object.keys(copy)) copy[name] = replaced(copy[name], [word, other]);
  return copy as Value;
}

/** Counts what the feature has seen. */
class Seen {
  requests = 0;
  sends = 0;
  answers = 0;
  events = 0;
}

/** The time that the feature's service takes. */
async function ask(): Promise<void> {
  await turns(5);
}

function wordFeature(seen: Seen): Feature {
  const feature: RequestFeature = {
    async request(body) {
      await ask();
      seen.requests++;
      return replaced(body, ASKED);
    },
    async send(request) {
      await ask();
      seen.sends++;
      return { ...request, headers: { ...request.headers, "x-seen": "yes" } };
    },
    async answer(body) {
      await ask();
      seen.answers++;
      return replaced(body, ANSWERED);
    },
    events: () => {
      let held: JsonObject | undefined;
      return {
        async push(event) {
          await ask();
          seen.events++;
          // Each event is held back until the next one.
          const before = held === undefined ? [] : [held];
          held = replaced(event, ANSWERED);
          return before;
        },
        end: () => held === undefined ? [] : [held],
      };
    },
  };
  return { name: "words", plan: () => ({ start: () => feature }) };
}

/** The endpoints whose folders say how a feature changes them. */
const FEATURED = (await allTrials()).filter(({ featured }) => featured !== undefined);

const TEXT = "an apple";
const MESSAGES = [{ role: "user", content: TEXT }];
const BYTES = new Uint8Array([1, 2, 3]);
const EMBEDDED = { model: "models/embed", content: { parts: [{ text: TEXT }] } };
const SPOKEN = { model: "speech", input: TEXT, voice: "alloy" };

const EVENTS: readonly (readonly [path: string, events: readonly JsonObject[]])[] = [
  ["/speech", [{ type: "speech.audio.delta", audio: "AA==" }, { type: "speech.audio.done" }]],
  ["/transcriptions", [
    { type: "transcript.text.delta", delta: "Hello" },
    { type: "transcript.text.done", text: "Hello" },
  ]],
  ["/images/generations", [{ type: "image_generation.completed", b64_json: "AA==" }]],
];

function answerOf(url: string, body: JsonObject, wantsEvents: boolean): Response {
  const path = new URL(url).pathname;
  const events = wantsEvents ? EVENTS.find(([end]) => path.endsWith(end))?.[1] : undefined;
  if (events !== undefined) return toEventStream(events);
  if (path.endsWith("/responses/compact")) {
    const content = [{ type: "output_text", text: "Hello" }];
    const output = [{ type: "message", id: "m", role: "user", content }];
    return Response.json({ id: "resp_1", object: "response.compaction", created_at: 1, output });
  }
  if (path.endsWith("/input_tokens")) return Response.json({ input_tokens: 3 });
  if (path.endsWith(":countTokens")) return Response.json({ totalTokens: 3 });
  if (path.endsWith("/images/edits")) {
    return Response.json({ created: 1, data: [{ b64_json: "AA==", revised_prompt: "Hello" }] });
  }
  if (path.endsWith("/translations")) return Response.json({ text: "Hello" });
  if (path.endsWith("/embeddings")) {
    return Response.json({ data: [{ index: 0, embedding: [0.5] }], model: "Hello" });
  }
  if (path.endsWith("/api/embed")) return Response.json({ model: "Hello", embeddings: [[0.5]] });
  if (path.endsWith("/images/generations")) {
    return Response.json({ created: 1, data: [{ b64_json: "AA==", revised_prompt: "Hello" }] });
  }
  if (path.endsWith("/speech")) {
    return new Response(BYTES, { headers: { "content-type": "audio/mpeg" } });
  }
  if (path.endsWith("/transcriptions")) return Response.json({ text: "Hello" });
  if (path.endsWith("/count_tokens")) return Response.json({ input_tokens: 3 });
  if (path.endsWith("/v1/completions")) {
    return Response.json({
      ...{ id: "c", object: "text_completion", created: 1, model: "m" },
      choices: [{ index: 0, text: "Hello", finish_reason: "stop", logprobs: null }],
    });
  }
  const trial = FEATURED.find((one) => path.endsWith(one.path.replace("/v1/", "/")));
  return trial === undefined ? sayHello({ url, body }) : Response.json(trial.featured?.answer);
}

interface World {
  readonly gateway: TestGateway;
  readonly seen: Seen;
  /** What the vendors got, as text. */
  readonly sent: string[];
  /** Whether each of them has passed `send`. */
  readonly marked: boolean[];
}

function stage(more: readonly Feature[] = [], routing: JsonObject = {}): World {
  const seen = new Seen();
  const sent: string[] = [];
  const marked: boolean[] = [];
  const server = { kind: "openai_compatible", base_url: "http://v.test/v1", retries: 0 };
  const key = { api_key: VENDOR_KEY };
  const gateway = createTestGateway({
    config: {
      providers: {
        chat: { ...server, models: ["chat"] },
        all: { ...server, models: ["embed", "image", "speech", "listen"] },
        claude: { kind: "anthropic", ...key, models: ["claude"] },
        openai: { kind: "openai", ...key, api: "responses", models: ["gpt"] },
        google: { kind: "gemini", ...key, models: ["gemini"] },
        ollama: { kind: "ollama", base_url: "http://o.test", models: ["llama"] },
        ...Object.fromEntries(
          FEATURED.map(({ operation, featured }) => [
            operation,
            { ...server, ...key, kind: featured?.kind, models: [operation] },
          ]),
        ),
      },
      routing,
    },
    fetch: async (url, { body, headers }) => {
      const text = await new Response(body as BodyInit).text();
      sent.push(text);
      marked.push(new Headers(headers).has("x-seen"));
      const wantsEvents = /"(?:stream|stream_format)":(?:true|"sse")|name="stream"/.test(text);
      return answerOf(url, text.startsWith("{") ? JSON.parse(text) : {}, wantsEvents);
    },
    features: [...more, wordFeature(seen)],
  });
  return { gateway, seen, sent, marked };
}

const GEMINI = { contents: [{ role: "user", parts: [{ text: TEXT }] }] };

/** The operations whose answers may be streams, at a target with the API and at another one. */
const STREAMED: readonly (readonly [path: string, body: JsonObject])[] = [
  ["/v1/chat/completions", { model: "chat", messages: MESSAGES }],
  ["/v1/chat/completions", { model: "claude", messages: MESSAGES }],
  ["/v1/messages", { model: "claude", max_tokens: 9, messages: MESSAGES }],
  ["/v1/messages", { model: "chat", max_tokens: 9, messages: MESSAGES }],
  ["/v1/responses", { model: "gpt", input: TEXT, store: false }],
  ["/v1/responses", { model: "chat", input: TEXT, store: false }],
  ["/v1/completions", { model: "claude", prompt: TEXT }],
  ["/api/chat", { model: "llama", messages: MESSAGES }],
  ["/api/chat", { model: "chat", messages: MESSAGES }],
  ["/api/generate", { model: "chat", prompt: TEXT }],
];

for (const [path, body] of STREAMED) {
  for (const stream of [false, true]) {
    Deno.test(`a feature changes ${path} for ${body.model}, stream ${stream}`, async () => {
      const { gateway, seen, sent } = stage();
      const response = await gateway.call(path, { ...body, stream });
      const text = await response.text();
      assertEquals(response.status, 200, text);
      assert(text.includes("Howdy") && !text.includes("Hello"), text);
      assert(sent.join().includes("pear") && !sent.join().includes("apple"), sent.join());
      assertEquals([seen.requests, seen.answers, seen.sends], [1, stream ? 0 : 1, 1]);
      assertEquals(seen.events > 1, stream);
      assertEquals(gateway.bugs, []);
    });
  }
}

for (const [model, method] of [["gemini", ""], ["gemini", "stream"], ["chat", "stream"]]) {
  Deno.test(`a feature changes Gemini's API for ${model}, ${method}`, async () => {
    const { gateway, sent } = stage();
    const name = method === "" ? "generateContent" : "streamGenerateContent?alt=sse";
    const response = await gateway.call(`/v1beta/models/${model}:${name}`, GEMINI);
    const text = await response.text();
    assert(text.includes("Howdy") && !text.includes("Hello"), text);
    assert(sent.join().includes("pear") && !sent.join().includes("apple"), sent.join());
  });
}

/** Requests for an answer or a stream of every caller format. */
const CHATS: readonly (readonly [path: string, body: JsonObject])[] = [
  ...STREAMED.flatMap(([path, body]) =>
    [false, true].map((stream) => [path, { ...body, stream }] as const)
  ),
  ...["gemini", "chat"].flatMap((model) =>
    ["generateContent", "streamGenerateContent?alt=sse"].map((method) =>
      [`/v1beta/models/${model}:${method}`, GEMINI] as const
    )
  ),
  ["/v1/responses/compact", { model: "gpt", input: TEXT }],
  ["/v1/responses/compact", { model: "chat", input: TEXT }],
];

for (const [path, body] of CHATS) {
  const { model = "a model of the path", stream = "in the path" } = body;
  Deno.test(`a feature reads the text of ${path} for ${model}, stream ${stream}`, async () => {
    const texts: (string | undefined)[] = [];
    const feature: RequestFeature = {
      headers: { "x-reading": "yes" },
      keepsText: 100_000,
      end: ({ written }) => void texts.push(written?.text),
    };
    const reading: Feature = { name: "reading", plan: () => ({ start: () => feature }) };
    const { gateway } = stage([reading]);
    const response = await gateway.call(path, body);
    const text = await response.text();
    assertEquals(response.status, 200, text);
    assertEquals(texts, [text]);
    assertEquals(response.headers.get("x-reading"), "yes");
  });
}

/** Counts of tokens are asked without `send`, since no model answers. */
const COUNTS = /count_tokens|countTokens|input_tokens/;

/** Operations with one answer, and whether it has the word. */
const WHOLE: readonly (readonly [path: string, body: JsonObject, hasWord?: boolean])[] = [
  ["/v1/completions", { model: "chat", prompt: TEXT }],
  ["/v1/responses/compact", { model: "gpt", input: TEXT }],
  ["/v1/responses/input_tokens", { model: "gpt", input: TEXT }, false],
  ["/v1/embeddings", { model: "embed", input: TEXT }],
  ["/v1beta/models/embed:embedContent", { content: { parts: [{ text: TEXT }] } }, false],
  ["/v1beta/models/embed:batchEmbedContents", { requests: [EMBEDDED] }, false],
  ["/v1beta/models/gemini:countTokens", GEMINI, false],
  ["/api/embed", { model: "llama", input: TEXT }],
  ["/api/embeddings", { model: "llama", prompt: TEXT }, false],
  ["/v1/images/generations", { model: "image", prompt: TEXT }],
  ["/v1/messages/count_tokens", { model: "claude", messages: MESSAGES }, false],
  ...FEATURED.map(({ operation, path, featured }) =>
    [path, { model: operation, ...featured?.members }] as const
  ),
];

for (const [path, body, hasWord = true] of WHOLE) {
  Deno.test(`a feature changes ${path} for ${body.model ?? "a model of the path"}`, async () => {
    const { gateway, seen, sent, marked } = stage();
    const response = await gateway.call(path, body);
    const text = await response.text();
    assertEquals(response.status, 200, text);
    assertEquals([text.includes("Howdy"), text.includes("Hello")], [hasWord, false], text);
    assert(sent.join().includes("pear") && !sent.join().includes("apple"), sent.join());
    assertEquals([seen.requests, seen.answers], [1, 1]);
    assertEquals(marked, COUNTS.test(path) ? [false] : [true]);
    assertEquals(gateway.bugs, []);
  });
}

/** Forms, and what they hold besides the model and the prompt. */
const FORMS: readonly (readonly [path: string, model: string, file: string, name: string])[] = [
  ["/v1/audio/transcriptions", "listen", "file", "a.mp3"],
  ["/v1/audio/translations", "listen", "file", "a.mp3"],
  ["/v1/images/edits", "image", "image", "a.png"],
];

for (const [path, model, field, name] of FORMS) {
  Deno.test(`a feature changes the fields of a form, and its JSON: ${path}`, async () => {
    const { gateway, seen, sent, marked } = stage();
    const response = await send(gateway, path, formOf(model, field, name));
    const text = await response.text();
    assertEquals([response.status, text.includes("Howdy")], [200, true], text);
    assert(sent.join().includes("pear") && !sent.join().includes("apple"), sent.join());
    assertEquals([seen.requests, seen.answers, marked], [1, 1, [true]]);
  });
}

function formOf(model: string, field: string, name: string, more: JsonObject = {}): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries({ model, prompt: TEXT, ...more })) {
    form.append(key, String(value));
  }
  const type = name.endsWith("png") ? "image/png" : "audio/mpeg";
  form.append(field, new File([BYTES], name, { type }));
  return form;
}

function send(gateway: TestGateway, path: string, body: FormData): Promise<Response> {
  return gateway.app.handle(
    new Request(`http://gateway.test${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${SERVICE_KEY}` },
      body,
    }),
  );
}

/** Streams of media, and whether an event has the word. */
const MEDIA: readonly (readonly [path: string, body: JsonObject | FormData, hasWord: boolean])[] = [
  ["/v1/audio/speech", { ...SPOKEN, stream_format: "sse" }, false],
  ["/v1/audio/transcriptions", formOf("listen", "file", "a.mp3", { stream: true }), true],
  ["/v1/images/generations", { model: "image", prompt: TEXT, stream: true }, false],
];

for (const [path, body, hasWord] of MEDIA) {
  Deno.test(`a feature sees each event of a stream of ${path}`, async () => {
    const { gateway, seen, sent, marked } = stage();
    const response = body instanceof FormData
      ? await send(gateway, path, body)
      : await gateway.call(path, body);
    const text = await response.text();
    assertEquals(response.status, 200, text);
    assertEquals([text.includes("Howdy"), text.includes("Hello")], [hasWord, false], text);
    assert(sent.join().includes("pear") && !sent.join().includes("apple"), sent.join());
    assertEquals([seen.requests, seen.answers, seen.events > 0, marked], [1, 0, true, [true]]);
  });
}

Deno.test("the tables above have each endpoint", () => {
  const paths = [...STREAMED, ...WHOLE, ...FORMS, ...MEDIA].map(([path]) => path);
  const gemini = ["generateContent", "streamGenerateContent"];
  const missing = OPERATIONS.flatMap(({ endpoints }) => endpoints.map(({ path }) => path))
    .filter((path) => !paths.includes(path));
  const methods = GEMINI_METHODS.map(({ name }) => name)
    .filter((name) => !gemini.includes(name) && !paths.some((path) => path.endsWith(`:${name}`)));
  assertEquals([missing, methods], [[], []]);
});

Deno.test("bytes that are no JSON pass a feature unseen", async () => {
  const { gateway, seen, sent } = stage();
  const response = await gateway.call("/v1/audio/speech", {
    ...{ model: "speech", input: TEXT, voice: "alloy" },
  });
  assertEquals(await response.bytes(), BYTES);
  assert(sent.join().includes("pear"));
  assertEquals([seen.requests, seen.answers, seen.events], [1, 0, 0]);
});

/** The kinds of requests whose answers are cached. */
const CACHED: readonly (readonly [path: string, body: JsonObject])[] = [
  ["/v1/chat/completions", { model: "chat", messages: MESSAGES }],
  ["/v1/messages", { model: "claude", max_tokens: 9, messages: MESSAGES }],
  ["/v1/responses", { model: "gpt", input: TEXT, store: false }],
];

for (const [path, stream] of CACHED.flatMap(([path]) => [[path, false], [path, true]] as const)) {
  Deno.test(`a feature sees an answer of the cache: ${path}, stream ${stream}`, async () => {
    const clock = new ManualClock();
    const cache = responseCache({
      store: new MemoryStore(() => ({ bytes: 1e6, ttlMs: 1e6 }), () => clock.now()),
      secret: new Uint8Array(32),
      clock,
      newId: (prefix) => `${prefix}1`,
    });
    const { gateway, seen, sent } = stage([cache], { cache: { ttl: "1h" } });
    const own = CACHED.find(([other]) => other === path)?.[1];
    const body = { ...own, temperature: 0, stream };
    const found: (string | null)[] = [];
    for (const turn of [1, 2]) {
      const response = await gateway.call(path, body);
      const text = await response.text();
      found.push(response.headers.get("x-sluice-cache"));
      assert(text.includes("Howdy") && !text.includes("Hello"), text);
      assertEquals(stream ? seen.events >= 2 * turn : seen.answers === turn, true);
    }
    assertEquals([found, sent.length], [["miss", "hit"], 1]);
  });
}

Deno.test("a feature sees and changes a stored answer that is fetched later", async () => {
  const { gateway, seen } = stage();
  const made = await gateway.call("/v1/responses", { model: "chat", input: TEXT });
  const { id } = await made.json();
  const get = (path: string) =>
    gateway.app.handle(
      new Request(`http://gateway.test/v1/responses/${path}`, {
        headers: { authorization: `Bearer ${SERVICE_KEY}` },
      }),
    );
  const text = await (await get(id)).text();
  assert(text.includes("Howdy") && !text.includes("Hello"), text);
  assertEquals(seen.answers, 2);
});

Deno.test("a feature sees and changes a background answer of a vendor", async () => {
  const { gateway, seen } = stage();
  const made = await gateway.call("/v1/responses", { model: "gpt", input: TEXT, background: true });
  const { id } = await made.json();
  const before = seen.answers;
  const response = await gateway.app.handle(
    new Request(`http://gateway.test/v1/responses/${encodeURIComponent(id)}`, {
      headers: { authorization: `Bearer ${SERVICE_KEY}` },
    }),
  );
  const text = await response.text();
  assert(text.includes("Howdy") && !text.includes("Hello"), text);
  assertEquals(seen.answers, before + 1);
});

Deno.test("a feature sees and changes each turn of a WebSocket", async () => {
  const seen = new Seen();
  const members = { kind: "openai_compatible" };
  await using world = createWorld(members, undefined, {}, { features: [wordFeature(seen)] });
  await using client = await Client.open(world.served);
  for (const turn of [1, 2]) {
    client.send({ input: TEXT, store: false });
    const messages = await client.answer();
    assertEquals(textOf(messages), "Howdy.");
    assertEquals(seen.requests, turn);
  }
  assert(!JSON.stringify(world.arrived).includes("apple"));
});

Deno.test("a feature that refuses an event ends the stream with an error", async () => {
  const refusing: Feature = {
    name: "refusing",
    plan: () => ({
      start: () => ({
        events: () => ({
          push(event) {
            if (JSON.stringify(event).includes("Howdy")) throw new Error("not shown");
            return [event];
          },
          end: () => [],
        }),
      }),
    }),
  };
  const { gateway } = stage([refusing]);
  const body = { model: "chat", messages: MESSAGES, stream: true };
  const response = await gateway.call("/v1/chat/completions", body);
  const text = await response.text();
  assert(!/Hello|Howdy/.test(text) && text.includes('"error"'), text);
});
