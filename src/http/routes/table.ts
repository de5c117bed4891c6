/** The table of routes: method, path, authentication and handler. */

import type { CallerFormat } from "../../chat/caller_format.ts";
import { chatCompletions as chatFormat } from "../../formats/chat_completions/format.ts";
import { messages as messagesFormat } from "../../formats/messages/format.ts";
import { responses } from "../../formats/responses/format.ts";
import { about } from "./about.ts";
import { listAdminProviders, resetProvider } from "./admin.ts";
import { changeKey, createKey, listKeys, revokeKey, rotateKey, showKey } from "./admin_keys.ts";
import { chatCompletions } from "./chat_completions.ts";
import { embeddings } from "./embeddings.ts";
import { allLive, ownLive } from "./live.ts";
import { healthz, hello, readyz } from "./health.ts";
import { getMetrics } from "./metrics.ts";
import { countTokens, createMessage } from "./messages.ts";
import { listModels, retrieveModel } from "./models.ts";
import { listProviders } from "./providers.ts";
import { proxy } from "./proxy.ts";
import {
  cancelResponse,
  compactResponse,
  countInputTokens,
  createResponse,
  findResponse,
  listInputItems,
  refuseWebSocket,
} from "./responses.ts";
import { listAllRequests, listOwnRequests, showAnyRequest, showOwnRequest } from "./requests.ts";
import { allUsage, ownUsage } from "./usage.ts";
import { asset, home } from "../console/page.ts";
import type { Route } from "./route.ts";

const OPEN = { method: "GET", auth: "none", answers: "always" } as const;
const SERVICE = { method: "GET", auth: "service_key" } as const;
const RESPONSES = { ...SERVICE, formatFor: () => responses } as const;
/** Without an admin key they answer 404, so `GET /` does not list them. */
const ADMIN = { auth: "admin_key", answers: "when busy", listed: false } as const;

const KEYS = "/v1/admin/keys";
const ONE_KEY = `${KEYS}/{key_id}`;

/** The caller format that a request's headers indicate. */
export function formatOf({ headers }: Request): CallerFormat {
  return headers.has("anthropic-version") ? messagesFormat : chatFormat;
}

/** All routes. The first path pattern that matches applies. */
export const ROUTES: readonly Route[] = [
  {
    ...SERVICE,
    method: "POST",
    path: "/v1/chat/completions",
    formatFor: () => chatFormat,
    readsBody: true,
    handle: chatCompletions,
  },
  {
    ...SERVICE,
    method: "POST",
    path: "/v1/embeddings",
    readsBody: true,
    handle: embeddings,
  },
  {
    ...RESPONSES,
    method: "POST",
    path: "/v1/responses",
    readsBody: true,
    handle: createResponse,
  },
  {
    ...RESPONSES,
    method: "POST",
    path: "/v1/responses/input_tokens",
    readsBody: true,
    handle: countInputTokens,
  },
  {
    ...RESPONSES,
    method: "POST",
    path: "/v1/responses/compact",
    readsBody: true,
    handle: compactResponse,
  },
  {
    ...SERVICE,
    method: "POST",
    path: "/v1/messages",
    formatFor: () => messagesFormat,
    readsBody: true,
    handle: createMessage,
  },
  {
    ...SERVICE,
    method: "POST",
    path: "/v1/messages/count_tokens",
    formatFor: () => messagesFormat,
    readsBody: true,
    handle: countTokens,
  },
  { ...RESPONSES, path: "/v1/responses", listed: false, handle: refuseWebSocket },
  { ...RESPONSES, path: "/v1/responses/{response_id}", handle: findResponse },
  {
    ...RESPONSES,
    method: "DELETE",
    path: "/v1/responses/{response_id}",
    handle: findResponse,
  },
  {
    ...RESPONSES,
    method: "POST",
    path: "/v1/responses/{response_id}/cancel",
    handle: cancelResponse,
  },
  {
    ...RESPONSES,
    path: "/v1/responses/{response_id}/input_items",
    handle: listInputItems,
  },
  { ...SERVICE, path: "/v1/models", handle: listModels },
  { ...SERVICE, path: "/v1/models/{model_id...}", handle: retrieveModel },
  { ...SERVICE, path: "/v1/providers", handle: listProviders },
  { ...SERVICE, path: "/v1/usage", handle: ownUsage },
  { ...ADMIN, method: "GET", path: "/v1/admin/usage", action: "usage.read", handle: allUsage },
  { ...SERVICE, answers: "when busy", path: "/v1/live", watches: true, handle: ownLive },
  {
    ...ADMIN,
    method: "GET",
    path: "/v1/admin/live",
    action: "live.watch",
    watches: true,
    handle: allLive,
  },
  { ...SERVICE, path: "/v1/requests", handle: listOwnRequests },
  { ...SERVICE, path: "/v1/requests/{request_id}", handle: showOwnRequest },
  {
    ...ADMIN,
    method: "GET",
    path: "/v1/admin/requests",
    action: "requests.list",
    handle: listAllRequests,
  },
  {
    ...ADMIN,
    method: "GET",
    path: "/v1/admin/requests/{request_id}",
    action: "requests.show",
    handle: showAnyRequest,
  },
  {
    ...SERVICE,
    method: "ANY",
    path: "/v1/providers/{provider_id}/proxy/{path...}",
    readsBody: true,
    handle: proxy,
  },
  {
    ...ADMIN,
    method: "GET",
    path: "/v1/admin/providers",
    action: "providers.list",
    handle: listAdminProviders,
  },
  {
    ...ADMIN,
    method: "POST",
    path: "/v1/admin/providers/{provider_id}/reset",
    action: "providers.reset",
    handle: resetProvider,
  },
  { ...ADMIN, method: "GET", path: KEYS, action: "keys.list", handle: listKeys },
  {
    ...ADMIN,
    method: "POST",
    path: KEYS,
    action: "keys.create",
    readsBody: true,
    handle: createKey,
  },
  { ...ADMIN, method: "GET", path: ONE_KEY, action: "keys.show", handle: showKey },
  {
    ...ADMIN,
    method: "PATCH",
    path: ONE_KEY,
    action: "keys.change",
    readsBody: true,
    handle: changeKey,
  },
  { ...ADMIN, method: "DELETE", path: ONE_KEY, action: "keys.revoke", handle: revokeKey },
  {
    ...ADMIN,
    method: "POST",
    path: `${ONE_KEY}/rotate`,
    action: "keys.rotate",
    readsBody: true,
    handle: rotateKey,
  },
  { ...OPEN, path: "/healthz", handle: healthz },
  { ...OPEN, path: "/readyz", handle: readyz },
  { ...OPEN, path: "/api/hello", listed: false, handle: hello },
  { ...OPEN, path: "/metrics", auth: "metrics", handle: getMetrics },
  { ...OPEN, path: "/", listed: false, handle: home },
  {
    ...OPEN,
    path: "/console/{hash}/{file...}",
    answers: "when busy",
    listed: false,
    ofConsole: true,
    handle: asset,
  },
  { ...OPEN, path: "/v1", listed: false, handle: about },
];
