/**
 * Ollama's native chat API, local or in its cloud.
 *
 * Shapes: https://github.com/ollama/ollama/blob/main/docs/api.md and
 * https://github.com/ollama/ollama/blob/main/api/types.go (2026-08).
 */

import type { ChatRequest } from "../../contract/chat.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { Adapter, ModelListApi } from "../../contract/adapter.ts";
import { asObjectSchema } from "../shared/json_schema.ts";
import {
  type ConversionPlan,
  LineDecoder,
  toCompletion,
  toConversionPlan,
  toOllamaError,
} from "./answers.ts";
import { OLLAMA_API, ollamaEmbeddings, toThinkLevel, urlOf } from "./native.ts";
import { toMessages } from "./messages.ts";
import {
  converted,
  ignored,
  native,
  nativeAs,
  RARE_CONTENT,
  refused,
  renamed,
  type Support,
} from "../../contract/support.ts";
import { isText, present, toList, toObject } from "../../core/json/values.ts";
import type { ModelFacts } from "../../contract/model_facts.ts";
import { entriesOf, includesWord, listRequest, toFacts } from "../shared/model_list.ts";
import type {
  Call,
  ProviderSettings,
  TargetModel,
  VendorRequest,
} from "../../contract/vendor_request.ts";
import { invalidValue } from "../../core/errors.ts";

// Ollama's model list, and the details of each model
// (https://github.com/ollama/ollama/blob/main/docs/api.md, 2026-08).

/** `/api/tags`, then `/api/show` for models without capabilities there. */
const OLLAMA_MODELS: ModelListApi = {
  toRequests: (provider) => [listRequest(urlOf(provider, "tags"), { type: "bearer" })],
  read(body, request, provider) {
    const { model } = request.body;
    if (isText(model)) return { models: [{ id: model, facts: toShownFacts(toObject(body)) }] };
    const entries = entriesOf(toObject(body).models).filter(({ name }) => isText(name));
    return {
      models: entries.map((entry) => ({ id: String(entry.name), facts: toListedFacts(entry) })),
      next: entries.filter((entry) => !isComplete(entry))
        .map(({ name }) => toShow(provider, String(name))),
    };
  },
};

function toShow(provider: ProviderSettings, model: string): VendorRequest {
  return { url: urlOf(provider, "show"), headers: {}, body: { model }, auth: { type: "bearer" } };
}

/** Whether an entry of `/api/tags` is as complete as `/api/show`. */
function isComplete({ capabilities, details }: JsonObject): boolean {
  return Array.isArray(capabilities) && toObject(details).context_length !== undefined;
}

function toListedFacts({ capabilities, details }: JsonObject): ModelFacts {
  return toFacts({
    context: toObject(details).context_length,
    capabilities: toCapabilities(capabilities),
  });
}

/**
 * The context window in `num_ctx` of the model's file. Without it, the server chooses one that fits
 * its memory, up to the limit of the model's architecture.
 */
function toShownFacts({ capabilities, model_info: info, parameters }: JsonObject): ModelFacts {
  const [, chosen] = isText(parameters) ? /^num_ctx\s+(\d+)$/m.exec(parameters) ?? [] : [];
  const architecture = Object.entries(toObject(info))
    .find(([name]) => name.endsWith(".context_length"))?.[1];
  return toFacts({
    context: chosen === undefined ? architecture : Number(chosen),
    capabilities: toCapabilities(capabilities),
  });
}

function toCapabilities(words: unknown) {
  if (!Array.isArray(words)) return {};
  if (includesWord(words, "embedding") === true && !toList(words).includes("completion")) {
    return { embeddings: true };
  }
  return {
    tools: includesWord(words, "tools"),
    vision: includesWord(words, "vision"),
    reasoning: includesWord(words, "thinking"),
  };
}

/** Ollama's native chat API. */
export const ollama = {
  kind: "ollama",
  defaults: {
    baseUrl: "http://127.0.0.1:11434/api",
    // Its OpenAI-compatible API (https://docs.ollama.com/api/openai-compatibility, 2026-11-28).
    otherPath: "/v1",
    credentials: "optional",
    // Loading a model can take minutes.
    timeouts: { first_token: "15m", idle: "10m", total: "1h" },
  },
  supports: {
    parameters: {
      stream: native,
      stream_options: converted("usage is always reported; the caller gets it only on request"),
      max_tokens: renamed("options.num_predict"),
      max_completion_tokens: renamed("options.num_predict"),
      temperature: renamed("options.temperature"),
      top_p: renamed("options.top_p"),
      n: ignored("one choice only"),
      stop: renamed("options.stop"),
      seed: renamed("options.seed"),
      frequency_penalty: renamed("options.frequency_penalty"),
      presence_penalty: renamed("options.presence_penalty"),
      logit_bias: ignored("no such field"),
      logprobs: nativeAs("recent servers"),
      top_logprobs: nativeAs("beside logprobs"),
      tools: nativeAs("functions; references in their schemas are resolved"),
      tool_choice: converted("fewer tools, and an instruction if a call is required"),
      parallel_tool_calls: converted("the first call of an answer is kept"),
      functions: converted("tools"),
      function_call: converted("as tool_choice"),
      response_format: converted("format; an instruction beside tools and in the cloud"),
      reasoning_effort: converted("think"),
      verbosity: ignored("no such field"),
      user: ignored("no such field"),
      metadata: ignored("no such field"),
      store: ignored("no such field"),
      service_tier: ignored("no such field"),
      prediction: ignored("no such field"),
      modalities: ignored("text only"),
      audio: ignored("text only"),
    },
    content: {
      developer_message: converted("joined with the system message"),
      message_name: converted("omitted, and reported"),
      image_url: converted("fetched by the gateway and sent as data"),
      image_data: nativeAs("jpeg, png, webp"),
      input_audio: refused("no audio input"),
      file: refused("no files"),
      ...RARE_CONTENT,
    },
    extensions: {
      think: nativeAs("wins over reasoning_effort"),
      keep_alive: native,
      truncate: native,
      shift: native,
      num_ctx: renamed("options.num_ctx"),
      num_keep: renamed("options.num_keep"),
      top_k: renamed("options.top_k"),
      min_p: renamed("options.min_p"),
      typical_p: renamed("options.typical_p"),
      repeat_penalty: renamed("options.repeat_penalty"),
      repeat_last_n: renamed("options.repeat_last_n"),
    },
  },
  adds: {
    stream: "the vendor streams by default",
    truncate: "the vendor silently drops the oldest messages of a long prompt by default",
    messages: "an instruction, for JSON or a tool choice that the vendor does not support",
  },
  apis: {
    embeddings: ollamaEmbeddings,
  },
  models: OLLAMA_MODELS,
  framing: "ndjson",
  native: (format) => format === "ollama" ? OLLAMA_API : undefined,
  reasoningState: ["reasoning_content"],
  imageSources: { https: false, http: false },
  supportFor,
  toRequest,
  toCompletion: ({ body }, call) => toCompletion(body, call),
  decoder: (call) => new LineDecoder(call),
  toError: toOllamaError,
} satisfies Adapter;

function supportFor(request: ChatRequest, { facts }: TargetModel): Record<string, Support> {
  const { max_tokens, max_completion_tokens, top_logprobs, logprobs } = request;
  return {
    ...(facts.capabilities?.reasoning === false && {
      reasoning_effort: ignored("the model does not think"),
    }),
    ...(max_tokens !== undefined && max_completion_tokens !== undefined && {
      max_tokens: ignored("max_completion_tokens is there"),
    }),
    ...(top_logprobs !== undefined && logprobs !== true && {
      top_logprobs: ignored("without logprobs"),
    }),
  };
}

function toRequest(call: Call): VendorRequest {
  const plan = toConversionPlan(call);
  const { fields } = call;
  if (call.request.functions) call.changes.rename("functions", "tools");
  if (call.request.stream === undefined) call.changes.add("stream");
  if (fields.truncate === undefined) call.changes.add("truncate");
  if (plan.hints.length > 0) call.changes.add("messages");
  if (plan.single) call.changes.convert("parallel_tool_calls");
  if (plan.formatChanged) call.changes.convert("response_format.json_schema");
  return {
    url: urlOf(call.provider, "chat"),
    headers: {},
    auth: { type: "bearer" },
    body: present({
      model: call.model.upstream,
      messages: toMessages(call, plan),
      ...fields,
      stream: call.stream,
      truncate: fields.truncate ?? false,
      tools: toTools(call, plan),
      format: plan.format,
      think: toThink(call),
      options: toOptions(call),
    }),
  };
}

/**
 * Converts tools. The server keeps only a part of JSON Schema and silently drops the rest, such as
 * references; `type` must be a string and `properties` an object.
 */
function toTools(
  { changes }: Call,
  { tools, refs }: ConversionPlan,
): readonly JsonObject[] | undefined {
  if (tools.length === 0) return undefined;
  return tools.map(({ path, definition }) => {
    const param = `${path}.parameters`;
    const schema = asObjectSchema(definition.parameters);
    if (schema === undefined) {
      throw invalidValue(param, "the type must be 'object'");
    }
    const { schema: parameters, cut, lost } = refs.inline(schema, param);
    if (cut || lost) changes.convert("tools.parameters");
    if (!isObject(parameters.properties)) parameters.properties = {};
    const { name, description } = definition;
    const fn = present({ name, description: description ?? undefined, parameters });
    return { type: "function", function: fn };
  });
}

function toThink({ fields, model, changes, request }: Call): unknown {
  const { reasoning_effort: effort } = request;
  if (fields.think !== undefined) return fields.think;
  if (effort === undefined || model.facts.capabilities?.reasoning === false) return undefined;
  changes.rename("reasoning_effort", "think");
  const think = toThinkLevel(effort, model);
  if (think !== effort) changes.convert("reasoning_effort", effort, think);
  return think;
}

function toOptions({ fields: { options } }: Call): JsonObject | undefined {
  if (!isObject(options)) return undefined;
  const { stop } = options;
  if (stop === undefined) return options;
  const stops = (Array.isArray(stop) ? stop : [stop]).filter((text) => text !== "");
  const sent = present({ ...options, stop: stops.length > 0 ? stops : undefined });
  return Object.keys(sent).length > 0 ? sent : undefined;
}
