/** What the gateway says that it would send is what it sends, and each parameter is accounted for. */

import { assert, assertEquals } from "@std/assert";
import { PLACEHOLDER } from "../../src/upstream/images/request_images.ts";
import { adapters } from "../../src/providers/registry.ts";
import { configOf, type Fixture, pathOf, readFixtures } from "../support/fixtures.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";

const CHAT = "/v1/chat/completions";
const EXPLAIN = { "x-sluice-explain": "true" };

type Json = Record<string, unknown>;

interface Row {
  readonly parameter: string;
  readonly fate: string;
  readonly to?: string;
  readonly change?: string;
  readonly rule?: string;
  readonly from?: string;
}

interface Explained {
  readonly provider: string;
  readonly model: string;
  readonly after?: readonly string[];
  readonly request?: { url: string; headers: Record<string, string>; body: Json };
  readonly receipt?: readonly Row[];
  readonly error?: { status: number; code: string | null; param: string | null };
}

/** Asks for an explanation from a gateway whose vendors cannot be reached. */
async function explain(
  config: Json,
  request: unknown,
  headers: Record<string, string> = {},
  path = CHAT,
) {
  const gateway = createTestGateway({ config });
  const response = await gateway.call(path, request, { ...EXPLAIN, ...headers });
  const text = await response.text();
  assertEquals(gateway.bugs, []);
  assertEquals(gateway.clock.pending, 0);
  for (const secret of [VENDOR_KEY, SERVICE_KEY]) assert(!text.includes(secret), text);
  const body = JSON.parse(text) as { object: string; targets: Explained[] };
  return { response, body, targets: body.targets, text };
}

for (const fixture of readFixtures()) {
  if (fixture.about.sent === false) continue;
  Deno.test(`${fixture.vendor}/${fixture.name}: what is explained is what is sent`, async () => {
    const sent = JSON.parse(Deno.readTextFileSync(pathOf(fixture, "sent.json")));
    const { response, targets: [target] } = await explain(configOf(fixture), fixture.request);
    assertEquals(response.status, 200);
    assertEquals(withoutRefused(target?.request?.body ?? {}, fixture), sent.body);
    assert(sent.url.endsWith(target?.request?.url.replace(/^\{\w+\}/, "")));
    expectRows(fixture, target?.receipt ?? []);
  });
}

/** The body without what the vendor of a fixture refuses: the golden is the last request. */
function withoutRefused(body: Json, fixture: Fixture): Json {
  if (fixture.upstream.type !== "answer" || fixture.upstream.status < 400) return body;
  const { headers } = JSON.parse(Deno.readTextFileSync(pathOf(fixture, "answer.json")));
  const refused = new Set(String(headers?.["x-sluice-ignored"]).split(", "));
  return Object.fromEntries(Object.entries(body).filter(([name]) => !refused.has(name)));
}

/** Every member of the request once, and nothing that is added without a declared reason. */
function expectRows({ request }: Fixture, rows: readonly Row[]): void {
  const asked = Object.keys(request).filter((name) => !["model", "messages"].includes(name));
  const dropped = (name: string) =>
    request[name] === null || name === "stream_options" && request.stream !== true ||
    Array.isArray(request[name]) && request[name].length === 0;
  const reported = rows.filter(({ fate }) => fate !== "added").map(({ parameter }) => parameter);
  assertEquals(reported, [...new Set(reported)]);
  assertEquals(asked.filter((name) => !dropped(name) && !reported.includes(name)), []);
  for (const { parameter, fate, rule } of rows) {
    if (fate === "added") assert(rule !== undefined && rule !== "", `${parameter} is not declared`);
  }
}

const HELLO = { messages: [{ role: "user", content: "Hi" }] };

const CONFIG = {
  providers: {
    openai: {
      kind: "openai",
      api_key: VENDOR_KEY,
      base_url: "http://openai.internal/v1",
      headers: { "x-team": "a-header-of-ours" },
      models: ["gpt-4o", {
        id: "deep",
        upstream: "gpt-5.5",
        api: "responses",
        params: { reasoning_effort: "high" },
      }],
    },
    claude: { kind: "anthropic", api_key: VENDOR_KEY, models: ["claude-haiku-4-5"] },
    mock: { kind: "mock", models: ["mock-echo"] },
  },
  aliases: {
    best: ["claude-haiku-4-5", { model: "gpt-4o", when: ["timeout"] }],
    drawn: [{ model: "mock-echo", weight: 1 }, { model: "gpt-4o", weight: 3 }],
  },
};

Deno.test("an explanation lists the targets of a chain in order, and when each is used", async () => {
  const { targets, response } = await explain(CONFIG, {
    ...HELLO,
    model: "best",
    models: ["mock-echo"],
  });
  assertEquals(
    targets.map(({ provider, model, after }) => [provider, model, after?.includes("timeout")]),
    [
      ["claude", "claude-haiku-4-5", undefined],
      ["openai", "gpt-4o", true],
      ["mock", "mock-echo", true],
    ],
  );
  assertEquals(targets[1]?.after, ["timeout"]);
  assert(targets.every(({ request }) => !("models" in (request?.body ?? {}))));
  assertEquals(response.headers.get("x-sluice-provider"), null);
});

Deno.test("an explanation draws by weight as a request does", async () => {
  // The test's chance is 0.5: half of the weights fall to the second.
  const { targets } = await explain(CONFIG, { ...HELLO, model: "drawn" });
  assertEquals(targets.map(({ provider }) => provider), ["openai", "mock"]);
});

Deno.test("a receipt shows how each parameter is handled, and by which rule", async () => {
  const { targets: [target] } = await explain(CONFIG, {
    ...HELLO,
    model: "claude-haiku-4-5",
    temperature: 1.7,
    stop: "END",
    seed: 1,
    n: 1,
    unheard_of: true,
    user: "u",
  });
  const short = target?.receipt?.map(({ parameter, fate, to, change }) => [
    parameter,
    fate,
    to ?? change ?? "",
  ]);
  assertEquals(short?.sort(), [
    ["max_tokens", "added", ""],
    ["n", "ignored", ""],
    ["seed", "ignored", ""],
    ["stop", "renamed", "stop_sequences"],
    ["temperature", "converted", "1.7->1"],
    ["unheard_of", "ignored", ""],
    ["user", "renamed", "metadata.user_id"],
  ]);
  const rules = new Map(target?.receipt?.map(({ parameter, rule }) => [parameter, rule]));
  assertEquals(rules.get("max_tokens"), "the vendor requires it: the model's maximum");
  assertEquals(rules.get("unheard_of"), "the vendor has no such parameter");
  assertEquals(rules.get("n"), "one choice only; the value is the default");
});

/** A JSON answer without a schema, which no case has. */
const WITHOUT_SCHEMA = {
  ...HELLO,
  model: "deep",
  response_format: { type: "json_schema", json_schema: { name: "n" } },
};

Deno.test("a receipt marks values of config.yaml, which are not additions", async () => {
  const { targets: [target] } = await explain(CONFIG, WITHOUT_SCHEMA);
  const row = target?.receipt?.find(({ parameter }) => parameter === "reasoning_effort");
  assertEquals([row?.fate, row?.from], ["renamed", "config"]);
  const added = target?.receipt?.filter(({ fate }) => fate === "added") ?? [];
  assertEquals(added.map(({ parameter }) => parameter).sort(), [
    "include",
    "store",
    "text.format.schema",
    "text.format.strict",
  ]);
});

Deno.test("an explanation shows where keys are, and no key, header value or address", async () => {
  const { targets, text } = await explain(CONFIG, { ...HELLO, model: "gpt-4o" });
  assertEquals(targets[0]?.request?.url, "{base_url}/chat/completions");
  assertEquals(targets[0]?.request?.headers, {
    "x-team": "[redacted]",
    authorization: "Bearer [redacted]",
  });
  assert(!/openai\.internal|a-header-of-ours/.test(text));
});

Deno.test("a target that does not support the request reports it, and the others are explained", async () => {
  const image = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
  const { targets } = await explain(CONFIG, {
    model: "best",
    messages: [{ role: "user", content: [image] }],
  });
  assertEquals(targets[0]?.error?.code, "unsupported_content");
  assertEquals(targets[0]?.error?.param, "messages[0].content[0]");
  assert(targets[1]?.request !== undefined);
});

Deno.test("with x-sluice-strict, targets that would ignore a parameter report a refusal", async () => {
  const { targets } = await explain(CONFIG, { ...HELLO, model: "best", seed: 1 }, {
    "x-sluice-strict": "true",
  });
  assertEquals(targets.map(({ error }) => error?.code), ["unsupported_parameter", undefined]);
});

Deno.test("an unknown model is 404 for an explanation too", async () => {
  const { response } = await explain(CONFIG, { ...HELLO, model: "gtp-4o" });
  assertEquals(response.status, 404);
});

Deno.test("x-sluice-explain requires the value true", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const response = await gateway.call(CHAT, { ...HELLO, model: "mock-echo" }, {
    "x-sluice-explain": "no",
  });
  assertEquals((await response.json()).object, "chat.completion");
});

Deno.test("every declared addition is in the explanation of some case", async () => {
  const missing = new Set([...adapters.values()].flatMap(({ adds }) => Object.keys(adds)));
  const cases = readFixtures().filter(({ about }) => about.sent !== false)
    .map((fixture) => [configOf(fixture), fixture.request, CHAT] as const);
  // Callers of the Messages API that want to see reasoning.
  const shown = [["openai", "gpt-5.4"], ["gemini", "gemini-2.5-flash"]].map(([kind, model]) => {
    const thinking = { type: "enabled", budget_tokens: 2000 };
    const config = { providers: { p: { kind, api_key: VENDOR_KEY, models: [model] } } };
    const request = {
      model,
      max_tokens: 4000,
      thinking,
      messages: [{ role: "user", content: "Hi" }],
    };
    return [config, request, "/v1/messages"] as const;
  });
  // Prompts that are long enough for a vendor's cache.
  const cached = [["anthropic", "claude-sonnet-5"], ["bedrock", "anthropic.claude-sonnet-5"]]
    .map(([kind, model]) => {
      const provider = { kind, api_key: VENDOR_KEY, models: [model] };
      const p = kind === "bedrock" ? { ...provider, region: "us-east-1" } : provider;
      const messages = [{ role: "user", content: "word ".repeat(3000) }];
      return [{ providers: { p } }, { model, messages }, CHAT] as const;
    });
  // A search beside functions.
  const searching = [
    [
      { providers: { p: { kind: "gemini", api_key: VENDOR_KEY, models: ["gemini-3-pro"] } } },
      {
        model: "gemini-3-pro",
        messages: [{ role: "user", content: "Hi" }],
        tools: [{ type: "function", function: { name: "f" } }],
        web_search_options: {},
      },
      CHAT,
    ] as const,
  ];
  // Requests that are kept with their session.
  const kept = ["openai", "xai", "fireworks", "openai_compatible"].flatMap((kind) => {
    const base = kind === "openai_compatible" ? { base_url: "https://opencode.ai/zen/v1" } : {};
    const p = { kind, api_key: VENDOR_KEY, models: ["m"], ...base };
    const config = { providers: { p }, routing: { affinity: {} } };
    return [[config, { model: "m", messages: HELLO.messages }, CHAT] as const];
  });
  for (
    const [config, request, path] of [
      [CONFIG, WITHOUT_SCHEMA, CHAT] as const,
      ...shown,
      ...cached,
      ...searching,
      ...kept,
      ...cases,
    ]
  ) {
    if (missing.size === 0) break;
    const { targets: [target] } = await explain(config, request, {}, path);
    for (const { fate, parameter } of target?.receipt ?? []) {
      if (fate === "added") missing.delete(parameter);
    }
  }
  assertEquals([...missing], []);
});

Deno.test("an explanation downloads no image: a pixel replaces its bytes", async () => {
  const image = { type: "image_url", image_url: { url: "https://example.com/cat.png" } };
  const gateway = createTestGateway({
    config: { providers: { v: { kind: "lmstudio", base_url: "http://v.test", models: ["m"] } } },
    download: () => Promise.reject(new TypeError("an image was fetched")),
  });
  const request = { model: "m", messages: [{ role: "user", content: [image] }] };
  const response = await gateway.call(CHAT, request, EXPLAIN);
  const { targets: [target] } = await response.json() as { targets: Explained[] };
  const pixel = { type: "image_url", image_url: { url: PLACEHOLDER } };
  assertEquals(target?.request?.body.messages, [{ role: "user", content: [pixel] }]);
  assertEquals(target?.receipt?.map(({ parameter, fate }) => [parameter, fate]), [
    ["image_url", "converted"],
  ]);
});

Deno.test("a parameter that the vendor has refused is ignored for that reason", async () => {
  const gateway = createTestGateway({
    config: { providers: { mock: { kind: "mock", models: ["mock-picky"] } } },
  });
  const body = {
    model: "mock-picky",
    messages: [{ role: "user", content: "Hello" }],
    response_format: { type: "json_object" },
  };
  const answer = await gateway.call(CHAT, body);
  assertEquals(answer.headers.get("x-sluice-ignored"), "response_format");
  await answer.text();
  const { targets: [target] } = await (await gateway.call(CHAT, body, EXPLAIN)).json();
  assertEquals(target.receipt, [
    { parameter: "response_format", fate: "ignored", rule: "the vendor has rejected it" },
  ]);
  assertEquals(target.request.body.response_format, undefined);
});
