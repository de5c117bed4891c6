/**
 * No billed token disappears: every count that a vendor gives below tests/fixtures is part of the
 * usage that callers get, or is known to be part of another count.
 */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject, type Usage } from "../../../src/contract/chat.ts";
import { addUp, readUsage } from "../../../src/apis/usage.ts";
import { type Fixture, readFixtures } from "../../support/fixtures.ts";
import { prepared } from "../../support/folding.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { decodeFrames } from "../../support/vendor_bodies.ts";
import { turns } from "../../support/elapse.ts";
import { createFold } from "../../../src/gateway/execute/chat/chat_operation.ts";

/** What a vendor's count is to the usage of callers. */
type Role =
  /** Added up with the others of its kind. */
  | "prompt"
  | "completion"
  | "total"
  /** A part of one of the sums. */
  | "in prompt"
  | "in completion"
  /** Counts the billed tokens, which may be fewer than the processed ones; passed on unchanged. */
  | "bill"
  /** Not a number of tokens. */
  | "other";

/** The members of the vendors' usage, without indices of lists. */
const ROLES: Readonly<Record<string, Role>> = {
  // OpenAI's dialect.
  "prompt_tokens": "prompt",
  "completion_tokens": "completion",
  "total_tokens": "total",
  "cached_tokens": "in prompt",
  "citation_tokens": "in prompt",
  "num_cached_tokens": "in prompt",
  "prompt_cache_hit_tokens": "in prompt",
  "prompt_cache_miss_tokens": "in prompt",
  "reasoning_tokens": "in completion",
  "time_to_first_token": "other",
  "prompt_tokens_details.audio_tokens": "in prompt",
  "prompt_tokens_details.cache_creation.ephemeral_5m_input_tokens": "in prompt",
  "prompt_tokens_details.cached_tokens": "in prompt",
  "prompt_tokens_details.text_tokens": "in prompt",
  "completion_tokens_details.accepted_prediction_tokens": "in completion",
  "completion_tokens_details.audio_tokens": "in completion",
  "completion_tokens_details.reasoning_tokens": "in completion",
  "completion_tokens_details.rejected_prediction_tokens": "in completion",
  // OpenAI's Responses API, and Anthropic.
  "input_tokens": "prompt",
  "output_tokens": "completion",
  "input_tokens_details.cache_write_tokens": "in prompt",
  "input_tokens_details.cached_tokens": "in prompt",
  "output_tokens_details.reasoning_tokens": "in completion",
  "output_tokens_details.thinking_tokens": "in completion",
  "cache_creation_input_tokens": "prompt",
  "cache_read_input_tokens": "prompt",
  // Bedrock.
  "inputTokens": "prompt",
  "outputTokens": "completion",
  "totalTokens": "total",
  "cacheReadInputTokens": "prompt",
  "cacheWriteInputTokens": "prompt",
  // Gemini.
  "promptTokenCount": "prompt",
  "toolUsePromptTokenCount": "prompt",
  "candidatesTokenCount": "completion",
  "thoughtsTokenCount": "in completion",
  "totalTokenCount": "total",
  "cachedContentTokenCount": "in prompt",
  "promptTokensDetails.tokenCount": "in prompt",
  // Cohere.
  "tokens.input_tokens": "prompt",
  "tokens.output_tokens": "completion",
  "tokens.reasoning_tokens": "in completion",
  "billed_units.input_tokens": "bill",
  "billed_units.output_tokens": "bill",
  // Ollama.
  "prompt_eval_count": "prompt",
  "eval_count": "completion",
};

Deno.test("the callers' usage contains every token that a vendor counts", () => {
  let counted = 0;
  for (const fixture of readFixtures()) {
    const reported = usageOf(fixture);
    const given = Object.keys(reported).length === 0 ? undefined : answered(fixture);
    if (given === undefined) continue;
    counted++;
    // Azure counts cached tokens of other requests, too.
    if (fixture.vendor === "azure") delete reported["prompt_tokens_details.cached_tokens"];
    assertEquals(faultsOf(reported, given.usage), [], `${fixture.vendor}/${fixture.name}`);
  }
  assert(counted > 300, `only ${counted} cases count tokens`);
});

Deno.test("a lost or unknown count is detected", () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  assertEquals(faultsOf({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }, usage), []);
  assertEquals(faultsOf({ total_tokens: 16 }, usage), ["total_tokens: 16 of 15"]);
  assertEquals(faultsOf({ reasoning_tokens: 6 }, usage), ["reasoning_tokens: 6 of 5"]);
  assertEquals(faultsOf({ input_tokens: 6, cache_read_input_tokens: 5 }, usage), [
    "prompt: 11 of 10",
  ]);
  assertEquals(faultsOf({ video_tokens: 1 }, usage), ["video_tokens: unknown"]);
  assertEquals(faultsOf({}, { ...usage, total_tokens: 20 }), ["the sums do not add up"]);
  assertEquals(faultsOf({ input_tokens: 6 }, undefined), ["no usage"]);
});

for (const stream of [false, true]) {
  const how = stream ? "a stream" : "an answer";

  Deno.test(`${how} without counts has no usage for the caller, and estimates in the log and metrics`, async () => {
    const gateway = createTestGateway({
      config: {
        providers: {
          v: { kind: "openai_compatible", base_url: "http://vendor.test/v1", models: ["m"] },
        },
      },
      fetch: () => Promise.resolve(uncounted(stream)),
    });
    const response = await gateway.call("/v1/chat/completions", {
      model: "m",
      messages: [{ role: "user", content: "Hi" }],
      ...(stream && { stream, stream_options: { include_usage: true } }),
    });
    const text = await response.text();
    assert(text.includes('"usage":null'), text);
    assert(!text.includes('"total_tokens"'), text);
    await turns(2);
    const [line] = gateway.lines;
    assertEquals(line?.status, 200);
    assertEquals([line?.usage_estimated, line?.cost_usd], [true, undefined]);
    assert(Number(line?.prompt_tokens) > 0 && Number(line?.completion_tokens) > 0);
    const metrics = await (await gateway.call("/metrics")).text();
    assert(metrics.includes("sluice_requests_total{"), metrics);
    assert(metrics.includes("sluice_tokens_total{"), metrics);
  });
}

function uncounted(stream: boolean): Response {
  const message = { role: "assistant", content: "Hi" };
  const choice = { index: 0, finish_reason: "stop" };
  if (!stream) return Response.json({ choices: [{ ...choice, message }] });
  const chunk = JSON.stringify({ choices: [{ ...choice, delta: message }] });
  return new Response(`data: ${chunk}\n\ndata: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}

Deno.test("addUp() returns undefined if a vendor reported no number", () => {
  assertEquals(addUp({ prompt: [undefined, null], completion: [undefined] }), undefined);
  assertEquals(addUp({ prompt: [0], completion: [undefined] }), {
    prompt_tokens: 0,
    completion_tokens: 0,
    total_tokens: 0,
  });
});

Deno.test("addUp() adds tokens that only the total contains to the given side", () => {
  const counts = { prompt: [3, 4], completion: [5], total: 20 };
  const sums = { prompt_tokens: 7, completion_tokens: 13, total_tokens: 20 };
  assertEquals(addUp(counts), sums);
  assertEquals(addUp({ ...counts, restSide: "prompt" }), {
    prompt_tokens: 15,
    completion_tokens: 5,
    total_tokens: 20,
  });
  assertEquals(addUp({ ...counts, total: 1e999 })?.total_tokens, 12);
});

Deno.test("readUsage() returns undefined for members without numbers", () => {
  for (const raw of [undefined, null, {}, { prompt_tokens: null }, { cost: 0.1 }]) {
    assertEquals(readUsage(raw), undefined, JSON.stringify(raw));
  }
});

Deno.test("readUsage() treats a count that fits the sums as a part of them", () => {
  assertEquals(
    readUsage({
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 90, audio_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 40 },
    }),
    {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 90, audio_tokens: 10 },
      completion_tokens_details: { reasoning_tokens: 40 },
    },
  );
});

/** What is wrong with the usage that callers get, by what the vendor counted. */
function faultsOf(reported: JsonObject, usage: Usage | undefined): string[] {
  if (usage === undefined) return ["no usage"];
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  const most = { "in prompt": prompt, "in completion": completion, total } as const;
  const sums = { prompt: 0, completion: 0 };
  const faults = Object.entries(reported).flatMap(([name, value]) => {
    const count = Number(value);
    const role = ROLES[name];
    switch (role) {
      case undefined:
        return [`${name}: unknown`];
      case "prompt":
      case "completion":
        sums[role] += count;
        return [];
      case "bill":
      case "other":
        return [];
      default:
        return count > most[role] ? [`${name}: ${count} of ${most[role]}`] : [];
    }
  });
  if (sums.prompt > prompt) faults.push(`prompt: ${sums.prompt} of ${prompt}`);
  if (sums.completion > completion) faults.push(`completion: ${sums.completion} of ${completion}`);
  if (prompt + completion !== total) faults.push("the sums do not add up");
  return faults;
}

/** The usage of an answer that is one; undefined where the case ends in an error. */
function answered(fixture: Fixture): { readonly usage: Usage | undefined } | undefined {
  const { upstream } = fixture;
  if (upstream.type === "answer" && (upstream.status !== 200 || isFailure(upstream.body))) {
    return undefined;
  }
  try {
    const one = prepared(fixture);
    if (upstream.type === "answer") {
      const answer = { status: 200, headers: new Headers(), body: structuredClone(upstream.body) };
      return { usage: one.adapter.toCompletion(answer, one.call).usage };
    }
    const fold = createFold(one);
    fold.push(upstream.bytes);
    if (!fold.ended) fold.end();
    return fold.failure === undefined ? { usage: fold.usage } : undefined;
  } catch {
    return undefined;
  }
}

function isFailure(body: unknown): boolean {
  return isObject(body) && Boolean(body.error);
}

/** The counts in what a vendor sent, by their path; later events replace earlier ones. */
function usageOf(fixture: Fixture): JsonObject {
  const counts: JsonObject = {};
  for (const body of decodeFrames(fixture)) {
    if (fixture.vendor === "ollama" && isObject(body)) {
      collect(
        { prompt_eval_count: body.prompt_eval_count, eval_count: body.eval_count },
        "",
        counts,
      );
    }
    findUsage(body, counts);
  }
  return counts;
}

function findUsage(value: unknown, counts: JsonObject): void {
  if (Array.isArray(value)) { for (const inner of value) findUsage(inner, counts); }
  if (!isObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "usage" || name === "usageMetadata") collect(inner, "", counts);
    else findUsage(inner, counts);
  }
}

function collect(value: unknown, path: string, counts: JsonObject): void {
  if (Array.isArray(value)) { for (const inner of value) collect(inner, path, counts); }
  else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      collect(inner, path === "" ? name : `${path}.${name}`, counts);
    }
  } else if (typeof value === "number" && /token|_count/i.test(path)) counts[path] = value;
}
