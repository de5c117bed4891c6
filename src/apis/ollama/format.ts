/** Ollama's `/api/chat` and `/api/generate` as a caller format, and its model list. */

import type { CallerFormat } from "../chat/caller_format.ts";
import { type AnswerShape, LineWriter, toAnswer, type WriteOptions } from "./stream_writer.ts";
import { readChat } from "./read_chat.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { ModelFacts } from "../../contract/model_facts.ts";
import type { ListedModel } from "../messages/format.ts";

const encoder = new TextEncoder();

/** The format for the answers to one request. */
export function ollamaFormat(options: WriteOptions): CallerFormat {
  return {
    name: "ollama",
    idPrefix: "ollama_",
    streamType: "application/x-ndjson",
    // White space before a line's JSON; clients parse each whole line, so a blank one is an error.
    keepAlive: encoder.encode(" "),
    readRequest: (body) => readChat(body).chat,
    writeCompletion: (body, envelope) => JSON.stringify(toAnswer(body, envelope, options)),
    isPassable: (_body): _body is never => false,
    createStreamWriter: (envelope) => new LineWriter(envelope, options),
    writeError: ({ message }) => JSON.stringify({ error: message }),
    writeStreamError: ({ message }) => encoder.encode(`${JSON.stringify({ error: message })}\n`),
  };
}

/** The options of an answer that shows its thinking. */
export function toWriteOptions(
  shape: AnswerShape,
  think: unknown,
  elapsedMs: () => number,
): WriteOptions {
  return { shape, showsThinking: think !== false, elapsedMs };
}

/** The format before a request has been read: it writes errors. */
export const ollama: CallerFormat = ollamaFormat(toWriteOptions("chat", undefined, () => 0));

// Models in Ollama's shape: https://github.com/ollama/ollama/blob/main/api/types.go (2026-08).
//
// Clients expect the members that describe a file of weights. The gateway has no files: their size
// is 0, and their texts are empty.

/** A model, and the kind of its provider. */
interface OllamaModel extends ListedModel {
  readonly target: ListedModel["target"] & {
    readonly provider: { readonly adapter: { readonly kind: string } };
  };
}

/** An entry of `/api/tags`. */
export function toTag(entry: OllamaModel): JsonObject {
  return {
    name: entry.id,
    model: entry.id,
    modified_at: toTime(entry),
    size: 0,
    digest: "",
    details: toDetails(entry),
    capabilities: toCapabilities(entry.target.model.facts),
  };
}

/** The response from `/api/show`. */
export function toShown(entry: OllamaModel): JsonObject {
  const { id, label, target: { model: { facts }, provider: { adapter: { kind } } } } = entry;
  return {
    modelfile: "",
    parameters: "",
    template: "",
    details: toDetails(entry),
    model_info: {
      "general.architecture": kind,
      "general.basename": label?.display_name ?? id,
      ...(facts.context_window !== undefined && {
        [`${kind}.context_length`]: facts.context_window,
      }),
      ...(facts.dimensions !== undefined && { [`${kind}.embedding_length`]: facts.dimensions }),
    },
    capabilities: toCapabilities(facts),
    modified_at: toTime(entry),
  };
}

function toTime({ created }: OllamaModel): string {
  return new Date(created * 1000).toISOString().replace(".000Z", "Z");
}

function toDetails({ target: { model: { facts }, provider: { adapter: { kind } } } }: OllamaModel) {
  return {
    parent_model: "",
    format: "",
    family: kind,
    families: [kind],
    parameter_size: "",
    quantization_level: "",
    context_length: facts.context_window,
  };
}

/** The names of capabilities, where they differ. */
const CAPABILITIES = [["tools", "tools"], ["vision", "vision"], ["reasoning", "thinking"]] as const;

/** The known capabilities of a model. */
function toCapabilities({ capabilities = {} }: ModelFacts): readonly string[] {
  if (capabilities.embeddings) return ["embedding"];
  const known = CAPABILITIES.flatMap(([own, name]) => capabilities[own] ? [name] : []);
  return ["completion", ...known];
}
