import { isObject, type JsonObject } from "../../../contract/chat.ts";
import { InnerJson } from "../../../core/json/inner_json.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { dialectEmbeddings, TEXT_ALONE } from "../embeddings.ts";
import { toUpstreamError } from "../errors.ts";
import { dialectModels } from "../model_list.ts";
import { chatMarks } from "../prompt_marks.ts";
import type { ModelFacts } from "../../../contract/model_facts.ts";
import { native } from "../../../contract/support.ts";
import { includesWord, toFacts, toPrices } from "../../shared/model_list.ts";
import { toObject } from "../../../core/json/values.ts";
import { minCachedTokens } from "../../shared/claude/models.ts";
import { CACHE_CONTROL, CACHE_CONTROL_NOTE } from "../../shared/prompt_marks/cache_control.ts";
import type { Failure, UpstreamError } from "../../../contract/vendor_request.ts";

/** OpenRouter (https://openrouter.ai/docs/api-reference, 2026-08-22). */
export const openrouter = openAiCompatible(dialectOf({
  kind: "openrouter",
  models: dialectModels({ facts: toListedFacts }),
  apis: {
    // Answers to lists of tokens contained no vectors.
    embeddings: dialectEmbeddings({
      parameters: { input_type: native },
      inputs: { ...TEXT_ALONE, parts: native },
    }),
  },
  baseUrl: "https://openrouter.ai/api/v1",
  messagesApi: { path: "/api/v1/messages", byDefault: false },
  responses: true,
  requestIdHeader: "x-generation-id",
  streamUsage: false,
  stops: 4,
  parameters: lacks("no such field", "n"),
  alsoTakes: [
    ...["metadata", "prediction", "service_tier", "modalities"],
    ...["prompt_cache_key", "verbosity", "audio"],
  ],
  // https://openrouter.ai/docs/features/provider-routing (2026-11).
  takesProviderMember: () => true,
  anyParts: true,
  // https://openrouter.ai/docs/guides/features/server-tools (2026-11): openrouter:web_search,
  // openrouter:advisor and others.
  content: { server_tool: native },
  // Tool results have parts like other messages
  // (https://reference.langchain.com/javascript/langchain-openrouter, ToolResponseMessage,
  // 2026-11-24).
  toolMedia: ["image_url"],
  // https://openrouter.ai/docs/features/prompt-caching (2026-11-24): on texts, for Claude. Other
  // models cache automatically.
  promptMarks: ({ base }) => base.includes("claude") ? chatMarks(minCachedTokens(base)) : undefined,
  adds: { [CACHE_CONTROL]: CACHE_CONTROL_NOTE },
  replays: "reasoning",
  replaysDetails: true,
  detailsInPieces: true,
  error: classifyError,
}));

/**
 * `metadata.raw` contains the message from the vendor behind OpenRouter. A 403 with reasons is a
 * moderated prompt (https://openrouter.ai/docs/api-reference/errors, 2026-08-22).
 */
function classifyError(failure: Failure): UpstreamError | undefined {
  const error = isObject(failure.body) && isObject(failure.body.error) ? failure.body.error : {};
  // The balance may suffice for other requests: https://github.com/QwenLM/qwen-code/issues/73
  // (2025-07).
  if (typeof error.message === "string" && error.message.startsWith(NOT_AFFORDABLE)) {
    return { ...toUpstreamError(failure), suspends: undefined };
  }
  const metadata = isObject(error.metadata) ? error.metadata : undefined;
  if (metadata === undefined) return undefined;
  const message = [messageIn(metadata.raw), error.message].find((text) => typeof text === "string");
  const body = { ...failure.body as JsonObject, error: { ...error, message } };
  const upstreamError = toUpstreamError({ ...failure, body });
  return Array.isArray(metadata.reasons)
    ? { ...upstreamError, kind: "content_filter" }
    : upstreamError;
}

const NOT_AFFORDABLE = "This request requires more credits, or fewer max_tokens";

function messageIn(raw: unknown): unknown {
  if (typeof raw !== "string" || raw === "") return undefined;
  try {
    return toUpstreamError({ where: "stream", body: new InnerJson().parse(raw) }).message ?? raw;
  } catch {
    return raw;
  }
}

/**
 * The facts in the list. Prices are in USD per token, as text
 * (https://openrouter.ai/docs/api-reference/list-available-models, 2026-11-25).
 */
function toListedFacts(entry: JsonObject): ModelFacts {
  const [architecture, limits, pricing] = [entry.architecture, entry.top_provider, entry.pricing]
    .map(toObject);
  const { supported_parameters: parameters } = entry;
  return toFacts({
    name: entry.name,
    context: entry.context_length,
    output: limits?.max_completion_tokens,
    capabilities: {
      vision: includesWord(architecture?.input_modalities, "image"),
      tools: includesWord(parameters, "tools"),
      json_schema: includesWord(parameters, "structured_outputs"),
      reasoning: includesWord(parameters, "reasoning"),
    },
    prices: toPrices({
      input: pricing?.prompt,
      output: pricing?.completion,
      cachedInput: pricing?.input_cache_read,
      cacheWrite: pricing?.input_cache_write,
    }, 1),
  });
}
