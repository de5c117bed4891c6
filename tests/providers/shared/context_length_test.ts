/** Every vendor's way to say that a prompt is too long ends in one kind, which chains wait for. */

import { assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import type { Adapter } from "../../../src/contract/adapter.ts";
import { saysTooLong } from "../../../src/providers/shared/errors.ts";
import { adapters } from "../../../src/providers/registry.ts";
import { createTestGateway } from "../../support/gateway.ts";
import type { UpstreamError } from "../../../src/contract/vendor_request.ts";

const openAiError = (message: string, rest: JsonObject = {}) => ({
  error: { message, type: "invalid_request_error", param: null, code: null, ...rest },
});

/** What vendors answer with 400. */
const BODIES: readonly (readonly [kind: string, body: unknown])[] = [
  ["openai", openAiError("Your input is too long.", { code: "context_length_exceeded" })],
  [
    "openai",
    openAiError("Your input exceeds the context window of this model.", { param: "input" }),
  ],
  ["anthropic", {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000" },
  }],
  ["anthropic", {
    type: "error",
    error: {
      type: "invalid_request_error",
      message: "input length and `max_tokens` exceed context limit: 190000 + 64000 > 200000",
    },
  }],
  ["bedrock", {
    message: "Input Tokens Exceeded: Number of input tokens exceeds maximum length. " +
      "Please update the input to try again.",
  }],
  ["bedrock", { message: "Input is too long for requested model." }],
  ["gemini", {
    error: {
      code: 400,
      status: "INVALID_ARGUMENT",
      message: "The input token count (1200000) exceeds the maximum number of tokens allowed " +
        "(1048576).",
    },
  }],
  ["cohere", { message: "too many tokens: size limit exceeded by 12 tokens" }],
  ["mistral", {
    object: "error",
    message:
      "Prompt contains 140000 tokens, too large for model with 131072 maximum context length",
    type: "invalid_request_error",
  }],
  ["ollama", { error: "prompt too long; exceeded max context length by 1204 tokens" }],
  ["ollama", { error: "input length exceeds the context length" }],
  [
    "openai_compatible",
    openAiError("prompt too long; exceeded max context length by 1204 tokens"),
  ],
  ["perplexity", {
    error: { message: "Too much was asked.", type: "too_many_prompt_tokens", code: 400 },
  }],
  ["xai", {
    code: "Client specified an invalid argument",
    error: "The maximum prompt length is 1",
  }],
  ["groq", openAiError("Please reduce the length of the messages or completion.")],
  ["llamacpp", {
    error: { code: 400, message: "too much", type: "exceed_context_size_error", n_ctx: 4096 },
  }],
  ["lmstudio", {
    error: "Trying to keep the first 9000 tokens when context the overflows. However, the model " +
      "is loaded with context length of only 4096 tokens",
  }],
  [
    "moonshot",
    openAiError("Invalid request: Your request exceeded model token limit: 131072"),
  ],
  ["zai", { error: { code: "1261", message: "Prompt exceeds max length" } }],
  ["qwen", {
    error: {
      code: "invalid_parameter_error",
      message: "Range of input length should be [1, 129024]",
    },
  }],
  ["vllm", {
    object: "error",
    message: "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
    type: "BadRequestError",
    code: 400,
  }],
  ["huggingface", {
    error: "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097",
  }],
];

for (const [kind, body] of BODIES) {
  Deno.test(`${kind}: a 400 of ${JSON.stringify(body).slice(0, 60)}… is context_length`, () => {
    assertEquals(verdictOf(kind, body).kind, "context_length");
  });
}

Deno.test("messages of other errors do not count as a prompt that is too long", () => {
  for (
    const words of [
      "max_tokens is too large: 200000. This model supports at most 128000 completion tokens",
      "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens",
      "Rate limit reached for tokens per minute",
      "Invalid 'tools[0].function.name': string too long",
      "Invalid 'user': string too long. Expected a string with maximum length 64",
    ]
  ) assertEquals(saysTooLong(words), false, words);
});

/** Those that chains were seen to stay with. */
const STUCK = ["bedrock", "ollama", "openai_compatible", "perplexity"];

for (const [kind, body] of BODIES.filter(([name]) => STUCK.includes(name))) {
  Deno.test(`${kind}: a chain moves on from ${JSON.stringify(body).slice(0, 50)}…`, async () => {
    const gateway = createTestGateway({
      config: {
        providers: {
          short: {
            kind,
            api_key: "sk-short",
            models: ["short"],
            ...(kind === "bedrock" ? { region: "us-east-1" } : { base_url: "http://short.test" }),
          },
          long: { kind: "openai_compatible", base_url: "http://long.test", models: ["long"] },
        },
        aliases: { any: ["short", { model: "long", when: ["context_length"] }] },
      },
      fetch: (url) =>
        Promise.resolve(
          new URL(url).hostname === "long.test"
            ? Response.json(COMPLETION)
            : Response.json(body, { status: 400 }),
        ),
    });
    const response = await gateway.call("/v1/chat/completions", {
      model: "any",
      messages: [{ role: "user", content: "Hi" }],
    });
    const answer: unknown = await response.json();
    assertEquals(response.status, 200, JSON.stringify(answer));
    assertEquals(response.headers.get("x-sluice-provider"), "long");
    assertEquals(isObject(answer) && answer.id, COMPLETION.id);
  });
}

const COMPLETION = {
  id: "chatcmpl-long",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "long",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

function verdictOf(kind: string, body: unknown): UpstreamError {
  const adapter: Adapter | undefined = adapters.get(kind);
  if (adapter === undefined) throw new TypeError(`No adapter is of the kind '${kind}'`);
  return adapter.toError({ where: "answer", status: 400, headers: new Headers(), body });
}
