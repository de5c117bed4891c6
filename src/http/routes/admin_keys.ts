/** `/v1/admin/keys`: creates, lists, changes, revokes and rotates service keys at run time. */

import type { ServiceKey } from "../../config/config.ts";
import { type KeySettings, keySettings } from "../../config/keys.ts";
import type { UnsetKey } from "../../config/disabled_providers.ts";
import { GatewayError, invalidValue } from "../../core/errors.ts";
import type {
  KeyCall,
  KeyInfo,
  KeyRefusal,
  KeyResult,
  RunKeyCall,
} from "../../governance/keys/key_store.ts";
import type { UsageReader } from "../usage_reader.ts";
import { jsonList, readKeyUsage, type UsedKey } from "./usage.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";
import * as z from "zod";
import { isObject } from "../../core/json/object.ts";
import { duration } from "../../config/values.ts";
import { printable } from "../../core/text.ts";
import { sentenceOf, shortPathOf, worstIssue } from "../../core/validation_messages.ts";
import { readJson } from "../request_body.ts";

const MAX_BODY_BYTES = 64 * 1024;
const JSON_LIMITS = { elements: 2000, members: 1000, depth: 16 };
const MAX_NAME_CHARS = 100;
const MAX_PATTERNS = 1000;

const name = z.string().min(1).refine(isName, {
  error: `must be 1 to ${MAX_NAME_CHARS} printable characters without leading or trailing spaces`,
});

const models = keySettings.shape.models.refine((list) => (list?.length ?? 0) <= MAX_PATTERNS, {
  error: `must have at most ${MAX_PATTERNS} entries`,
});

/** The body of `POST /v1/admin/keys`: an entry of `server.keys` without `key`. */
export const newKeyBody = z.strictObject({ name, ...keySettings.shape, models });

/** The body of `PATCH /v1/admin/keys/{key_id}`: null removes a setting. */
export const keyChangesBody = z.strictObject({
  models: models.nullable(),
  limits: keySettings.shape.limits.nullable(),
  budget: keySettings.shape.budget.nullable(),
  expires: z.union([z.null(), keySettings.shape.expires]),
  priority: keySettings.shape.priority.nullable(),
  weight: keySettings.shape.weight.nullable(),
  owner: keySettings.shape.owner.nullable(),
  team: keySettings.shape.team.nullable(),
  note: keySettings.shape.note.nullable(),
});

/** The body of `POST /v1/admin/keys/{key_id}/rotate`; it may be absent. */
export const rotationBody = z.strictObject({
  overlap: duration("How long the previous text stays valid", "0s").prefault("0s"),
});

/**
 * Reads and validates a body.
 *
 * @throws {GatewayError} `invalid_value` with the path in `param`, `invalid_request` for anything
 * but a JSON object, and the errors of {@linkcode readJson}.
 */
export async function readAdminBody<Schema extends z.ZodType>(
  request: Request,
  { config: { server }, deps, incoming }: RouteContext,
  schema: Schema,
  maxBytes = MAX_BODY_BYTES,
): Promise<z.output<Schema>> {
  const rules = {
    maxBytes,
    maxPauseMs: server.body_timeout,
    json: JSON_LIMITS,
    incoming: server.bodies.incoming,
  };
  const { value } = await readJson(request, rules, {
    incoming,
    deps,
    record: { memory: undefined },
  });
  return parseAdminBody(value, schema);
}

/** Validates a body. @throws {GatewayError} as {@linkcode readAdminBody}. */
function parseAdminBody<Schema extends z.ZodType>(
  body: unknown,
  schema: Schema,
): z.output<Schema> {
  if (!isObject(body)) {
    throw new GatewayError("invalid_request", "The request body must be a JSON object");
  }
  const result = schema.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  const issue = worstIssue(result.error.issues);
  throw invalidValue(shortPathOf(issue.path), sentenceOf(issue));
}

/** Control characters could forge lines in a terminal or a log. */
function isName(text: string): boolean {
  return text.length <= MAX_NAME_CHARS && text.trim() === text && !text.includes("\n") &&
    printable(text) === text;
}

const DEFAULT_PAGE = 100;
const MAX_PAGE = 1000;

/** The ID prefix for keys in config.yaml, followed by the name. */
const CONFIG_PREFIX = "config:";

/** A response with a key's text must not be cached. */
const NO_STORE = { "cache-control": "no-store" };

/**
 * Lists the keys in config.yaml (on the first page) and those in the store; with `usage=true`,
 * including their spending.
 */
export async function listKeys(
  request: Request,
  context: RouteContext,
  runKeyCall: RunKeyCall,
  usage: UsageReader,
): Promise<RouteResponse> {
  const { searchParams: params } = new URL(request.url);
  const limit = Number(params.get("limit") ?? DEFAULT_PAGE);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw invalidValue("limit", `must be an integer from 1 to ${MAX_PAGE}`);
  }
  const revoked = readFlag(params, "revoked");
  const hasUsage = readFlag(params, "usage");
  const name = params.get("name") ?? undefined;
  const after = params.get("after") ?? undefined;
  const search = params.get("search") || undefined;
  const query = { name, search, after, revoked, limit: limit + 1 };
  const result = await run(runKeyCall, { type: "list", query });
  const stored = result.type === "keys" ? result.keys : [];
  const now = context.deps.clock.wallTime();
  const isListed = (key: { readonly name: string }) =>
    after === undefined && (name === undefined || key.name === name) &&
    (search === undefined || key.name.toLowerCase().includes(search.toLowerCase()));
  const configured = context.config.serviceKeys.filter(isListed);
  const unset = unsetKeysOf(context).filter(isListed);
  const shown = stored.slice(0, limit);
  const used = [
    ...configured,
    ...shown.map(({ name, settings: { budget } }) => ({ name, budget })),
  ];
  const usageOf = hasUsage ? await readKeyUsage(used, usage, now) : undefined;
  const entries = [
    ...configured.map((key) => () => configuredEntry(key, now)),
    ...unset.map((key) => () => unsetEntry(key)),
    ...shown.map((key) => () => storedEntry(key, now)),
  ];
  const toEntry = (create: (typeof entries)[number]) => {
    const entry = create();
    return usageOf ? { ...entry, usage: usageOf(entry.name) ?? null } : entry;
  };
  return await jsonList({ object: "list" }, entries, toEntry, { has_more: stored.length > limit });
}

/** @throws {GatewayError} `invalid_value` for anything but `true` and `false`. */
function readFlag(params: URLSearchParams, name: string): boolean {
  const text = params.get(name) ?? "false";
  if (text !== "true" && text !== "false") throw invalidValue(name, "must be true or false");
  return text === "true";
}

/** Shows one key and its spending. */
export async function showKey(
  _: Request,
  context: RouteContext,
  runKeyCall: RunKeyCall,
  usage: UsageReader,
): Promise<RouteResponse> {
  const id = readId(context);
  const { config: { serviceKeys }, deps: { clock } } = context;
  const now = clock.wallTime();
  const usageOf = async (key: UsedKey) => (await readKeyUsage([key], usage, now))(key.name);
  const configured = serviceKeys.find(({ name }) => CONFIG_PREFIX + name === id);
  if (configured !== undefined) {
    return json({ ...configuredEntry(configured, now), usage: await usageOf(configured) });
  }
  const unset = unsetKeysOf(context).find(({ name }) => CONFIG_PREFIX + name === id);
  if (unset !== undefined) return json(unsetEntry(unset));
  const { key } = toKey(await run(runKeyCall, { type: "find", id }), context);
  const used = { name: key.name, budget: key.settings.budget };
  return json({ ...storedEntry(key, now), usage: await usageOf(used) }, NO_STORE);
}

/** Creates a key. The response is the only place where its text appears. */
export async function createKey(
  request: Request,
  context: RouteContext,
  runKeyCall: RunKeyCall,
): Promise<RouteResponse> {
  const { name, ...settings } = await readAdminBody(request, context, newKeyBody);
  context.record.audit = { ...context.record.audit, name };
  return answer(await run(runKeyCall, { type: "create", name, settings }), context, 201);
}

/** Changes a key's settings. */
export async function changeKey(
  request: Request,
  context: RouteContext,
  runKeyCall: RunKeyCall,
): Promise<RouteResponse> {
  const id = readChangeableId(context);
  const settings = await readAdminBody(request, context, keyChangesBody);
  context.record.audit = { ...context.record.audit, changed: Object.keys(settings) };
  return answer(await run(runKeyCall, { type: "change", id, settings }), context);
}

/** Revokes a key permanently. */
export async function revokeKey(
  _: Request,
  context: RouteContext,
  runKeyCall: RunKeyCall,
): Promise<RouteResponse> {
  const id = readChangeableId(context);
  return answer(await run(runKeyCall, { type: "revoke", id }), context);
}

/** Replaces a key's text. */
export async function rotateKey(
  request: Request,
  context: RouteContext,
  runKeyCall: RunKeyCall,
): Promise<RouteResponse> {
  const id = readChangeableId(context);
  const { overlap } = isEmpty(request)
    ? parseAdminBody({}, rotationBody)
    : await readAdminBody(request, context, rotationBody);
  context.record.audit = { ...context.record.audit, overlap_ms: overlap };
  return answer(await run(runKeyCall, { type: "rotate", id, overlapMs: overlap }), context);
}

/** Whether a request has no body. */
function isEmpty({ body, headers }: Request): boolean {
  return body === null || headers.get("content-length") === "0";
}

/** @throws {GatewayError} for a call that was rejected or failed. */
async function run(runKeyCall: RunKeyCall, call: KeyCall): Promise<KeyResult> {
  const result = await runKeyCall(call);
  if (result.type === "failed") {
    throw new GatewayError(
      "overloaded",
      "The key store failed; check whether the change was made before you try again",
      { code: "store_unavailable" },
    );
  }
  if (result.type === "refused") throw toKeyError(result.refusal);
  return result;
}

function readId({ params, record }: RouteContext): string {
  const id = params.get("key_id") ?? "";
  record.audit = { ...record.audit, id: id.slice(0, MAX_ID_CHARS) };
  return id;
}

/** The maximum length of an ID in the log, in UTF-16 units. */
const MAX_ID_CHARS = 200;

/** @throws {GatewayError} `conflict` for a key in config.yaml. */
function readChangeableId(context: RouteContext): string {
  const id = readId(context);
  if (id.startsWith(CONFIG_PREFIX)) {
    throw conflict("key_in_config", "This key is defined in config.yaml; change it there");
  }
  return id;
}

function answer(result: KeyResult, context: RouteContext, status = 200): RouteResponse {
  const { key, text } = toKey(result, context);
  const entry = storedEntry(key, context.deps.clock.wallTime());
  return json(text === undefined ? entry : { ...entry, key: text }, NO_STORE, status);
}

/** The key in a response, for the log. */
function toKey(result: KeyResult, { record }: RouteContext): KeyResult & { type: "key" } {
  if (result.type !== "key") throw new TypeError("The call must return a key");
  record.audit = { ...record.audit, id: result.key.id, name: result.key.name };
  return result;
}

function storedEntry(key: KeyInfo, now: number) {
  const { id, name, prefix, settings, created, revoked, disabled, previousUntil = 0 } = key;
  const { models, expires } = settings;
  const isExpired = expires !== undefined && now >= expires * 1000;
  const status = disabled === undefined ? isExpired ? "expired" : "active" : "disabled";
  return {
    ...{ id, object: "service_key", name, source: "store" },
    status: revoked === undefined ? status : "revoked",
    ...(disabled !== undefined && revoked === undefined && { reason: disabled }),
    prefix,
    models: models ?? null,
    ...settingsOf(settings),
    created: Math.floor(created / 1000),
    revoked: revoked === undefined ? null : Math.floor(revoked / 1000),
    previous_valid_until: previousUntil > now ? Math.ceil(previousUntil / 1000) : null,
  };
}

function configuredEntry(key: ServiceKey, now: number) {
  const { name, models, expires } = key;
  const isExpired = expires !== undefined && now >= expires * 1000;
  return {
    ...{ id: CONFIG_PREFIX + name, object: "service_key", name, source: "config" },
    status: isExpired ? "expired" : "active",
    models: models?.patterns ?? null,
    ...settingsOf(key),
  };
}

/** The service keys in config.yaml without a text. No caller can use them. */
function unsetKeysOf({ config }: RouteContext): readonly UnsetKey[] {
  return config.unset.keys.filter(({ list }) => list === "keys");
}

function unsetEntry({ name, reason }: UnsetKey) {
  return {
    ...{ id: CONFIG_PREFIX + name, object: "service_key", name, source: "config" },
    ...{ status: "disabled", reason, models: null },
    ...settingsOf({}),
  };
}

/** The members that keys from both sources share. */
function settingsOf(settings: Partial<ServiceKey> | KeySettings) {
  const { limits, budget, expires, priority, weight, owner, team, note } = settings;
  return {
    limits: limits ?? null,
    budget: budget ?? null,
    expires: expires ?? null,
    priority: priority ?? null,
    weight: weight ?? null,
    owner: owner ?? null,
    team: team ?? null,
    note: note ?? null,
  };
}

function toKeyError(refusal: KeyRefusal): GatewayError {
  switch (refusal) {
    case "no_store":
      return new GatewayError(
        "invalid_request",
        "Creating keys at run time needs a store: set 'store' in config.yaml, such as " +
          "'sqlite:./sluice.db', and restart the gateway",
        { code: "store_required" },
      );
    case "unknown":
      return new GatewayError("route_not_found", "There is no key with this ID", {
        code: "key_not_found",
      });
    case "revoked":
      return conflict("key_revoked", "The key is revoked; create a new one");
    case "name_taken":
      return conflict(
        "name_taken",
        "Another key has this name; the name of a revoked key stays taken, since its usage is kept",
      );
    case "name_in_config":
      return conflict("name_taken", "A key in config.yaml has this name");
    case "rotating":
      return conflict(
        "key_rotating",
        "The key is being rotated, or has too many texts that are still valid; try again later",
      );
    case "full":
      return conflict("too_many_keys", "The store has the maximum number of keys; revoke some");
  }
}

function conflict(code: string, message: string): GatewayError {
  return new GatewayError("conflict", message, { code });
}
