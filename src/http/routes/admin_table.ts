/** The admin routes. */

import type { RunConfigCall } from "../../config/editing/changes.ts";
import { chatCompletions as chatFormat } from "../../apis/chat_completions/format.ts";
import type { RunKeyCall } from "../../governance/keys/key_store.ts";
import type { HealthAccess } from "../../console/health/health_board.ts";
import type { Administer } from "../../gateway/admin.ts";
import type { UsageReader } from "../usage_reader.ts";
import { listAdminProviders, resetProvider } from "./admin.ts";
import { allLive, type LiveAccess } from "./live.ts";
import { allRoutes } from "./models.ts";
import { countAllRequests } from "./request_query.ts";
import { listAllRequests, showAnyRequest } from "./requests.ts";
import { compressed } from "../compress.ts";
import { type Handler, json, type Route, type RouteContext, type RouteResponse } from "./route.ts";
import { allUsage } from "./usage.ts";
import { toHealthAnswer } from "../../console/health/report.ts";

const ADMIN = { method: "GET", admission: "when_busy" } as const;
const CONFIG = "/v1/admin/config";
const KEYS = "/v1/admin/keys";
const ONE_KEY = `${KEYS}/{key_id}`;

/** The admin routes' dependencies. */
export interface AdminServices {
  readonly live: LiveAccess;
  readonly usage: UsageReader;
  readonly administer: Administer;
  /** Target health; undefined without the console. */
  readonly health: HealthAccess | undefined;
  /** Runs an admin call on the keys in the store. */
  readonly runKeyCall: RunKeyCall;
  /** Runs an admin call on the configuration. */
  readonly runConfigCall: RunConfigCall;
}

/** All routes below `/v1/admin`. */
export function createAdminRoutes(services: AdminServices): readonly Route[] {
  return [...adminRoutes(services), ...adminKeyRoutes(services), ...configRoutes(services)];
}

function adminRoutes({ live, usage, administer, health }: AdminServices): readonly Route[] {
  return [
    ...(health === undefined ? [] : [healthRoute(health)]),
    compressed({
      ...ADMIN,
      auth: { admin: "usage.read" },
      path: "/v1/admin/usage",
      handle: (...input) => allUsage(...input, usage),
    }),
    {
      ...ADMIN,
      admission: "watch",
      auth: { admin: "live.watch" },
      path: "/v1/admin/live",
      handle: (...input) => allLive(...input, live),
    },
    compressed({
      ...ADMIN,
      auth: { admin: "routes.list" },
      path: "/v1/admin/routes",
      handle: (...input) => allRoutes(...input, usage),
    }),
    compressed({
      ...ADMIN,
      auth: { admin: "requests.list" },
      path: "/v1/admin/request_counts",
      handle: (...input) => countAllRequests(...input, usage),
    }),
    compressed({
      ...ADMIN,
      auth: { admin: "requests.list" },
      path: "/v1/admin/requests",
      handle: (...input) => listAllRequests(...input, usage),
    }),
    compressed({
      ...ADMIN,
      auth: { admin: "requests.show" },
      path: "/v1/admin/requests/{request_id}",
      handle: (...input) => showAnyRequest(...input, usage, health),
    }),
    compressed({
      ...ADMIN,
      auth: { admin: "providers.list" },
      path: "/v1/admin/providers",
      handle: (_, context) => listAdminProviders(context, administer),
    }),
    {
      ...ADMIN,
      method: "POST",
      auth: { admin: "providers.reset" },
      path: "/v1/admin/providers/{provider_id}/reset",
      handle: (_, context) => resetProvider(context, administer),
    },
    {
      ...ADMIN,
      auth: { admin: "providers.test_plan" },
      path: "/v1/admin/providers/{provider_id}/test",
      handle: async (_, context) => (await tests()).planProviderTest(context),
    },
    {
      ...ADMIN,
      method: "POST",
      auth: { admin: "providers.test" },
      path: "/v1/admin/providers/{provider_id}/test",
      format: chatFormat,
      handle: async (...input) => await (await tests()).testProvider(...input),
    },
  ];
}

function healthRoute(health: HealthAccess): Route {
  return compressed({
    ...ADMIN,
    auth: { admin: "health.show" },
    path: "/v1/admin/health",
    handle: (_, context) => showHealth(context, health),
  });
}

function adminKeyRoutes({ runKeyCall, usage }: AdminServices): readonly Route[] {
  const row = (
    method: Route["method"],
    path: string,
    admin: string,
    run: (...input: [...Parameters<Handler>, RunKeyCall]) => ReturnType<Handler>,
  ): Route => ({
    ...ADMIN,
    method,
    path,
    auth: { admin },
    handle: (...input) => run(...input, runKeyCall),
  });
  return [
    compressed(row(
      "GET",
      KEYS,
      "keys.list",
      async (...input) => await (await keys()).listKeys(...input, usage),
    )),
    row("POST", KEYS, "keys.create", async (...input) => await (await keys()).createKey(...input)),
    row(
      "GET",
      ONE_KEY,
      "keys.show",
      async (...input) => await (await keys()).showKey(...input, usage),
    ),
    row(
      "PATCH",
      ONE_KEY,
      "keys.change",
      async (...input) => await (await keys()).changeKey(...input),
    ),
    row(
      "DELETE",
      ONE_KEY,
      "keys.revoke",
      async (...input) => await (await keys()).revokeKey(...input),
    ),
    row(
      "POST",
      `${ONE_KEY}/rotate`,
      "keys.rotate",
      async (...input) => await (await keys()).rotateKey(...input),
    ),
  ];
}

function configRoutes({ runConfigCall }: AdminServices): readonly Route[] {
  return [
    {
      ...ADMIN,
      auth: { admin: "config.show" },
      path: CONFIG,
      handle: async (_, context) => await (await configs()).showConfig(context, runConfigCall),
    },
    {
      ...ADMIN,
      method: "POST",
      auth: { admin: "config.save" },
      path: CONFIG,
      handle: async (...input) => await (await configs()).saveConfig(...input, runConfigCall),
    },
    compressed({
      ...ADMIN,
      auth: { admin: "config.schema" },
      path: `${CONFIG}/schema`,
      handle: async () => (await configs()).showConfigSchema(),
    }),
    {
      ...ADMIN,
      method: "POST",
      auth: { admin: "config.check" },
      path: `${CONFIG}/check`,
      handle: async (...input) => await (await configs()).checkConfig(...input, runConfigCall),
    },
    {
      ...ADMIN,
      method: "POST",
      auth: { admin: "config.form" },
      path: `${CONFIG}/form`,
      handle: async (...input) => await (await configs()).editConfigByForm(...input, runConfigCall),
    },
    {
      ...ADMIN,
      auth: { admin: "config.show" },
      path: `${CONFIG}/versions/{version_id}`,
      handle: async (_, context) =>
        await (await configs()).showConfigVersion(context, runConfigCall),
    },
  ];
}

// Loaded on the first request, since most gateways are never changed through the API.

async function configs() {
  const {
    checkConfig,
    editConfigByForm,
    saveConfig,
    showConfig,
    showConfigSchema,
    showConfigVersion,
  } = await import("./admin_config.ts");
  return {
    ...{ checkConfig, editConfigByForm, saveConfig, showConfig },
    ...{ showConfigSchema, showConfigVersion },
  };
}

async function keys() {
  const { changeKey, createKey, listKeys, revokeKey, rotateKey, showKey } = await import(
    "./admin_keys.ts"
  );
  return { changeKey, createKey, listKeys, revokeKey, rotateKey, showKey };
}

async function tests() {
  const { planProviderTest, testProvider } = await import("./provider_test.ts");
  return { planProviderTest, testProvider };
}

/** @param health undefined without the console */
async function showHealth(
  { deps: { clock } }: RouteContext,
  health: HealthAccess,
): Promise<RouteResponse> {
  const [report, history] = await Promise.all([health.report(), health.history()]);
  const answer = toHealthAnswer(report, history, clock.wallTime());
  return json({ object: "health", ...answer }, { "cache-control": "no-store" });
}
