/**
 * How the answers of vendors with OpenAI's dialect differ from OpenAI's. A case below
 * tests/fixtures shows each known difference, and the caller gets an answer without it.
 */

import { assert, assertEquals } from "@std/assert";
import { adapters } from "../../../src/providers/registry.ts";
import { type CaseRun, runCase } from "../../support/run_case.ts";
import { type Fixture, readFixtures } from "../../support/fixtures.ts";

interface Quirk {
  readonly what: string;
  /** Found in what the vendor answers, without space between JSON's tokens. */
  readonly shown: RegExp;
  readonly kinds: readonly string[];
  /** The status of the answer in which it is; 200 unless given. */
  readonly status?: "error";
  /** Found in what the caller gets; a finish reason of OpenAI's, or an error, unless given. */
  readonly becomes?: RegExp;
  /** Whether the vendor's own members stay beside the converted ones. */
  readonly stays?: true;
}

const FINISHED = /"finish_reason":"(?:stop|length|tool_calls|content_filter)"/;
const FAILED = /"error":\{"message":"[^"]/;
const REASONING = /"reasoning_content":"[^"]/;
const CACHED_TOKENS = /"prompt_tokens_details":\{[^}]*"cached_tokens":[1-9]/;
const TEXT_AFTER_REASONING = /"reasoning_content":"[^"].*"content":"[^"]/s;

const QUIRKS: readonly Quirk[] = [
  // Reasoning.
  {
    what: "reasoning_content",
    shown: /"reasoning_content":"[^"]/,
    becomes: REASONING,
    stays: true,
    kinds: [
      ...["deepseek", "moonshot", "zai", "qwen", "fireworks", "xai", "deepinfra"],
      ...["novita", "nvidia", "vllm", "llamacpp"],
    ],
  },
  {
    what: "reasoning under the name `reasoning`",
    shown: /"reasoning":"[^"]/,
    becomes: REASONING,
    kinds: ["groq", "cerebras", "openrouter", "together", "huggingface", "vllm", "lmstudio"],
  },
  {
    what: "think tags",
    shown: /<think>/,
    becomes: TEXT_AFTER_REASONING,
    // One case mentions the tag in its text.
    stays: true,
    kinds: ["perplexity", "sambanova", "together"],
  },
  {
    what: "thinking as parts of the text",
    shown: /"type":"thinking"/,
    becomes: REASONING,
    kinds: ["mistral"],
  },
  {
    what: "a mark between reasoning and text",
    shown: /__LM_STUDIO_INTERNAL_LSEP/,
    kinds: ["lmstudio"],
  },
  // Usage.
  {
    what: "usage in x_groq",
    shown: /"x_groq":\{[^}]*"usage":/,
    becomes: /"usage":\{"prompt_tokens":[1-9]/,
    stays: true,
    kinds: ["groq"],
  },
  { what: "usage in the choice", shown: /"finish_reason":"stop","usage":/, kinds: ["moonshot"] },
  {
    what: "usage on chunks before the last",
    shown: /"finish_reason":null.*"usage":\{/,
    kinds: ["perplexity"],
  },
  {
    what: "prompt_cache_hit_tokens",
    shown: /"prompt_cache_hit_tokens":/,
    becomes: CACHED_TOKENS,
    stays: true,
    kinds: ["deepseek"],
  },
  {
    what: "cached tokens beside the sums",
    shown: /"usage":\{[^}]*"cached_tokens":/,
    becomes: CACHED_TOKENS,
    stays: true,
    kinds: ["moonshot"],
  },
  {
    what: "num_cached_tokens",
    shown: /"num_cached_tokens":/,
    becomes: CACHED_TOKENS,
    stays: true,
    kinds: ["mistral"],
  },
  // How an answer ends.
  { what: "the end eos", shown: /"finish_reason":"eos"/, kinds: ["together"] },
  { what: "an end without a message", shown: /"finish_reason":""/, kinds: ["xai"] },
  { what: "the end model_length", shown: /"finish_reason":"model_length"/, kinds: ["mistral"] },
  { what: "the end sensitive", shown: /"finish_reason":"sensitive"/, kinds: ["zai"] },
  {
    what: "the end model_context_window_exceeded",
    shown: /"finish_reason":"model_context_window_exceeded"/,
    kinds: ["zai"],
  },
  {
    what: "the end network_error",
    shown: /"finish_reason":"network_error"/,
    becomes: FAILED,
    kinds: ["zai"],
  },
  {
    what: "the end error",
    shown: /"finish_reason":"error"/,
    becomes: FAILED,
    kinds: ["openrouter", "mistral"],
  },
  { what: "the end abort", shown: /"finish_reason":"abort"/, becomes: FAILED, kinds: ["vllm"] },
  {
    what: "the end insufficient_system_resource",
    shown: /"finish_reason":"insufficient_system_resource"/,
    becomes: FAILED,
    kinds: ["deepseek"],
  },
  // Calls of tools.
  { what: "arguments that are no text", shown: /"arguments":\{/, kinds: ["zai", "mistral"] },
  {
    what: "calls without a type",
    shown: /"id":"[^"]+","function":\{/,
    becomes: /"type":"function"/,
    stays: true,
    kinds: ["mistral"],
  },
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
    becomes: FAILED,
    stays: true,
    kinds: ["xai", "openrouter", "llamacpp"],
  },
  {
    what: "an error in x_groq",
    shown: /"x_groq":\{[^}]*"error":/,
    becomes: FAILED,
    kinds: ["groq"],
  },
];

const fixtures = Map.groupBy(readFixtures(), ({ vendor }) => vendor);

for (const { what, shown, kinds, status, stays, becomes = toDefault(status) } of QUIRKS) {
  for (const kind of kinds) {
    Deno.test(`${kind}: a case shows ${what}`, async () => {
      const cases = fixtures.get(kind) ?? [];
      const found = cases.filter((one) => isError(one) === (status === "error"))
        .filter((one) => shown.test(answerOf(one)));
      assert(found.length > 0, `no case of ${cases.length} has ${shown}`);
      // What ends in a failure does not show what the whole answer looks like.
      const whole = found.filter(({ name }) => isFailing(becomes) || !FAILS.test(name));
      const texts: string[] = [];
      for (const one of whole) {
        const text = textOf(await runCase(one));
        texts.push(text);
        const end = isFailing(becomes) ? FAILED : FINISHED;
        assert(end.test(text), `${one.name}: ${end} is not in ${text}`);
        if (!stays) assert(!shown.test(text), `${one.name}: ${shown} is in ${text}`);
      }
      assert(texts.some((text) => becomes.test(text)), `no answer has ${becomes}`);
    });
  }
}

Deno.test("every kind with a quirk is in the registry", () => {
  const kinds = new Set(QUIRKS.flatMap(({ kinds }) => kinds));
  assertEquals([...kinds].filter((kind) => !adapters.has(kind)), []);
});

/** The names of cases whose answer is an error, whatever else they show. */
const FAILS = /error|truncated|malformed|gave_up/;

function toDefault(status: Quirk["status"]): RegExp {
  return status === "error" ? FAILED : FINISHED;
}

function isFailing(becomes: RegExp): boolean {
  return becomes === FAILED;
}

function textOf({ answer }: CaseRun): string {
  return typeof answer === "string" ? answer : JSON.stringify(answer.body);
}

function isError({ upstream }: Fixture): boolean {
  return upstream.type === "answer" && upstream.status !== 200;
}

/** What a vendor answers, as text. */
function answerOf({ upstream }: Fixture): string {
  if (upstream.type === "stream") return new TextDecoder().decode(upstream.bytes);
  return typeof upstream.body === "string" ? upstream.body : JSON.stringify(upstream.body);
}
