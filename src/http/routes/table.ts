/** The table of routes: method, path, authentication and handler. */

import type { CallerFormat } from "../../apis/chat/caller_format.ts";
import type { Config } from "../../config/config.ts";
import type { ListenerRules } from "../../config/listeners.ts";
import { chatCompletions as chatFormat } from "../../apis/chat_completions/format.ts";
import { gemini } from "../../apis/gemini/format.ts";
import { messages as messagesFormat } from "../../apis/messages/format.ts";
import { ollama } from "../../apis/ollama/format.ts";
import { responses } from "../../apis/responses/format.ts";
import type { ResponsesSockets } from "../responses_socket/sockets.ts";
import { about, home, otherPaths } from "./other_paths.ts";
import { type AdminServices, createAdminRoutes } from "./admin_table.ts";
import { ownLive } from "./live.ts";
import {
  describe,
  getMetrics,
  healthz,
  hello,
  listClients,
  listProviders,
  type PrintMetrics,
  readyz,
  type ServerStatus,
} from "./gateway.ts";
import { callGeminiModel } from "./gemini.ts";
import { listModels, ownRoutes, retrieveModel } from "./models.ts";
import { listLoaded, listTags, OLLAMA_CALLS, showModel, showVersion } from "./ollama.ts";
import { OPERATION_ROUTES } from "./operations.ts";
import { proxy } from "./proxy.ts";
import { cancelResponse, findResponse, listInputItems, openSocket } from "./responses.ts";
import { countOwnRequests } from "./request_query.ts";
import { listOwnRequests, showOwnRequest } from "./requests.ts";
import { ownUsage } from "./usage.ts";
import { compressed } from "../compress.ts";
import { sendAsset } from "../../console/page.ts";
import { isServed, labelOf, type Route } from "./route.ts";

const OPEN = { method: "GET", auth: "none", admission: "always" } as const;
const SERVICE = { method: "GET", auth: "service_key", admission: "on_arrival" } as const;
const MODEL = { method: "POST", auth: "service_key", admission: "after_body" } as const;
const RESPONSES = { ...SERVICE, format: responses } as const;
const MODELS = { ...SERVICE, format: formatOfModels } as const;
const GEMINI_MODELS = { ...SERVICE, auth: "query_key", format: gemini } as const;
const GEMINI = { ...MODEL, auth: "query_key", format: gemini } as const;
const OLLAMA = { ...SERVICE, format: ollama } as const;

/** The format for requests until their route is known. */
export const DEFAULT_FORMAT: CallerFormat = chatFormat;

/** The caller format that a request's headers indicate. */
export function formatOf({ headers }: Request): CallerFormat {
  return headers.has("anthropic-version") ? messagesFormat : chatFormat;
}

/** The same for models, which clients for Gemini's API may list under `/v1`. */
function formatOfModels(request: Request): CallerFormat {
  return request.headers.has("x-goog-api-client") ? gemini : formatOf(request);
}

/** The same for one model, whose path Gemini's API also uses for methods. */
function formatOfModel(request: Request): CallerFormat {
  return request.method === "POST" ? gemini : formatOfModels(request);
}

/** The dependencies for the routes about the gateway. */
export interface RouteServices extends AdminServices {
  readonly status: ServerStatus;
  readonly printMetrics: PrintMetrics;
  readonly sockets: Pick<ResponsesSockets, "open">;
  /** Whether a listener serves the console. */
  readonly hasConsole: (config: Config, listener: ListenerRules, request: Request) => boolean;
}

/** All routes. The first matching path pattern applies. */
export function createRoutes(services: RouteServices): readonly Route[] {
  const routes: readonly Route[] = [
    ...API_ROUTES,
    ...otherPaths(API_ROUTES),
    {
      ...RESPONSES,
      admission: "watch",
      path: "/v1/responses",
      listed: false,
      handle: (...input) => openSocket(...input, services.sockets),
    },
    ...keyRoutes(services),
    ...createAdminRoutes(services),
    ...openRoutes(
      services,
      (listener) =>
        routes.filter((route) => isListed(route) && isServed(route, listener))
          .map((route) => `${route.method} ${labelOf(route)}`),
    ),
    {
      ...OPEN,
      path: "/openapi.json",
      admission: "when_busy",
      handle: (_, { listener }) => describe(routes.filter(isDescribed), listener),
    },
  ];
  return routes;
}

function isListed({ auth, listed }: Route): boolean {
  return listed ?? (typeof auth === "string");
}

/**
 * Whether the API description includes a route. It includes admin routes, since it names no key.
 */
function isDescribed(route: Route): boolean {
  return isListed(route) || typeof route.auth === "object";
}

/** The API for models, which depends only on the request. */
const API_ROUTES: readonly Route[] = [
  ...OPERATION_ROUTES,
  { ...RESPONSES, path: "/v1/responses/{response_id}", handle: findResponse },
  { ...RESPONSES, method: "DELETE", path: "/v1/responses/{response_id}", handle: findResponse },
  {
    ...RESPONSES,
    method: "POST",
    path: "/v1/responses/{response_id}/cancel",
    handle: cancelResponse,
  },
  { ...RESPONSES, path: "/v1/responses/{response_id}/input_items", handle: listInputItems },
  { ...MODELS, path: "/v1/models", handle: listModels },
  {
    ...MODELS,
    path: "/v1/models/{model_id...}",
    format: formatOfModel,
    handle: retrieveModel,
  },
  // Google's libraries use either version.
  { ...GEMINI, path: "/v1/models/{model_id...}", listed: false, handle: callGeminiModel },
  { ...GEMINI_MODELS, path: "/v1beta/models", handle: listModels },
  { ...GEMINI_MODELS, path: "/v1beta/models/{model_id...}", handle: retrieveModel },
  { ...GEMINI, path: "/v1beta/models/{model_id...}", handle: callGeminiModel },
  ...OLLAMA_CALLS.map((call): Route => ({ ...MODEL, format: ollama, ...call })),
  { ...OLLAMA, path: "/api/tags", handle: listTags },
  { ...OLLAMA, method: "POST", path: "/api/show", handle: showModel },
  { ...OLLAMA, path: "/api/ps", handle: listLoaded },
  { ...OPEN, path: "/api/version", format: ollama, handle: showVersion },
  { ...SERVICE, path: "/v1/clients", handle: listClients },
  { ...SERVICE, path: "/v1/providers", handle: listProviders },
  {
    ...MODEL,
    method: "ANY",
    path: "/v1/providers/{provider_id}/proxy/{path...}",
    handle: proxy,
  },
];

/** State and usage for the caller's key. */
function keyRoutes({ live, usage, health }: RouteServices): readonly Route[] {
  return [
    compressed({ ...SERVICE, path: "/v1/usage", handle: (...input) => ownUsage(...input, usage) }),
    {
      ...SERVICE,
      admission: "watch",
      path: "/v1/live",
      handle: (...input) => ownLive(...input, live),
    },
    compressed({
      ...SERVICE,
      path: "/v1/request_counts",
      handle: (...input) => countOwnRequests(...input, usage),
    }),
    compressed({
      ...SERVICE,
      path: "/v1/routes",
      handle: (...input) => ownRoutes(...input, usage),
    }),
    compressed({
      ...SERVICE,
      path: "/v1/requests",
      handle: (...input) => listOwnRequests(...input, usage),
    }),
    compressed({
      ...SERVICE,
      path: "/v1/requests/{request_id}",
      handle: (...input) => showOwnRequest(...input, usage, health),
    }),
  ];
}

/** Routes that do not need a key, or only if so configured. */
function openRoutes(
  { status, printMetrics, hasConsole }: RouteServices,
  endpoints: (listener: ListenerRules) => readonly string[],
): readonly Route[] {
  return [
    { ...OPEN, path: "/healthz", handle: healthz },
    { ...OPEN, path: "/readyz", handle: () => readyz(status) },
    { ...OPEN, path: "/api/hello", listed: false, handle: hello },
    {
      ...OPEN,
      path: "/metrics",
      auth: "metrics",
      handle: (_, context) => getMetrics(context, printMetrics),
    },
    {
      ...OPEN,
      path: "/",
      listed: false,
      handle: (request, { config, listener }) =>
        home(request, hasConsole(config, listener, request), endpoints(listener)),
    },
    {
      ...OPEN,
      path: "/console/{hash}/{file...}",
      admission: "when_busy",
      listed: false,
      exists: hasConsole,
      handle: (request, { params }) => sendAsset(request, params),
    },
    {
      ...OPEN,
      path: "/v1",
      listed: false,
      handle: (_, { listener }) => about(endpoints(listener)),
    },
  ];
}
