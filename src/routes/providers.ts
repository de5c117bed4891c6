/** `GET /v1/providers`: what each kind of provider supports, and which ones are configured. */

import { toMatrix } from "../matrix.ts";
import { adapters } from "../providers/registry.ts";
import { type Draft, json, type RouteContext } from "./route.ts";

export function listProviders({ config, key }: RouteContext): Draft {
  const on = [...config.providers.values()].map(({ settings, adapter, models }) => ({
    id: settings.id,
    kind: adapter.kind,
    state: "on",
    models: models.map((model) => model.id).filter((id) => config.isAllowed(key, id)),
  }));
  const off = config.off.map(({ id, kind, reason }) => ({ id, kind, state: "off", reason }));
  return json({ object: "list", data: [...on, ...off], kinds: toMatrix([...adapters.values()]) });
}
