/** The lists of vendors, read from pages in the form of their documentation. */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { adapters } from "../../src/providers/registry.ts";
import { type ListCall, readList } from "../support/model_lists.ts";

/** Answers by the end of the URL's path, without its query. */
function answering(pages: Readonly<Record<string, unknown>>) {
  const byPath = new Map(Object.entries(pages));
  return ({ url }: ListCall) => {
    const { pathname, search } = new URL(url);
    const page = byPath.get(pathname + search) ?? byPath.get(pathname);
    return page === undefined ? new Response("", { status: 404 }) : Response.json(page);
  };
}

interface Case {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly pages: Readonly<Record<string, unknown>>;
  readonly models: readonly unknown[];
  /** The requests, as method and URL. */
  readonly calls?: readonly string[];
}

const KEY = { api_key: "sk-1" };

const CASES: Readonly<Record<string, Case>> = {
  openai: {
    entry: { kind: "openai", ...KEY },
    pages: {
      "/v1/models": {
        object: "list",
        data: [{ id: "gpt-5.4", object: "model", created: 1_767_225_600, owned_by: "system" }],
      },
    },
    models: [{ id: "gpt-5.4", facts: { created: 1_767_225_600 } }],
    calls: ["GET https://api.openai.com/v1/models"],
  },
  openrouter: {
    entry: { kind: "openrouter", ...KEY },
    pages: {
      "/api/v1/models": {
        data: [{
          ...{ id: "z-ai/glm-5.2", name: "Z.AI: GLM 5.2", created: 1_772_000_000 },
          context_length: 200_000,
          architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
          pricing: { prompt: "0.0000006", completion: "0.0000022", input_cache_read: "0.00000011" },
          top_provider: { context_length: 200_000, max_completion_tokens: 65_536 },
          supported_parameters: ["tools", "reasoning", "temperature"],
        }, {
          ...{ id: "openrouter/auto", name: "Auto Router", context_length: 2_000_000 },
          pricing: { prompt: "-1", completion: "-1" },
        }],
      },
    },
    models: [{
      id: "z-ai/glm-5.2",
      facts: {
        created: 1_772_000_000,
        display_name: "Z.AI: GLM 5.2",
        context_window: 200_000,
        max_output_tokens: 65_536,
        capabilities: { vision: true, tools: true, json_schema: false, reasoning: true },
        prices: { input: 0.6, output: 2.2, cached_input: 0.11 },
      },
    }, {
      id: "openrouter/auto",
      facts: { display_name: "Auto Router", context_window: 2_000_000 },
    }],
  },
  together: {
    entry: { kind: "together", ...KEY },
    pages: {
      "/v1/models": [
        {
          ...{ id: "zai-org/GLM-5.2", type: "chat", display_name: "GLM 5.2", created: 1 },
          context_length: 131_072,
          pricing: { input: 0.6, output: 2.2, cached_input: 0.12, hourly: 0 },
        },
        { id: "BAAI/bge", type: "embedding", pricing: { input: 0.01, output: 0 } },
        { id: "a/speech", type: "audio" },
      ],
    },
    models: [{
      id: "zai-org/GLM-5.2",
      facts: {
        created: 1,
        context_window: 131_072,
        display_name: "GLM 5.2",
        prices: { input: 0.6, output: 2.2, cached_input: 0.12 },
      },
    }, { id: "BAAI/bge", facts: { capabilities: { embeddings: true } } }],
  },
  deepinfra: {
    entry: { kind: "deepinfra", ...KEY },
    pages: {
      "/v1/openai/models": {
        data: [{
          id: "deepseek-ai/DeepSeek-V4-Pro",
          metadata: {
            ...{ context_length: 163_840, max_tokens: 163_840 },
            pricing: { input_tokens: 0.5, output_tokens: 1.5, cache_read_tokens: 0.05 },
          },
        }, { id: "bare", metadata: null }],
      },
    },
    models: [{
      id: "deepseek-ai/DeepSeek-V4-Pro",
      facts: {
        context_window: 163_840,
        max_output_tokens: 163_840,
        prices: { input: 0.5, output: 1.5, cached_input: 0.05 },
      },
    }, { id: "bare", facts: {} }],
  },
  groq: {
    entry: { kind: "groq", ...KEY },
    pages: {
      "/openai/v1/models": {
        data: [
          {
            ...{ id: "openai/gpt-oss-20b", active: true, created: 5 },
            ...{ context_window: 131_072, max_completion_tokens: 65_536 },
          },
          { id: "old", active: false },
        ],
      },
    },
    models: [{
      id: "openai/gpt-oss-20b",
      facts: { created: 5, context_window: 131_072, max_output_tokens: 65_536 },
    }],
  },
  mistral: {
    entry: { kind: "mistral", ...KEY },
    pages: {
      "/v1/models": {
        data: [{
          ...{ id: "mistral-large-4", created: 1_795_000_000, max_context_length: 262_144 },
          capabilities: { completion_chat: true, function_calling: true, vision: false },
        }, {
          ...{ id: "mistral-embed", max_context_length: 8192 },
          capabilities: { completion_chat: false },
        }, {
          ...{ id: "mistral-ocr-latest", max_context_length: 16_384 },
          capabilities: { completion_chat: false },
        }],
      },
    },
    models: [{
      id: "mistral-large-4",
      facts: { context_window: 262_144, capabilities: { tools: true, vision: false } },
    }, {
      id: "mistral-embed",
      facts: { context_window: 8192, capabilities: { embeddings: true } },
    }],
  },
  anthropic: {
    entry: { kind: "anthropic", ...KEY },
    pages: {
      "/v1/models?limit=1000": {
        data: [{
          ...{ type: "model", id: "claude-opus-5", display_name: "Claude Opus 5" },
          ...{ created_at: "2026-02-04T00:00:00Z", lifecycle: "active" },
          ...{ max_input_tokens: 1_000_000, max_tokens: 128_000 },
          capabilities: { image_input: { supported: true }, thinking: { supported: false } },
        }],
        ...{ has_more: true, first_id: "claude-opus-5", last_id: "claude-opus-5" },
      },
      "/v1/models?limit=1000&after_id=claude-opus-5": {
        data: [
          { id: "claude-2", lifecycle: "retired" },
          { id: "claude-x", capabilities: null, max_tokens: null },
        ],
        has_more: false,
      },
    },
    models: [{
      id: "claude-opus-5",
      facts: {
        created: 1_770_163_200,
        display_name: "Claude Opus 5",
        context_window: 1_000_000,
        max_output_tokens: 128_000,
        capabilities: { vision: true, reasoning: false },
      },
    }, { id: "claude-x", facts: {} }],
    calls: [
      "GET https://api.anthropic.com/v1/models?limit=1000",
      "GET https://api.anthropic.com/v1/models?limit=1000&after_id=claude-opus-5",
    ],
  },
  cohere: {
    entry: { kind: "cohere", ...KEY },
    pages: {
      "/v1/models?page_size=1000": {
        models: [
          {
            ...{ name: "command-a-03-2025", endpoints: ["chat", "generate"], is_deprecated: false },
            ...{ context_length: 288_000, features: ["tools", "json_schema"] },
          },
          { name: "command-r", endpoints: ["chat"], is_deprecated: true },
        ],
        next_page_token: "t/1",
      },
      "/v1/models?page_size=1000&page_token=t%2F1": {
        models: [
          { name: "embed-v4.0", endpoints: ["embed"], context_length: 128_000 },
          { name: "rerank-v4", endpoints: ["rerank"], context_length: 32_000, features: null },
          { name: "c4-classify", endpoints: ["classify"] },
        ],
      },
    },
    models: [{
      id: "command-a-03-2025",
      facts: {
        context_window: 288_000,
        capabilities: { tools: true, vision: false, json_schema: true, reasoning: false },
      },
    }, {
      id: "embed-v4.0",
      facts: { context_window: 128_000, capabilities: { embeddings: true } },
    }, {
      id: "rerank-v4",
      facts: { context_window: 32_000, capabilities: { rerank: true } },
    }],
  },
  ollama: {
    entry: { kind: "ollama" },
    pages: {
      "/api/tags": {
        models: [
          { name: "qwen3:8b", details: { family: "qwen3" } },
          {
            name: "nomic:latest",
            details: { context_length: 2048 },
            capabilities: ["embedding"],
          },
        ],
      },
      "/api/show": {
        capabilities: ["completion", "tools", "thinking"],
        model_info: { "general.architecture": "qwen3", "qwen3.context_length": 40_960 },
        parameters: 'stop "<|im_end|>"\nnum_ctx                        16384',
      },
    },
    models: [{
      id: "qwen3:8b",
      facts: {
        context_window: 16_384,
        capabilities: { tools: true, vision: false, reasoning: true },
      },
    }, {
      id: "nomic:latest",
      facts: { context_window: 2048, capabilities: { embeddings: true } },
    }],
    calls: ["GET http://127.0.0.1:11434/api/tags", "POST http://127.0.0.1:11434/api/show"],
  },
  gemini: {
    entry: { kind: "gemini", ...KEY },
    pages: {
      "/v1beta/models?pageSize=1000": {
        models: [{
          ...{ name: "models/gemini-3.8-flash", displayName: "Gemini 3.8 Flash", thinking: true },
          ...{ inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 },
          supportedGenerationMethods: ["countTokens", "generateContent"],
        }],
        nextPageToken: "p=2",
      },
      "/v1beta/models?pageSize=1000&pageToken=p%3D2": {
        models: [
          {
            ...{ name: "models/gemini-embedding-001", inputTokenLimit: 2048, outputTokenLimit: 1 },
            supportedGenerationMethods: ["embedContent"],
          },
          { name: "models/aqa", supportedGenerationMethods: ["generateAnswer"] },
        ],
      },
    },
    models: [{
      id: "gemini-3.8-flash",
      facts: {
        display_name: "Gemini 3.8 Flash",
        context_window: 1_048_576,
        max_output_tokens: 65_536,
        capabilities: { reasoning: true },
      },
    }, {
      id: "gemini-embedding-001",
      facts: { context_window: 2048, capabilities: { embeddings: true } },
    }],
  },
  vertex: {
    entry: { kind: "vertex", api_key: "k" },
    pages: {
      "/v1beta1/publishers/google/models?pageSize=100": {
        publisherModels: [
          { name: "publishers/google/models/gemini-3.8-flash", versionId: "default" },
          { name: "publishers/google/models/timesfm", versionId: "default" },
        ],
        nextPageToken: "two",
      },
      "/v1beta1/publishers/google/models?pageSize=100&pageToken=two": {
        publisherModels: [{ name: "publishers/google/models/gemini-2.5-pro" }],
      },
      "/v1beta1/publishers/anthropic/models?pageSize=100": {
        publisherModels: [
          { name: "publishers/anthropic/models/claude-sonnet-5", versionId: "default" },
          { name: "publishers/anthropic/models/claude-sonnet-4-5", versionId: "20250929" },
        ],
      },
    },
    models: [
      { id: "gemini-3.8-flash", facts: {} },
      { id: "claude-sonnet-5", facts: {} },
      { id: "claude-sonnet-4-5@20250929", facts: {} },
      { id: "gemini-2.5-pro", facts: {} },
    ],
  },
  bedrock: {
    entry: { kind: "bedrock", region: "eu-west-1", api_key: "k" },
    pages: {
      "/foundation-models?byInferenceType=ON_DEMAND": {
        modelSummaries: [
          {
            ...{ modelId: "amazon.nova-pro-v1:0", modelName: "Nova Pro" },
            ...{ inputModalities: ["TEXT", "IMAGE"], outputModalities: ["TEXT"] },
            modelLifecycle: { status: "ACTIVE" },
          },
          { modelId: "amazon.titan-embed-text-v2:0", outputModalities: ["EMBEDDING"] },
          { modelId: "cohere.rerank-v3-5:0", outputModalities: ["TEXT"] },
          {
            ...{ modelId: "old", outputModalities: ["TEXT"] },
            modelLifecycle: { status: "LEGACY" },
          },
          { modelId: "amazon.nova-reel-v1:0", outputModalities: ["VIDEO"] },
        ],
      },
      "/inference-profiles?maxResults=1000": {
        inferenceProfileSummaries: [{
          ...{ inferenceProfileId: "global.anthropic.claude-opus-5", type: "SYSTEM_DEFINED" },
          ...{ inferenceProfileName: "Global Claude Opus 5", status: "ACTIVE" },
        }],
        nextToken: "n+2",
      },
      "/inference-profiles?maxResults=1000&nextToken=n%2B2": {
        inferenceProfileSummaries: [{
          ...{ inferenceProfileId: "abc123", type: "APPLICATION", status: "ACTIVE" },
          inferenceProfileArn: "arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc123",
          models: [{
            modelArn: "arn:aws:bedrock:eu-west-1::foundation-model/amazon.nova-pro-v1:0",
          }],
        }],
      },
    },
    models: [
      {
        id: "amazon.nova-pro-v1:0",
        facts: { display_name: "Nova Pro", capabilities: { vision: true } },
      },
      { id: "amazon.titan-embed-text-v2:0", facts: { capabilities: { embeddings: true } } },
      { id: "cohere.rerank-v3-5:0", facts: { capabilities: { rerank: true } } },
      { id: "global.anthropic.claude-opus-5", facts: { display_name: "Global Claude Opus 5" } },
      {
        id: "arn:aws:bedrock:eu-west-1:1:application-inference-profile/abc123",
        base: "amazon.nova-pro-v1:0",
        facts: {},
      },
    ],
    calls: [
      "GET https://bedrock.eu-west-1.amazonaws.com/foundation-models?byInferenceType=ON_DEMAND",
      "GET https://bedrock.eu-west-1.amazonaws.com/inference-profiles?maxResults=1000",
      "GET https://bedrock.eu-west-1.amazonaws.com/inference-profiles?maxResults=1000&nextToken=n%2B2",
    ],
  },
  azure: {
    entry: { kind: "azure", api_key: "k", base_url: "https://r.openai.azure.com/openai/v1" },
    pages: {
      "/openai/deployments": {
        object: "list",
        data: [
          { id: "our-mini", model: "gpt-5.4-mini", status: "succeeded", created_at: 1 },
          { id: "half", model: "gpt-5.4", status: "running" },
        ],
      },
    },
    models: [{ id: "our-mini", base: "gpt-5.4-mini", facts: {} }],
    calls: [
      "GET https://r.openai.azure.com/openai/deployments?api-version=2023-03-15-preview",
    ],
  },
  vllm: {
    entry: { kind: "vllm" },
    pages: {
      "/v1/models": {
        object: "list",
        data: [
          {
            ...{ id: "scout", created: 1_795_000_000, owned_by: "vllm", parent: null },
            ...{ root: "meta-llama/Llama-4-Scout", max_model_len: 65_536 },
          },
          { id: "other-server", owned_by: "someone" },
        ],
      },
    },
    models: [{
      id: "scout",
      base: "meta-llama/Llama-4-Scout",
      facts: { context_window: 65_536 },
    }],
  },
  llamacpp: {
    entry: { kind: "llamacpp" },
    pages: {
      "/v1/models": {
        data: [
          { id: "q.gguf", owned_by: "llamacpp", created: 7, meta: { n_ctx: 8192, n_ctx_train: 1 } },
          { id: "p.gguf", owned_by: "llamacpp", meta: null },
        ],
      },
    },
    models: [{ id: "q.gguf", facts: { context_window: 8192 } }, { id: "p.gguf", facts: {} }],
  },
  lmstudio: {
    entry: { kind: "lmstudio" },
    pages: {
      "/api/v0/models": {
        object: "list",
        data: [
          {
            ...{ id: "qwen2-vl-7b", type: "vlm", state: "loaded", capabilities: ["tool_use"] },
            ...{ max_context_length: 32_768, loaded_context_length: 4096 },
          },
          { id: "nomic", type: "embeddings", state: "not-loaded", max_context_length: 2048 },
        ],
      },
    },
    models: [{
      id: "qwen2-vl-7b",
      facts: { context_window: 4096, capabilities: { vision: true, tools: true } },
    }, {
      id: "nomic",
      facts: { context_window: 2048, capabilities: { embeddings: true } },
    }],
    calls: ["GET http://127.0.0.1:1234/api/v0/models"],
  },
};

for (const [kind, { entry, pages, models, calls }] of Object.entries(CASES)) {
  Deno.test(`the list of ${kind}`, async () => {
    const found = await readList(entry, answering(pages));
    assertEquals(found.models, models as typeof found.models);
    if (calls !== undefined) {
      assertEquals(found.calls.map(({ method, url }) => `${method} ${url}`), [...calls]);
    }
  });
}

for (const { kind, models } of adapters.values()) {
  if (models === undefined) continue;
  Deno.test(`the list of ${kind} refuses what is no list`, async () => {
    const provider = { id: "p", baseUrl: "http://127.0.0.1:1/v1", options: { region: "x" } };
    const [request] = models.toRequests(provider);
    for (
      const body of [undefined, null, "x", 5, { a: 1 }, {
        data: {},
        models: 5,
        modelSummaries: "x",
      }]
    ) {
      await assertRejects(
        () => Promise.resolve().then(() => request && models.read(body, request, provider)),
        GatewayError,
      );
    }
  });

  Deno.test(`the list of ${kind} survives entries of any type`, () => {
    const provider = { id: "p", baseUrl: "http://127.0.0.1:1/v1", options: {} };
    const entries = [null, 1, "x", [], {}, { id: 5, name: {} }, { id: "a", name: "a", pricing: 1 }];
    const lists = [
      "data",
      "models",
      "modelSummaries",
      "inferenceProfileSummaries",
      "publisherModels",
    ];
    const body = Object.fromEntries(lists.map((name) => [name, entries]));
    for (const request of models.toRequests(provider)) models.read(body, request, provider);
  });
}

Deno.test("kinds without a list are those that publish none", () => {
  const without = [...adapters.values()].filter(({ models }) => models === undefined);
  assertEquals(without.map(({ kind }) => kind).toSorted().join(" "), EXPECTED_WITHOUT);
});

const EXPECTED_WITHOUT = "jina mock perplexity voyage";

Deno.test("Bedrock's lists are signed with the keys of the account", async () => {
  const keys = { access_key_id: "AKIDEXAMPLE", secret_access_key: "secret" };
  const { calls } = await readList(
    { kind: "bedrock", region: "us-east-1", ...keys },
    () => Response.json({ modelSummaries: [], inferenceProfileSummaries: [] }),
  );
  for (const { headers } of calls) {
    assertMatch(
      headers.authorization ?? "",
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/us-east-1\/bedrock\/aws4_request/,
    );
  }
  assertEquals(calls.length, 2);
});
