/** The routes for Ollama's API. */

import type { Config } from "../../config/config.ts";
import { checkBody } from "../../apis/ollama/converted_request.ts";
import { toShown, toTag } from "../../apis/ollama/format.ts";
import { OLLAMA_ENDPOINTS } from "../../gateway/execute/ollama/ollama_endpoints.ts";
import { unknownModel } from "../../gateway/fallback_chain.ts";
import type { ParsedRequest } from "../../gateway/parsed_request.ts";
import { nameModel, readRequestBody } from "./model_routes.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/**
 * The Ollama version whose API this implements; editors reject older ones.
 * https://github.com/ollama/ollama/releases (2026-08).
 */
const API_VERSION = "0.13.3";

/** The default tag, which clients may add to a name. */
const DEFAULT_TAG = ":latest";

/** A model request. */
interface OllamaCall {
  readonly path: string;
  read(body: unknown, context: RouteContext): ParsedRequest;
}

/** Model requests. */
export const OLLAMA_CALLS: readonly OllamaCall[] = OLLAMA_ENDPOINTS.map(({ path, read }) => ({
  path,
  read: (body, context) =>
    read(body, (model) => {
      const name = knownName(model, context.config);
      nameModel(context, name);
      return name;
    }),
}));

/** The configured name of a model, with or without its default tag. */
function knownName(model: string, config: Config): string {
  if (!model.endsWith(DEFAULT_TAG) || config.has(model)) return model;
  const bare = model.slice(0, -DEFAULT_TAG.length);
  // With the tag, `x@p` would not name the provider `p`.
  if (config.readPinned(bare) !== undefined) return bare;
  return config.resolve(model) !== undefined || config.resolve(bare) === undefined ? model : bare;
}

/** Lists the models that the key may use. */
export function listTags(_: Request, { config, principal: { key } }: RouteContext): RouteResponse {
  const allowed = config.models.filter(({ id }) => config.isAllowed(key, id));
  return json({ models: allowed.map(toTag) });
}

/** Lists the loaded models: always none, since the gateway does not run models. */
export function listLoaded(): RouteResponse {
  return json({ models: [] });
}

/** Returns the Ollama API version. */
export function showVersion(): RouteResponse {
  return json({ version: API_VERSION });
}

/**
 * Shows the known facts about a model.
 *
 * @throws {GatewayError} `model_not_found` if the model does not exist or the key may not use it.
 */
export async function showModel(request: Request, context: RouteContext): Promise<RouteResponse> {
  const { config, principal: { key } } = context;
  const id = knownName(checkBody(await readRequestBody(request, context)).model, config);
  const entry = config.isAllowed(key, id) ? config.find(id) : undefined;
  if (entry === undefined) throw unknownModel(id, "model", key, config);
  return json(toShown(entry));
}
