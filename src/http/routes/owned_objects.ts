/** Binds a pass-through request's objects to the owner of its service key. */

import { writeJson } from "../../core/json/number_texts.ts";
import type { Provider } from "../../config/config.ts";
import { GatewayError } from "../../core/errors.ts";
import { isQuickToParse } from "../../core/json/limits.ts";
import { KeyProviderIds } from "../../gateway/execute/responses/key_provider_ids.ts";
import { encodingOf } from "../body_reader.ts";
import type { PassedRequest, PassedUpload } from "../../gateway/passed_request.ts";
import {
  checkField,
  type ObjectIds,
  reachesObjects,
  toOwnPath,
  toOwnQuery,
  withMarkedIds,
  withOwnIds,
  withProviderIds,
} from "../../upstream/passed_objects.ts";
import { boundaryOf, CheckedForm } from "../multipart.ts";
import type { RouteContext } from "./route.ts";
import { parsePassed } from "../../core/json/reader.ts";

/** The maximum size of JSON that is searched for IDs, in bytes. */
const MAX_JSON_BYTES = 4 * 1024 * 1024;

/** Content types of files, which need not be JSON although they may begin like it. */
const CONTENT =
  /^\s*(?:(?:image|audio|video)\/.*|application\/(?:octet-stream|(?:x-)?(?:jsonl|ndjson)))\s*(?:;|$)/i;
const FORM = /^\s*application\/x-www-form-urlencoded/i;
const MULTIPART = /^\s*multipart\//i;
/** Content types of messages that are not JSON. */
const OTHER_MESSAGE =
  /^\s*(?:application|text)\/[^;]*(?:protobuf|grpc|msgpack|cbor|bson|ion|yaml|xml)\b/i;

/** The number of bytes that determine whether a body is JSON. */
const MAX_START_BYTES = 1024;

/** A body that is forwarded. */
interface Upload {
  readonly body: PassedUpload;
  /** Reads the beginning. */
  readonly peek: (maxBytes: number) => Promise<Uint8Array>;
}

/** A request, and a change to its response. */
interface OwnedRequest extends Pick<PassedRequest, "path" | "query" | "changeAnswer"> {
  /** The body with the provider's IDs; undefined if it is forwarded unchanged. */
  readonly json: Uint8Array<ArrayBuffer> | undefined;
  /** A form that is checked while it is sent. */
  readonly form: PassedUpload | undefined;
}

/**
 * Reads a request's IDs. Undefined if it refers to no objects, or if all service keys share them.
 *
 * @param path without its percent-encoding
 * @throws {GatewayError} `response_not_found` for an object that does not belong to the caller.
 */
export async function toOwnedRequest(
  { headers, method }: Request,
  path: string,
  query: string,
  body: Upload | undefined,
  provider: Provider,
  context: RouteContext,
): Promise<OwnedRequest | undefined> {
  const isShared = context.config.hasOneOwner || provider.passthrough?.isShared === true;
  if (isShared || !reachesObjects(path)) return undefined;
  const ids = toObjectIds(provider.settings.id, context);
  const own = { path: toOwnPath(method, path, ids), query: toOwnQuery(query, ids) };
  const changeAnswer = (text: string) => toMarked(text, ids);
  // The content of a file in Google's APIs, of any type.
  if (body === undefined || path.startsWith("upload/")) {
    return { ...own, json: undefined, form: undefined, changeAnswer };
  }
  checkEncoding(headers);
  const type = headers.get("content-type") ?? "";
  if (MULTIPART.test(type)) {
    return { ...own, json: undefined, form: toCheckedForm(body.body, type), changeAnswer };
  }
  return { ...own, json: await readOwn(body, type, ids), form: undefined, changeAnswer };
}

/**
 * Rejects a body that cannot be searched.
 *
 * @throws {GatewayError} `unsupported_media_type` for a compressed one.
 */
export function checkEncoding(headers: Headers): void {
  const encoding = encodingOf(headers);
  if (encoding === undefined) return;
  throw unsupported(`The pass-through accepts no body with content-encoding '${encoding}' here`);
}

function toCheckedForm(body: PassedUpload, type: string): PassedUpload {
  const boundary = boundaryOf(type);
  if (boundary === undefined) {
    throw unsupported("The pass-through finds IDs only in 'multipart/form-data'");
  }
  return new CheckedForm(body, boundary, checkField);
}

function unsupported(message: string): GatewayError {
  return new GatewayError("unsupported_media_type", message);
}

/** Restores the IDs of objects in the text of a request to a model; see {@linkcode withProviderIds}. */
export function restoreIds(text: string, provider: string, context: RouteContext): string {
  return withProviderIds(text, provider, toObjectIds(provider, context));
}

function toObjectIds(provider: string, context: RouteContext): ObjectIds {
  const ids = new KeyProviderIds(context);
  const marker = ids.marker(provider);
  return {
    own(id) {
      const owned = ids.read(id);
      return owned?.provider === provider ? owned.id : undefined;
    },
    marked: (id) => marker.id(id),
  };
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * The JSON of a body with the provider's IDs, regardless of its content type; undefined for other
 * content.
 */
async function readOwn(
  { body, peek }: Upload,
  type: string,
  ids: ObjectIds,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (FORM.test(type)) throw new GatewayError("invalid_request", "The request body must be JSON");
  if (OTHER_MESSAGE.test(type)) throw unsupported("The request body must be JSON");
  // Some vendors detect UTF-16.
  const start = decoder.decode(await peek(MAX_START_BYTES));
  if (!/^[\s\0\ufffd]*[{[]/.test(start)) return undefined;
  const text = decoder.decode(await peek(MAX_JSON_BYTES + 1));
  const isContent = CONTENT.test(type);
  if (isContent && hasSeveralValues(text)) return undefined;
  if (!body.isComplete) {
    throw new GatewayError("too_large", "The request body is too long to find its IDs");
  }
  const value = toValue(text);
  if (value === undefined) {
    if (isContent && !isJson(text)) return undefined;
    throw new GatewayError(
      "invalid_request",
      "The request body is not JSON, or has too many parts",
    );
  }
  return encoder.encode(writeJson(withOwnIds(value, ids)));
}

/** Whether a text contains one JSON value per line, like batch input. */
function hasSeveralValues(text: string): boolean {
  const end = text.indexOf("\n");
  return end !== -1 && isJson(text.slice(0, end)) && text.slice(end).trim() !== "";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function toMarked(text: string, ids: ObjectIds): string {
  const value = toValue(text);
  return value === undefined ? text : writeJson(withMarkedIds(value, ids));
}

function toValue(text: string): unknown {
  if (!isQuickToParse(text)) return undefined;
  try {
    return parsePassed(text);
  } catch {
    return undefined;
  }
}
