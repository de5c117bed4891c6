/** `GET /v1/clients`: the settings of clients for this gateway, as texts to copy. */

import { invalidValue } from "../../core/invalid_value.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/** The longest address, in UTF-16 units. */
const MAX_ORIGIN_CHARS = 300;

/**
 * Lists the settings for the models that the key may use. Parameters: `origin`, the address that
 * clients reach; `os`; `model` and `small_model`.
 *
 * @throws {GatewayError} `invalid_value` for a parameter that is not valid.
 */
export async function listClients(
  request: Request,
  { config, key }: RouteContext,
): Promise<RouteResponse> {
  // Most gateways are never asked.
  const { CLIENTS } = await import("../../clients/clients.ts");
  const { modelsOfConfig, targetOf } = await import("../../clients/target.ts");
  const { isOperatingSystem, printClients, usualPlaces } = await import("../../clients/printed.ts");
  const url = new URL(request.url);
  const os = url.searchParams.get("os") ?? "linux";
  if (!isOperatingSystem(os)) throw invalidValue("os", "must be linux, darwin or windows");
  const { find, models: listed } = modelsOfConfig(config, (id) => config.isAllowed(key, id));
  const choose = (name: string) => {
    const id = url.searchParams.get(name);
    if (id === null) return undefined;
    const model = find(id);
    if (model === undefined) throw invalidValue(name, "must be a model of GET /v1/models");
    return model;
  };
  const chosen = { listed, model: choose("model"), smallModel: choose("small_model") };
  const target = targetOf(originOf(url), chosen);
  const data = target === undefined ? [] : printClients(CLIENTS.values(), target, usualPlaces(os));
  return json({ object: "list", data });
}

/** @throws {GatewayError} `invalid_value` for an invalid address. */
function originOf({ origin, searchParams }: URL): string {
  const asked = searchParams.get("origin");
  if (asked === null) return origin;
  const url = asked.length > MAX_ORIGIN_CHARS ? null : URL.parse(asked);
  if (url === null || !/^https?:$/.test(url.protocol) || url.origin !== asked) {
    throw invalidValue("origin", "must be an address such as https://llm.example.com");
  }
  return asked;
}
