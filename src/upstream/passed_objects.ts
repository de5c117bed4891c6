/**
 * Files, batches and other objects that the pass-through creates in the vendor's account, which all
 * service keys share. Their IDs are bound to the owner of the service key that received them:
 * tagged in JSON responses, and checked in requests' paths, queries and JSON bodies.
 */

import { GatewayError } from "../core/errors.ts";
import { withTextsOf } from "../core/json/number_texts.ts";
import { isObject, type JsonObject, setMember } from "../core/json/object.ts";
import { shortened } from "../core/text.ts";

/** The IDs for a provider's objects. */
export interface ObjectIds {
  /** The provider's ID; undefined for an ID that does not belong to the caller. */
  own(id: string): string | undefined;
  /** An ID for the caller. */
  marked(id: string): string;
}

/**
 * Object collections in the APIs of OpenAI, Anthropic, Google, Mistral and others, in lower case.
 */
const COLLECTIONS: ReadonlySet<string> = new Set([
  ..."files batches vector_stores uploads fine_tuning fine-tunes fine_tunes batch evals".split(" "),
  ..."videos skills datasets embed-jobs cachedcontents tunedmodels filesearchstores".split(" "),
  ..."corpora batchpredictionjobs tuningjobs model-invocation-jobs assistants threads".split(" "),
]);

/** Path segments after a collection that are not IDs. */
const KEYWORDS: ReadonlySet<string> = new Set([
  ..."jobs checkpoints events content cancel complete parts search results permissions".split(" "),
  ..."pause resume runs steps messages submit_tool_outputs output_items file_batches".split(" "),
  ..."remix versions start documents operations upload uploadtofilesearchstore".split(" "),
]);

/** A custom method in Google's APIs. */
const METHOD = /:[A-Za-z]{1,40}$/;

/** Members of objects that contain IDs. */
const ID_MEMBER = /^(?:id|ids|file|files)$|_(?:id|ids|file|files)$|[a-z](?:Ids?|Files?)$/;
/** Ignores case, because some servers do. */
const FOLDED_MEMBER =
  /(?:^|[_.-])(?:ids?|files?)$|(?:file|batch|store|upload|job|object|input|output|thread|assistant|run|message|eval|video|skill|dataset|cache|corpus)ids?$/;
/** Members whose names match but which contain other IDs. */
const OTHER_IDS: ReadonlySet<string> = new Set([
  "client_id",
  "custom_id",
  "organization_id",
  "project_id",
  "request_id",
  "user_id",
  "workspace_id",
]);
/** Members with the caller's data, which is not changed. */
const DATA: ReadonlySet<string> = new Set(["metadata", "attributes"]);
/** Other query parameters that contain IDs. */
const PAGE_PARAMETER = /^(?:(?:starting_)?after|(?:ending_)?before)$/;

/** The maximum length of an ID in an error message, in characters. */
const MAX_SHOWN = 100;

/** Whether a path leads to a collection of objects. */
export function reachesObjects(decodedPath: string): boolean {
  return collectionAt(decodedPath.split("/")) !== -1;
}

function collectionAt(segments: readonly string[]): number {
  return segments.findIndex((segment) => COLLECTIONS.has(nameOf(segment)));
}

/** The part of a segment that some servers use. */
function nameOf(segment: string): string {
  return folded((segment.split(";", 1)[0] ?? "").replace(METHOD, ""));
}

/**
 * The path with the provider's IDs.
 *
 * @param decodedPath the path without percent-encoding
 * @throws {GatewayError} `response_not_found` for an ID that does not belong to the caller;
 * `route_not_found` for a list of all objects in the account.
 */
export function toOwnPath(method: string, decodedPath: string, ids: ObjectIds): string {
  const segments = decodedPath.split("/");
  const at = collectionAt(segments);
  let hasId = false;
  const own = segments.map((segment, index) => {
    const name = nameOf(segment);
    const custom = METHOD.exec(segment)?.[0] ?? "";
    let id = segment.slice(0, segment.length - custom.length);
    if (index > at && !KEYWORDS.has(name) && !COLLECTIONS.has(name)) {
      id = ownId(id, ids);
      hasId = true;
    }
    return encodeURIComponent(id) + custom;
  });
  if (!hasId && method !== "POST") {
    throw new GatewayError(
      "route_not_found",
      "The pass-through does not list the account's objects, which belong to the service keys " +
        "that created them: request them by their IDs, or set 'shared' in the provider's " +
        "'passthrough'",
    );
  }
  return own.join("/");
}

/** The query with the provider's IDs. @throws {GatewayError} as {@linkcode toOwnPath}. */
export function toOwnQuery(query: string, ids: ObjectIds): string {
  const pairs = [...new URLSearchParams(query)].map(([name, value]): [string, string] => [
    name,
    value !== "" && isIdParameter(name) ? ownId(value, ids) : value,
  ]);
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}

/** Whether a parameter contains an ID, possibly in a list or nested: `filter[file_id][]`. */
function isIdParameter(name: string): boolean {
  return name.split(/[[\]]+/).some((part) => isIdMember(part) || PAGE_PARAMETER.test(folded(part)));
}

/**
 * Checks a form field, which cannot be changed.
 *
 * @throws {GatewayError} `invalid_request` for a field that may contain an ID.
 */
export function checkField(name: string, value: string): void {
  if (isIdParameter(name) || hasIds(value)) {
    const shown = shortened(name, MAX_SHOWN);
    const message = `The pass-through cannot find IDs in forms: send JSON instead of '${shown}'`;
    throw new GatewayError("invalid_request", message);
  }
}

/** Whether a value is JSON with IDs. */
function hasIds(value: string): boolean {
  if (!/^\s*[{[]/.test(value)) return false;
  let found = false;
  try {
    changeIds(JSON.parse(value), (id) => {
      found = true;
      return id;
    });
  } catch {
    return false;
  }
  return found;
}

/** Whether a member contains an ID, for a server that may ignore case. */
function isIdMember(name: string): boolean {
  if (!ID_MEMBER.test(name) && !FOLDED_MEMBER.test(folded(name))) return false;
  return !OTHER_IDS.has(folded(name));
}

/** A name normalized for differences that some servers ignore, such as U+017F for `s`. */
function folded(name: string): string {
  return name.normalize("NFKC").toLowerCase();
}

/** A request's JSON with the provider's IDs. @throws {GatewayError} as {@linkcode toOwnPath}. */
export function withOwnIds(body: unknown, ids: ObjectIds): unknown {
  const own = changeIds(body, (id) => ownId(id, ids), (text) => findOwn(text, ids) ?? text);
  return withTextsOf(body, own);
}

/** The maximum length of a tagged ID, in characters. */
const MAX_ID = 400;

/**
 * The text of a model request with the provider's own IDs for files and other objects. IDs that do
 * not belong to the caller are not changed, so the provider does not know them.
 */
export function withProviderIds(text: string, provider: string, { own }: ObjectIds): string {
  const end = `@${provider}"`;
  let changed = "";
  let done = 0;
  for (let at = text.indexOf(end); at !== -1; at = text.indexOf(end, at + 1)) {
    const start = Math.max(done, at - MAX_ID);
    const before = text.slice(start, at);
    const quote = before.lastIndexOf('"');
    const id = own(`${before.slice(quote + 1)}@${provider}`);
    if (quote < 0 || before[quote - 1] === "\\" || id === undefined) continue;
    changed += text.slice(done, start + quote + 1) + id;
    done = at + end.length - 1;
  }
  return done === 0 ? text : changed + text.slice(done);
}

/** A response's JSON with IDs for the caller. */
export function withMarkedIds(body: unknown, ids: ObjectIds): unknown {
  const mark = (id: string) => {
    const start = id.lastIndexOf("/") + 1;
    return id.includes("://") ? id : id.slice(0, start) + ids.marked(id.slice(start));
  };
  const marked = withTextsOf(body, changeIds(body, mark));
  if (!isObject(marked) || marked.id !== undefined || typeof marked.name !== "string") {
    return marked;
  }
  // Google's objects have resource names instead of IDs.
  const [collection = "", id] = marked.name.split("/").slice(-2);
  const isResource = id !== undefined && COLLECTIONS.has(collection.toLowerCase());
  return isResource ? { ...marked, name: mark(marked.name) } : marked;
}

function ownId(id: string, ids: ObjectIds): string {
  const own = findOwn(id, ids);
  if (own !== undefined) return own;
  const shown = shortened(id, MAX_SHOWN);
  throw new GatewayError("response_not_found", `No object with id '${shown}' found`);
}

/** The ID after the last `/`, since Google's IDs are resource names. */
function findOwn(id: string, ids: ObjectIds): string | undefined {
  const start = id.lastIndexOf("/") + 1;
  const own = ids.own(id.slice(start));
  return own === undefined ? undefined : id.slice(0, start) + own;
}

/**
 * Changes the IDs of all objects within a value. The JSON parser limits the depth.
 *
 * @param changeOther changes strings in other members
 */
function changeIds(
  value: unknown,
  change: (id: string) => string,
  changeOther = (text: string) => text,
): unknown {
  const visit = (member: unknown, isId: boolean): unknown => {
    if (typeof member === "string") {
      return isId && member !== "" ? change(member) : changeOther(member);
    }
    if (Array.isArray(member)) return member.map((entry) => visit(entry, isId));
    if (!isObject(member)) return member;
    const changed: JsonObject = {};
    for (const name of Object.keys(member)) {
      const inner = member[name];
      setMember(changed, name, DATA.has(name) ? inner : visit(inner, isIdMember(name)));
    }
    return changed;
  };
  return visit(value, false);
}
