/** Format-independent requests and answers, and what each caller format supports of them. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import type { Random } from "../random.ts";

/** What a format may support. Texts, turns, tools and their results are in all of them. */
export type Feature =
  | "audio"
  | "cached tokens"
  | "choice of tools"
  | "file"
  | "filter"
  | "image by URL"
  | "image in results"
  | "logprobs"
  | "order of parts"
  | "parallel calls"
  | "penalties"
  | "pieces of arguments"
  | "reasoning tokens"
  | "seed"
  | "stop"
  | "strict tools"
  | "top_k"
  | "user";

/** Media as base64; an image may have a URL instead. */
export type Part =
  | { readonly text: string }
  | { readonly image: string }
  | { readonly imageUrl: string }
  | { readonly file: string; readonly name: string }
  | { readonly audio: string };

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** The result of a call, by its position among all calls. */
export interface Result {
  readonly of: number;
  readonly parts: readonly Part[];
}

export type Turn =
  | { readonly role: "user"; readonly parts: readonly Part[] }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly Call[] }
  | { readonly role: "tool"; readonly results: readonly Result[] };

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly strict?: boolean | undefined;
}

/** A request. */
export interface Conversation {
  readonly system?: string | undefined;
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  /** A tool by name, or a choice that all formats can express. */
  readonly choice?: "auto" | "none" | "required" | { readonly name: string } | undefined;
  readonly parallel?: boolean | undefined;
  readonly maxTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly seed?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly schema?: JsonObject | undefined;
  readonly user?: string | undefined;
  /** The number of likely tokens requested at each position. */
  readonly logprobs?: number | undefined;
  /** Thoughts are shown with it. */
  readonly effort?: "low" | "high" | undefined;
}

export type Finish = "calls" | "filter" | "length" | "stop";

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
}

/** An answer in pieces, one for each event. */
export interface Answer {
  readonly thoughts: readonly string[];
  readonly text: readonly string[];
  readonly calls: readonly AnswerCall[];
  readonly finish: Finish;
  readonly usage: Usage;
  /** Of the text, one for each piece. */
  readonly logprobs: readonly Token[];
}

export interface LikelyToken {
  readonly token: string;
  readonly logprob: number;
}

export interface Token extends LikelyToken {
  readonly top: readonly LikelyToken[];
}

export interface AnswerCall {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly pieces: readonly string[];
}

/** A request as a client sends it. */
export interface CallerRequest {
  readonly path: string;
  readonly body: JsonObject;
}

/** One format: how clients and vendors write it. */
export interface Format {
  readonly name: string;
  readonly has: ReadonlySet<Feature>;
  /** What its models support only without reasoning, or only with it. */
  readonly lacks?: { readonly plain: readonly Feature[]; readonly reasoning: readonly Feature[] };
  /** The members of a provider that speaks it. */
  readonly provider: JsonObject;
  /** A model without reasoning, and one with it. */
  readonly models: { readonly plain: string; readonly reasoning: string };
  writeRequest(conversation: Conversation, model: string, stream: boolean): CallerRequest;
  readRequest(body: JsonObject): Conversation;
  writeAnswer(answer: Answer): JsonObject;
  readAnswer(body: JsonObject): Answer;
  readonly streamType: string;
  writeStream(answer: Answer): string;
  readStream(text: string): Answer;
}

const WORDS = ["Oslo", "naïve", '"quoted"', "line\nbreak", "数", "{}", "😀", "Error", " ", "</a>"];
export const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const PDF = btoa("%PDF-1.4\n%%EOF\n");
export const WAV = btoa("RIFF\0\0\0\0WAVEfmt ");
const PAGE = "https://example.com/cat.png";

const CITY = {
  type: "object",
  properties: {
    city: { type: "string", description: "A city" },
    unit: { type: "string", enum: ["C", "F"] },
    days: { type: "array", items: { type: "integer" } },
  },
  required: ["city", "unit", "days"],
  additionalProperties: false,
};

/** What two formats have in common. */
export function featuresOf(caller: Format, vendor: Format, isReasoning: boolean): Set<Feature> {
  const lacking = vendor.lacks?.[isReasoning ? "reasoning" : "plain"] ?? [];
  return caller.has.intersection(vendor.has).difference(new Set(lacking));
}

/** A conversation with the parts that two formats share. */
export function randomConversation(
  random: Random,
  has: ReadonlySet<Feature>,
  effort: "low" | "high" | undefined,
): Conversation {
  const text = () => `${random.pick(WORDS)} ${random.pick(WORDS)}.`;
  const given = <Value>(feature: Feature | undefined, value: Value): Value | undefined =>
    (feature === undefined || has.has(feature)) && random.chance(0.6) ? value : undefined;
  const withTools = random.chance(0.7);
  // Vendors refuse some of these beside reasoning, and two ways of sampling.
  const sampled = effort === undefined;
  const isTemperature = random.chance(0.5);
  const tools = withTools
    ? ["look_up", "save"].map((name): Tool => ({
      ...{ name, description: text(), parameters: CITY },
      strict: given("strict tools", true),
    }))
    : [];
  const choice = withTools && sampled
    ? given("choice of tools", random.pick([...CHOICES, { name: "save" }]))
    : undefined;
  return {
    system: given(undefined, text()),
    turns: randomTurns(random, has, text, withTools),
    tools,
    choice,
    parallel: withTools && sampled && choice !== "none"
      ? given("parallel calls", false)
      : undefined,
    maxTokens: 4000,
    temperature: sampled && isTemperature ? given(undefined, 0.5) : undefined,
    topP: sampled && !isTemperature ? given(undefined, 0.25) : undefined,
    topK: sampled ? given("top_k", 7) : undefined,
    seed: sampled ? given("seed", 42) : undefined,
    stop: sampled ? given("stop", ["END", "數"]) : undefined,
    ...(sampled && given("penalties", { presencePenalty: 0.5, frequencyPenalty: -0.25 })),
    schema: withTools ? undefined : given(undefined, CITY),
    user: given("user", "user-1"),
    logprobs: sampled ? given("logprobs", 2) : undefined,
    effort,
  };
}

const CHOICES = ["auto", "none", "required"] as const;

function randomTurns(
  random: Random,
  has: ReadonlySet<Feature>,
  text: () => string,
  withTools: boolean,
): Turn[] {
  const media = (): Part[] =>
    ([
      ["image", { image: PNG }],
      ["image by URL", { imageUrl: PAGE }],
      ["file", { file: PDF, name: "a.pdf" }],
      ["audio", { audio: WAV }],
    ] as const).filter(([feature]) =>
      (feature === "image" || has.has(feature)) && random.chance(0.3)
    ).map(([, part]) => part);
  const userParts = (): Part[] => [
    { text: text() },
    ...media(),
    ...(has.has("order of parts") && random.chance(0.5) ? [{ text: text() }] : []),
  ];
  const turns: Turn[] = [{ role: "user", parts: userParts() }];
  let calls = 0;
  for (let left = random.below(4); left > 0; left--) {
    const count = withTools ? random.below(3) : 0;
    const made = Array.from({ length: count }, (_, at): Call => ({
      id: `call_${calls + at}abcdefg`,
      name: random.pick(["look_up", "save"]),
      input: { city: text(), unit: "C", days: [1, calls + at] },
    }));
    const said = count === 0 || random.chance(0.5) ? text() : "";
    turns.push({ role: "assistant", text: said, calls: made });
    const results = made.map((_, at): Result => {
      const image = has.has("image in results") && random.chance(0.3);
      return { of: calls + at, parts: [{ text: text() }, ...(image ? [{ image: PNG }] : [])] };
    });
    turns.push(
      count === 0 ? { role: "user", parts: userParts() } : { role: "tool", results },
    );
    calls += count;
  }
  return turns;
}

/** An answer of what two formats have, to a conversation. */
export function randomAnswer(
  random: Random,
  has: ReadonlySet<Feature>,
  { effort, tools, choice, logprobs }: Conversation,
): Answer {
  const piece = () => `${random.pick(WORDS)} ${random.pick(WORDS)}`;
  // All are different, so that each has one position.
  const pieces = () => Array.from({ length: 1 + random.below(4) }, (_, at) => `${piece()} ${at}`);
  const thoughts = effort !== undefined && random.chance(0.8) ? pieces() : [];
  const canCall = tools.length > 0 && choice !== "none";
  const calls = Array.from({ length: canCall ? random.below(3) : 0 }, (_, at): AnswerCall => {
    const input = JSON.stringify({ city: piece(), unit: "F", days: [at] });
    const cut = has.has("pieces of arguments") ? 1 + random.below(input.length - 1) : input.length;
    return {
      id: `call_out${at}abcd`,
      name: random.pick(["look_up", "save"]),
      pieces: [input.slice(0, cut), input.slice(cut)].filter((one) => one !== ""),
    };
  });
  const ends: readonly Finish[] = ["stop", "length", ...(has.has("filter") ? FILTER : [])];
  const text = calls.length === 0 || random.chance(0.5) ? pieces() : [];
  return {
    thoughts,
    text,
    logprobs: logprobs === undefined ? [] : text.map(toToken),
    calls,
    finish: calls.length > 0 ? "calls" : random.pick(ends),
    usage: {
      input: 30,
      output: 20,
      cached: has.has("cached tokens") && random.chance(0.5) ? 10 : 0,
      reasoning: has.has("reasoning tokens") && thoughts.length > 0 ? 8 : 0,
    },
  };
}

const FILTER = ["filter"] as const;

function toToken(token: string): Token {
  const chosen = { token, logprob: -0.5 };
  return { ...chosen, top: [chosen, { token: "other", logprob: -1.5 }] };
}
