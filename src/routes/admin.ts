/** `GET /v1/admin/providers` and `POST /v1/admin/providers/{provider_id}/reset`. */

import type { AdminAnswer, AdminCommand } from "../admin.ts";
import { type Config, fingerprintOf } from "../config.ts";
import { GatewayError } from "../errors.ts";
import type { Exchange } from "../exchange.ts";
import { type Draft, json, type Route } from "./route.ts";

/** Asks every thread. */
export type Administer = (command: AdminCommand) => Promise<readonly AdminAnswer[]>;

const PROVIDERS = "/v1/admin/providers";
const RESET = /^\/v1\/admin\/providers\/([^/]+)\/reset$/;

/** The most of an unknown provider ID that is repeated. */
const MAX_ID = 200;

/** The admin route of a path; none for another path. */
export function matchAdmin(path: string, administer: Administer): readonly Route[] {
  if (path === PROVIDERS) {
    return [{
      label: PROVIDERS,
      method: "GET",
      admin: true,
      handle: (_, { config }) => listProviders(config, administer),
    }];
  }
  const id = RESET.exec(path)?.[1];
  if (id === undefined) return [];
  return [{
    label: `${PROVIDERS}/{provider_id}/reset`,
    method: "POST",
    admin: true,
    handle: (_, { config, exchange }) => reset(id, config, exchange, administer),
  }];
}

async function listProviders(config: Config, administer: Administer): Promise<Draft> {
  const answers = await administer({ type: "report" });
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
  const off = config.off.map(({ id, kind, reason }) => ({ id, kind, state: "off", reason }));
  return json({ object: "list", data: [...on, ...off], ...pendingOf(answers) });
}

/** @throws {GatewayError} `route_not_found` for a provider that there is not, or that is disabled. */
async function reset(
  id: string,
  config: Config,
  exchange: Exchange,
  administer: Administer,
): Promise<Draft> {
  if (!config.providers.has(id)) throw unknownProvider(id, config);
  const answers = await administer({ type: "reset", provider: id });
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
  const off = config.off.find((provider) => provider.id === id);
  const message = off === undefined
    ? `There is no provider '${shown}'`
    : `The provider '${id}' is disabled: ${off.reason}`;
  return new GatewayError("route_not_found", message, { code: "provider_not_found" });
}
