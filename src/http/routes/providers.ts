/** `GET /v1/providers`: what each kind supports, which providers are on, and how they are. */

import { toMatrix } from "../../providers/support_matrix.ts";
import { adapters } from "../../providers/registry.ts";
import { type Draft, json, type RouteContext } from "./route.ts";

export function listProviders(_: Request, { config, key, deps }: RouteContext): Draft {
  const now = deps.clock.now();
  const on = [...config.providers.values()].map((provider) => {
    const { settings, adapter, keys } = provider;
    const models = provider.models.filter(({ id }) => config.isAllowed(key, id));
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
      // Keys are counted, never named.
      keys: {
        configured: keys.length,
        suspended: deps.state.poolOf(provider).countSuspended(keys, now),
      },
    };
  });
  const off = config.disabled.map(({ id, kind, publicReason }) => ({
    id,
    kind,
    state: "off",
    reason: publicReason,
  }));
  return json({ object: "list", data: [...on, ...off], kinds: toMatrix([...adapters.values()]) });
}
