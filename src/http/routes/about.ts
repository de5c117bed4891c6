/** `GET /` and `GET /v1`, and the answer for a path that does not exist: both say where the API is. */

import { GatewayError } from "../../core/errors.ts";
import { VERSION } from "../../core/version.ts";
import { type Draft, json, type RouteContext } from "./route.ts";

/** The longest part of an unknown path that is repeated, in UTF-16 units. */
const MAX_PATH_LENGTH = 200;

/** Anyone may read it, so it names no model and no provider. */
export function about(_: Request, { server: { endpoints } }: RouteContext): Draft {
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
 * The error for a path that does not exist. It repeats the path, which tells
 * what a client made of its base URL.
 *
 * @param isKnown whether the API has a path
 */
export function unknownPath(path: string, isKnown: (path: string) => boolean): GatewayError {
  const shown = path.length > MAX_PATH_LENGTH ? `${path.slice(0, MAX_PATH_LENGTH)}…` : path;
  return new GatewayError(
    "route_not_found",
    `There is nothing at '${shown}'; ${hintFor(path, isKnown)}`,
  );
}

function hintFor(path: string, isKnown: (path: string) => boolean): string {
  if (!path.startsWith("/v1") && isKnown(`/v1${path}`)) {
    return "the API lives below /v1, so set the client's base URL to end in /v1";
  }
  const single = path.replace(/\/+/g, "/");
  if (single !== path && isKnown(single)) {
    return "two slashes follow each other: end the client's base URL without one";
  }
  if (path.startsWith("/v1/v1/") && isKnown(path.slice("/v1".length))) {
    return "'/v1' is there twice: the client adds it itself, so leave it out of its base URL";
  }
  return "GET / lists the endpoints";
}
