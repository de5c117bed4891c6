/** Requests of Ollama's API that a model answers. */

import { listIn } from "../../formats/read_fields.ts";
import type { AnswerShape } from "../../formats/ollama/stream_writer.ts";
import { checkBody } from "../../formats/ollama/converted_request.ts";
import {
  type OllamaEmbeddings,
  readEmbed,
  readEmbeddings,
  writeEmbed,
  writeEmbedding,
} from "../../formats/ollama/embeddings.ts";
import { ollama, toWriteOptions } from "../../formats/ollama/format.ts";
import type { ApiKind } from "../../gateway/feature.ts";
import type { ModelRequest, OperationContext } from "../../routing/model_request.ts";
import { createChatOperation, createOperation } from "../conversion_deps.ts";
import type { WriteEmbeddings } from "../embeddings/operation.ts";
import { OllamaEmbeddingsOperation } from "./embeddings.ts";
import { isLoad, OllamaOperation } from "./operation.ts";

const OLLAMA: ApiKind = { format: ollama.name, idPrefix: ollama.idPrefix, operation: "chat" };

const EMBED: ApiKind = { ...OLLAMA, operation: "embeddings" };

/** Reads a body. `model` is the name that it gives, as the gateway knows it. */
export type ReadOllama = (body: unknown, nameOf: (model: string) => string) => ModelRequest;

/**
 * Reads a request of `/api/chat` or `/api/generate`.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readAnswerRequest(shape: AnswerShape): ReadOllama {
  return (body, nameOf) => {
    const checked = checkBody(body);
    if (shape === "chat") listIn(checked.body, "messages", "");
    const model = nameOf(checked.model);
    const stream = checked.stream && !isLoad(checked.body, shape);
    return {
      models: { model },
      stream,
      caller: { api: OLLAMA, unnamedModel: model, body: checked.body },
      createOperation(context) {
        const options = toWriteOptions(shape, checked.body.think, stopwatch(context));
        return createChatOperation(
          context,
          checked.body,
          (body, deps) => new OllamaOperation({ ...checked, body, model, stream, options }, deps),
        );
      },
    };
  };
}

/** Reads a request of `/api/embed`. @throws {GatewayError} as {@linkcode readAnswerRequest}. */
export const readEmbedRequest: ReadOllama = embeddings(readEmbed, writeEmbed);

/** Reads a request of `/api/embeddings`. @throws {GatewayError} as {@linkcode readAnswerRequest}. */
export const readEmbeddingsRequest: ReadOllama = embeddings(readEmbeddings, writeEmbedding);

function embeddings(
  read: (body: unknown) => OllamaEmbeddings,
  write: (elapsedMs: () => number) => WriteEmbeddings,
): ReadOllama {
  return (body, nameOf) => {
    const { request, own } = read(body);
    const model = nameOf(request.model);
    const named = { ...request, model };
    return {
      models: { model },
      stream: false,
      caller: { api: EMBED, body: named },
      createOperation: (context) =>
        createOperation(
          context,
          named,
          (body, features) =>
            new OllamaEmbeddingsOperation(
              { request: body, own },
              write(stopwatch(context)),
              features,
            ),
        ),
    };
  };
}

/** The milliseconds since this call. */
function stopwatch({ deps: { clock } }: OperationContext): () => number {
  const began = clock.now();
  return () => clock.now() - began;
}
