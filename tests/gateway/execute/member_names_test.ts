/** Names of members in another case, and settings with several names, on every endpoint. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { EXPLAINED_FORMATS } from "../../../src/tools/explained_formats.ts";
import type { GatewayError } from "../../../src/core/errors.ts";
import type { Support } from "../../../src/contract/support.ts";
import { CHOICES, OUTPUT_LIMITS } from "../../../src/apis/chat/output_limits.ts";
import { VENDOR_FIELDS } from "../../../src/gateway/execute/member_names.ts";
import { OPERATIONS } from "../../../src/gateway/execute/list.ts";
import { adapters } from "../../../src/providers/registry.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";

type Members = Record<string, unknown>;

const TURN = { role: "user", content: "Hi" };
const CHAT = { model: "m", messages: [TURN] };
const CONTENTS = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
const CONTENT = { content: { parts: [{ text: "Hi" }] } };

/** Endpoints with a JSON body: a request, and a member besides those that it has. */
const ENDPOINTS: readonly (readonly [path: string, request: Members, other: string])[] = [
  ["/v1/chat/completions", CHAT, "max_tokens"],
  ["/v1/messages", { ...CHAT, max_tokens: 9 }, "top_k"],
  ["/v1/messages/count_tokens", CHAT, "tools"],
  ["/v1/responses", { model: "m", input: "Hi" }, "max_output_tokens"],
  ["/v1/responses/input_tokens", { model: "m", input: "Hi" }, "instructions"],
  ["/v1/responses/compact", { model: "m", input: "Hi" }, "instructions"],
  ["/v1/embeddings", { model: "m", input: "Hi" }, "dimensions"],
  ["/v1/rerank", { model: "m", query: "q", documents: ["a"] }, "top_n"],
  ["/v1/moderations", { model: "m", input: "Hi" }, "user"],
  ["/v1/images/generations", { model: "m", prompt: "x" }, "n"],
  ["/v1/audio/speech", { model: "m", input: "Hi", voice: "alloy" }, "speed"],
  ["/v1beta/models/m:generateContent", { model: "m", ...CONTENTS }, "generationConfig"],
  ["/v1beta/models/m:countTokens", CONTENTS, "generateContentRequest"],
  ["/v1beta/models/m:embedContent", CONTENT, "outputDimensionality"],
  ["/api/chat", CHAT, "options"],
  ["/api/generate", { model: "m", prompt: "Hi" }, "keep_alive"],
  ["/api/embed", { model: "m", input: "Hi" }, "dimensions"],
  ["/api/embeddings", { model: "m", prompt: "Hi" }, "options"],
];

/** Other spellings of a name that parsers of Go take for it. */
function variantsOf(name: string): string[] {
  const capitalized = name.charAt(0).toUpperCase() + name.slice(1);
  const mixed = name.charAt(0) + name.charAt(1).toUpperCase() + name.slice(2);
  const long = name.replace("s", "\u017f");
  const kelvin = name.replace("k", "\u212a");
  return [...new Set([capitalized, mixed, name.toUpperCase(), long, kelvin])]
    .filter((variant) => variant !== name);
}

function createWorld() {
  const sent: string[] = [];
  const gateway = createTestGateway({
    config: {
      providers: {
        p: {
          kind: "openai_compatible",
          base_url: "http://vendor.test/v1",
          api_key: VENDOR_KEY,
          models: [{ id: "m", prices: { input: 1, output: 10 } }],
        },
      },
    },
    fetch: (_, { body }) => {
      sent.push(String(body));
      return Promise.resolve(Response.json({ error: { message: "no" } }, { status: 400 }));
    },
  });
  return { gateway, sent };
}

Deno.test("members in another case are refused on every endpoint", async () => {
  const { gateway, sent } = createWorld();
  for (const [path, request, other] of ENDPOINTS) {
    for (const name of [...Object.keys(request), other, "model"]) {
      for (const variant of variantsOf(name)) {
        const response = await gateway.call(path, { ...request, [variant]: request[name] ?? "x" });
        const title = `${path} ${variant}: ${await response.clone().text()}`;
        assertEquals(response.status, 400, title);
        assertStringIncludes(await response.text(), `'${variant}': must be written`, title);
      }
    }
  }
  assertEquals(sent, []);
  assertEquals(gateway.bugs, []);
});

Deno.test("members within options and generationConfig are too", async () => {
  const { gateway, sent } = createWorld();
  const inner: readonly (readonly [path: string, request: Members, name: string])[] = [
    ["/api/chat", CHAT, "options.Num_Predict"],
    ["/api/generate", { model: "m", prompt: "Hi" }, "options.num_ctX"],
    ["/v1/chat/completions", CHAT, "options.NUM_PREDICT"],
    ["/v1beta/models/m:generateContent", CONTENTS, "generationConfig.MaxOutputTokens"],
    ["/v1beta/models/m:generateContent", CONTENTS, "generation_config.max_Output_tokens"],
  ];
  for (const [path, request, param] of inner) {
    const [outer = "", name = ""] = param.split(".");
    const response = await gateway.call(path, { ...request, [outer]: { [name]: 5 } });
    const text = await response.text();
    assertEquals(response.status, 400, `${param}: ${text}`);
    assertStringIncludes(text, `'${param}': must be written`);
  }
  assertEquals(sent, []);
});

Deno.test("names that are no spelling of a known one reach the vendor", async () => {
  const { gateway, sent } = createWorld();
  await (await gateway.call("/v1/chat/completions", { ...CHAT, topk: 3, my_Own: 1, max: 2 })).body
    ?.cancel();
  for (const name of ['"topk":3', '"my_Own":1', '"max":2']) {
    assertStringIncludes(sent.join(), name);
  }
});

/** Two names of one setting, on an endpoint, with different values. */
type Pair = readonly [path: string, request: Members, names: readonly [string, string]];

const INPUT = { model: "m", input: "Hi" };
const GENERATE = "/v1beta/models/m:generateContent";
const SCHEMA = { type: "json_schema", schema: { type: "object" } };

const PAIRS: readonly Pair[] = [
  ...["maxTokens", "max_completion_tokens", "max_new_tokens", "n_predict", "max_output_tokens"]
    .flatMap((name) =>
      ["/v1/chat/completions", "/v1/messages", "/api/chat"].flatMap((path): Pair[] => [
        [path, { ...CHAT, max_tokens: 5, [name]: 6000 }, ["max_tokens", name]],
        [path, { ...CHAT, [name]: 5, max_tokens: 6000 }, ["max_tokens", name]],
      ])
    ),
  ["/v1/chat/completions", { ...CHAT, max_tokens: 5, options: { num_predict: 6 } }, [
    "max_tokens",
    "options.num_predict",
  ]],
  ["/v1/chat/completions", { ...CHAT, n: 1, num_return_sequences: 9 }, [
    "n",
    "num_return_sequences",
  ]],
  ["/v1/chat/completions", { ...CHAT, reasoning_effort: "low", reasoning: { effort: "high" } }, [
    "reasoning_effort",
    "reasoning.effort",
  ]],
  ["/v1/chat/completions", { ...INPUT, verbosity: "low", text: { verbosity: "high" } }, [
    "verbosity",
    "text.verbosity",
  ]],
  ["/v1/completions", { model: "m", prompt: "Hi", max_tokens: 5, max_completion_tokens: 6 }, [
    "max_tokens",
    "max_completion_tokens",
  ]],
  ["/v1/messages", {
    ...{ ...CHAT, max_tokens: 5, output_config: { format: SCHEMA } },
    output_format: { ...SCHEMA, schema: { type: "string" } },
  }, ["output_format", "output_config.format"]],
  ["/v1/responses", { ...INPUT, max_output_tokens: 5, maxOutputTokens: 6 }, [
    "max_output_tokens",
    "maxOutputTokens",
  ]],
  ["/v1/responses", { ...INPUT, max_output_tokens: 5, max_tokens: 6 }, [
    "max_output_tokens",
    "max_tokens",
  ]],
  ["/v1/responses", { ...INPUT, reasoning: { effort: "low" }, reasoning_effort: "high" }, [
    "reasoning.effort",
    "reasoning_effort",
  ]],
  ["/v1/responses", { ...INPUT, reasoning: { summary: "auto", generate_summary: "concise" } }, [
    "reasoning.summary",
    "reasoning.generate_summary",
  ]],
  ["/v1/embeddings", { ...INPUT, input_type: "query", task_type: "document" }, [
    "input_type",
    "task_type",
  ]],
  ["/v1/rerank", { model: "m", query: "q", documents: ["a"], top_n: 1, top_k: 2 }, [
    "top_n",
    "top_k",
  ]],
  ["/v1/images/generations", { model: "m", prompt: "x", n: 1, num_return_sequences: 2 }, [
    "n",
    "num_return_sequences",
  ]],
  [GENERATE, {
    ...CONTENTS,
    generationConfig: { maxOutputTokens: 5 },
    generation_config: { maxOutputTokens: 6 },
  }, ["generationConfig", "generation_config"]],
  ...[
    ["maxOutputTokens", "max_output_tokens"] as const,
    ["maxOutputTokens", "max_tokens"] as const,
    ["candidateCount", "candidate_count"] as const,
    ["topP", "top_p"] as const,
    ["responseSchema", "responseJsonSchema"] as const,
    ["responseSchema", "response_json_schema"] as const,
  ].map(([one, other]): Pair => [
    GENERATE,
    {
      ...CONTENTS,
      generationConfig: one.startsWith("response")
        ? { [one]: { type: "object" }, [other]: { type: "string" } }
        : { [one]: 1, [other]: 0 },
    },
    [`generationConfig.${one}`, `generationConfig.${other}`],
  ]),
  [GENERATE, {
    ...CONTENTS,
    generation_config: { thinkingConfig: { thinkingBudget: 128, thinking_budget: 24_576 } },
  }, [
    "generation_config.thinkingConfig.thinkingBudget",
    "generation_config.thinkingConfig.thinking_budget",
  ]],
  [GENERATE, {
    ...CONTENTS,
    toolConfig: {
      functionCallingConfig: { allowedFunctionNames: ["a"], allowed_function_names: ["b"] },
    },
  }, [
    "toolConfig.functionCallingConfig.allowedFunctionNames",
    "toolConfig.functionCallingConfig.allowed_function_names",
  ]],
  ["/api/chat", { ...CHAT, name: "secret" }, ["model", "name"]],
  ["/api/chat", { ...CHAT, max_tokens: 5, options: { num_predict: 6 } }, [
    "max_tokens",
    "options.num_predict",
  ]],
  ...["/api/chat", "/api/generate"].map((path): Pair => [
    path,
    { ...CHAT, prompt: "Hi", options: { num_predict: 6, maxTokens: 7 } },
    ["options.num_predict", "options.maxTokens"],
  ]),
];

Deno.test("two values of one setting are refused, with both names", async () => {
  const { gateway, sent } = createWorld();
  for (const [path, request, names] of PAIRS) {
    const response = await gateway.call(path, request);
    const text = await response.text();
    assertEquals(response.status, 400, `${path} ${names}: ${text}`);
    assertStringIncludes(text, "are one setting with two values", `${path} ${names}`);
    for (const name of names) assertStringIncludes(text, `'${name}'`, path);
  }
  assertEquals(sent, []);
});

Deno.test("two names of one setting with one value are accepted", async () => {
  const { gateway, sent } = createWorld();
  const bodies = [
    '"max_tokens":5,"max_completion_tokens":5',
    '"max_tokens":5,"max_completion_tokens":5.0',
    '"max_tokens":5,"maxTokens":5,"options":{"num_predict":5}',
    '"max_tokens":5,"max_completion_tokens":null',
    '"max_tokens":5,"n":1,"best_of":2',
    '"reasoning_effort":"low","reasoning":{"effort":"low"}',
    '"reasoning_effort":"low","reasoning":{"max_tokens":9}',
  ];
  for (const members of bodies) {
    const text = `{"model":"m","messages":[{"role":"user","content":"Hi"}],${members}}`;
    const before = sent.length;
    await (await gateway.call("/v1/chat/completions", text)).body?.cancel();
    assertEquals(sent.length, before + 1, members);
  }
});

Deno.test("the largest output that is sent is reserved, under any name", async () => {
  const million = 1_000_000;
  const cases: readonly (readonly [path: string, request: Members])[] = [
    ...["max_tokens", "max_completion_tokens", "max_new_tokens", "n_predict", "max_output_tokens"]
      .map((name) => ["/v1/chat/completions", { ...CHAT, [name]: million }] as const),
    ["/v1/chat/completions", { ...CHAT, max_new_tokens: String(million) }],
    ["/v1/chat/completions", {
      ...CHAT,
      ...{ max_tokens: million, max_completion_tokens: million },
    }],
    ["/v1/completions", { model: "m", prompt: "Hi", max_new_tokens: million }],
    ["/v1/chat/completions", { ...CHAT, max_tokens: 10_000, n: 1, best_of: 128 }],
    ["/v1/responses", { model: "m", input: "Hi", max_tokens: million }],
    ["/api/chat", { ...CHAT, options: { num_predict: million } }],
    ["/v1beta/models/m:generateContent", {
      ...CONTENTS,
      generation_config: { max_output_tokens: million },
    }],
  ];
  for (const [path, request] of cases) {
    const { gateway, sent } = createWorld();
    const response = await gateway.call(path, request, { "x-sluice-max-cost": "0.5" });
    const text = await response.text();
    assertEquals(sent, [], `${path} ${Object.keys(request)}`);
    assert(text.includes("max-cost") || text.includes("cost"), text);
  }
});

Deno.test("a default limit of the configuration gives way to the caller's, under any name", async () => {
  const sent: Members[] = [];
  const gateway = createTestGateway({
    config: {
      providers: {
        p: {
          kind: "openai_compatible",
          base_url: "http://vendor.test/v1",
          models: [{ id: "m", params: { max_tokens: 500, temperature: 1 } }],
        },
      },
    },
    fetch: (_, { body }) => {
      sent.push(JSON.parse(String(body)));
      return Promise.resolve(Response.json({}, { status: 400 }));
    },
  });
  await (await gateway.call("/v1/chat/completions", { ...CHAT, max_completion_tokens: 5 })).body
    ?.cancel();
  const [{ max_tokens, max_completion_tokens, temperature } = {}] = sent;
  assertEquals([max_tokens, max_completion_tokens, temperature], [undefined, 5, 1]);
});

Deno.test("explanations refuse the same names", () => {
  for (
    const [format, body] of [
      ["chat_completions", { ...CHAT, Max_tokens: 5 }],
      ["ollama_chat", { ...CHAT, options: { NUM_PREDICT: 5 } }],
      ["generate_content", { model: "m", ...CONTENTS, generationConfig: { TopP: 1 } }],
    ] as const
  ) {
    let message = "";
    try {
      EXPLAINED_FORMATS.get(format)?.(body);
    } catch (thrown) {
      message = (thrown as GatewayError).message;
    }
    assertStringIncludes(message, "must be written", format);
  }
});

Deno.test("VENDOR_FIELDS has the fields of all vendors' tables", () => {
  const fields = [...adapters.values()].flatMap((adapter) =>
    [adapter, ...Object.values(adapter.apis)].flatMap((api) => {
      const { parameters, extensions } = api.supports;
      const rules: Readonly<Record<string, Pick<Support, "level"> & { readonly to?: string }>> = {
        ...parameters,
        ...(extensions === "all" ? {} : extensions),
      };
      return Object.entries(rules).flatMap(([name, { to }]) =>
        to === undefined || to.includes(".") ? name : [name, to]
      );
    })
  );
  const ofFormats = OPERATIONS.flatMap(({ endpoints }) =>
    endpoints.flatMap(({ schema }) => Object.keys(schema.shape))
  );
  const inOpenNames = ["options", "provider", "task", "top_k", "min_p"];
  const others = [...ofFormats, ...OUTPUT_LIMITS, ...CHOICES, ...inOpenNames];
  const missing = new Set(fields).difference(new Set([...others, ...VENDOR_FIELDS]));
  assertEquals([...missing], [], "Add these names to VENDOR_FIELDS");
  const stale = new Set(VENDOR_FIELDS).difference(new Set(fields));
  assertEquals([...stale], [], "No vendor has these fields");
});
