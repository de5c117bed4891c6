/**
 * Reads a request's trace, and the labels by which usage can be grouped: tags, the session, and the
 * end user.
 */

import { createHmac } from "node:crypto";
import { isObject, type JsonObject } from "../core/json/object.ts";
import { isText } from "../core/json/values.ts";
import type { EndUserSettings } from "../config/server_settings.ts";
import { readNamedSession } from "../features/affinity/session.ts";
import type { RequestRecord } from "../gateway/request_record.ts";

/** The maximum number of tags per request, and of UTF-16 units per tag. Any more are ignored. */
const MAX_TAGS = 10;
const MAX_TAG_CHARS = 64;
/**
 * The maximum length of an end user's name to be recorded unchanged, and to be read, in UTF-16
 * units.
 */
const MAX_PLAIN_CHARS = 64;
const MAX_USER_CHARS = 1024;

/** The length of the HMAC in a pseudonym, in bytes. */
const PSEUDONYM_BYTES = 15;

/** The number of cached pseudonyms per secret: computing the HMAC takes most of the time here. */
const MAX_PSEUDONYMS = 1000;
const PSEUDONYMS = new WeakMap<Uint8Array, Map<string, string>>();

/** Records a request's labels. */
export function readLabels(
  headers: Headers,
  body: JsonObject | undefined,
  endUsers: EndUserSettings,
  record: Pick<RequestRecord, "tags" | "columns" | "format">,
): void {
  const metadata = isObject(body?.metadata) ? body.metadata : undefined;
  const tags = headers.get("x-sluice-tags") ?? metadata?.tags;
  if (typeof tags === "string" && tags !== "") record.tags = toTags(tags);
  const session = readNamedSession(headers, record.format.name);
  if (session !== undefined) Object.assign(record.columns, session);
  if (endUsers.ids === "off") return;
  const user = readEndUser(headers, body, metadata);
  if (user !== undefined) record.columns.endUser = toRecorded(user, endUsers);
}

/** The tags in the header `x-sluice-tags` or else in `metadata.tags`, as a comma-separated list. */
function toTags(text: string): readonly string[] {
  const tags = text.slice(0, MAX_TAGS * (MAX_TAG_CHARS + 2)).split(",")
    .map((tag) => tag.trim().slice(0, MAX_TAG_CHARS))
    .filter((tag) => tag !== "");
  return [...new Set(tags)].slice(0, MAX_TAGS);
}

/**
 * The end user named by the client, in a header or otherwise in a member of the body. The headers
 * are those that Open WebUI sends with `ENABLE_FORWARD_USER_INFO_HEADERS`
 * (https://docs.openwebui.com/getting-started/env-configuration, 2026-11-25).
 */
function readEndUser(
  headers: Headers,
  body: JsonObject | undefined,
  metadata: JsonObject | undefined,
): string | undefined {
  const named = headers.get("x-openwebui-user-id") || headers.get("x-openwebui-user-email");
  if (named) return named.slice(0, MAX_USER_CHARS);
  if (body === undefined) return undefined;
  const { safety_identifier, user } = body;
  const id = isText(safety_identifier) ? safety_identifier : user;
  if (isText(id)) return id.slice(0, MAX_USER_CHARS);
  const account = metadata?.user_id;
  return isText(account) ? userOf(account.slice(0, MAX_USER_CHARS)) : undefined;
}

/**
 * The user in `metadata.user_id`. Claude Code's also contains a session, in two forms
 * (https://github.com/anthropics/claude-code, versions 1 and 2, 2026-11-25).
 */
function userOf(id: string): string {
  const [, user] = /^(user_[0-9a-f]+_account_[^_]*)_session_/.exec(id) ?? [];
  if (user !== undefined) return user;
  if (!id.startsWith("{")) return id;
  const { account_uuid, device_id } = parsed(id);
  return [account_uuid, device_id].find(isText) ?? id;
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The name of an end user in the ledger. */
function toRecorded(user: string, { ids, secret }: EndUserSettings): string {
  if (ids === "plain" && user.length <= MAX_PLAIN_CHARS) return user;
  let known = PSEUDONYMS.get(secret);
  if (known === undefined) PSEUDONYMS.set(secret, known = new Map());
  let pseudonym = known.get(user);
  if (pseudonym === undefined) {
    const hash = createHmac("sha256", secret).update(user).digest();
    pseudonym = `u_${hash.subarray(0, PSEUDONYM_BYTES).toString("base64url")}`;
    if (known.size >= MAX_PSEUDONYMS) known.clear();
    known.set(user, pseudonym);
  }
  return pseudonym;
}

/** A caller's trace context (https://www.w3.org/TR/trace-context/). */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/** The trace ID of a `traceparent` header; undefined if it is invalid. */
export function readTraceId(header: string): string | undefined {
  const [, version, traceId, parentId, rest] = TRACEPARENT.exec(header) ?? [];
  // Later versions may add fields; version 00 has none.
  if (version === "ff" || version === "00" && rest !== undefined) return undefined;
  return isZero(traceId) || isZero(parentId) ? undefined : traceId;
}

function isZero(id: string | undefined): boolean {
  return id === undefined || /^0+$/.test(id);
}
