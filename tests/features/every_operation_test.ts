/**
 * A feature that asks a service: it waits, and replaces one word of each request and each answer, in
 * every operation and every way in which an answer comes.
 */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/chat/chat.ts";
import type { Feature, Interception } from "../../src/gateway/feature.ts";
import { responseCache } from "../../src/features/response_cache/interceptor.ts";
import { MemoryStore } from "../../src/memory/store.ts";
import {
  createTestGateway,
  SERVICE_KEY,
  type TestGateway,
  VENDOR_KEY,
} from "../support/gateway.ts";
import { turn } from "../support/elapse.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { Client, createWorld, textOf } from "../support/responses_client.ts";
import { sayHello } from "../support/scripted_vendor.ts";

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
  answers = 0;
  events = 0;
}

function wordFeature(seen: Seen): Feature {
  const interception: Interception = {
    async request(body) {
      await turn();
      seen.requests++;
      return replaced(body, ASKED);
    },
    async answer(body) {
      await turn();
      seen.answers++;
      return replaced(body, ANSWERED);
    },
    events: () => {
      let held: JsonObject | undefined;
      return {
        async push(event) {
          await turn();
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
  return { name: "words", plan: () => ({ start: () => interception }) };
}

const TEXT = "an apple";
const MESSAGES = [{ role: "user", content: TEXT }];
const MODERATED = { flagged: false, categories: {}, category_scores: {} };
const BYTES = new Uint8Array([1, 2, 3]);

function answerOf(url: string, body: JsonObject): Response {
  const path = new URL(url).pathname;
  if (path.endsWith("/embeddings")) {
    return Response.json({ data: [{ index: 0, embedding: [0.5] }], model: "Hello" });
  }
  if (path.endsWith("/api/embed")) return Response.json({ model: "Hello", embeddings: [[0.5]] });
  if (path.endsWith("/rerank")) {
    const results = [{ index: 0, relevance_score: 0.5, document: { text: "Hello" } }];
    return Response.json({ id: "Hello", results });
  }
  if (path.endsWith("/moderations")) {
    return Response.json({ id: "m", model: "Hello", results: [MODERATED] });
  }
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
  return sayHello({ url, body });
}

interface World {
  readonly gateway: TestGateway;
  readonly seen: Seen;
  /** What the vendors got, as text. */
  readonly sent: string[];
}

function stage(more: readonly Feature[] = [], routing: JsonObject = {}): World {
  const seen = new Seen();
  const sent: string[] = [];
  const server = { kind: "openai_compatible", base_url: "http://v.test/v1", retries: 0 };
  const key = { api_key: VENDOR_KEY };
  const gateway = createTestGateway({
    config: {
      providers: {
        chat: { ...server, models: ["chat"] },
        all: { ...server, models: ["embed", "rank", "moderate", "image", "speech", "listen"] },
        claude: { kind: "anthropic", ...key, models: ["claude"] },
        openai: { kind: "openai", ...key, api: "responses", models: ["gpt"] },
        google: { kind: "gemini", ...key, models: ["gemini"] },
        ollama: { kind: "ollama", base_url: "http://o.test", models: ["llama"] },
      },
      routing,
    },
    fetch: async (url, { body }) => {
      const text = await new Response(body as BodyInit).text();
      sent.push(text);
      return answerOf(url, text.startsWith("{") ? JSON.parse(text) : {});
    },
    features: [...more, wordFeature(seen)],
  });
  return { gateway, seen, sent };
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
      assertEquals([seen.requests, seen.answers], [1, stream ? 0 : 1]);
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

/** Operations with one answer, and whether it has the word. */
const WHOLE: readonly (readonly [path: string, body: JsonObject, hasWord?: boolean])[] = [
  ["/v1/completions", { model: "chat", prompt: TEXT }],
  ["/v1/embeddings", { model: "embed", input: TEXT }],
  ["/v1beta/models/embed:embedContent", { content: { parts: [{ text: TEXT }] } }, false],
  ["/api/embed", { model: "llama", input: TEXT }],
  ["/v1/rerank", { model: "rank", query: TEXT, documents: ["Hello"], return_documents: true }],
  ["/v1/moderations", { model: "moderate", input: TEXT }],
  ["/v1/images/generations", { model: "image", prompt: TEXT }],
  ["/v1/messages/count_tokens", { model: "claude", messages: MESSAGES }, false],
];

for (const [path, body, hasWord = true] of WHOLE) {
  Deno.test(`a feature changes ${path} for ${body.model ?? "a model of the path"}`, async () => {
    const { gateway, seen, sent } = stage();
    const response = await gateway.call(path, body);
    const text = await response.text();
    assertEquals(response.status, 200, text);
    assertEquals([text.includes("Howdy"), text.includes("Hello")], [hasWord, false], text);
    assert(sent.join().includes("pear") && !sent.join().includes("apple"), sent.join());
    assertEquals([seen.requests, seen.answers], [1, 1]);
  });
}

Deno.test("a feature changes the fields of a form, and the JSON that answers it", async () => {
  const { gateway, seen, sent } = stage();
  const form = new FormData();
  form.append("model", "listen");
  form.append("prompt", TEXT);
  form.append("file", new File([BYTES], "a.mp3", { type: "audio/mpeg" }));
  const response = await gateway.app.handle(
    new Request("http://gateway.test/v1/audio/transcriptions", {
      method: "POST",
      headers: { authorization: `Bearer ${SERVICE_KEY}` },
      body: form,
    }),
  );
  const text = await response.text();
  assertEquals([response.status, text.includes("Howdy")], [200, true], text);
  assert(sent.join().includes("pear") && !sent.join().includes("apple"), sent.join());
  assertEquals([seen.requests, seen.answers], [1, 1]);
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

for (const stream of [false, true]) {
  Deno.test(`a feature sees and changes an answer of the cache, stream ${stream}`, async () => {
    const clock = new ManualClock();
    const cache = responseCache({
      store: new MemoryStore(() => ({ bytes: 1e6, ttlMs: 1e6 }), () => clock.now()),
      secret: new Uint8Array(32),
      clock,
      newId: (prefix) => `${prefix}1`,
    });
    const { gateway, seen, sent } = stage([cache], { cache: { ttl: "1h" } });
    const body = { model: "chat", messages: MESSAGES, temperature: 0, stream };
    const found: (string | null)[] = [];
    for (const events of [4, 8]) {
      const response = await gateway.call("/v1/chat/completions", body);
      const text = await response.text();
      found.push(response.headers.get("x-sluice-cache"));
      assert(text.includes("Howdy") && !text.includes("Hello"), text);
      assertEquals(stream ? seen.events >= events / 2 : seen.answers === events / 4, true);
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
