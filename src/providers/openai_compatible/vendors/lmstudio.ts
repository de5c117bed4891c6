import { isObject, type JsonObject } from "../../../contract/chat.ts";
import { isText } from "../../../core/json/values.ts";
import type { ModelFacts } from "../../../contract/model_facts.ts";
import { includesWord, toFacts } from "../../shared/model_list.ts";
import { dialectModels } from "../model_list.ts";
import { dialectOf, lacks } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { dialectEmbeddings, NUMBERS_ALONE, TEXT_ALONE } from "../embeddings.ts";
import { nativeAs, refused } from "../../../contract/support.ts";
import type { Call } from "../../../contract/vendor_request.ts";

/** LM Studio (https://lmstudio.ai/docs/developer/openai-compat, 2026-04-29). */
export const lmstudio = openAiCompatible(dialectOf({
  kind: "lmstudio",
  models: dialectModels({
    hasDates: false,
    url: ({ baseUrl }) => `${baseUrl.replace(/\/v1$/, "")}/api/v0/models`,
    isOwn: ({ type }) => isText(type),
    facts: toListedFacts,
  }),
  apis: {
    embeddings: dialectEmbeddings({
      parameters: { encoding_format: NUMBERS_ALONE },
      inputs: TEXT_ALONE,
    }),
  },
  completions: true,
  baseUrl: "http://127.0.0.1:1234/v1",
  rendersTemplates: true,
  messagesApi: { path: "/v1/messages", byDefault: false },
  local: true,
  tokenLimit: "max_tokens",
  parameters: {
    ...lacks("no such field", "n", "logprobs", "top_logprobs", "user"),
    response_format: nativeAs("json_object becomes json_schema with any object"),
  },
  toolChoice: { named: "only that tool" },
  content: { input_audio: refused("no audio input"), file: refused("no files") },
  imageDataOnly: true,
  replays: "reasoning_content",
  thinkTags: true,
  rewrites: [withOpenSchema],
  message: splitAtSeparator,
}));

/**
 * The format json_object is rejected with status 400
 * (https://lmstudio.ai/docs/developer/openai-compat/structured-output, 2026-04-29).
 */
function withOpenSchema(body: JsonObject, { changes }: Call): JsonObject {
  const format = body.response_format;
  if (!isObject(format) || format.type !== "json_object") return body;
  changes.convert("response_format", "json_object", "json_schema");
  const json_schema = { name: "object", schema: { type: "object" } };
  return { ...body, response_format: { type: "json_schema", json_schema } };
}

/** A separator between reasoning and text if a schema is enforced (any-llm, 2026-08-19). */
const SEPARATOR = /__LM_STUDIO_INTERNAL_LSEP_SYNTHETIC_REASONING_END_[0-9a-f]+__/;

function splitAtSeparator(message: JsonObject): void {
  if (typeof message.content !== "string") return;
  const [before, after] = message.content.split(SEPARATOR);
  if (after === undefined) return;
  message.content = after;
  if (before) message.reasoning_content = before;
}

/**
 * A loaded model may have a smaller context window than its maximum
 * (https://lmstudio.ai/docs/developer/rest/endpoints, 2026-11-25).
 */
function toListedFacts(entry: JsonObject): ModelFacts {
  const { capabilities, type } = entry;
  return toFacts({
    context: entry.loaded_context_length ?? entry.max_context_length,
    capabilities: type === "embeddings" ? { embeddings: true } : {
      vision: type === "vlm",
      tools: includesWord(capabilities, "tool_use"),
    },
  });
}
