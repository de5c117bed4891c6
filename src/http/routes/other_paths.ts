/**
 * Paths below `/openai`. Azure's clients name the deployment in the path
 * (https://learn.microsoft.com/azure/ai-foundry/openai/reference, 2026-11-28), and SDKs of vendors
 * whose API is there add `/openai/v1` to the base URL.
 */

import { OPERATIONS } from "../../operations/list.ts";
import { labelOf, type Route } from "./route.ts";
import { endpointRoute } from "./operations.ts";

const ROOT = "/openai";

/** The operations that clients call by their deployment. */
const OPERATION_PATHS: ReadonlySet<string> = new Set([
  "/v1/chat/completions",
  "/v1/completions",
  "/v1/embeddings",
  "/v1/images/generations",
  "/v1/images/edits",
  "/v1/audio/speech",
  "/v1/audio/transcriptions",
  "/v1/audio/translations",
]);

/** The deployment is the model, also with its provider; `api-version` has no meaning. */
const DEPLOYMENTS: readonly Route[] = OPERATIONS.flatMap(({ endpoints }) =>
  endpoints.filter(({ path }) => OPERATION_PATHS.has(path)).map((endpoint): Route => ({
    ...endpointRoute(endpoint, `${ROOT}/deployments/{model}${endpoint.path.slice("/v1".length)}`),
    describedAs: `POST ${endpoint.path}`,
  }))
);

/** Routes under `/v1` that are not of this API. */
const OTHERS = /^\/v1\/(?:clients|messages|providers|rerank)(?:\/|$)/;
/** Azure's clients ask for them without a version. */
const UNVERSIONED = /^\/v1\/(?:responses|models)$/;

/**
 * The routes below `/openai`: those of deployments, and a copy of each route of the API.
 *
 * @param routes the routes under `/v1`
 */
export function otherPaths(routes: readonly Route[]): readonly Route[] {
  const copied = routes.filter(({ path, listed }) =>
    path.startsWith("/v1/") && listed !== false && !OTHERS.test(path)
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

/** What there is below `/openai`, for an unknown path there; undefined for other paths. */
export function hintForOther(path: string): string | undefined {
  if (path !== ROOT && !path.startsWith(`${ROOT}/`)) return undefined;
  const operations = [...OPERATION_PATHS].map((one) => one.slice("/v1/".length));
  return `${ROOT} has the endpoints of /v1 at ${ROOT}/v1, ${ROOT}/responses and ${ROOT}/models, ` +
    `and at ${ROOT}/deployments/{model} the operations ${operations.join(", ")}`;
}
