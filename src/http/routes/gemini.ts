/** The methods of models in Gemini's API. */

import { GatewayError } from "../../core/errors.ts";
import { GEMINI_METHODS } from "../../operations/gemini/methods.ts";
import { toJsonArray } from "./event_array.ts";
import { answerModelRequest, nameModel } from "./model_request.ts";
import type { RouteContext, RouteResponse } from "./route.ts";

const METHODS = new Map(GEMINI_METHODS.map(({ name, read }) => [name, read]));

/**
 * Calls a method of a model: the path ends in `{model}:{method}`.
 *
 * @throws {GatewayError} `route_not_found` for a method that the gateway does not have.
 */
export async function callGeminiModel(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  const call = context.params.get("model_id") ?? "";
  const colon = call.lastIndexOf(":");
  const model = call.slice(0, Math.max(colon, 0));
  const method = call.slice(colon + 1);
  const read = colon === -1 ? undefined : METHODS.get(method);
  if (read === undefined) {
    throw new GatewayError(
      "route_not_found",
      "Unknown method; a path of Gemini's API is /v1beta/models/{model}:{method}, with the " +
        `method ${[...METHODS.keys()].join(", ")}`,
    );
  }
  const response = await answerModelRequest(request, context, (body) => {
    // The path names the model: what the body names does not count.
    nameModel(context, model);
    return read(body, model, () => context.noteEstimate());
  });
  const isArray = method === "streamGenerateContent" && !asksEvents(request.url);
  return isArray ? toJsonArray(response) : response;
}

/** Whether the query asks for server-sent events. */
function asksEvents(url: string): boolean {
  const start = url.indexOf("?");
  return start !== -1 && new URLSearchParams(url.slice(start)).get("alt") === "sse";
}
