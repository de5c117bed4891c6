/**
 * Where vendors of OpenAI's dialect part from it: each way that is known of one
 * is shown by a case of its own below tests/fixtures, whose golden says what
 * callers see instead.
 */

import { assert, assertEquals } from "@std/assert";
import { adapters } from "../../../src/providers/registry.ts";
import { type Fixture, readFixtures } from "../../support/fixtures.ts";

interface Quirk {
  readonly what: string;
  /** Found in what the vendor answers, without space between JSON's tokens. */
  readonly shown: RegExp;
  readonly kinds: readonly string[];
  /** The status of the answer in which it is; 200 unless given. */
  readonly status?: "error";
}

const QUIRKS: readonly Quirk[] = [
  // Reasoning.
  {
    what: "reasoning_content",
    shown: /"reasoning_content":"[^"]/,
    kinds: [
      ...["deepseek", "moonshot", "zai", "qwen", "fireworks", "xai", "deepinfra"],
      ...["novita", "nvidia", "vllm", "llamacpp"],
    ],
  },
  {
    what: "reasoning under the name `reasoning`",
    shown: /"reasoning":"[^"]/,
    kinds: ["groq", "cerebras", "openrouter", "together", "huggingface", "vllm", "lmstudio"],
  },
  { what: "think tags", shown: /<think>/, kinds: ["perplexity", "sambanova", "together"] },
  { what: "thinking as parts of the text", shown: /"type":"thinking"/, kinds: ["mistral"] },
  {
    what: "a mark between reasoning and text",
    shown: /__LM_STUDIO_INTERNAL_LSEP/,
    kinds: ["lmstudio"],
  },
  // Usage.
  { what: "usage in x_groq", shown: /"x_groq":\{[^}]*"usage":/, kinds: ["groq"] },
  { what: "usage in the choice", shown: /"finish_reason":"stop","usage":/, kinds: ["moonshot"] },
  {
    what: "usage on chunks before the last",
    shown: /"finish_reason":null.*"usage":\{/,
    kinds: ["perplexity"],
  },
  { what: "prompt_cache_hit_tokens", shown: /"prompt_cache_hit_tokens":/, kinds: ["deepseek"] },
  {
    what: "cached tokens beside the sums",
    shown: /"usage":\{[^}]*"cached_tokens":/,
    kinds: ["moonshot"],
  },
  { what: "num_cached_tokens", shown: /"num_cached_tokens":/, kinds: ["mistral"] },
  // How an answer ends.
  { what: "the end eos", shown: /"finish_reason":"eos"/, kinds: ["together"] },
  { what: "an end without a word", shown: /"finish_reason":""/, kinds: ["xai"] },
  { what: "the end model_length", shown: /"finish_reason":"model_length"/, kinds: ["mistral"] },
  { what: "the end sensitive", shown: /"finish_reason":"sensitive"/, kinds: ["zai"] },
  {
    what: "the end model_context_window_exceeded",
    shown: /"finish_reason":"model_context_window_exceeded"/,
    kinds: ["zai"],
  },
  { what: "the end network_error", shown: /"finish_reason":"network_error"/, kinds: ["zai"] },
  { what: "the end error", shown: /"finish_reason":"error"/, kinds: ["openrouter", "mistral"] },
  { what: "the end abort", shown: /"finish_reason":"abort"/, kinds: ["vllm"] },
  {
    what: "the end insufficient_system_resource",
    shown: /"finish_reason":"insufficient_system_resource"/,
    kinds: ["deepseek"],
  },
  // Calls of tools.
  { what: "arguments that are no text", shown: /"arguments":\{/, kinds: ["zai", "mistral"] },
  { what: "calls without a type", shown: /"id":"[^"]+","function":\{/, kinds: ["mistral"] },
  { what: "an id that is empty later on", shown: /"id":"","(?:type|function)":/, kinds: ["qwen"] },
  {
    what: "an empty list of calls",
    shown: /"tool_calls":\[\]/,
    kinds: ["vllm", "together", "nvidia"],
  },
  {
    what: "a message of calls without content",
    shown: /"message":\{(?:(?!"content":)[^}])*"tool_calls":/,
    kinds: ["groq"],
  },
  // The envelope.
  { what: "a time that is no integer", shown: /"created":\d+\.\d/, kinds: ["sambanova"] },
  {
    what: "a first chunk of nothing",
    shown: /"created":0,"id":""|"id":"".*"created":0/,
    kinds: ["azure"],
  },
  {
    what: "objects that are no chunks",
    shown: /"object":"chat\.completion\.done"/,
    kinds: ["perplexity"],
  },
  {
    what: "a role on every chunk",
    shown: /"role":"assistant".*\n+.*"role":"assistant"/,
    kinds: ["perplexity"],
  },
  { what: "comments in the stream", shown: /^: ?\w/m, kinds: ["deepseek", "openrouter"] },
  { what: "blank lines before the JSON", shown: /^\n+\{/, kinds: ["deepseek"] },
  {
    what: "log probabilities as two lists",
    shown: /"token_logprobs":\[/,
    kinds: ["together"],
  },
  {
    what: "log probabilities that are no list",
    shown: /"content":\{"token":/,
    kinds: ["sambanova"],
  },
  // Errors.
  {
    what: "an error that is text",
    shown: /"error":"/,
    kinds: ["xai", "together", "fireworks", "huggingface", "novita", "lmstudio", "vllm"],
    status: "error",
  },
  {
    what: "an error in `detail`",
    shown: /^\{(?:.*,)?"detail":/,
    kinds: ["fireworks", "deepinfra", "nvidia", "mistral"],
    status: "error",
  },
  {
    what: "an error in `fault`",
    shown: /^\{"fault":\{"faultstring":/,
    kinds: ["fireworks"],
    status: "error",
  },
  {
    what: "an error without a frame",
    shown: /^\{(?!"error").*"message":"/,
    kinds: ["mistral", "cerebras", "vllm", "nvidia", "novita"],
    status: "error",
  },
  {
    what: "a message that is an object",
    shown: /"message":\{"detail":/,
    kinds: ["mistral"],
    status: "error",
  },
  {
    what: "a code that is a number",
    shown: /"code":\d+/,
    kinds: ["perplexity", "openrouter", "llamacpp", "vllm", "nvidia", "novita"],
    status: "error",
  },
  {
    what: "a code without a type",
    shown: /^\{"error":\{"code":"\d+","message":"[^"]*"\}\}$/,
    kinds: ["zai"],
    status: "error",
  },
  {
    what: "an error of the vendor behind it",
    shown: /"metadata":\{.*"raw":/,
    kinds: ["openrouter"],
    status: "error",
  },
  {
    what: "an error with status 200",
    shown: /^\{.*"error":/,
    kinds: ["xai", "openrouter", "llamacpp"],
  },
  { what: "an error in x_groq", shown: /"x_groq":\{[^}]*"error":/, kinds: ["groq"] },
];

const fixtures = Map.groupBy(readFixtures(), ({ vendor }) => vendor);

for (const { what, shown, kinds, status } of QUIRKS) {
  for (const kind of kinds) {
    Deno.test(`${kind}: a case shows ${what}`, () => {
      const cases = fixtures.get(kind) ?? [];
      const found = cases.filter((one) => isError(one) === (status === "error"))
        .filter((one) => shown.test(answerOf(one)));
      assert(found.length > 0, `no case of ${cases.length} has ${shown}`);
    });
  }
}

Deno.test("every kind with a quirk is in the registry", () => {
  const kinds = new Set(QUIRKS.flatMap(({ kinds }) => kinds));
  assertEquals([...kinds].filter((kind) => !adapters.has(kind)), []);
});

function isError({ upstream }: Fixture): boolean {
  return upstream.type === "answer" && upstream.status !== 200;
}

/** What a vendor answers, as text. */
function answerOf({ upstream }: Fixture): string {
  if (upstream.type === "stream") return new TextDecoder().decode(upstream.bytes);
  return typeof upstream.body === "string" ? upstream.body : JSON.stringify(upstream.body);
}
