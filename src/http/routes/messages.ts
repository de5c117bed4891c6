/** `POST /v1/messages` and `POST /v1/messages/count_tokens`. */

import { CountOperation } from "../../formats/messages/count_operation.ts";
import { readMessageRequest } from "../../formats/messages/model_request.ts";
import { readCountOutline } from "../../formats/messages/schema.ts";
import { answer } from "../../routing/answer.ts";
import { toChain } from "../../routing/fallback_chain.ts";
import { answerModelRequest, readModelRequest, readOptions, respond } from "./model_request.ts";
import type { RouteContext, RouteResponse } from "./route.ts";

/** Answers a message, or explains it for `x-sluice-explain: true`. */
export async function createMessage(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  const headers = formatHeaders(request);
  return await answerModelRequest(request, context, (body) => readMessageRequest(body, headers));
}

/** Counts the input tokens of a message. An estimate says so in a header. */
export async function countTokens(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  const { config, record, key, deps } = context;
  const body = readCountOutline(await readModelRequest(request, context));
  if (record.slice?.isOver) await record.slice.next();
  const { model, models } = body;
  const chain = toChain({ model, models: models ?? undefined }, key, config, deps.random);
  const operation = new CountOperation(body, formatHeaders(request));
  const reply = answer(operation, chain, readOptions(request), config, record, deps);
  const response = await respond(reply, context);
  if (!operation.estimated) return response;
  return { ...response, headers: { ...response.headers, "x-sluice-estimated": "input_tokens" } };
}

/** The request headers of the format. Vendors with this API get values of printable ASCII. */
const FORMAT_HEADERS = ["anthropic-version", "anthropic-beta"];

function formatHeaders({ headers }: Request): ReadonlyMap<string, string> {
  return new Map(FORMAT_HEADERS.flatMap((name) => {
    const value = headers.get(name) ?? "";
    return /^[\x21-\x7e ]{1,4096}$/.test(value) ? [[name, value] as const] : [];
  }));
}
