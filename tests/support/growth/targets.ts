/** A target for each kind of provider, and for each API and family of models that a kind has. */

import type { ChatRequest, JsonObject } from "../../../src/contract/chat.ts";
import { readChatRequest } from "../../../src/apis/chat/read_request.ts";
import type { Target } from "../../../src/config/config.ts";
import { prepare, type Prepared } from "../../../src/gateway/execute/chat/prepare_request.ts";
import { RequestChanges } from "../../../src/contract/request_changes.ts";
import { countedIds, loadTestConfig, VENDOR_KEY } from "../gateway.ts";
import type { Format } from "./answers.ts";
import { CHAT_KINDS } from "../chat_kinds.ts";

/** A target, its name in reports, and the format of its answers. */
export interface NamedTarget {
  readonly name: string;
  readonly target: Target;
  readonly format: Format;
  /** Whether it differs from other OpenAI-compatible vendors only in data. */
  readonly plain: boolean;
}

/** Models of each family that a kind distinguishes; other kinds have one model. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  openai: ["gpt-5.5"],
  azure: ["gpt-4o"],
  anthropic: ["claude-sonnet-4-5-20250929", "claude-opus-5"],
  gemini: ["gemini-2.5-pro", "gemini-3.5-flash"],
  vertex: ["gemini-3.8-flash", "claude-sonnet-4-5@20250929"],
  bedrock: [
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "us.amazon.nova-2-lite-v1:0",
    "meta.llama3-3-70b-instruct-v1:0",
    "openai.gpt-oss-120b-1:0",
    "mistral.mixtral-8x7b-instruct-v0:1",
  ],
  cohere: ["command-a-plus-05-2026", "command-r-08-2024"],
  mistral: ["magistral-medium-latest"],
  ollama: ["qwen3:8b", "gpt-oss:120b-cloud"],
  moonshot: ["kimi-k3"],
  cerebras: ["zai-glm-4.6"],
  perplexity: ["sonar-reasoning"],
  xai: ["grok-4.5"],
};

/** Kinds with specific rewrites of messages, schemas or answers. */
const OWN_CODE = new Set([
  ...["openai", "anthropic", "gemini", "vertex", "bedrock", "mistral", "cohere", "ollama"],
  ...["perplexity", "moonshot", "xai", "openrouter", "mock"],
]);

/** Required members of config.yaml by kind. */
const MEMBERS: Readonly<Record<string, JsonObject>> = { bedrock: { region: "us-east-1" } };

/** Kinds with a second API, which is another provider here. */
const RESPONSES = new Map([["openai-responses", "openai"], ["azure-responses", "azure"]]);

/** Every target. */
export function readTargets(): NamedTarget[] {
  const kinds = CHAT_KINDS.map((kind): [string, string] => [kind, kind]);
  const entries = [...kinds, ...RESPONSES].map(([id, kind]): [string, JsonObject] => [
    id,
    { ...entryOf(kind), ...(id !== kind && { api: "responses" }) },
  ]);
  const config = loadTestConfig({ providers: Object.fromEntries(entries) });
  return entries.flatMap(([id, { kind, models }]) =>
    (models as string[]).map((model): NamedTarget => {
      const [link] = config.resolve(`${model}@${id}`) ?? [];
      if (link === undefined) throw new TypeError(`There is no target '${model}@${id}'`);
      const format = RESPONSES.has(id) ? "responses" : formatOf(String(kind), model);
      const plain = id !== "openai-responses" && !OWN_CODE.has(id);
      return { name: `${id} ${model}`, target: link.target, format, plain };
    })
  );
}

/** A member of config.yaml for a provider of a kind. */
export function entryOf(kind: string): JsonObject {
  const models = MODELS[kind] ?? ["m"];
  if (kind === "mock") return { kind, models };
  const base_url = "http://vendor.test";
  return { kind, models, api_key: VENDOR_KEY, base_url, ...MEMBERS[kind] };
}

/** A request after validation. */
export function readRequest(members: JsonObject): ChatRequest {
  return readChatRequest({ model: "m", ...members });
}

/** A request prepared for its target. */
export function prepareFor({ target }: NamedTarget, request: ChatRequest): Prepared & {
  readonly changes: RequestChanges;
} {
  const changes = new RequestChanges();
  return { ...prepare(target, request, changes, countedIds()), changes };
}

function formatOf(kind: string, model: string): Format {
  switch (kind) {
    case "anthropic":
    case "bedrock":
    case "cohere":
    case "gemini":
    case "ollama":
      return kind;
    case "vertex":
      return model.startsWith("claude") ? "anthropic" : "gemini";
  }
  return "dialect";
}
