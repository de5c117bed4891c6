/** `POST /v1/responses/input_tokens` and `POST /v1/responses/compact`. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, SERVICE_KEY } from "../../support/gateway.ts";
import { sentText } from "../../support/sent_text.ts";

const KEY = "sk-vendor-0123456789";
const PROVIDERS = {
  native: {
    kind: "openai",
    api: "responses",
    api_key: KEY,
    base_url: "http://native.test/v1",
    models: [{ id: "n", params: { max_tokens: 100 } }],
  },
  azure: {
    kind: "azure",
    api: "responses",
    api_key: KEY,
    base_url: "http://az.test",
    models: ["z"],
  },
  groq: { kind: "groq", api: "responses", api_key: KEY, models: ["g"] },
  chat: { kind: "openai_compatible", base_url: "http://chat.test/v1", models: ["c"] },
  google: { kind: "gemini", api_key: KEY, models: ["gemini-3-flash"] },
};

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

function createWorld(answer: () => Answer, aliases: JsonObject = {}) {
  const sent: { readonly path: string; readonly body: JsonObject }[] = [];
  const keys = [{ name: "test", key: SERVICE_KEY, limits: { tokens_per_minute: 2000 } }];
  const gateway = createTestGateway({
    config: { providers: PROVIDERS, aliases, server: { keys } },
    fetch: (url, { body }) => {
      sent.push({ path: new URL(url).pathname, body: JSON.parse(sentText(body)) });
      const { status, body: text } = answer();
      return Promise.resolve(Response.json(text, { status }));
    },
  });
  const call = async (path: string, body: JsonObject, headers: Record<string, string> = {}) => {
    const response = await gateway.call(`/v1/responses/${path}`, body, headers);
    const estimated = response.headers.get("x-sluice-estimated");
    return { status: response.status, body: await response.json() as JsonObject, estimated };
  };
  return { gateway, sent, call };
}

const counted = (): Answer => ({ status: 200, body: { input_tokens: 42 } });
const error = { message: "Nothing here", type: "invalid_request_error", param: null, code: null };

Deno.test("input_tokens asks a native target with the caller's body", async () => {
  const { sent, call } = createWorld(counted);
  const body = { input: [{ role: "user", content: "Hi" }], truncation: "auto", of_tomorrow: [1] };
  const reply = await call("input_tokens", { model: "n", ...body });
  assertEquals(reply, {
    status: 200,
    body: { object: "response.input_tokens", input_tokens: 42 },
    estimated: null,
  });
  assertEquals(sent, [{ path: "/v1/responses/input_tokens", body: { ...body, model: "n" } }]);
  assertEquals((await call("input_tokens", { model: "z", input: "Hi" })).body.input_tokens, 42);
  assertStringIncludes(sent[1]?.path ?? "", "/responses/input_tokens");
});

Deno.test("input_tokens uses the counter of a converted target's vendor", async () => {
  const { sent, call } = createWorld(() => ({ status: 200, body: { totalTokens: 42 } }));
  const { body, estimated } = await call("input_tokens", { model: "gemini-3-flash", input: "Hi" });
  assertEquals([body.input_tokens, estimated], [42, null]);
  assertStringIncludes(sent[0]?.path ?? "", ":countTokens");
});

Deno.test("input_tokens estimates where a target has no counter, or says so", async () => {
  const { sent, call } = createWorld(() => ({ status: 404, body: { error } }));
  for (const model of ["c", "g", "n"]) {
    const reply = await call("input_tokens", { model, input: "word ".repeat(400) });
    assertEquals([reply.status, reply.estimated], [200, "input_tokens"], model);
    const tokens = Number(reply.body.input_tokens);
    assert(tokens > 300 && tokens < 700, `${model}: ${tokens}`);
  }
  assertEquals(sent.length, 1, "only the native target of OpenAI is asked");
});

Deno.test("input_tokens takes no tokens of a limit, and passes the vendor's errors", async () => {
  const { call } = createWorld(counted);
  for (let count = 0; count < 20; count++) {
    const reply = await call("input_tokens", { model: "n", input: "word ".repeat(4000) });
    assertEquals(reply.status, 200);
  }
  const refusing = createWorld(() => ({ status: 400, body: { error } }));
  const refused = await refusing.call("input_tokens", { model: "n", input: "Hi" });
  assertEquals([refused.status, (refused.body.error as JsonObject).message], [400, "Nothing here"]);
  assertEquals((await call("input_tokens", { model: "none", input: "Hi" })).status, 404);
  assertEquals((await call("input_tokens", { model: "n" })).status, 400);
});

const compaction = (): Answer => ({
  status: 200,
  body: {
    id: "resp_9",
    object: "response.compaction",
    created_at: 1,
    output: [{ id: "cmp_1", type: "compaction", encrypted_content: "blob" }],
    usage: { input_tokens: 30, output_tokens: 5, total_tokens: 35 },
  },
});

Deno.test("compact passes to a native target, and its tokens count", async () => {
  const { gateway, sent, call } = createWorld(compaction);
  const body = { input: [{ role: "user", content: "Hi" }], instructions: "Brief" };
  const reply = await call("compact", { model: "n", ...body });
  assertEquals(reply.status, 200);
  assertEquals(sent, [{ path: "/v1/responses/compact", body: { ...body, model: "n" } }]);
  const [item] = reply.body.output as JsonObject[];
  assertEquals(String(reply.body.id).replace(/\.[\w-]{16}/, ""), "resp_9@native");
  assertEquals(String(item?.id).replace(/\.[\w-]{16}/, ""), "cmp_1@native");
  assertEquals(item?.encrypted_content, "blob");
  const line = gateway.lines.at(-1) ?? {};
  assertStringIncludes(JSON.stringify(line), "30");
  await call("compact", { model: "n", input: [item, { role: "user", content: "Next" }] });
  assertEquals((sent[1]?.body.input as JsonObject[])[0], {
    id: "cmp_1",
    type: "compaction",
    encrypted_content: "blob",
  });
});

Deno.test("both explain what they would send", async () => {
  const { sent, call } = createWorld(counted);
  for (const path of ["input_tokens", "compact"]) {
    const { status, body } = await call(path, { model: "n", input: "Hi" }, {
      "x-sluice-explain": "true",
    });
    assertEquals(status, 200);
    const [target] = body.targets as { request: JsonObject }[];
    assertStringIncludes(String(target?.request.url), `/responses/${path}`);
  }
  assertEquals(sent, []);
});
