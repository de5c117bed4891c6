/**
 * Paths below `/openai`. Azure's clients name the deployment in the path
 * (https://learn.microsoft.com/azure/ai-foundry/openai/reference, 2026-11-28), and SDKs from
 * vendors whose API is below `/openai` add `/openai/v1` to the base URL.
 */

import { accepts } from "@std/http/negotiation";
import { OPERATIONS } from "../../gateway/execute/list.ts";
import { json, labelOf, type Route, type RouteResponse } from "./route.ts";
import { endpointRoute } from "./operations.ts";
import { shortened } from "../../core/text.ts";
import { GatewayError } from "../../core/errors.ts";
import { VERSION } from "../../core/version.ts";
import { sendPage } from "../../console/page.ts";

const ROOT = "/openai";

const ENDPOINTS = OPERATIONS.flatMap(({ endpoints }) => endpoints);

/** The endpoints that clients call by their deployment. */
const DEPLOYED = ENDPOINTS.filter(({ mirror }) => mirror === "deployments");

/** The deployment is the model, optionally with its provider; `api-version` is ignored. */
const DEPLOYMENTS = DEPLOYED.map((endpoint): Route => ({
  ...endpointRoute(endpoint, `${ROOT}/deployments/{model}${endpoint.path.slice("/v1".length)}`),
  describedAs: `POST ${endpoint.path}`,
}));

/** The endpoints of OpenAI's API, and its routes for stored responses and models. */
const MIRRORED: ReadonlySet<string> = new Set(
  ENDPOINTS.filter(({ mirror }) => mirror !== undefined).map(({ path }) => path),
);
const OBJECTS = /^\/v1\/(?:responses|models)(?:\/|$)/;
/** Azure's clients request them without a version. */
const UNVERSIONED = /^\/v1\/(?:responses|models)$/;

/**
 * The routes below `/openai`: those for deployments, and copies of OpenAI's API routes.
 *
 * @param routes the routes under `/v1`
 */
export function otherPaths(routes: readonly Route[]): readonly Route[] {
  const copied = routes.filter(({ path, listed }) =>
    listed !== false && (MIRRORED.has(path) || OBJECTS.test(path))
  );
  return [
    ...copied.map((route) => at(`${ROOT}${route.path}`, route)),
    ...copied.filter(({ path }) => UNVERSIONED.test(path))
      .map((route) => at(`${ROOT}${route.path.slice("/v1".length)}`, route)),
    ...DEPLOYMENTS,
  ];
}

function at(path: string, route: Route): Route {
  return { ...route, path, describedAs: `${route.method} ${labelOf(route)}` };
}

/** Describes the routes below `/openai`, for an unknown path there; undefined for other paths. */
function hintForOther(path: string): string | undefined {
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) return undefined;
  const operations = DEPLOYED.map((endpoint) => endpoint.path.slice("/v1/".length));
  return `${ROOT} has the /v1 endpoints at ${ROOT}/v1, ${ROOT}/responses and ${ROOT}/models, ` +
    `and at ${ROOT}/deployments/{model} the operations ${operations.join(", ")}`;
}

/** The maximum length of an unknown path in an error, in UTF-16 units. */
const MAX_PATH_LENGTH = 200;

/** Describes the API. It needs no key, so it does not name models or providers. */
export function about(endpoints: readonly string[]): RouteResponse {
  return json({
    name: "sluice",
    version: VERSION,
    description:
      "A model gateway: point an OpenAI client at /v1, with a service key of this gateway",
    api: "/v1",
    health: "/healthz",
    endpoints,
    docs: "The project's README.md, or 'sluice help'",
  });
}

/**
 * Creates the error for a path that does not exist. It shows the path, so that users can see how
 * their client built it from the base URL.
 *
 * @param isKnown whether a path exists in the API
 */
export function unknownPath(path: string, isKnown: (path: string) => boolean): GatewayError {
  const shown = shortened(path, MAX_PATH_LENGTH);
  const hint = hintForOther(path) ?? hintFor(path, isKnown);
  return new GatewayError("route_not_found", `Unknown path '${shown}'; ${hint}`);
}

/** The methods in Gemini's API and Vertex AI that clients call, which end a path. */
const OTHER_METHOD =
  /(?::|%3a)(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents|rawPredict|streamRawPredict|predict)$/i;

/** The Gemini API versions, which begin its paths. */
const OTHER_VERSION = /^\/v1(?:alpha|beta)\d*(?:\/|$)/;

/** Whether this is a path in Gemini's API or Vertex AI. */
export function isOtherApi(path: string): boolean {
  return OTHER_METHOD.test(path) || OTHER_VERSION.test(path);
}

function hintFor(path: string, isKnown: (path: string) => boolean): string {
  if (isOtherApi(path)) {
    return "Gemini's API is offered at /v1beta/models/{model}:{method}, with the methods " +
      "generateContent, streamGenerateContent, countTokens, embedContent and batchEmbedContents";
  }
  if (!path.startsWith("/v1") && isKnown(`/v1${path}`)) {
    return "API paths begin with /v1, so the client's base URL must end in /v1";
  }
  const single = path.replace(/\/+/g, "/");
  if (single !== path && isKnown(single)) {
    return "the path has a double slash: remove the trailing slash from the client's base URL";
  }
  if (path.startsWith("/v1/v1/") && isKnown(path.slice("/v1".length))) {
    return "the path has '/v1' twice: the client adds '/v1', so remove it from the base URL";
  }
  return "GET / lists the endpoints";
}

/** @param hasConsole whether the listener serves the console */
export async function home(
  request: Request,
  hasConsole: boolean,
  endpoints: readonly string[],
): Promise<RouteResponse> {
  if (!hasConsole) return about(endpoints);
  const preferred: unknown = accepts(request, "application/json", "text/html");
  if (preferred === "text/html") return await sendPage(request);
  const response = about(endpoints);
  return { ...response, headers: { ...response.headers, vary: "accept" } };
}
