/** `POST /v1/chat/completions`. */

import { isObject } from "../../chat/chat.ts";
import { chatCompletions as format } from "../../formats/chat_completions/format.ts";
import { GatewayError } from "../../core/errors.ts";
import { explain } from "../../routing/explain.ts";
import { toIncomingLimits } from "../incoming_bodies.ts";
import { MAX_DEPTH, MAX_MEMBERS } from "../../core/json/limits.ts";
import { complete, type Reply } from "../../routing/complete.ts";
import type { Wishes } from "../../routing/failover.ts";
import { type BodyOptions, readJson } from "../request_body.ts";
import { toEarlyReply } from "./early_reply.ts";
import { type Draft, json, type RouteContext } from "./route.ts";

/** The most of a model's name that is kept for the log: it may be anything a caller sends. */
const MAX_NAME = 200;

export async function chatCompletions(request: Request, context: RouteContext): Promise<Draft> {
  const { config, exchange, key, deps } = context;
  const { value: body, bytes, slice } = await readJson(request, bodyOptions(context));
  exchange.bodyBytes = bytes;
  exchange.slice = slice;
  context.admit();
  if (isObject(body) && typeof body.model === "string") {
    exchange.model = body.model.slice(0, MAX_NAME);
  }
  const chat = format.readRequest(body);
  if (slice?.isOver) await slice.next();
  const wishes = readWishes(request.headers);
  if (isTrue(request.headers, "x-sluice-explain")) {
    const { strict } = wishes;
    return json(await explain(chat, { strict, key, config, addresses: false, bytes }, deps));
  }
  exchange.stream = chat.stream ?? false;
  const reply = complete(chat, wishes, key, config, exchange, deps);
  const { earlyKeepAlive } = config.server;
  if (exchange.stream && earlyKeepAlive !== undefined) {
    return toDraft(await toEarlyReply(reply, earlyKeepAlive, format, context));
  }
  return toDraft(await reply);
}

function bodyOptions({ config: { server }, deps, incoming }: RouteContext): BodyOptions {
  return {
    maxBytes: server.maxBody,
    maxPauseMs: server.bodyTimeout,
    json: { elements: server.maxElements, members: MAX_MEMBERS, depth: MAX_DEPTH },
    incoming,
    incomingLimits: toIncomingLimits(server),
    clock: deps.clock,
    shutdown: deps.shutdown,
  };
}

function toDraft({ body, headers }: Reply): Draft {
  if (typeof body === "string") {
    return { status: 200, body, headers: { "content-type": "application/json", ...headers } };
  }
  return {
    status: 200,
    body,
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      // Reverse proxies buffer event streams unless they are told not to.
      "x-accel-buffering": "no",
      ...headers,
    },
  };
}

function isTrue(headers: Headers, name: string): boolean {
  return headers.get(name)?.toLowerCase() === "true";
}

/** @throws {GatewayError} `invalid_value` for a deadline that is none. */
function readWishes(headers: Headers): Wishes {
  const strict = isTrue(headers, "x-sluice-strict");
  const text = headers.get("x-sluice-deadline-ms");
  if (text === null) return { format, strict, deadline: undefined };
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new GatewayError(
      "invalid_value",
      "Invalid value for 'x-sluice-deadline-ms': must be a whole number of milliseconds",
      { param: "x-sluice-deadline-ms" },
    );
  }
  return { format, strict, deadline: Number(text) };
}
