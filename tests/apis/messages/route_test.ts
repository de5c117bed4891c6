/** `POST /v1/messages` and the models in Anthropic's shape, through the whole gateway. */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../../support/gateway.ts";
import { collect, readEvents } from "../../support/message_events.ts";
import { talkAs } from "../../support/talking_vendor.ts";

const MOCK = { providers: { mock: { kind: "mock", models: ["mock-echo"] } } };
const ASK = {
  model: "mock-echo",
  max_tokens: 100,
  messages: [{ role: "user", content: "Hello" }],
};
const VERSION = { "anthropic-version": "2023-06-01" };

function openaiGateway(sent: JsonObject[] = []) {
  const provider = { kind: "openai", api_key: VENDOR_KEY, models: ["gpt-4.1", "gpt-5.4"] };
  return createTestGateway({
    config: { providers: { openai: provider } },
    fetch: async (url, { body }) => {
      sent.push(JSON.parse(String(body)));
      return await talkAs("openai", new Request(url, { method: "POST", body: String(body) }));
    },
  });
}

for (
  const [name, headers] of Object.entries({
    "x-api-key": { authorization: "", "x-api-key": SERVICE_KEY },
    "Authorization: Bearer": { authorization: `Bearer ${SERVICE_KEY}` },
    "api-key, as Azure's clients": { authorization: "", "api-key": SERVICE_KEY },
    "x-goog-api-key, as Google's": { authorization: "", "x-goog-api-key": SERVICE_KEY },
    "the last of three": {
      authorization: "",
      "x-api-key": "sk-other",
      "x-goog-api-key": SERVICE_KEY,
    },
    "both, of which x-api-key is ours": {
      authorization: "Bearer sk-other",
      "x-api-key": SERVICE_KEY,
    },
    "both, of which Authorization is ours": {
      authorization: `Bearer ${SERVICE_KEY}`,
      "x-api-key": "sk-other",
    },
  })
) {
  Deno.test(`messages: a service key in ${name} is accepted, on other routes too`, async () => {
    const gateway = createTestGateway({ config: MOCK });
    assertEquals((await gateway.call("/v1/messages", ASK, headers)).status, 200);
    assertEquals((await gateway.call("/v1/models", undefined, headers)).status, 200);
  });
}

const ERRORS: readonly (readonly [
  name: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
  status: number,
  type: string,
])[] = [
  ["no key", "/v1/messages", ASK, { authorization: "" }, 401, "authentication_error"],
  [
    "wrong x-api-key",
    "/v1/messages",
    ASK,
    { authorization: "", "x-api-key": "sk-x" },
    401,
    "authentication_error",
  ],
  ["a GET", "/v1/messages", undefined, {}, 405, "invalid_request_error"],
  ["bad JSON", "/v1/messages", "{", {}, 400, "invalid_request_error"],
  ["a bad field", "/v1/messages", { ...ASK, messages: [] }, {}, 400, "invalid_request_error"],
  ["an unknown model", "/v1/messages", { ...ASK, model: "x" }, {}, 404, "not_found_error"],
  ["an unknown path", "/v1/message", {}, VERSION, 404, "not_found_error"],
  ["an unknown model to look up", "/v1/models/x", undefined, VERSION, 404, "not_found_error"],
  [
    "no key for the models",
    "/v1/models",
    undefined,
    { ...VERSION, authorization: "" },
    401,
    "authentication_error",
  ],
  [
    "a large body",
    "/v1/messages",
    { ...ASK, system: "x".repeat(2000) },
    {},
    413,
    "request_too_large",
  ],
];
for (const [name, path, body, headers, status, type] of ERRORS) {
  Deno.test(`messages: ${name} is answered in Anthropic's shape with ${status} ${type}`, async () => {
    const gateway = createTestGateway({ config: { ...MOCK, server: { max_body: "1KiB" } } });
    const response = await gateway.call(path, body, { "x-request-id": "req_mine", ...headers });
    const answer = await response.json();
    assertEquals([response.status, answer.type, answer.error.type], [status, "error", type]);
    assertEquals(answer.request_id, "req_mine");
    assertEquals(response.headers.get("request-id"), "req_mine");
    assert(answer.error.message.length > 10);
  });
}

Deno.test("messages: an answer is a message, with the request's ID and the receipt in headers", async () => {
  const sent: JsonObject[] = [];
  const gateway = openaiGateway(sent);
  const ask = { ...ASK, model: "gpt-5.4", context_management: { edits: [] }, top_k: 3 };
  const response = await gateway.call("/v1/messages", ask, { "x-request-id": "req_mine" });
  assertEquals(await response.json(), {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "gpt-4.1-2025-04-14",
    content: [{ type: "text", text: "Hello there." }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: 12,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 8,
      output_tokens: 7,
    },
  });
  assertEquals(response.headers.get("request-id"), "req_mine");
  assertEquals(response.headers.get("x-sluice-provider"), "openai");
  assert(response.headers.get("x-sluice-ignored")?.includes("context_management"));
  assertEquals(sent[0]?.messages, [{ role: "user", content: "Hello" }]);
});

Deno.test("messages: a stream ends with the true usage and without [DONE]", async () => {
  const gateway = openaiGateway();
  const response = await gateway.call("/v1/messages", { ...ASK, model: "gpt-4.1", stream: true });
  const text = await response.text();
  assert(!text.includes("[DONE]"));
  const message = collect(readEvents(text));
  assertEquals(message.content, [{ type: "text", text: "Hello there." }]);
  assertEquals(message.usage, {
    input_tokens: 12,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 8,
    output_tokens: 7,
  });
  assertEquals(gateway.lines.at(-1)?.model, "gpt-4.1");
});

Deno.test("messages: 'thread' on a converted target is the 400 that makes clients send everything", async () => {
  const gateway = createTestGateway({ config: MOCK });
  const response = await gateway.call("/v1/messages", { ...ASK, thread: { type: "create" } });
  const { error } = await response.json();
  assertEquals([response.status, error.details.error_code], [400, "thread_unsupported_request"]);
});

Deno.test("messages: strict refuses what a converted target would lose", async () => {
  const ask = { ...ASK, model: "gpt-4.1", context_management: { edits: [] } };
  const response = await openaiGateway().call("/v1/messages", ask, { "x-sluice-strict": "true" });
  assertEquals(response.status, 400);
  assert((await response.text()).includes("context_management"));
});

Deno.test("models: they have Anthropic's shape for a request with anthropic-version, in pages", async () => {
  const gateway = openaiGateway();
  const read = async (path: string) => await (await gateway.call(path, undefined, VERSION)).json();
  const { data, has_more, first_id, last_id } = await read("/v1/models?limit=1");
  assertEquals([has_more, first_id, last_id], [true, "gpt-4.1", "gpt-4.1"]);
  assertEquals([data[0].type, data[0].display_name], ["model", "gpt-4.1"]);
  assertEquals(new Date(data[0].created_at).getTime() > 0, true);
  assertEquals(typeof data[0].max_input_tokens, "number");
  const second = await read("/v1/models?limit=1&after_id=gpt-4.1");
  assertEquals([second.has_more, second.first_id], [false, "gpt-5.4"]);
  assertEquals((await read("/v1/models?before_id=gpt-5.4")).data.length, 1);
  assertEquals((await read("/v1/models/gpt-5.4")).id, "gpt-5.4");
  assertEquals((await read("/v1/models?limit=0")).error.type, "invalid_request_error");
  assertEquals((await (await gateway.call("/v1/models")).json()).object, "list");
});
