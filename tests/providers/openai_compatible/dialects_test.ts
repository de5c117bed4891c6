/** What the vendors of OpenAI's dialect share: their rows, their rewrites, their answers. */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject, PARAMETERS } from "../../../src/contract/chat.ts";
import { nearestOf } from "../../../src/providers/openai_compatible/rewrites.ts";
import { dialectOf } from "../../../src/providers/openai_compatible/row.ts";
import {
  ReasoningDetails,
  ThinkTags,
  toFinishReason,
} from "../../../src/providers/openai_compatible/answers.ts";
import { readUsage } from "../../../src/apis/usage.ts";
import { toUpstreamError } from "../../../src/providers/openai_compatible/errors.ts";
import { adapters } from "../../../src/providers/registry.ts";
import { fuzz } from "../../support/fuzz.ts";
import { randomRequest } from "../../support/requests.ts";
import { type Sender, senderTo } from "../../support/sending.ts";

/** Some models of each kind, and an unknown one. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  groq: ["openai/gpt-oss-120b", "qwen/qwen3-32b", "llama-3.3-70b-versatile"],
  deepseek: ["deepseek-flash", "deepseek-v4-pro"],
  xai: ["grok-4.7", "grok-4.20-0309-non-reasoning"],
  together: ["zai-org/GLM-5.2", "meta-llama/Llama-3.3-70B-Instruct-Turbo"],
  fireworks: ["accounts/fireworks/models/glm-5p2"],
  perplexity: ["sonar", "sonar-reasoning-pro"],
  openrouter: ["anthropic/claude-sonnet-5", "z-ai/glm-5.2"],
  cerebras: ["gpt-oss-120b", "zai-glm-4.7"],
  deepinfra: ["zai-org/GLM-5.2"],
  nvidia: ["nvidia/nemotron-3-ultra-550b-a55b"],
  huggingface: ["zai-org/GLM-5.2"],
  moonshot: ["kimi-k3", "kimi-k2.6", "kimi-k2.7-code", "moonshot-v1-8k"],
  zai: ["glm-5.3", "glm-5.2", "glm-4.7"],
  qwen: ["qwen3.8-max", "qwen3-max", "qwen3-32b"],
  sambanova: [],
  novita: ["zai-org/glm-5.2"],
  vllm: [],
  lmstudio: [],
  llamacpp: [],
};

/** Fields of the vendors' own, and what they are made of. */
const MADE_FROM: Readonly<Record<string, readonly string[]>> = {
  max_tokens: ["max_completion_tokens"],
  max_completion_tokens: ["max_tokens"],
  tools: ["functions"],
  tool_choice: ["function_call"],
  thinking: ["reasoning_effort"],
  reasoning: ["reasoning_effort"],
  enable_thinking: ["reasoning_effort"],
  thinking_budget: ["reasoning_effort"],
  user_id: ["user"],
};

const RUNS = 150;

for (const [kind, models] of Object.entries(MODELS)) {
  Deno.test(`${kind}: any request is sent or a 400, and every field comes from it or is a declared addition`, async () => {
    await fuzz(RUNS, async (random) => {
      const request = randomRequest(random, random.pick([...models, "unheard-of"]));
      const sent = await sentFor(kind, request);
      if (sent === undefined) return;
      for (const field of Object.keys(sent)) {
        const origins = [field, ...originsOf(kind, field)];
        const known = origins.some((name) => request[name] !== undefined);
        assert(known || isDeclared(kind, field), `${field} for ${JSON.stringify(request)}`);
      }
      assertSound(kind, sent);
    });
  });

  Deno.test(`${kind}: nothing is added to a request with only a model and messages`, async () => {
    for (const model of [...models, "unheard-of"]) {
      const messages = [{ role: "user", content: "Hi" }];
      const sent = await sentFor(kind, { model, messages });
      const added = model === "qwen3-32b" ? { enable_thinking: false } : {};
      assertEquals(sent, { model, messages, ...added });
    }
  });
}

/** What no vendor of the dialect takes. */
function assertSound(kind: string, sent: JsonObject): void {
  const where = `${kind}: ${JSON.stringify(sent)}`;
  for (const field of ["functions", "function_call", "store", "safety_identifier"]) {
    const own = kind === "moonshot" && field === "safety_identifier";
    assert(own || !(field in sent), where);
  }
  assert(!("tool_choice" in sent) || Array.isArray(sent.tools), where);
  assert(!("parallel_tool_calls" in sent) || Array.isArray(sent.tools), where);
  assert(!("stream_options" in sent) || sent.stream === true, where);
  assert(sent.max_tokens === undefined || sent.max_completion_tokens === undefined, where);
  for (const turn of sent.messages as JsonObject[]) {
    assert(kind === "openrouter" || kind === "cerebras" || turn.role !== "developer", where);
    assert(turn.role !== "function" && !("function_call" in turn), where);
  }
}

const senders = new Map<string, Sender>();

/** What the vendor gets, or undefined where the request is refused before it is sent. */
function sentFor(kind: string, request: JsonObject): Promise<JsonObject | undefined> {
  const models = [...MODELS[kind] ?? [], "unheard-of"];
  const send = senders.get(kind) ?? senderTo({ kind, base_url: "http://vendor.test", models });
  senders.set(kind, send);
  return send(request);
}

function originsOf(kind: string, field: string): readonly string[] {
  const renamed = PARAMETERS.filter((name) => {
    const support = adapters.get(kind)?.supports.parameters[name];
    return support?.level === "renamed" && support.to.split(".")[0] === field;
  });
  return [...renamed, ...MADE_FROM[field] ?? []];
}

function isDeclared(kind: string, field: string): boolean {
  return Object.keys(adapters.get(kind)?.adds ?? {}).some((path) => path.split(".")[0] === field);
}

Deno.test("dialectOf() drops one of two equal limits", () => {
  const { parameters, supportFor } = dialectOf({ kind: "x", baseUrl: "http://x.test" });
  const request = { model: "m", messages: [], max_tokens: 2, max_completion_tokens: 2 };
  const model = { id: "m", upstream: "m", base: "m", facts: {} };
  const provider = { id: "x", baseUrl: "http://x.test", options: {} };
  assertEquals(parameters?.max_tokens, undefined);
  assertEquals(supportFor?.(request, model, provider).max_tokens?.level, "ignored");
  const one = { ...request, max_tokens: undefined };
  assertEquals(supportFor?.(one, model, provider).max_tokens, undefined);
});

Deno.test("nearestOf() uses the weaker of two equally near efforts", () => {
  const efforts = nearestOf("low", "high");
  assertEquals([efforts.none, efforts.medium, efforts.max], ["low", "low", "high"]);
});

function tell(...pieces: readonly string[]): { reasoning: string; content: string } {
  const tags = new ThinkTags();
  const reported = [...pieces.map((piece) => tags.push(piece)), tags.end()];
  return {
    reasoning: reported.map(({ reasoning }) => reasoning).join(""),
    content: reported.map(({ content }) => content).join(""),
  };
}

Deno.test("ThinkTags separates reasoning and content wherever the text is split", () => {
  const text = "\n<think>\nIs 1 < 2? </ yes</think>\n\nYes: <think> is a tag.";
  const expected = { reasoning: "Is 1 < 2? </ yes", content: "Yes: <think> is a tag." };
  assertEquals(tell(text), expected);
  assertEquals(tell(...text), expected);
  for (let cut = 1; cut < text.length; cut++) {
    assertEquals(tell(text.slice(0, cut), text.slice(cut)), expected, `cut at ${cut}`);
  }
});

Deno.test("ThinkTags does not change text without tags", () => {
  for (const text of ["", " <thin", "<thinking>", "\n\nHello", "Hi <think>there</think>"]) {
    assertEquals(tell(...text), { reasoning: "", content: text });
  }
});

Deno.test("ThinkTags treats text after an unclosed tag as reasoning", () => {
  assertEquals(tell("<think>Hm", "m </thi"), { reasoning: "Hmm </thi", content: "" });
});

Deno.test("ReasoningDetails merges only entries of the same type and index", () => {
  const text = (text: string, members: JsonObject = {}) => ({
    type: "reasoning.text",
    text,
    ...members,
  });
  const summary = { type: "reasoning.summary", summary: "S" };
  const sealed = { type: "reasoning.encrypted", data: "x", index: 0 };
  const details = new ReasoningDetails();
  details.add([text("a", { index: 0 }), text("b", { index: 1, id: "r" }), sealed, null, "odd"]);
  details.add([text("c", { index: 1, id: null }), text("", { index: 0, signature: "s" }), sealed]);
  details.add([summary, summary, text("d")]);
  assertEquals(details.entries, [
    text("a", { index: 0, signature: "s" }),
    text("bc", { index: 1, id: "r" }),
    sealed,
    sealed,
    { ...summary, summary: "SS" },
    text("d"),
  ]);
});

/** What vendors call the ends of their answers. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  stop: ["stop", "eos", "eos_token", "end_turn", "stop_sequence", "odd"],
  length: ["length", "max_tokens", "model_length", "model_context_window_exceeded"],
  tool_calls: ["tool_calls", "tool_call", "tool_use", "function_call"],
  content_filter: ["content_filter", "content_filtered", "sensitive", "safety", "risk"],
  broken: ["error", "network_error", "insufficient_system_resource", "abort"],
};

Deno.test("toFinishReason() converts the vendors' finish reasons, and none to undefined", () => {
  for (const [end, words] of Object.entries(ENDS)) {
    for (const word of words) assertEquals(toFinishReason(word, undefined), end, word);
  }
  assertEquals(toFinishReason("error", { error: "length" }), "length");
  for (const none of [null, "", 7]) assertEquals(toFinishReason(none, {}), undefined);
});

Deno.test("readUsage() finds cached and reasoning tokens under their other names", () => {
  const base = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 };
  for (const name of ["prompt_cache_hit_tokens", "cached_tokens", "num_cached_tokens"]) {
    assertEquals(readUsage({ ...base, [name]: 6 })?.prompt_tokens_details, { cached_tokens: 6 });
  }
  const both = { ...base, prompt_tokens_details: { cached_tokens: 2 }, cached_tokens: 6 };
  assertEquals(readUsage(both)?.prompt_tokens_details, { cached_tokens: 2 });
  assertEquals(readUsage({ ...base, reasoning_tokens: 3 }), {
    ...base,
    reasoning_tokens: 3,
    completion_tokens_details: { reasoning_tokens: 3 },
  });
  assertEquals(readUsage(base), base);
});

Deno.test("toUpstreamError() accepts any value as the message", () => {
  let deep: unknown = "words";
  for (let depth = 0; depth < 50; depth++) deep = [{ detail: deep }];
  const odd = { toString: 1 };
  for (const detail of [deep, odd, [odd], [{ loc: [odd, 1], msg: odd }], [[[[[]]]]]]) {
    const { kind, message } = toUpstreamError({
      where: "answer",
      status: 422,
      headers: new Headers(),
      body: { detail },
    });
    assertEquals(kind, "invalid_request");
    assert(message === undefined || typeof message === "string");
    assert(isObject(toUpstreamError({ where: "stream", body: { error: { message: detail } } })));
  }
});
