/** For every caller format, what is explained is what is sent: to native and converted targets. */

import { assert, assertEquals } from "@std/assert";
import type { Fetch } from "../../src/upstream/transport.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";

type Json = Record<string, unknown>;

interface Row {
  readonly parameter: string;
  readonly fate: string;
  readonly from?: string;
}

const CONFIG = {
  providers: {
    claude: {
      kind: "anthropic",
      api_key: VENDOR_KEY,
      models: [{ id: "claude", upstream: "claude-haiku-4-5", params: { top_k: 7 } }],
    },
    openai: {
      kind: "openai",
      api_key: VENDOR_KEY,
      models: [
        { id: "gpt", upstream: "gpt-5.4", params: { verbosity: "low", seed: 1 } },
        { id: "vectors", upstream: "text-embedding-3-small" },
      ],
    },
    google: {
      kind: "gemini",
      api_key: VENDOR_KEY,
      models: ["gemini-2.5-flash", { id: "google-vectors", upstream: "gemini-embedding-001" }],
    },
    mistral: { kind: "mistral", api_key: VENDOR_KEY, models: ["mistral-small-latest"] },
    groq: { kind: "groq", api_key: VENDOR_KEY, models: ["openai/gpt-oss-20b"] },
    local: { kind: "vllm", base_url: "http://local.test/v1", models: ["llama"] },
  },
};
const CHAT_MODELS = [
  ...["claude", "gpt", "gemini-2.5-flash", "mistral-small-latest", "openai/gpt-oss-20b", "llama"],
];

const TOOL = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
/** A thought of another vendor's model and a tool call whose ID holds state: natives get neither. */
const MESSAGES = {
  path: "/v1/messages",
  models: CHAT_MODELS,
  body: {
    // Over the limit of most of these models.
    max_tokens: 1_000_000,
    system: [{ type: "text", text: "Be brief", cache_control: { type: "ephemeral" } }],
    thinking: { type: "enabled", budget_tokens: 2000 },
    tools: [{ name: "weather", input_schema: TOOL }],
    messages: [
      { role: "user", content: "Hi" },
      {
        role: "assistant",
        content: [{ type: "thinking", thinking: "Hm", signature: "" }, {
          type: "text",
          text: "Yes",
        }],
      },
      { role: "user", content: [{ type: "text", text: "Weather in Oslo?" }] },
    ],
    an_unknown_member: { kept: true },
  },
  headers: { "anthropic-version": "2023-06-01", "anthropic-beta": "a-beta" },
};
const RESPONSES = {
  path: "/v1/responses",
  models: CHAT_MODELS,
  body: {
    instructions: "Be brief",
    max_output_tokens: 100,
    store: false,
    truncation: "auto",
    tools: [{ type: "function", name: "weather", parameters: TOOL }, { type: "web_search" }],
    input: [
      { role: "user", content: [{ type: "input_text", text: "Weather in Oslo?" }] },
      { type: "reasoning", id: "rs_1@elsewhere", summary: [], encrypted_content: "x" },
      { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Oslo"}' },
      { type: "function_call_output", call_id: "call_1", output: "Rain" },
    ],
  },
  headers: {},
};
const EMBEDDINGS = {
  path: "/v1/embeddings",
  models: ["vectors", "google-vectors"],
  body: { input: ["one", "two"], dimensions: 256, encoding_format: "base64" },
  headers: {},
};

for (const { path, models, body, headers } of [MESSAGES, RESPONSES, EMBEDDINGS]) {
  for (const model of models) {
    for (const stream of path === EMBEDDINGS.path ? [undefined] : [undefined, true]) {
      const asked = { ...body, model, ...(stream && { stream }) };
      const how = stream ? "a stream of " : "";
      Deno.test(`${path}: what is explained is what ${how}'${model}' is sent`, async () => {
        const { url, headers: sentHeaders, body: sent } = await send(path, asked, headers);
        const { request } = await explain(path, asked, headers);
        assertEquals(request?.body, sent);
        assert(url.endsWith(request.url.replace(/^\{\w+\}/, "")), `${url} ${request.url}`);
        for (const [name, value] of Object.entries(request.headers)) {
          if (!value.includes("[redacted]")) assertEquals(sentHeaders[name], value, name);
        }
      });
    }
  }
}

Deno.test("a native request lists its members and the values of config.yaml", async () => {
  const messages = await explain(MESSAGES.path, { ...MESSAGES.body, model: "claude" }, {});
  assertEquals(short(messages.receipt), [
    ["max_tokens", "as is", undefined],
    ["thinking", "as is", undefined],
    ["tools", "as is", undefined],
    ["an_unknown_member", "as is", undefined],
    ["top_k", "as is", "config"],
  ]);
  const responses = await explain(RESPONSES.path, { ...RESPONSES.body, model: "gpt" }, {});
  assertEquals(short(responses.receipt), [
    ["instructions", "as is", undefined],
    ["max_output_tokens", "as is", undefined],
    ["tools", "as is", undefined],
    ["store", "as is", undefined],
    ["truncation", "as is", undefined],
    ["verbosity", "as is", "config"],
    ["seed", "ignored", "config"],
    ["input.reasoning", "ignored", undefined],
  ]);
});

Deno.test("a converted request lists what the conversion changed or omitted", async () => {
  const messages = await explain(MESSAGES.path, { ...MESSAGES.body, model: "gpt" }, {});
  const fates = new Map(messages.receipt?.map(({ parameter, fate }) => [parameter, fate]));
  assertEquals(fates.get("thinking.budget_tokens"), "converted");
  assertEquals(fates.get("an_unknown_member"), "ignored");
  const responses = await explain(RESPONSES.path, { ...RESPONSES.body, model: "llama" }, {});
  const ignored = responses.receipt?.filter(({ fate }) => fate === "ignored")
    .map(({ parameter }) => parameter);
  assert(ignored?.includes("tools.web_search") && ignored.includes("truncation"), `${ignored}`);
});

Deno.test("a response that another provider made is explained only there", async () => {
  const request = {
    model: "gpt",
    models: ["claude"],
    input: "Go on",
    previous_response_id: "x@openai",
  };
  const gateway = createTestGateway({ config: CONFIG });
  const response = await gateway.call(RESPONSES.path, request, EXPLAIN);
  const { targets } = await response.json() as { targets: Explained[] };
  assertEquals(targets[0]?.request?.body.previous_response_id, "x");
  assertEquals(targets[1]?.error?.code, "previous_response_not_found");
});

const EXPLAIN = { "x-sluice-explain": "true" };

interface Explained {
  readonly request?: { url: string; headers: Record<string, string>; body: Json };
  readonly receipt?: readonly Row[];
  readonly error?: { code: string };
}

/** The explanation for the first target, from a gateway whose vendors cannot be reached. */
async function explain(path: string, request: Json, headers: Record<string, string>) {
  const gateway = createTestGateway({ config: CONFIG });
  const response = await gateway.call(path, request, { ...headers, ...EXPLAIN });
  const text = await response.text();
  assertEquals(gateway.bugs, []);
  for (const secret of [VENDOR_KEY, SERVICE_KEY]) assert(!text.includes(secret), text);
  const { targets: [target] } = JSON.parse(text) as { targets: Explained[] };
  if (target?.request === undefined) throw new Error(text);
  return { ...target, request: target.request };
}

/** The first request that reaches a vendor. */
async function send(path: string, request: Json, headers: Record<string, string>) {
  const requests: { url: string; headers: Record<string, string>; body: Json }[] = [];
  const fetch: Fetch = (url, init) => {
    requests.push({ url, headers: { ...init.headers }, body: JSON.parse(String(init.body)) });
    return Promise.resolve(new Response("{}", { status: 400 }));
  };
  const gateway = createTestGateway({ config: CONFIG, fetch });
  const response = await gateway.call(path, request, headers);
  const text = await response.text();
  const [sent] = requests;
  if (sent === undefined) throw new Error(text);
  return sent;
}

function short(rows: readonly Row[] | undefined) {
  return rows?.map(({ parameter, fate, from }) => [parameter, fate, from]);
}
