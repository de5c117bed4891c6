/** `/v1/admin/config`: shows, checks and saves the configuration. */

import * as z from "zod";
import { configSchema } from "../../config/config.ts";
import type {
  ConfigCall,
  ConfigProblem,
  ConfigRefusal,
  ConfigResult,
  RunConfigCall,
  ShownConfig,
} from "../../config/editing/changes.ts";
import { GatewayError } from "../../core/errors.ts";
import { readAdminBody } from "./admin_keys.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/** The largest text that can be checked and saved, in UTF-16 units. */
const MAX_TEXT_CHARS = 512 * 1024;
/** JSON needs up to six bytes per character. */
const MAX_BODY_BYTES = 6 * MAX_TEXT_CHARS + 1024;
/** The maximum length of a version's ID in the log, in UTF-16 units. */
const MAX_ID_CHARS = 200;

/** It reveals which secrets are set, so it must not be cached. */
const NO_STORE = { "cache-control": "no-store" };

const text = z.string().max(MAX_TEXT_CHARS);

/** The body of `POST /v1/admin/config/check`. */
export const configCheckBody = z.strictObject({ text });
const path = z.array(z.union([z.string().max(1000), z.int().min(0).max(100_000)])).min(1).max(6);
const member = z.union([
  z.string().max(10_000),
  z.number(),
  z.boolean(),
  z.array(z.string().max(1000)).max(10_000),
]);
const members = z.record(z.string().max(1000), member);
const formEdit = z.union([
  z.strictObject({ path, remove: z.literal(true) }),
  z.strictObject({
    path,
    items: z.array(z.union([z.string().max(1000), z.int().min(0)])).max(10_000)
      .describe("The entries of a list: the index of an existing entry, or a new text"),
  }),
  z.strictObject({
    path,
    value: z.union([member, z.record(z.string().max(1000), z.union([member, members]))]),
  }),
]);
/** The body of `POST /v1/admin/config/form`. */
export const configFormBody = z.strictObject({ text, edits: z.array(formEdit).max(50) });
/**
 * The body of `POST /v1/admin/config`; `hash` is the hash of the file that the text is based on.
 */
export const configBody = z.strictObject({
  text,
  hash: z.string().min(1).max(100),
  reason: z.string().trim().max(200).optional()
    .describe("Why the text was changed; shown with the text that it replaces"),
});

/** Shows the current configuration, without secrets. */
export async function showConfig(
  context: RouteContext,
  runConfigCall: RunConfigCall,
): Promise<RouteResponse> {
  const comments = context.principal.key.mayEditConfig ?? false;
  const result = await run(runConfigCall, { type: "show", comments });
  if (result.type !== "shown") throw unexpected(result);
  return json(toBody(result.shown, context), NO_STORE);
}

let schemaText: string | undefined;

/** The JSON Schema of config.yaml, created for the first request. */
export async function showConfigSchema(): Promise<RouteResponse> {
  const { adapters } = await import("../../providers/registry.ts");
  schemaText ??= JSON.stringify(configSchema(adapters));
  return { status: 200, headers: { "content-type": "application/json" }, body: schemaText };
}

/** Shows an earlier version, without secrets. */
export async function showConfigVersion(
  { principal: { key }, params, record }: RouteContext,
  runConfigCall: RunConfigCall,
): Promise<RouteResponse> {
  const id = params.get("version_id") ?? "";
  record.audit = { ...record.audit, version: id.slice(0, MAX_ID_CHARS) };
  const result = await run(runConfigCall, {
    ...{ type: "show_version", id, comments: key.mayEditConfig ?? false } as const,
  });
  if (result.type !== "text") throw unexpected(result);
  return json({ object: "config.version", id, text: result.text }, NO_STORE);
}

/** Finds the problems in a text, and its changes. Nothing is saved. */
export async function checkConfig(
  request: Request,
  context: RouteContext,
  runConfigCall: RunConfigCall,
): Promise<RouteResponse> {
  const { text } = await readAdminBody(request, context, configCheckBody, MAX_BODY_BYTES);
  const result = await run(runConfigCall, { type: "check", text });
  if (result.type !== "checked") throw unexpected(result);
  const { check } = result;
  return json({ object: "config.check", valid: check.problems.length === 0, ...check }, NO_STORE);
}

/** Applies form edits to a text, and lists its objects. Nothing is saved. */
export async function editConfigByForm(
  request: Request,
  context: RouteContext,
  runConfigCall: RunConfigCall,
): Promise<RouteResponse> {
  const { text, edits } = await readAdminBody(request, context, configFormBody, MAX_BODY_BYTES);
  const result = await run(runConfigCall, { type: "form", text, edits });
  if (result.type === "form_refused") {
    throw new GatewayError("invalid_value", result.message, {
      ...{ param: "edits", code: "config_form_refused" },
    });
  }
  if (result.type !== "form") throw unexpected(result);
  return json({ object: "config.form", ...result.form }, NO_STORE);
}

/** Saves a text as the configuration file, and loads it. */
export async function saveConfig(
  request: Request,
  context: RouteContext,
  runConfigCall: RunConfigCall,
): Promise<RouteResponse> {
  const { key } = context.principal;
  if (!key.mayEditConfig) {
    throw new GatewayError("admin_key_required", NOT_ALLOWED, { code: "config_edit_denied" });
  }
  const body = await readAdminBody(request, context, configBody, MAX_BODY_BYTES);
  const call = { type: "save", ...body, admin: key.name } as const;
  const { record } = context;
  if (body.reason) record.audit = { ...record.audit, reason: body.reason };
  const result = await run(runConfigCall, call);
  if (result.type === "invalid") throw invalid(result.problems);
  if (result.type !== "saved") throw unexpected(result);
  record.audit = { ...record.audit, saved: result.shown.hash ?? "" };
  return json(toBody(result.shown, context), NO_STORE);
}

const NOT_ALLOWED =
  "This admin key may not save the configuration: it needs 'edit_config: true' in " +
  "'server.admin_keys', and the gateway must then be restarted";

function toBody(shown: ShownConfig, { principal: { key } }: RouteContext) {
  const { source, loadedAt, text, fileText, hash, stale, readOnly, versions } = shown;
  const reason = key.mayEditConfig ? readOnly : NOT_ALLOWED;
  return {
    object: "config",
    source,
    loaded_at: new Date(loadedAt).toISOString(),
    valid: stale === undefined,
    reason: stale?.reason ?? null,
    faults: stale?.faults ?? [],
    text,
    file_text: fileText ?? null,
    hash: hash ?? null,
    editable: reason === undefined,
    read_only_reason: reason ?? null,
    versions: versions.map(({ id, replaced, by, reason = null }) => ({
      ...{ id, replaced_at: new Date(replaced).toISOString(), by, reason },
    })),
  };
}

/** @throws {GatewayError} for a rejected call. */
async function run(runConfigCall: RunConfigCall, call: ConfigCall): Promise<ConfigResult> {
  const result = await runConfigCall(call);
  if (result.type === "refused") throw toConfigError(result.refusal);
  return result;
}

function toConfigError(refusal: ConfigRefusal): GatewayError {
  switch (refusal.reason) {
    case "unavailable":
      return new GatewayError("route_not_found", "The configuration cannot be shown here");
    case "unknown_version":
      return new GatewayError("route_not_found", "There is no such version", {
        code: "version_not_found",
      });
    case "too_slow":
      return new GatewayError("invalid_request", "The text takes too long to examine", {
        code: "config_too_complex",
      });
    case "changed":
      return new GatewayError(
        "conflict",
        "The file has changed since it was shown; nothing was saved",
        { code: "config_changed" },
      );
    case "read_only":
      return new GatewayError(
        "conflict",
        `The file cannot be saved here: ${refusal.detail}`,
        { code: "config_read_only" },
      );
  }
}

/** The first problems in one message, since the error format has no list. */
function invalid(problems: readonly ConfigProblem[]): GatewayError {
  const lines = problems.slice(0, MAX_LISTED).map(({ path, message, line }) =>
    `${line === undefined ? "" : `line ${line}: `}${path === "" ? "" : `${path}: `}${message}`
  );
  const more = problems.length > MAX_LISTED ? `; ${problems.length - MAX_LISTED} more` : "";
  return new GatewayError("invalid_value", `Nothing was saved: ${lines.join("; ")}${more}`, {
    param: "text",
    code: "config_invalid",
  });
}

const MAX_LISTED = 5;

function unexpected({ type }: ConfigResult): TypeError {
  return new TypeError(`The call must not return '${type}'`);
}
