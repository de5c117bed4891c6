/** The routes of admins. */

import type { RunConfigCall } from "../../config/editing/calls.ts";
import { chatCompletions as chatFormat } from "../../formats/chat_completions/format.ts";
import type { RunKeyCall } from "../../governance/keys/key_calls.ts";
import type { Administer } from "../../routing/admin.ts";
import type { UsageReader } from "../usage_reader.ts";
import { listAdminProviders, resetProvider } from "./admin.ts";
import {
  checkConfig,
  saveConfig,
  showConfig,
  showConfigSchema,
  showConfigVersion,
} from "./admin_config.ts";
import { changeKey, createKey, listKeys, revokeKey, rotateKey, showKey } from "./admin_keys.ts";
import { allLive, type LiveAccess } from "./live.ts";
import { allRoutes } from "./model_routes.ts";
import { planProviderTest, testProvider } from "./provider_test.ts";
import { countAllRequests } from "./request_counts.ts";
import { listAllRequests, showAnyRequest } from "./requests.ts";
import type { Handler, Route } from "./route.ts";
import { allUsage } from "./usage.ts";

const ADMIN = { method: "GET", admission: "when_busy" } as const;
const CONFIG = "/v1/admin/config";
const KEYS = "/v1/admin/keys";
const ONE_KEY = `${KEYS}/{key_id}`;

/** The dependencies of the routes of admins. */
export interface AdminServices {
  readonly live: LiveAccess;
  readonly usage: UsageReader;
  readonly administer: Administer;
  /** Runs an admin's call on the keys of the store. */
  readonly runKeyCall: RunKeyCall;
  /** Runs an admin's call on the configuration. */
  readonly runConfigCall: RunConfigCall;
}

/** All routes below `/v1/admin`. */
export function createAdminRoutes(services: AdminServices): readonly Route[] {
  return [...adminRoutes(services), ...adminKeyRoutes(services), ...configRoutes(services)];
}

function adminRoutes({ live, usage, administer }: AdminServices): readonly Route[] {
  return [
    {
      ...ADMIN,
      auth: { admin: "usage.read" },
      path: "/v1/admin/usage",
      handle: (...input) => allUsage(...input, usage),
    },
    {
      ...ADMIN,
      admission: "watch",
      auth: { admin: "live.watch" },
      path: "/v1/admin/live",
      handle: (...input) => allLive(...input, live),
    },
    {
      ...ADMIN,
      auth: { admin: "routes.list" },
      path: "/v1/admin/routes",
      handle: (...input) => allRoutes(...input, usage),
    },
    {
      ...ADMIN,
      auth: { admin: "requests.list" },
      path: "/v1/admin/request_counts",
      handle: (...input) => countAllRequests(...input, usage),
    },
    {
      ...ADMIN,
      auth: { admin: "requests.list" },
      path: "/v1/admin/requests",
      handle: (...input) => listAllRequests(...input, usage),
    },
    {
      ...ADMIN,
      auth: { admin: "requests.show" },
      path: "/v1/admin/requests/{request_id}",
      handle: (...input) => showAnyRequest(...input, usage),
    },
    {
      ...ADMIN,
      auth: { admin: "providers.list" },
      path: "/v1/admin/providers",
      handle: (_, context) => listAdminProviders(context, administer),
    },
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
      handle: (_, context) => planProviderTest(context),
    },
    {
      ...ADMIN,
      method: "POST",
      auth: { admin: "providers.test" },
      path: "/v1/admin/providers/{provider_id}/test",
      format: chatFormat,
      handle: testProvider,
    },
  ];
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
    row("GET", KEYS, "keys.list", (...input) => listKeys(...input, usage)),
    row("POST", KEYS, "keys.create", createKey),
    row("GET", ONE_KEY, "keys.show", (...input) => showKey(...input, usage)),
    row("PATCH", ONE_KEY, "keys.change", changeKey),
    row("DELETE", ONE_KEY, "keys.revoke", revokeKey),
    row("POST", `${ONE_KEY}/rotate`, "keys.rotate", rotateKey),
  ];
}

function configRoutes({ runConfigCall }: AdminServices): readonly Route[] {
  return [
    {
      ...ADMIN,
      auth: { admin: "config.show" },
      path: CONFIG,
      handle: (_, context) => showConfig(context, runConfigCall),
    },
    {
      ...ADMIN,
      method: "POST",
      auth: { admin: "config.save" },
      path: CONFIG,
      handle: (...input) => saveConfig(...input, runConfigCall),
    },
    {
      ...ADMIN,
      auth: { admin: "config.schema" },
      path: `${CONFIG}/schema`,
      handle: showConfigSchema,
    },
    {
      ...ADMIN,
      method: "POST",
      auth: { admin: "config.check" },
      path: `${CONFIG}/check`,
      handle: (...input) => checkConfig(...input, runConfigCall),
    },
    {
      ...ADMIN,
      auth: { admin: "config.show" },
      path: `${CONFIG}/versions/{version_id}`,
      handle: (_, context) => showConfigVersion(context, runConfigCall),
    },
  ];
}
