import { assert, assertEquals } from "@std/assert";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import type { ChatRequest } from "../../src/contract/chat.ts";
import { isDefault } from "../../src/contract/support.ts";
import { sayHello, ScriptedVendor } from "../support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";
const MESSAGES = [{ role: "user", content: "Hi" }];

const CONFIG = {
  providers: {
    openai: { kind: "openai", api_key: VENDOR_KEY, models: ["gpt-5.5", "gpt-4o"] },
    claude: {
      kind: "anthropic",
      api_key: VENDOR_KEY,
      headers: { "x-team": "search" },
      models: ["claude-haiku-4-5", { id: "blind", capabilities: { vision: false } }],
    },
    server: {
      kind: "openai_compatible",
      base_url: "http://vendor.test/v1",
      models: ["m", { id: "blind-too", capabilities: { vision: false } }],
    },
  },
};

type Json = Record<string, unknown>;

async function send(members: Json, headers: Record<string, string> = {}) {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
  const response = await gateway.call(CHAT, { messages: MESSAGES, ...members }, headers);
  const body = await response.json();
  assertEquals(gateway.bugs, []);
  const ignored = response.headers.get("x-sluice-ignored");
  const converted = response.headers.get("x-sluice-converted");
  return { response, body, vendor, ignored, converted };
}

interface Row {
  readonly request: Json;
  readonly sent: Json;
  readonly ignored: string | null;
  readonly converted: string | null;
}

/** What a caller sends, what the vendor gets of it, and what the receipt says. */
const ROWS: readonly Row[] = [
  {
    request: { model: "gpt-5.5", max_tokens: 50, temperature: 0.2, seed: 1 },
    sent: { max_completion_tokens: 50, seed: 1 },
    ignored: "temperature",
    converted: "max_tokens->max_completion_tokens",
  },
  {
    request: { model: "gpt-5.5", max_tokens: 60, max_completion_tokens: 60, top_p: 0.5 },
    sent: { max_completion_tokens: 60 },
    ignored: "top_p, max_tokens",
    converted: null,
  },
  {
    request: { model: "gpt-4o", max_tokens: 50, temperature: 0.2, reasoning_effort: "low" },
    sent: { max_tokens: 50, temperature: 0.2 },
    ignored: "reasoning_effort",
    converted: null,
  },
  {
    request: { model: "gpt-4o", stop: ["a", "b", "c", "d", "e"] },
    sent: { stop: ["a", "b", "c", "d"] },
    ignored: null,
    converted: "stop 5->4",
  },
  {
    request: { model: "gpt-4o", tool_choice: "required", parallel_tool_calls: false },
    sent: {},
    ignored: "tool_choice, parallel_tool_calls",
    converted: null,
  },
  {
    request: { model: "claude-haiku-4-5", max_tokens: 50, temperature: 1.7, seed: 1, n: 3 },
    sent: { max_tokens: 50, temperature: 1 },
    ignored: "n, seed",
    converted: "temperature 1.7->1",
  },
  {
    request: {
      model: "claude-haiku-4-5",
      max_tokens: 5,
      stop: "a",
      user: "u",
      logit_bias: { 5: 1 },
    },
    sent: { max_tokens: 5, stop_sequences: ["a"], metadata: { user_id: "u" } },
    ignored: "logit_bias",
    converted: "stop->stop_sequences, user->metadata.user_id",
  },
  {
    request: { model: "claude-haiku-4-5", max_tokens: 5, unknown_field: 1, top_k: 3 },
    sent: { max_tokens: 5, top_k: 3 },
    ignored: "unknown_field",
    converted: null,
  },
  {
    request: { model: "m", unknown_field: 1, top_k: 3, n: 3, temperature: 1.7 },
    sent: { unknown_field: 1, top_k: 3, n: 3, temperature: 1.7 },
    ignored: null,
    converted: null,
  },
];

for (const { request, sent, ignored, converted } of ROWS) {
  Deno.test(`the receipt of ${JSON.stringify(request)} is [${ignored}] and [${converted}]`, async () => {
    const result = await send(request);
    const { model, messages, ...fields } = result.vendor.body;
    assertEquals([model, Array.isArray(messages)], [request.model, true]);
    assertEquals(fields, sent);
    assertEquals([result.ignored, result.converted], [ignored, converted]);
  });
}

/** Values that OpenAI assumes anyway: leaving them out changes nothing. */
const DEFAULTS: Json = {
  temperature: 1,
  top_p: 1,
  n: 1,
  frequency_penalty: 0,
  presence_penalty: 0,
  stream: false,
  logprobs: false,
  top_logprobs: 0,
  store: false,
  service_tier: "auto",
  verbosity: "medium",
  tool_choice: "auto",
  parallel_tool_calls: true,
  response_format: { type: "text" },
  modalities: ["text"],
  logit_bias: {},
  metadata: {},
};

Deno.test("isDefault() accepts only OpenAI's defaults", () => {
  const request = (members: Json = {}) => members as unknown as ChatRequest;
  for (const [name, value] of Object.entries(DEFAULTS)) {
    assert(isDefault(name, value, request()), name);
  }
  const others: Json = {
    temperature: 0,
    top_p: 0.5,
    n: 2,
    frequency_penalty: 1,
    presence_penalty: 1,
    stream: true,
    logprobs: true,
    top_logprobs: 1,
    store: true,
    service_tier: "flex",
    verbosity: "low",
    tool_choice: "required",
    parallel_tool_calls: false,
    response_format: { type: "json_object" },
    logit_bias: { 5: 1 },
    metadata: { a: "b" },
    seed: 0,
  };
  for (const [name, value] of Object.entries(others)) {
    assert(!isDefault(name, value, request()), name);
  }
  for (const value of [["audio"], ["text", "audio"], [], "text"]) {
    assert(!isDefault("modalities", value, request()), JSON.stringify(value));
  }
  // Without a list to choose from, to choose nothing changes nothing.
  const lists = { tool_choice: { tools: [] }, function_call: { functions: [] } };
  for (const [name, list] of Object.entries(lists)) {
    const verdicts = ["auto", "none", "required"].map((value) => [
      isDefault(name, value, request()),
      isDefault(name, value, request(list)),
    ]);
    assertEquals(verdicts, [[true, true], [true, false], [false, false]], name);
  }
});

for (const model of ["gpt-5.5", "gpt-4o", "claude-haiku-4-5", "m"]) {
  Deno.test(`defaults are never reported, nor refused by x-sluice-strict, for ${model}`, async () => {
    for (
      const members of [
        ...Object.entries(DEFAULTS).map(([name, value]) => ({ [name]: value })),
        DEFAULTS,
      ]
    ) {
      const { response, ignored } = await send({ model, ...members }, {
        "x-sluice-strict": "true",
      });
      assertEquals([response.status, ignored], [200, null], JSON.stringify(members));
    }
  });
}

Deno.test("x-sluice-strict refuses what would be ignored, before anything is sent", async () => {
  const request = { model: "claude-haiku-4-5", seed: 1, n: 2, temperature: 1.7 };
  for (const value of ["true", "TRUE"]) {
    const { response, body, vendor } = await send(request, { "x-sluice-strict": value });
    assertEquals(response.status, 400);
    assertEquals(body, {
      error: {
        message: "The provider does not support 'n', 'seed'",
        type: "invalid_request_error",
        param: "n",
        code: "unsupported_parameter",
      },
    });
    assertEquals(vendor.sent, []);
    assertEquals(response.headers.get("x-sluice-attempts"), "0");
  }
  for (const value of ["false", "", "0"]) {
    assertEquals((await send(request, { "x-sluice-strict": value })).response.status, 200);
  }
});

Deno.test("x-sluice-strict works with a deadline, and an invalid deadline is reported", async () => {
  const request = { model: "claude-haiku-4-5", seed: 1 };
  const strict = { "x-sluice-strict": "true", "x-sluice-deadline-ms": "5000" };
  assertEquals((await send(request, strict)).body.error.code, "unsupported_parameter");
  const { response, body } = await send(request, { "x-sluice-deadline-ms": "soon" });
  assertEquals([response.status, body.error.param], [400, "x-sluice-deadline-ms"]);
});

Deno.test("x-sluice-strict allows conversions", async () => {
  const request = { model: "claude-haiku-4-5", temperature: 1.7, max_completion_tokens: 5 };
  const { response, converted } = await send(request, { "x-sluice-strict": "true" });
  assertEquals(response.status, 200);
  assertEquals(converted, "max_completion_tokens->max_tokens, temperature 1.7->1");
});

Deno.test("receipts stay short printable ASCII, whatever the caller's fields are called", async () => {
  const names = ["ünïcode", "line\r\nbreak: x", "a,b", "", " ", "x".repeat(5000), "\ud800", "\0"];
  const fields = Object.fromEntries(names.map((name) => [name, "secret value"]));
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field_${index}`, 1]));
  for (const members of [fields, many]) {
    const { response, ignored } = await send({ model: "claude-haiku-4-5", ...members });
    assertEquals(response.status, 200);
    const text = ignored ?? "";
    assert(/^[\x20-\x7e]+$/.test(text) && text.length < 1200);
    assert(!text.includes("secret"));
  }
});

/** Content that has no place, where it would go to, and its path. */
const UNSUPPORTED: readonly (readonly [string, Json, string])[] = [
  [
    "claude-haiku-4-5",
    { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
    "audio",
  ],
  ["claude-haiku-4-5", { type: "file", file: { file_id: "file-1" } }, "a file by its id"],
  ["blind", { type: "image_url", image_url: { url: "https://a.test/b.png" } }, "an image"],
  [
    "blind-too",
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    "an image",
  ],
];

for (const [model, part, what] of UNSUPPORTED) {
  Deno.test(`${what} to ${model} is refused with its path`, async () => {
    const content = [{ type: "text", text: "What is this?" }, part];
    const { response, body, vendor } = await send({
      model,
      messages: [...MESSAGES, { role: "user", content }],
    });
    assertEquals(response.status, 400);
    assertEquals({ ...body.error, message: "" }, {
      message: "",
      type: "invalid_request_error",
      param: "messages[1].content[1]",
      code: "unsupported_content",
    });
    assertEquals(vendor.sent, []);
  });
}

Deno.test("headers to the vendor are built, never copied from the caller", async () => {
  const { vendor } = await send({ model: "claude-haiku-4-5" }, {
    cookie: "a=b",
    "x-own": "1",
    "x-api-key": "sk-callers",
    "api-key": "sk-callers",
    "x-goog-api-key": "sk-callers",
    "user-agent": "caller/1",
    "anthropic-beta": "callers",
  });
  const { "user-agent": agent, ...headers } = Object.fromEntries(vendor.sent[0]?.headers ?? []);
  assert(/^sluice\/\d/.test(agent ?? ""));
  assertEquals(headers, {
    "content-type": "application/json",
    "accept-encoding": "identity",
    "anthropic-version": "2023-06-01",
    "x-api-key": VENDOR_KEY,
    "x-team": "search",
  });
  const bearer = await send({ model: "gpt-4o" });
  assertEquals(bearer.vendor.sent[0]?.headers.get("authorization"), `Bearer ${VENDOR_KEY}`);
  const open = await send({ model: "m" });
  assertEquals(open.vendor.sent[0]?.headers.get("authorization"), null);
  const all = JSON.stringify([vendor, bearer.vendor, open.vendor].map(({ sent }) => sent));
  assert(!all.includes(SERVICE_KEY));
});

const OF_ALL_ANSWERS = new Set([
  "cache-control",
  "content-type",
  "x-accel-buffering",
  "x-content-type-options",
]);

Deno.test("of the vendor's headers, only limits and its request ID are passed on", async () => {
  const told = {
    "set-cookie": "a=b",
    server: "vendor",
    "retry-after": "3",
    "retry-after-ms": "3000",
    "x-sluice-provider": "forged",
    "access-control-allow-origin": "*",
  };
  const own: Record<string, Record<string, string>> = {
    "gpt-4o": { "x-request-id": "req_v", "x-ratelimit-remaining-tokens": "9" },
    "claude-haiku-4-5": { "request-id": "req_v", "anthropic-ratelimit-tokens-remaining": "9" },
  };
  for (const [model, headers] of Object.entries(own)) {
    for (const stream of [false, true]) {
      const vendor = new ScriptedVendor((sent) => {
        const answer = sayHello(sent);
        for (const [name, value] of Object.entries({ ...told, ...headers })) {
          answer.headers.set(name, value);
        }
        return answer;
      });
      const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
      const response = await gateway.call(
        CHAT,
        { model, messages: MESSAGES, max_tokens: 5, stream },
        { "x-request-id": "mine" },
      );
      await response.text();
      const others = [...response.headers].filter(([name]) => !OF_ALL_ANSWERS.has(name));
      assertEquals(Object.fromEntries(others), {
        "retry-after": "3",
        "retry-after-ms": "3000",
        "x-ratelimit-remaining-tokens": "9",
        "x-request-id": "mine",
        "x-sluice-attempts": "1",
        // The cost of a stream is not known when its headers are sent.
        ...(stream ? {} : { "x-sluice-cost-usd": model === "gpt-4o" ? "0.000115" : "0.00005" }),
        "x-sluice-model": model,
        "x-sluice-overhead-ms": "0.00",
        "x-sluice-provider": model === "gpt-4o" ? "openai" : "claude",
        "x-sluice-upstream-request-id": "req_v",
      });
    }
  }
});
