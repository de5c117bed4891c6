/** Requests whose target has the Messages API: bodies and events pass unchanged. */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { toSignature } from "../../../src/apis/messages/answer_parts.ts";
import { encodeMessages } from "../../support/event_stream.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { serviceAccount, TOKEN_URI } from "../../support/service_account.ts";

const MODEL = "claude-haiku-4-5";
const ASK = {
  model: MODEL,
  max_tokens: 64,
  messages: [{
    role: "user",
    content: [{ type: "text", text: "Hi" }, { type: "new_block", x: 1 }],
  }],
  brand_new_field: { deep: [1, null, "x"] },
  tools: [{ type: "web_search_20260209", name: "web_search" }],
};
const EVENTS = [
  {
    type: "message_start",
    message: {
      id: "msg_v",
      type: "message",
      role: "assistant",
      model: MODEL,
      content: [],
      usage: { input_tokens: 5, cache_read_input_tokens: 7, output_tokens: 1 },
    },
  },
  { type: "ping" },
  { type: "content_block_start", index: 0, content_block: { type: "brand_new", y: "é" } },
  { type: "content_block_delta", index: 0, delta: { type: "brand_new_delta", z: [1] } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];
const MESSAGE = {
  id: "msg_v",
  type: "message",
  role: "assistant",
  model: MODEL,
  content: [{ type: "brand_new", y: 1 }],
  stop_reason: "end_turn",
  usage: { input_tokens: 5, output_tokens: 9 },
};
const SSE = EVENTS.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("");

interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: JsonObject;
}

interface Place {
  readonly name: string;
  readonly provider: JsonObject;
  readonly url: (stream: boolean) => string;
  /** What differs from the caller's body. */
  readonly body: (stream: boolean) => JsonObject;
  readonly betas?: "header" | "body";
}

const PLACES: readonly Place[] = [
  {
    name: "anthropic",
    provider: { kind: "anthropic", api_key: VENDOR_KEY, models: [MODEL] },
    url: () => "https://api.anthropic.com/v1/messages",
    body: () => ({}),
  },
  {
    name: "vertex",
    provider: { kind: "vertex", credentials: serviceAccount().json, models: [MODEL] },
    url: (stream) =>
      "https://aiplatform.googleapis.com/v1/projects/test-project/locations/global/publishers/" +
      `anthropic/models/${MODEL}:${stream ? "streamRawPredict" : "rawPredict"}`,
    body: () => ({ anthropic_version: "vertex-2023-10-16", model: undefined }),
  },
  {
    name: "bedrock",
    provider: {
      kind: "bedrock",
      region: "us-east-1",
      api_key: VENDOR_KEY,
      models: [{ id: MODEL, upstream: `us.anthropic.${MODEL}-v1:0` }],
    },
    url: (stream) =>
      `https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.${MODEL}-v1%3A0/` +
      (stream ? "invoke-with-response-stream" : "invoke"),
    body: () => ({
      anthropic_version: "bedrock-2023-05-31",
      anthropic_beta: ["interleaved-thinking-2025-05-14", "context-1m-2025-08-07"],
      model: undefined,
      stream: undefined,
    }),
    betas: "body",
  },
  {
    name: "deepseek",
    provider: { kind: "deepseek", api_key: VENDOR_KEY, models: [MODEL] },
    url: () => "https://api.deepseek.com/anthropic/v1/messages",
    body: () => ({}),
  },
  {
    name: "a server that is configured to",
    provider: { kind: "vllm", base_url: "http://gpu:8000/v1", api: "messages", models: [MODEL] },
    url: () => "http://gpu:8000/v1/messages",
    body: () => ({}),
  },
];

function gatewayFor(provider: JsonObject, answer: () => Response, sent: Sent[] = []) {
  return createTestGateway({
    config: { providers: { vendor: provider } },
    fetch: (url, { headers, body }) => {
      if (url === TOKEN_URI) return Promise.resolve(Response.json({ access_token: "token" }));
      sent.push({ url, headers: new Headers(headers), body: JSON.parse(String(body)) });
      return Promise.resolve(answer());
    },
  });
}

/** The vendor's stream, in the frames of its kind. */
function streamOf({ name }: Place): Response {
  if (name !== "bedrock") {
    return new Response(SSE, { headers: { "content-type": "text/event-stream" } });
  }
  const frames = EVENTS.map((event) => ({
    event: "chunk",
    data: { bytes: new TextEncoder().encode(JSON.stringify(event)).toBase64(), p: "abc" },
  }));
  return new Response(encodeMessages(frames), {
    headers: { "content-type": "application/vnd.amazon.eventstream" },
  });
}

/** Betas that every place takes. */
const BETA_HEADER = "interleaved-thinking-2025-05-14, context-1m-2025-08-07";
const BETAS = { "anthropic-beta": BETA_HEADER, "anthropic-version": "2026-10-21" };

for (const place of PLACES) {
  for (const stream of [false, true]) {
    Deno.test(`${place.name}: body and answer pass unchanged, ${stream ? "streamed" : "whole"}`, async () => {
      const sent: Sent[] = [];
      const answer = () => stream ? streamOf(place) : Response.json(MESSAGE);
      const gateway = gatewayFor(place.provider, answer, sent);
      const ask = stream ? { ...ASK, stream } : ASK;
      // Claude Code adds the query, which goes no further.
      const response = await gateway.call("/v1/messages?beta=true", ask, BETAS);
      const text = await response.text();
      assertEquals(response.status, 200, text);
      if (stream) assertEquals(text, SSE);
      else assertEquals(JSON.parse(text), MESSAGE);
      const [request] = sent;
      assertEquals(request?.url, place.url(stream));
      const expected = { ...ask, ...place.body(stream) };
      assertEquals(request?.body, JSON.parse(JSON.stringify(expected)));
      const beta = request?.headers.get("anthropic-beta");
      assertEquals(beta, place.betas === "body" ? null : BETA_HEADER.replace(" ", ""));
      const line = gateway.lines.at(-1);
      assertEquals([line?.outcome ?? line?.status, line?.completion_tokens], [
        line?.outcome === undefined ? 200 : "done",
        9,
      ]);
      assertEquals(gateway.bugs, []);
    });
  }
}

const ANTHROPIC = PLACES[0]?.provider ?? {};

Deno.test("anthropic: the caller's version goes along, else the configured one", async () => {
  const sent: Sent[] = [];
  const gateway = gatewayFor(ANTHROPIC, () => Response.json(MESSAGE), sent);
  await gateway.call("/v1/messages", ASK, BETAS);
  await gateway.call("/v1/messages", ASK);
  assertEquals(sent.map(({ headers }) => headers.get("anthropic-version")), [
    "2026-10-21",
    "2023-06-01",
  ]);
  assertEquals(sent[0]?.headers.get("x-api-key"), VENDOR_KEY);
});

Deno.test("anthropic: thinking of another vendor's model is omitted, Anthropic's own stays", async () => {
  const sent: Sent[] = [];
  const gateway = gatewayFor(ANTHROPIC, () => Response.json(MESSAGE), sent);
  const own = { type: "thinking", thinking: "Mine", signature: "EqQB" };
  const foreign = { type: "thinking", thinking: "Theirs", signature: toSignature({}) };
  const text = { type: "text", text: "Hello" };
  const user = { role: "user", content: "Hi" };
  await gateway.call("/v1/messages", {
    ...ASK,
    messages: [user, { role: "assistant", content: [foreign, own, text] }, user, {
      role: "assistant",
      content: [{ ...foreign, signature: "" }],
    }, user],
  });
  assertEquals(sent[0]?.body.messages, [
    user,
    { role: "assistant", content: [own, text] },
    user,
    user,
  ]);
});

Deno.test("anthropic: an error keeps the vendor's words, in a stream too", async () => {
  const error = {
    type: "invalid_request_error",
    message: "prompt is too long: 9 tokens > 8 maximum",
  };
  const body = { type: "error", error };
  const whole = gatewayFor(ANTHROPIC, () => Response.json(body, { status: 400 }));
  const refused = await whole.call("/v1/messages", ASK);
  assertEquals([refused.status, (await refused.json()).error.message], [400, error.message]);
  const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const event = `event: error\ndata: ${JSON.stringify(overloaded)}\n\n`;
  const headers = { "content-type": "text/event-stream" };
  const first = gatewayFor(ANTHROPIC, () => new Response(event, { headers }));
  const early = await first.call("/v1/messages", { ...ASK, stream: true });
  assertEquals([early.status, (await early.json()).error.type], [503, "overloaded_error"]);
  const begun = SSE.slice(0, SSE.indexOf("event: content_block_stop"));
  const late = gatewayFor(ANTHROPIC, () => new Response(begun + event, { headers }));
  const text = await (await late.call("/v1/messages", { ...ASK, stream: true })).text();
  assert(text.startsWith(begun));
  assertEquals(
    JSON.parse(text.slice(begun.length).split("data: ")[1] ?? "").error.type,
    "overloaded_error",
  );
});

Deno.test("bedrock: an exception in a stream is an error event", async () => {
  const [place] = PLACES.filter(({ name }) => name === "bedrock");
  const frames = encodeMessages([{
    exception: "throttlingException",
    data: { message: "Too many requests" },
  }]);
  const gateway = gatewayFor(
    place?.provider ?? {},
    () =>
      new Response(frames, { headers: { "content-type": "application/vnd.amazon.eventstream" } }),
  );
  const response = await gateway.call("/v1/messages", { ...ASK, stream: true });
  assertEquals([response.status, (await response.json()).error.type], [429, "rate_limit_error"]);
});

Deno.test("deepseek: 'api: chat' and another host convert the request", async () => {
  for (const members of [{ api: "chat" }, { base_url: "http://proxy:1/v1" }]) {
    const sent: Sent[] = [];
    const provider = { kind: "deepseek", api_key: VENDOR_KEY, models: [MODEL], ...members };
    const gateway = gatewayFor(provider, () => Response.json({}, { status: 500 }), sent);
    await gateway.call("/v1/messages", { model: MODEL, max_tokens: 9, messages: ASK.messages });
    assert(sent[0]?.url.endsWith("/chat/completions"));
  }
});
