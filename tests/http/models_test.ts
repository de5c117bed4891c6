import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { adapters } from "../../src/providers/registry.ts";
import { createTestGateway, type TestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { ScriptedVendor } from "../support/scripted_vendor.ts";

/** The time at which the test gateway loads its configuration, in seconds. */
const LOADED_AT = 1_700_000_000;

const CONFIG = {
  providers: {
    first: {
      kind: "openai",
      api_key: VENDOR_KEY,
      models: [
        "gpt-5.4",
        "org/shared",
        "weird@2024",
        "@cf/meta/llama",
        "two words/ü",
        { id: "own", upstream: "gpt-5.4-mini", created: "2026-03-05", context_window: 1000 },
        "hidden",
      ],
    },
    second: { kind: "anthropic", api_key: VENDOR_KEY, models: ["claude-opus-5", "org/shared"] },
    dark: { kind: "openai", api_key: "${UNSET}", models: ["only-dark", "org/shared"] },
  },
  pins: { "org/shared": "second" },
  aliases: {
    fast: "own",
    best: ["only-dark", "org/shared@first", "gpt-5.4"],
    hidden: "gpt-5.4",
    gone: "only-dark",
  },
  server: {
    keys: [
      { name: "all", key: "sk-all" },
      { name: "limited", key: "sk-limited", models: ["gpt-*", "fast", "weird*"] },
    ],
  },
};

interface Model {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly owned_by: string;
  readonly permission: unknown[];
  readonly root: string;
  readonly parent: null;
  readonly [extra: string]: unknown;
}

function asKey(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

async function listed(gateway: TestGateway, key = "sk-all"): Promise<Model[]> {
  const response = await gateway.call("/v1/models", undefined, asKey(key));
  assertEquals(response.status, 200);
  const { object, data, ...others } = await response.json();
  assertEquals(object, "list");
  assertEquals(others, {});
  return data;
}

Deno.test("GET /v1/models lists plain IDs once, then shared models by provider, then aliases", async () => {
  const data = await listed(createTestGateway({ config: CONFIG }));
  assertEquals(data.map(({ id, owned_by, root }) => [id, owned_by, root]), [
    ["gpt-5.4", "openai", "gpt-5.4"],
    ["org/shared", "anthropic", "org/shared"],
    ["weird@2024", "openai", "weird@2024"],
    ["@cf/meta/llama", "openai", "@cf/meta/llama"],
    ["two words/ü", "openai", "two words/ü"],
    ["own", "openai", "own"],
    ["claude-opus-5", "anthropic", "claude-opus-5"],
    ["org/shared@first", "openai", "org/shared"],
    ["org/shared@second", "anthropic", "org/shared"],
    ["fast", "openai", "own"],
    ["best", "openai", "org/shared"],
    ["hidden", "openai", "gpt-5.4"],
  ]);
});

Deno.test("GET /v1/models returns every member with its type", async () => {
  for (const model of await listed(createTestGateway({ config: CONFIG }))) {
    assertEquals(model.object, "model");
    assertEquals(Number.isInteger(model.created), true);
    assertEquals(model.permission, []);
    assertEquals(model.parent, null);
  }
});

Deno.test("GET /v1/models shows the facts of the catalog or the configuration only", async () => {
  const data = new Map(
    (await listed(createTestGateway({ config: CONFIG }))).map((model) => [model.id, model]),
  );
  assertEquals(data.get("weird@2024"), {
    id: "weird@2024",
    object: "model",
    created: LOADED_AT,
    owned_by: "openai",
    permission: [],
    root: "weird@2024",
    parent: null,
  });
  const capabilities = {
    embeddings: false,
    tools: true,
    vision: true,
    json_schema: true,
    reasoning: true,
    streaming: true,
  };
  const own = {
    id: "own",
    object: "model",
    created: Date.parse("2026-03-05") / 1000,
    owned_by: "openai",
    permission: [],
    root: "own",
    parent: null,
    context_window: 1000,
    context_length: 1000,
    max_model_len: 1000,
    max_output_tokens: 128_000,
    capabilities,
    prices: { input: 0.75, output: 4.5, cached_input: 0.075, tiers: { flex: 0.5 } },
  };
  assertEquals(data.get("own"), own);
  assertEquals(data.get("fast"), { ...own, id: "fast" });
});

Deno.test("models: names and descriptions are those of config.yaml, an alias has its own", async () => {
  const description = "Cheap and fast";
  const models = [{ id: "gpt-5.4-mini", display_name: "GPT mini", description }, "gpt-5.4"];
  const gateway = createTestGateway({
    config: {
      providers: { one: { kind: "openai", api_key: VENDOR_KEY, models } },
      aliases: {
        "claude-code-mini": { display_name: "Mini for agents", targets: ["gpt-5.4-mini"] },
        plain: "gpt-5.4-mini",
      },
    },
  });
  const labels = (data: readonly Record<string, unknown>[]) =>
    data.map(({ id, display_name, description }) => [id, display_name, description]);
  const list = async (headers: Record<string, string>) =>
    labels((await (await gateway.call("/v1/models?limit=1000", undefined, headers)).json()).data);
  assertEquals(await list({}), [
    ["gpt-5.4-mini", "GPT mini", description],
    ["gpt-5.4", undefined, undefined],
    ["claude-code-mini", "Mini for agents", undefined],
    ["plain", undefined, undefined],
  ]);
  assertEquals(await list({ "anthropic-version": "2023-06-01" }), [
    ["gpt-5.4-mini", "GPT mini", description],
    ["gpt-5.4", "gpt-5.4", undefined],
    ["claude-code-mini", "Mini for agents", undefined],
    ["plain", "plain", undefined],
  ]);
});

/** A path behind `/v1/models/`, and the model that it names, or undefined. */
const PATHS: readonly (readonly [string, string | undefined, string?])[] = [
  ["gpt-5.4", "gpt-5.4"],
  ["org/shared", "org/shared"],
  ["org%2Fshared", "org/shared"],
  ["org%2fshared", "org/shared"],
  ["org/shared@first", "org/shared@first", "org/shared"],
  ["org%2Fshared%40second", "org/shared@second", "org/shared"],
  ["org/shared%40first", "org/shared@first", "org/shared"],
  ["gpt-5.4@first", "gpt-5.4@first", "gpt-5.4"],
  ["weird@2024", "weird@2024"],
  ["weird%402024", "weird@2024"],
  ["weird@2024@first", "weird@2024@first", "weird@2024"],
  ["weird%402024%40first", "weird@2024@first", "weird@2024"],
  ["@cf/meta/llama", "@cf/meta/llama"],
  ["%40cf%2Fmeta%2Fllama", "@cf/meta/llama"],
  ["@cf/meta/llama@first", "@cf/meta/llama@first", "@cf/meta/llama"],
  ["two%20words%2F%C3%BC", "two words/ü"],
  ["fast", "fast", "own"],
  ["best", "best", "org/shared"],
  ["hidden", "hidden", "gpt-5.4"],
  ["hidden@first", "hidden@first", "hidden"],
  ["gpt-5.4@second", undefined],
  ["fast@first", undefined],
  ["org/shared@dark", undefined],
  ["only-dark", undefined],
  ["gone", undefined],
  ["nothing", undefined],
  ["Gpt-5.4", undefined],
  ["org%252Fshared", undefined],
  ["%E0%A4%A", undefined],
  ["__proto__", undefined],
  ["constructor", undefined],
];

for (const [path, id, root = id] of PATHS) {
  Deno.test(`GET /v1/models/${path} ${id === undefined ? "is a 404" : `answers as '${id}'`}`, async () => {
    const gateway = createTestGateway({ config: CONFIG });
    const response = await gateway.call(`/v1/models/${path}`, undefined, asKey("sk-all"));
    const body = await response.json();
    if (id === undefined) {
      assertEquals(response.status, 404);
      assertEquals({ ...body.error, message: "" }, {
        message: "",
        type: "invalid_request_error",
        param: "model",
        code: "model_not_found",
      });
    } else {
      assertEquals(response.status, 200);
      assertEquals([body.id, body.root, body.object], [id, root, "model"]);
    }
  });
}

Deno.test("GET /v1/models/{id} suggests similar models that the key may use", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const reported = async (path: string, key: string) => {
    const response = await gateway.call(`/v1/models/${path}`, undefined, asKey(key));
    return (await response.json()).error.message;
  };
  assertEquals(
    await reported("hiden", "sk-all"),
    "The model 'hiden' does not exist; did you mean 'hidden'? See GET /v1/models",
  );
  assertEquals(
    await reported("hiden", "sk-limited"),
    "The model `hiden` does not exist or you do not have access to it; see GET /v1/models",
  );
  assertEquals(
    await reported("gpt-5.5", "sk-limited"),
    "The model `gpt-5.5` does not exist or you do not have access to it; did you mean 'gpt-5.4'? See GET /v1/models",
  );
});

Deno.test("GET /v1/models lists for a limited key only what it may name", async () => {
  const data = await listed(createTestGateway({ config: CONFIG }), "sk-limited");
  assertEquals(data.map(({ id }) => id), ["gpt-5.4", "weird@2024", "fast"]);
});

/** What the limited key may do with each name: retrieve it, and chat with it. */
const LIMITED: readonly (readonly [model: string, retrieved: number, chatted: number])[] = [
  ["gpt-5.4", 200, 200],
  ["gpt-5.4@first", 200, 200],
  ["weird@2024@first", 200, 200],
  ["fast", 200, 200],
  ["own", 404, 404],
  ["hidden", 404, 404],
  ["org/shared@first", 404, 404],
  ["claude-opus-5", 404, 404],
  ["gpt-9", 404, 404],
  ["only-dark", 404, 404],
];

for (const [model, retrieved, chatted] of LIMITED) {
  Deno.test(`a limited key gets ${retrieved} and ${chatted} for the model '${model}'`, async () => {
    const vendor = new ScriptedVendor();
    const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
    const one = await gateway.call(`/v1/models/${model}`, undefined, asKey("sk-limited"));
    await one.body?.cancel();
    const request = { model, messages: [{ role: "user", content: "Hi" }] };
    const answer = await gateway.call("/v1/chat/completions", request, asKey("sk-limited"));
    const { error } = await answer.json();
    assertEquals([one.status, answer.status], [retrieved, chatted]);
    assertEquals(vendor.sent.length, chatted === 200 ? 1 : 0);
    if (chatted === 200) return;
    assertEquals({ ...error, message: "" }, {
      message: "",
      type: "invalid_request_error",
      param: "model",
      code: "model_not_found",
    });
  });
}

/** Models that the limited key may not use, each with a similar unknown name. */
const HIDDEN: readonly (readonly [hidden: string, unknown: string])[] = [
  ["hidden", "hodden"],
  ["own", "ewn"],
  ["org/shared@first", "org/shired@first"],
  ["org/shared@second", "org/shared@nobody"],
  ["best", "bost"],
  ["claude-opus-5", "claude-opus-9"],
];

for (const [hidden, unknown] of HIDDEN) {
  Deno.test(`for a limited key, the hidden model '${hidden}' looks like an unknown one everywhere`, async () => {
    const messages = [{ role: "user", content: "Hi" }];
    const bodies = (model: string) => [
      { model, messages },
      { model, messages, stream: true },
      { model: "fast", models: ["gpt-5.4", model], messages },
    ];
    const tell = async (model: string) => {
      const gateway = createTestGateway({ config: CONFIG });
      const answers = [
        await gateway.call(`/v1/models/${model}`, undefined, asKey("sk-limited")),
        await gateway.call(
          `/v1/models/${encodeURIComponent(model)}`,
          undefined,
          asKey("sk-limited"),
        ),
      ];
      for (const body of bodies(model)) {
        for (const extra of [{}, { "x-sluice-explain": "true" }, { "x-sluice-strict": "true" }]) {
          const headers = { ...asKey("sk-limited"), ...extra };
          answers.push(await gateway.call("/v1/chat/completions", body, headers));
        }
      }
      return await Promise.all(answers.map(async (answer) => ({
        status: answer.status,
        headers: [...answer.headers],
        text: (await answer.text()).replaceAll(model, "MODEL"),
      })));
    };
    const reported = await tell(hidden);
    assertEquals(reported, await tell(unknown));
    assertEquals(new Set(reported.map(({ status }) => status)), new Set([404]));
    assertStringIncludes(
      reported[0]?.text ?? "",
      "The model `MODEL` does not exist or you do not have access to it",
    );
  });
}

Deno.test("a 404 for a limited key never suggests a model that it may not name", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const request = { model: "claude-opus-55", messages: [{ role: "user", content: "Hi" }] };
  for (const [key, suggested] of [["sk-all", true], ["sk-limited", false]] as const) {
    const answer = await gateway.call("/v1/chat/completions", request, asKey(key));
    const { error } = await answer.json();
    assertEquals(error.message.includes("did you mean 'claude-opus-5'?"), suggested);
  }
});

/** A model string, and the provider and upstream model that answer it. */
const CHATS: readonly (readonly [string, string, string])[] = [
  ["gpt-5.4", "first", "gpt-5.4"],
  ["own", "first", "gpt-5.4-mini"],
  ["fast", "first", "gpt-5.4-mini"],
  ["hidden", "first", "gpt-5.4"],
  ["hidden@first", "first", "hidden"],
  ["best", "first", "org/shared"],
  ["org/shared", "second", "org/shared"],
  ["org/shared@first", "first", "org/shared"],
  ["org/shared@second", "second", "org/shared"],
  ["weird@2024", "first", "weird@2024"],
  ["weird@2024@first", "first", "weird@2024"],
  ["@cf/meta/llama@first", "first", "@cf/meta/llama"],
  ["two words/ü", "first", "two words/ü"],
];

for (const [model, provider, upstream] of CHATS) {
  Deno.test(`a chat with '${model}' goes to ${provider} as '${upstream}'`, async () => {
    const vendor = new ScriptedVendor();
    const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
    const request = { model, messages: [{ role: "user", content: "Hi" }] };
    const answer = await gateway.call("/v1/chat/completions", request, asKey("sk-all"));
    assertEquals(answer.status, 200);
    assertEquals((await answer.json()).choices[0].message.content, "Hello.");
    assertEquals(vendor.body.model, upstream);
    assertEquals(answer.headers.get("x-sluice-provider"), provider);
    assertEquals(answer.headers.get("x-sluice-model"), upstream.replace(/[^\x20-\x7e]/g, "?"));
    assertEquals(answer.headers.get("x-sluice-attempts"), "1");
  });
}

Deno.test("GET /v1/providers shows enabled and disabled providers, with the reason", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const response = await gateway.call("/v1/providers", undefined, asKey("sk-all"));
  const { object, data, kinds } = await response.json();
  assertEquals([response.status, object], [200, "list"]);
  assertEquals(data.map((row: Record<string, unknown>) => [row.id, row.kind, row.state]), [
    ["first", "openai", "on"],
    ["second", "anthropic", "on"],
    ["dark", "openai", "off"],
  ]);
  assertStringIncludes(data[2].reason, "UNSET");
  const names = kinds.map(({ kind }: { kind: string }) => kind);
  assertEquals(names, [...adapters.keys()]);
  const anthropic = kinds.find(({ kind }: { kind: string }) => kind === "anthropic");
  assertEquals(anthropic.parameters.stop, { verdict: "renamed", to: "stop_sequences" });
});

Deno.test("GET /v1/providers names no model that a limited key may not name", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const response = await gateway.call("/v1/providers", undefined, asKey("sk-limited"));
  const { data } = await response.json();
  const names = data.flatMap(({ models = [] }: { models?: string[] }) => models);
  assert(names.length > 0);
  assertEquals(names.filter((name: string) => /claude|own|hidden|shared/.test(name)), []);
});

Deno.test("a name that an alias with a * has is no row, but is found, answered, explained and counted", async () => {
  const config = {
    providers: { mock: { kind: "mock", models: ["mock-echo"] } },
    aliases: { "claude-*": "mock-echo" },
    server: { keys: [{ name: "all", key: "sk-all" }] },
  };
  const gateway = createTestGateway({ config });
  const names = ["claude-opus-5-5", "claude-haiku-5-5"];
  assertEquals((await listed(gateway)).map(({ id }) => id), ["mock-echo"]);
  for (const model of names) {
    const ask = { model, messages: [{ role: "user", content: "hi" }] };
    const found = await gateway.call(`/v1/models/${model}`, undefined, asKey("sk-all"));
    const { id, root } = await found.json();
    assertEquals([id, root], [model, "mock-echo"]);
    const answer = await gateway.call("/v1/chat/completions", ask, asKey("sk-all"));
    assertEquals(answer.headers.get("x-sluice-model"), "mock-echo");
    assertEquals((await answer.json()).choices[0].message.content, "You said: hi");
    const headers = { ...asKey("sk-all"), "x-sluice-explain": "true" };
    const explained = await gateway.call("/v1/chat/completions", ask, headers);
    assertEquals((await explained.json()).alias, "claude-*");
  }
  const usage = await gateway.call("/v1/usage?group_by=model", undefined, asKey("sk-all"));
  const { data } = await usage.json();
  assertEquals(
    data.map(({ model, requests }: { model: string; requests: number }) => [
      model,
      requests,
    ]),
    [["claude-*", 2]],
  );
});

Deno.test("Codex gets the list that it can read, empty, so that it keeps its own entries", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const headers = { authorization: "Bearer sk-all" };
  const read = async (path: string) => await (await gateway.call(path, undefined, headers)).json();
  const { data, models, ...others } = await read("/v1/models?client_version=0.169.0");
  assertEquals(models, []);
  assertEquals({ ...others, data }, await read("/v1/models"));
});
