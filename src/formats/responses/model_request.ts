/** Requests of `POST /v1/responses`. */

import { type ModelRequest, toConversionDeps } from "../../routing/model_request.ts";
import { ownerOf } from "../../config/config.ts";
import { sizeOf } from "./expansion.ts";
import { AnswerMemory } from "./memory.ts";
import { pinOf } from "./native_body.ts";
import { createResponsesOperation } from "./operation.ts";
import { ProviderIds } from "./provider_ids.ts";
import { readResponsesRequest } from "./request.ts";

/**
 * Reads a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readResponseRequest(body: unknown): ModelRequest {
  const request = readResponsesRequest(body);
  return {
    models: request,
    stream: request.stream ?? false,
    providerOf: (context) => pinOf(request, new ProviderIds(context)),
    createOperation: (context) => {
      const { key, config: { server }, deps, bytes } = context;
      return createResponsesOperation(request, {
        ...toConversionDeps(context),
        memory: new AnswerMemory(deps.answers, ownerOf(key)),
        ids: new ProviderIds(context),
        wallTime: () => deps.clock.wallTime(),
        room: () => ({
          length: server.maxBody - bytes,
          elements: server.maxElements - sizeOf([request]).elements,
        }),
      });
    },
  };
}
