/**
 * Absent stays absent: whatever a caller sends, the vendor gets nothing that
 * does not come from it, but for what the adapter's table `adds` declares.
 */

import { assert, assertEquals } from "@std/assert";
import type { Adapter } from "../../src/contract/adapter.ts";
import { adapters } from "../../src/providers/registry.ts";
import type { Support } from "../../src/contract/support.ts";
import { fuzz } from "../support/fuzz.ts";
import { CITY, IMAGE_DATA, type Leaf, randomRequest, readLeaves } from "../support/requests.ts";
import { type Sender, senderTo } from "../support/sending.ts";
import type { Call } from "../../src/contract/vendor_request.ts";
import { PARAMETERS } from "../../src/contract/chat.ts";

const RUNS = 200;

/** The second format of a kind has a separate entry, with its name in brackets. */
const CLAUDE_ON_VERTEX = "vertex (Claude)";

/** The models of each kind: with and without reasoning, old and new, and an unknown one. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  openai: ["gpt-5.5", "gpt-5.4", "gpt-4o", "o3", "unheard-of"],
  openai_compatible: ["unheard-of"],
  anthropic: ["claude-opus-5", "claude-sonnet-4-5", "claude-haiku-4-5", "claude-3-haiku-20240307"],
  mistral: ["mistral-medium-2604", "mistral-small-2506", "unheard-of"],
  cohere: ["command-a-plus-05-2026", "command-r-08-2024", "unheard-of"],
  ollama: ["qwen3:8b", "gpt-oss:120b-cloud"],
  azure: ["gpt-5.5", "gpt-4o", "o3", "unheard-of"],
  gemini: ["gemini-3-pro-preview", "gemini-2.5-flash", "gemini-2.0-flash", "gemma-3-27b-it"],
  vertex: ["gemini-3-pro-preview", "gemini-2.5-pro"],
  [CLAUDE_ON_VERTEX]: ["claude-opus-5", "claude-haiku-4-5@20251001", "claude-3-haiku@20240307"],
  bedrock: [
    ...["anthropic.claude-opus-4-8-v1", "anthropic.claude-haiku-4-5-20251001-v1:0"],
    ...["us.amazon.nova-2-lite-v1:0", "openai.gpt-oss-120b-1:0"],
    ...["mistral.mistral-large-2402-v1:0", "mistral.mistral-7b-instruct-v0:2"],
  ],
};

/** Options of providers, of the kinds that require some. */
const OPTIONS: Readonly<Record<string, Record<string, unknown>>> = {
  bedrock: { region: "us-east-1" },
};

/**
 * The fields that say model, messages and stream, of kinds that have some of them in the address.
 */
const ASKED: Readonly<Record<string, readonly string[]>> = {
  gemini: ["contents"],
  vertex: ["contents"],
  bedrock: ["messages"],
  [CLAUDE_ON_VERTEX]: ["messages"],
};

/** Objects that hold the fields of a vendor: their members are checked one by one. */
const CONTAINERS = new Set([
  ...["generationConfig", "toolConfig"],
  ...["inferenceConfig", "additionalModelRequestFields"],
]);

const CLAUDE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ["messages", "response_format", "tool_choice", "function_call"],
  tools: ["functions", "response_format"],
  tool_choice: ["function_call", "parallel_tool_calls", "response_format", "functions"],
  thinking: ["reasoning_effort"],
  output_config: ["reasoning_effort", "response_format"],
  metadata: ["user", "safety_identifier"],
  stop_sequences: ["stop"],
  max_tokens: ["max_completion_tokens"],
};

const GEMINI_FIELDS: Readonly<Record<string, readonly string[]>> = {
  contents: ["messages"],
  systemInstruction: ["messages", "response_format"],
  tools: ["functions"],
  "toolConfig.functionCallingConfig": ["tool_choice", "function_call"],
  "generationConfig.candidateCount": ["n"],
  "generationConfig.logprobs": ["top_logprobs"],
  "generationConfig.topK": ["top_k"],
  "generationConfig.responseMimeType": ["response_format"],
  "generationConfig.responseJsonSchema": ["response_format"],
  "generationConfig.responseSchema": ["response_format"],
  "generationConfig.thinkingConfig": ["reasoning_effort"],
  serviceTier: ["service_tier"],
  labels: ["metadata"],
};

const CONVERSE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  system: ["messages", "response_format", "tool_choice", "function_call"],
  "inferenceConfig.temperature": ["temperature"],
  "inferenceConfig.topP": ["top_p"],
  "toolConfig.tools": ["tools", "functions"],
  "toolConfig.toolChoice": ["tool_choice", "function_call"],
  outputConfig: ["response_format"],
  serviceTier: ["service_tier"],
  "additionalModelRequestFields.thinking": ["reasoning_effort"],
  "additionalModelRequestFields.output_config": ["reasoning_effort"],
  "additionalModelRequestFields.reasoning_effort": ["reasoning_effort"],
  "additionalModelRequestFields.reasoningConfig": ["reasoning_effort"],
  "additionalModelRequestFields.top_k": ["top_k"],
  "additionalModelRequestFields.tool_choice": ["parallel_tool_calls"],
};

/** Where else a vendor's field may come from, beyond what the support table says. */
const MADE_FROM: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  openai: {},
  openai_compatible: {},
  azure: {},
  anthropic: CLAUDE_FIELDS,
  [CLAUDE_ON_VERTEX]: CLAUDE_FIELDS,
  gemini: GEMINI_FIELDS,
  vertex: GEMINI_FIELDS,
  bedrock: CONVERSE_FIELDS,
  mistral: { tools: ["functions"], tool_choice: ["function_call"] },
  cohere: {
    tools: ["functions"],
    tool_choice: ["function_call"],
    thinking: ["reasoning_effort"],
    k: ["top_k"],
  },
  ollama: {
    tools: ["functions"],
    format: ["response_format"],
    think: ["reasoning_effort"],
    options: ["top_k"],
  },
};

function kindOf(row: string): string {
  return row.replace(/ \(.*/, "");
}

/** What every request of a kind has, whatever the caller sent. */
function requiredBy(kind: string, stream: boolean): readonly string[] {
  switch (kind) {
    case "anthropic":
      return ["max_tokens"];
    case CLAUDE_ON_VERTEX:
      return ["anthropic_version", "max_tokens"];

    case "ollama":
      return stream ? ["truncate"] : ["truncate", "stream"];
    case "mistral":
    case "cohere":
    case "gemini":
    case "vertex":
    case "bedrock":
      return [];
  }
  return stream ? ["stream_options"] : [];
}

for (const [kind, models] of Object.entries(MODELS)) {
  Deno.test(`${kind}: every sent field comes from the caller or is a declared addition`, async () => {
    await fuzz(RUNS, async (random) => {
      const request = randomRequest(random, random.pick(models));
      const sent = await sentFor(kind, request);
      if (sent === undefined) return;
      for (const field of fieldsOf(sent)) {
        const origins = originsOf(kind, field).filter((name) => request[name] !== undefined);
        const where = `${field} of ${JSON.stringify(sent)} for ${JSON.stringify(request)}`;
        assert(origins.length > 0 || isDeclared(kind, field), where);
      }
    });
  });

  Deno.test(`${kind}: every sent text and number comes from the caller or is explained`, async () => {
    let accepted = 0;
    const tried = await fuzz(RUNS, async (random) => {
      const request = randomRequest(random, random.pick(models));
      const sent = await sentFor(kind, request);
      if (sent === undefined) return;
      const given = new Set(readLeaves(request).map(({ value }) => value));
      const made = readLeaves(sent).filter((leaf) =>
        !given.has(leaf.value) && !isExplained(kind, leaf, request, given)
      );
      assertEquals(made, [], `made up for ${JSON.stringify(request)}`);
      accepted++;
    });
    assert(accepted > tried / 2, `only ${accepted} of ${tried} requests were sent`);
  });

  Deno.test(`${kind}: nothing is added to a request with only a model and messages`, async () => {
    for (const model of models) {
      for (const stream of [false, true]) {
        const messages = [{ role: "user", content: "Hi" }];
        const sent = await sentFor(kind, { model, messages, ...(stream && { stream }) });
        const fields = Object.keys(sent ?? {}).sort();
        const required = requiredBy(kind, stream);
        const asked = [
          ...ASKED[kind] ?? ["model", "messages"],
          ...(sent?.stream ? ["stream"] : []),
        ];
        assertEquals(fields, [...asked, ...required].sort());
        assert(required.every((field) => isDeclared(kind, field)));
      }
    }
  });
}

const senders = new Map<string, Sender>();

/** What the vendor gets, or undefined where the request is refused before it is sent. */
function sentFor(kind: string, request: Record<string, unknown>) {
  const send = senders.get(kind) ?? senderTo({
    kind: kindOf(kind),
    base_url: "http://vendor.test",
    models: MODELS[kind],
    ...OPTIONS[kind],
  });
  senders.set(kind, send);
  return send(request);
}

/** The paths of the fields of a body. */
function fieldsOf(body: Record<string, unknown>): string[] {
  return Object.entries(body).flatMap(([name, value]) =>
    CONTAINERS.has(name)
      ? Object.keys(value as Record<string, unknown>).map((member) => `${name}.${member}`)
      : name
  );
}

/** The caller's fields that a vendor's field may be made of. */
function originsOf(kind: string, field: string): string[] {
  const { supports } = adapterOf(kind);
  const renamed = PARAMETERS.filter((name) => {
    const support: Support = supports.parameters[name];
    return support.level === "renamed" &&
      (support.to === field || support.to.startsWith(`${field}.`));
  });
  const same = supports.extensions === "all" || Object.hasOwn(supports.extensions, field) ||
    (PARAMETERS as readonly string[]).includes(field) || field === "model" || field === "messages";
  // A reasoning model of OpenAI's takes max_tokens under its new name.
  const moved = (kind === "openai" || kind === "azure") && field === "max_completion_tokens"
    ? ["max_tokens"]
    : [];
  return [...(same ? [field] : []), ...renamed, ...moved, ...(MADE_FROM[kind]?.[field] ?? [])];
}

/** Whether a path, or what it stands in, is in the table of additions. */
function isDeclared(kind: string, path: string): boolean {
  return Object.keys(adapterOf(kind).adds).some((added) =>
    path === added || path.startsWith(`${added}.`) || added.startsWith(`${path}.`)
  );
}

function adapterOf(kind: string): Adapter {
  const name = kindOf(kind);
  const adapter = adapters.get(name);
  if (adapter === undefined) throw new TypeError(`No adapter is of the kind '${name}'`);
  if (kind === name || adapter.route === undefined) return adapter;
  const [base = ""] = MODELS[kind] ?? [];
  return adapter.route({ model: { base, upstream: base } } as Call);
}

/** Words of the vendor's own format, by their path. */
const WORDS: Readonly<Record<string, readonly unknown[]>> = {
  "messages.content.type": ["text", "image", "tool_use", "tool_result"],
  "messages.content.source.type": ["base64"],
  "messages.content.source.media_type": ["image/png"],
  "tool_choice.type": ["auto", "any", "tool", "none"],
  "tool_choice.disable_parallel_tool_use": [true],
  "thinking.type": ["enabled", "disabled", "adaptive"],
  "thinking.display": ["summarized"],
  "output_config.effort": ["low", "medium", "high", "xhigh", "max"],
  "output_config.format.type": ["json_schema"],
  "service_tier": ["auto", "standard_only"],
  // Capped.
  "temperature": [1],
};

/** The gateway's instructions, without or after those of the caller. */
const INSTRUCTION =
  /(?:^|\n\n)(?:Reply with one JSON object|Answer by calling |Do not call any tool)/;

/** Values of Gemini's format, which is the same on Vertex. */
const GEMINI_VALUES: Readonly<Record<string, RegExp>> = {
  "contents.role": /^model$/,
  // Gemma takes no instructions apart from the turns.
  "contents.parts.text": INSTRUCTION,
  "contents.parts.functionCall.args.city": new RegExp(`^${CITY}$`),
  "contents.parts.inlineData.mimeType": /^image\/png$/,
  "contents.parts.inlineData.data": new RegExp(`^${IMAGE_DATA}$`),
  "contents.parts.thoughtSignature": /^skip_thought_signature_validator$/,
  "generationConfig.responseMimeType": /^application\/json$/,
  "generationConfig.thinkingConfig.thinkingBudget": /^\d+$/,
  "generationConfig.thinkingConfig.thinkingLevel": /^(?:MINIMAL|LOW|MEDIUM|HIGH)$/,
  "serviceTier": /^standard$/,
  "systemInstruction.parts.text": INSTRUCTION,
  "toolConfig.functionCallingConfig.mode": /^(?:NONE|AUTO|ANY)$/,
};

/** What the values may be that a vendor's adapter puts in by itself, by their path. */
const OWN: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  gemini: GEMINI_VALUES,
  vertex: GEMINI_VALUES,
  // For the developer.
  openai_compatible: { "messages.role": /^system$/ },
  bedrock: {
    "additionalModelRequestFields.output_config.effort": /^(?:low|medium|high|xhigh|max)$/,
    "additionalModelRequestFields.reasoning_effort": /^(?:low|medium|high)$/,
    "additionalModelRequestFields.reasoningConfig.maxReasoningEffort": /^(?:low|medium|high)$/,
    "additionalModelRequestFields.reasoningConfig.type": /^enabled$/,
    "additionalModelRequestFields.thinking.budget_tokens": /^\d+$/,
    "additionalModelRequestFields.thinking.type": /^(?:enabled|disabled|adaptive)$/,
    "additionalModelRequestFields.tool_choice.disable_parallel_tool_use": /^true$/,
    "additionalModelRequestFields.tool_choice.type": /^(?:auto|any|tool)$/,
    "inferenceConfig.temperature": /^1$/,
    "messages.content.image.format": /^png$/,
    "messages.content.image.source.bytes": new RegExp(`^${IMAGE_DATA}$`),
    "messages.content.text": INSTRUCTION,
    "messages.content.toolResult.toolUseId": /^[a-z0-9]{9}$/,
    "messages.content.toolUse.input.city": new RegExp(`^${CITY}$`),
    "messages.content.toolUse.toolUseId": /^[a-z0-9]{9}$/,
    "outputConfig.textFormat.structure.jsonSchema.schema": /^\{"type":"object"/,
    "outputConfig.textFormat.type": /^json_schema$/,
    "system.text": INSTRUCTION,
    "toolConfig.toolChoice.tool.name": /^json$/,
    "additionalModelRequestFields.tool_choice.name": /^json$/,
    "toolConfig.tools.toolSpec.inputSchema.json.type": /^object$/,
    "toolConfig.tools.toolSpec.name": /^json$/,
  },
  mistral: {
    "messages.role": /^system$/,
    "messages.tool_calls.id": /^[a-z0-9]{9}$/,
    "messages.tool_call_id": /^[a-z0-9]{9}$/,
    "reasoning_effort": /^high$/,
    "temperature": /^1\.5$/,
    "tools.type": /^function$/,
    "tool_choice": /^any$/,
    "tool_choice.type": /^function$/,
    "top_p": /^1$/,
  },
  cohere: {
    "frequency_penalty": /^1$/,
    "messages.content": INSTRUCTION,
    "messages.role": /^system$/,
    "p": /^0\.99$/,
    "presence_penalty": /^1$/,
    "response_format.type": /^json_object$/,
    "temperature": /^1$/,
    "thinking.token_budget": /^\d+$/,
    "thinking.type": /^(?:en|dis)abled$/,
    "tools.type": /^function$/,
    "tool_choice": /^(?:NONE|REQUIRED)$/,
  },
  ollama: {
    "format": /^json$/,
    // Null has no place there.
    "messages.content": new RegExp(`^$|${INSTRUCTION.source}`),
    "messages.images": new RegExp(`^${IMAGE_DATA}$`),
    "messages.role": /^system$/,
    "messages.tool_calls.function.arguments.city": new RegExp(`^${CITY}$`),
    "stream": /^false$/,
    "think": /^(?:false|low|medium|high|max)$/,
    "tools.type": /^function$/,
    "truncate": /^false$/,
  },
};

/** Whether a value that the caller did not send is one that the adapter may put there. */
function isExplained(
  kind: string,
  { path, value }: Leaf,
  request: Record<string, unknown>,
  given: ReadonlySet<unknown>,
): boolean {
  const isOpenAi = kind === "openai" || kind === "azure";
  if (isOpenAi && path === "reasoning_effort") return true;
  if (path === "stream_options.include_usage") return isDeclared(kind, path);
  if (path === "anthropic_version") return isDeclared(kind, path);
  if (kind !== "anthropic" && kind !== CLAUDE_ON_VERTEX) {
    return OWN[kind]?.[path]?.test(String(value)) ?? false;
  }
  if (WORDS[path]?.includes(value)) return true;
  const wantsJson = request.response_format !== undefined;
  switch (path) {
    case "max_tokens":
    case "thinking.budget_tokens":
      return typeof value === "number";
    case "messages.content.source.data":
      return value === IMAGE_DATA;
    case "messages.content.input.city":
      return value === CITY;
    case "tools.input_schema.type":
      // The definition of a tool that was called in the past and is no more.
      return value === "object" && isDeclared(kind, "tools");
    case "tools.name":
    case "tool_choice.name":
      return wantsJson && value === "json";
    case "system": {
      // Several instructions become one text; the gateway's is the last.
      const texts = String(value).split("\n\n");
      const ours = texts.findIndex((text) => !given.has(text));
      const forced = request.tool_choice !== undefined || request.function_call !== undefined;
      return ours === -1 || ((wantsJson || forced) && isDeclared(kind, path));
    }
  }
  return false;
}
