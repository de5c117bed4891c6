/** `POST /v1/messages` and `POST /v1/messages/count_tokens`. */

import { CountOperation } from "../../formats/messages/count_operation.ts";
import { explainMessages } from "../../formats/messages/explain.ts";
import { MessagesOperation } from "../../formats/messages/operation.ts";
import { readCountOutline, readOutline } from "../../formats/messages/schema.ts";
import { answer } from "../../routing/answer.ts";
import { toChain } from "../../routing/fallback_chain.ts";
import { RequestImages } from "../../upstream/images/request_images.ts";
import { readModelRequest, readOptions, respond, wantsExplanation } from "./model_request.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/** Answers a message, or explains it for `x-sluice-explain: true`. */
export async function createMessage(
  request: Request,
  context: RouteContext,
): Promise<RouteResponse> {
  const { config, record, key, deps } = context;
  const body = readOutline(await readModelRequest(request, context));
  if (record.slice?.isOver) await record.slice.next();
  const options = readOptions(request);
  if (wantsExplanation(request)) {
    const { strict } = options;
    const { bodyBytes: bytes } = record;
    const input = { strict, key, config, addresses: false, bytes };
    return json(await explainMessages(body, formatHeaders(request), input, deps));
  }
  record.stream = body.stream ?? false;
  const { model, models } = body;
  const chain = toChain({ model, models: models ?? undefined }, key, config, deps.random);
  const { images, reasoningState, maxBody } = config.server;
  const operation = new MessagesOperation(body, {
    headers: formatHeaders(request),
    images: new RequestImages(images, deps.download),
    readReasoning: (chat) => deps.reasoning.read(chat, key.name, reasoningState, maxBody),
  });
  return await respond(answer(operation, chain, options, config, record, deps), context);
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
