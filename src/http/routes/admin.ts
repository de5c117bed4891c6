/** `GET /v1/admin/providers` and `POST /v1/admin/providers/{provider_id}/reset`. */

import type { AdminAnswer } from "../../routing/admin.ts";
import { type Config, fingerprintOf } from "../../config/config.ts";
import { GatewayError } from "../../core/errors.ts";
import { type Draft, json, type RouteContext } from "./route.ts";

/** The most of an unknown provider ID that is repeated. */
const MAX_ID = 200;

export async function listAdminProviders(
  _: Request,
  { config, server }: RouteContext,
): Promise<Draft> {
  const answers = await server.administer({ type: "report" });
  const on = [...config.providers.values()].map(({ settings: { id }, adapter, keys }) => ({
    id,
    kind: adapter.kind,
    state: "on",
    keys: keys.map((key, index) => ({ index, fingerprint: fingerprintOf(key) })),
    workers: answers.flatMap(({ worker, result }) => {
      const report = result?.type === "report" ? result.providers.get(id) : undefined;
      return report === undefined ? [] : [{ worker, ...report }];
    }),
  }));
  const off = config.disabled.map(({ id, kind, reason }) => ({ id, kind, state: "off", reason }));
  return json({ object: "list", data: [...on, ...off], ...pendingOf(answers) });
}

/** @throws {GatewayError} `route_not_found` for a provider that there is not, or that is disabled. */
export async function resetProvider(
  _: Request,
  { config, exchange, params, server }: RouteContext,
): Promise<Draft> {
  const id = params.get("provider_id") ?? "";
  if (!config.providers.has(id)) throw unknownProvider(id, config);
  const answers = await server.administer({ type: "reset", provider: id });
  const cleared = { suspended_keys: 0, breakers: 0, learned_rejections: 0 };
  for (const { result } of answers) {
    if (result?.type !== "reset") continue;
    cleared.suspended_keys += result.cleared.suspended_keys;
    cleared.breakers += result.cleared.breakers;
    cleared.learned_rejections += result.cleared.learned_rejections;
  }
  exchange.audit = { action: "reset", provider: id, cleared };
  return json({ object: "provider.reset", id, cleared, ...pendingOf(answers) });
}

/** How many threads there are, and how many have yet to do what they were asked. */
function pendingOf(answers: readonly AdminAnswer[]) {
  const pending = answers.filter(({ result }) => result === undefined).length;
  return { workers: answers.length, pending_workers: pending };
}

function unknownProvider(id: string, config: Config): GatewayError {
  const shown = id.length > MAX_ID ? `${id.slice(0, MAX_ID)}…` : id;
  const off = config.disabled.find((provider) => provider.id === id);
  const message = off === undefined
    ? `There is no provider '${shown}'`
    : `The provider '${id}' is disabled: ${off.reason}`;
  return new GatewayError("route_not_found", message, { code: "provider_not_found" });
}
