/** `GET /`, `GET /v1`, and the error for a path that does not exist. */

import { shortened } from "../../core/shortened.ts";
import { GatewayError } from "../../core/errors.ts";
import { VERSION } from "../../core/version.ts";
import { json, type RouteResponse } from "./route.ts";
import { hintForOther } from "./other_paths.ts";

/** The longest part of an unknown path that an error shows, in UTF-16 units. */
const MAX_PATH_LENGTH = 200;

/** Describes the API. It needs no key, so it names no model and no provider. */
export function about(endpoints: readonly string[]): RouteResponse {
  return json({
    name: "sluice",
    version: VERSION,
    description:
      "A model gateway: point an OpenAI client at /v1, with a service key of this gateway",
    api: "/v1",
    health: "/healthz",
    endpoints,
    docs: "README.md of the project, or 'sluice help'",
  });
}

/**
 * Creates the error for a path that does not exist. It shows the path, so that users can see how
 * their client built it from the base URL.
 *
 * @param isKnown whether the API has a path
 */
export function unknownPath(path: string, isKnown: (path: string) => boolean): GatewayError {
  const shown = shortened(path, MAX_PATH_LENGTH);
  const hint = hintForOther(path) ?? hintFor(path, isKnown);
  return new GatewayError("route_not_found", `Unknown path '${shown}'; ${hint}`);
}

/** The methods of Gemini's API and of Vertex AI that clients call, at the end of a path. */
const OTHER_METHOD =
  /(?::|%3a)(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents|rawPredict|streamRawPredict|predict)$/i;

/** The versions of Gemini's API, which begin its paths. */
const OTHER_VERSION = /^\/v1(?:alpha|beta)\d*(?:\/|$)/;

/** Whether this is a path of Gemini's API or of Vertex AI. */
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
    return "the path has a double slash: remove the trailing slash of the client's base URL";
  }
  if (path.startsWith("/v1/v1/") && isKnown(path.slice("/v1".length))) {
    return "the path has '/v1' twice: the client adds '/v1', so remove it from the base URL";
  }
  return "GET / lists the endpoints";
}
