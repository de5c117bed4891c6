/** `GET /v1/admin/providers` and `POST /v1/admin/providers/{provider_id}/reset`. */

import { shortened } from "../../core/text.ts";
import type { AdminAnswer, Administer } from "../../gateway/admin.ts";
import { type Config, fingerprintOf } from "../../config/config.ts";
import { GatewayError } from "../../core/errors.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/** The maximum length of an unknown provider ID in an error, in UTF-16 units. */
const MAX_ID_CHARS = 200;

/** Lists all providers with their keys' fingerprints and the state in every worker. */
export async function listAdminProviders(
  { config }: RouteContext,
  administer: Administer,
): Promise<RouteResponse> {
  const answers = await administer({ type: "report" });
  const enabled = [...config.providers.values()].map((
    { settings: { id }, adapter, ambient, keys },
  ) => ({
    id,
    kind: adapter.kind,
    state: "on",
    keys: keys.map((key, index) => ({ index, fingerprint: fingerprintOf(key) })),
    ...(ambient?.source !== undefined && { credentials: ambient.source }),
    workers: answers.flatMap(({ worker, result }) => {
      const report = result?.type === "report" ? result.providers.get(id) : undefined;
      return report === undefined ? [] : [{ worker, ...report }];
    }),
  }));
  const disabled = config.disabled.map(({ id, kind, reason }) => ({
    id,
    kind,
    state: "off",
    reason,
  }));
  return json({ object: "list", data: [...enabled, ...disabled], ...pendingOf(answers) });
}

/**
 * Clears a provider's suspended keys, circuit breakers and learned rejections.
 *
 * @throws {GatewayError} `route_not_found` for a provider that is unknown or disabled.
 */
export async function resetProvider(
  { config, record, params }: RouteContext,
  administer: Administer,
): Promise<RouteResponse> {
  const id = params.get("provider_id") ?? "";
  record.audit = { ...record.audit, provider: id.slice(0, MAX_ID_CHARS) };
  if (!config.providers.has(id)) throw unknownProvider(id, config);
  const answers = await administer({ type: "reset", provider: id });
  const cleared = { suspended_keys: 0, breakers: 0, learned_rejections: 0 };
  for (const { result } of answers) {
    if (result?.type !== "reset") continue;
    cleared.suspended_keys += result.cleared.suspended_keys;
    cleared.breakers += result.cleared.breakers;
    cleared.learned_rejections += result.cleared.learned_rejections;
  }
  record.audit = { ...record.audit, cleared };
  return json({ object: "provider.reset", id, cleared, ...pendingOf(answers) });
}

/** The number of workers, and the number that have not run the command yet. */
function pendingOf(answers: readonly AdminAnswer[]) {
  const pending = answers.filter(({ result }) => result === undefined).length;
  return { workers: answers.length, pending_workers: pending };
}

/** The error for a provider that is unknown or disabled. */
export function unknownProvider(id: string, config: Config): GatewayError {
  const shown = shortened(id, MAX_ID_CHARS);
  const disabled = config.disabled.find((provider) => provider.id === id);
  const message = disabled === undefined
    ? `Unknown provider '${shown}'`
    : `The provider '${id}' is disabled: ${disabled.reason}`;
  return new GatewayError("route_not_found", message, { code: "provider_not_found" });
}
