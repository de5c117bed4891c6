/** `POST /v1/chat/completions`. */

import { isObject } from "../chat.ts";
import { readChatRequest } from "../chat_request.ts";
import { complete } from "../gateway.ts";
import { readJson } from "../request_body.ts";
import { type Draft, json, type RouteContext } from "./route.ts";

/** The most of a model's name that is kept for the log: it may be anything a caller sends. */
const MAX_NAME = 200;

export async function chatCompletions(
  request: Request,
  { config, exchange, key, deps }: RouteContext,
): Promise<Draft> {
  const body = await readJson(request, config.server.maxBody);
  if (isObject(body) && typeof body.model === "string") {
    exchange.model = body.model.slice(0, MAX_NAME);
  }
  const chat = readChatRequest(body);
  exchange.stream = chat.stream ?? false;
  const strict = request.headers.get("x-sluice-strict")?.toLowerCase() === "true";
  const reply = await complete(chat, { strict }, key, config, exchange, deps);
  if (!(reply.body instanceof ReadableStream)) return json(reply.body, reply.headers);
  return {
    status: 200,
    body: reply.body,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      // Reverse proxies buffer event streams unless they are told not to.
      "x-accel-buffering": "no",
      ...reply.headers,
    },
  };
}
