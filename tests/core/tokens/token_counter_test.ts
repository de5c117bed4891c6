/** The error of the estimate of tokens, over texts whose tokens were counted by tokenizers. */

import { assert, assertEquals } from "@std/assert";
import { countInput } from "../../../src/apis/chat/token_estimate.ts";
import { TokenCounter } from "../../../src/core/tokens/token_counter.ts";
import {
  tokenFamily,
  type TokenFamilyName,
  tokenFamilyOf,
} from "../../../src/apis/token_families.ts";
import samples from "./samples.json" with { type: "json" };

const COUNTED = ["o200k", "cl100k", "llama3", "claude"] as const;

/** Samples of one character repeated, and of a width that one tokenizer normalizes away. */
const REPEATED = new Set(["repeated_letter", "spaces", "fullwidth"]);

function tokensOf(text: string, family: TokenFamilyName): number {
  const counter = new TokenCounter();
  counter.add(text);
  return counter.tokens(tokenFamily(family));
}

/** The relative errors, from the smallest to the largest: 0.5 for 1.5 times too many or too few. */
function errorsOf(family: typeof COUNTED[number]): number[] {
  return samples
    .map(({ text, tokens }) => tokensOf(text, family) / tokens[family])
    .map((ratio) => Math.max(ratio, 1 / ratio) - 1)
    .sort((one, other) => one - other);
}

/** The stated error of each family: median and 90th percentile. */
const STATED: Readonly<Record<typeof COUNTED[number], readonly [median: number, p90: number]>> = {
  o200k: [0.08, 0.38],
  cl100k: [0.15, 0.45],
  llama3: [0.15, 0.7],
  claude: [0.16, 0.7],
};

for (const family of COUNTED) {
  Deno.test(`tokens of ${family}: the error has the stated median and 90th percentile`, () => {
    const errors = errorsOf(family);
    const [median = 1, p90 = 1] = [0.5, 0.9].map((part) =>
      errors[Math.floor(errors.length * part)]
    );
    const [statedMedian, statedP90] = STATED[family];
    assert(median <= statedMedian && p90 <= statedP90, `median ${median}, p90 ${p90}`);
    // Errors that are stated too high say nothing.
    assert(median > statedMedian - 0.05 && p90 > statedP90 - 0.15, `median ${median}, p90 ${p90}`);
  });
}

for (const { name, text, tokens } of samples) {
  Deno.test(`tokens of a text in ${name} are not under half of the counted ones`, () => {
    for (const family of COUNTED) {
      const ratio = tokensOf(text, family) / tokens[family];
      assert(ratio > 0.5, `${family}: ${ratio}`);
      if (!REPEATED.has(name)) assert(ratio < 3, `${family}: ${ratio}`);
    }
  });
}

Deno.test("tokens of a long text are estimated from a sample, in bounded time", () => {
  const prose = samples.map(({ text }) => text).join("\n");
  const text = prose.repeat(Math.ceil(30_000_000 / prose.length));
  const sampled = tokensOf(text, "o200k");
  const expected = wholeTokensOf(prose) * text.length / prose.length;
  assert(Math.abs(sampled / expected - 1) < 0.1, `${sampled} for ${expected}`);
  assertEquals(readUnits(12_000), 12_000);
  for (const [length, most] of [[300_000, 60_000], [30_000_000, 1_000_000]] as const) {
    const read = readUnits(length);
    assert(read < most, `${read} of ${length}`);
  }
});

Deno.test("tokens of texts that are sampled are on average those of the whole texts", () => {
  const prose = samples.map(({ text }) => text).join("\n");
  for (const repeats of [1, 3, 12]) {
    const whole = wholeTokensOf(prose) * repeats;
    const estimates = Array.from({ length: 30 }, () => tokensOf(prose.repeat(repeats), "o200k"));
    const mean = estimates.reduce((sum, tokens) => sum + tokens, 0) / estimates.length;
    assert(Math.abs(mean / whole - 1) < 0.05, `${mean} for ${whole}`);
  }
});

/** The tokens of a text of which all is read: texts of up to 12,000 units are not sampled. */
function wholeTokensOf(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 12_000) {
    sum += tokensOf(text.slice(at, at + 12_000), "o200k");
  }
  return sum;
}

/** How many UTF-16 units of a text are read, each once. */
function readUnits(length: number): number {
  const read = new Set<number>();
  const text = { length, charCodeAt: (at: number) => (read.add(at), 97) };
  tokensOf(text as unknown as string, "o200k");
  return read.size;
}

Deno.test("tokens of many short texts are sampled as those of one long text", () => {
  const prose = samples.map(({ text }) => text).join("\n").repeat(8);
  const whole = wholeTokensOf(prose);
  const estimates = Array.from({ length: 30 }, () => {
    const counter = new TokenCounter();
    for (let at = 0; at < prose.length; at += 150) counter.add(prose.slice(at, at + 150));
    return counter.tokens(tokenFamily("o200k"));
  });
  const mean = estimates.reduce((sum, tokens) => sum + tokens, 0) / estimates.length;
  // Some of the words that are cut in two count twice.
  assert(Math.abs(mean / whole - 1) < 0.06, `${mean} for ${whole}`);
  let read = 0;
  const counter = new TokenCounter();
  const text = { length: 150, charCodeAt: (at: number) => (read += at < 0 ? 0 : 1, 97) };
  for (let at = 0; at < 300_000; at += 150) counter.add(text as unknown as string);
  assert(read < 90_000, `${read} reads`);
});

Deno.test("tokens of a dense part of a long text are counted, wherever it is", () => {
  const filler = " ".repeat(2_000_000);
  const dense = "日本語".repeat(100_000);
  for (const text of [filler + dense, dense + filler, filler + dense + filler]) {
    const tokens = tokensOf(text, "o200k");
    assert(tokens > 220_000 && tokens < 400_000, `${tokens}`);
  }
});

Deno.test("tokens: a tool counts with the names of its members, and known tokens as they are", () => {
  const schema = { type: "object", properties: { departure_airport: { type: "string" } } };
  const [text, tool] = [countInput(["departure_airport"]), countInput([], [[schema]])];
  assert(tool.tokens(tokenFamily("o200k")) > text.tokens(tokenFamily("o200k")) + 10);
  const image = { type: "image_url", image_url: { url: "https://images.test/a.png" } };
  const [one, other] = [countInput([image]), countInput([image])];
  assert(Math.abs(one.tokens(tokenFamily("o200k")) - other.tokens(tokenFamily("claude_4_7"))) < 10);
});

Deno.test("the family of a model is known by its vendor's name", () => {
  const families: Readonly<Record<string, TokenFamilyName>> = {
    "gpt-4o-mini": "o200k",
    "gpt-4.1": "o200k",
    "gpt-5.6-luna": "o200k",
    "openai/gpt-oss-120b": "o200k",
    "o3-mini": "o200k",
    "gpt-4": "cl100k",
    "gpt-4-turbo-2024-04-09": "cl100k",
    "gpt-3.5-turbo": "cl100k",
    "gpt-35-turbo": "cl100k",
    "text-embedding-3-large": "cl100k",
    "claude-3-5-sonnet-20241022": "claude",
    "claude-sonnet-4-20250514": "claude",
    "claude-sonnet-4-5": "claude",
    "us.anthropic.claude-opus-4-6-v1": "claude",
    "claude-opus-4-6@20260205": "claude",
    "anthropic/claude-opus-4.6": "claude",
    "claude-opus-4-7": "claude_4_7",
    "anthropic/claude-opus-4.7": "claude_4_7",
    "claude-opus-4-8": "claude_4_7",
    "claude-opus-5": "claude_4_7",
    "gemini-3-flash": "gemini",
    "meta-llama/Llama-3.3-70B-Instruct": "llama3",
    "llama3.1:8b": "llama3",
    "mistral-large-latest": "other",
    "deepseek-chat": "other",
    "": "other",
  };
  for (const [model, family] of Object.entries(families)) {
    assertEquals(tokenFamilyOf(model).name, family, model);
  }
});
