/** Embeddings. */

import { OTHER_OPERATIONS } from "../../../contract/operations.ts";
import { EMBEDDINGS_PARAMETERS, INPUT_KINDS } from "../../../contract/embeddings.ts";
import type { OperationKind } from "../../operation_kind.ts";
import type { ApiKind } from "../../feature.ts";
import type { ParsedRequest } from "../../parsed_request.ts";
import { createOperation } from "../conversion_deps.ts";
import { EmbeddingsOperation } from "./embeddings_operation.ts";
import {
  describeEmbeddings,
  embeddingsRequest,
  readEmbeddingsRequest,
  writeEmbeddings,
} from "../../../apis/embeddings/embeddings.ts";

const API: ApiKind = { format: "embeddings", idPrefix: "", operation: "embeddings" };

/**
 * Reads a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readEmbeddings(body: unknown): ParsedRequest {
  const { request, models } = readEmbeddingsRequest(body);
  return {
    models: { model: request.model, models },
    stream: false,
    caller: { api: API, body: request },
    createOperation: (context) =>
      createOperation(
        context,
        request,
        (body, features) => new EmbeddingsOperation(body, writeEmbeddings, features, true),
      ),
  };
}

/** Notes that are not specific to a kind. */
const USUAL_NOTES = new Set([
  "models that have several lengths",
  "no such field",
  "text only",
  "the gateway encodes the numbers",
]);

/** Embeddings. Embedding models support no other operation. */
export const embeddings: OperationKind = {
  name: "embeddings",
  noun: "embeddings",
  endpoints: [{
    path: "/v1/embeddings",
    mirror: "deployments",
    explainedAs: "embeddings",
    schema: embeddingsRequest,
    describe: describeEmbeddings,
    read: readEmbeddings,
  }],
  models: OTHER_OPERATIONS.embeddings,
  support: {
    group: { member: "embeddings", title: "Embeddings" },
    parameters: EMBEDDINGS_PARAMETERS,
    contentMember: "inputs",
    contents: INPUT_KINDS,
    tablesOf({ embeddings: api }) {
      if (api === undefined) return undefined;
      const { supports: { parameters, inputs, extensions }, adds } = api;
      return { parameters, contents: inputs, extensions, adds };
    },
    isUsual: ({ note = "" }) => USUAL_NOTES.has(note),
  },
};
