/** `GET /v1/providers`: what each kind supports, and the state of each configured provider. */

import { OPERATIONS } from "../../operations/list.ts";
import { toMatrix } from "../../providers/support_matrix.ts";
import { adapters } from "../../providers/registry.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/** Lists the providers with the models that the key may use, and the support matrix. */
export function listProviders(_: Request, { config, key, deps }: RouteContext): RouteResponse {
  const now = deps.clock.now();
  const enabled = [...config.providers.values()].flatMap((provider) => {
    const { settings, adapter, keys } = provider;
    const models = provider.models.filter(({ id }) => config.isAllowedAt(key, id, settings.id));
    if (key.models !== undefined && models.length === 0) return [];
    return {
      id: settings.id,
      kind: adapter.kind,
      state: "on",
      models: models.map(({ id }) => id),
      breakers: models.map((model) => ({
        model: model.id,
        ...deps.state.breakerOf({ provider, model }).report(now),
      })),
      learned_rejections: models.flatMap((model) =>
        deps.state.rejectionsOf({ provider, model }).report(now)
          .map((rejection) => ({ model: model.id, ...rejection }))
      ),
      // Only the number of keys is shown.
      keys: {
        configured: keys.length,
        suspended: deps.state.poolOf(provider).countSuspended(keys, now),
      },
    };
  });
  const disabled = (key.models === undefined ? config.disabled : []).map((
    { id, kind, publicReason },
  ) => ({
    id,
    kind,
    state: "off",
    reason: publicReason,
  }));
  return json({
    object: "list",
    data: [...enabled, ...disabled],
    kinds: toMatrix([...adapters.values()], OPERATIONS.map(({ support }) => support)),
  });
}
