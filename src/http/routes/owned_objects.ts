/** Binds the objects that a pass-through request reaches to the owner of its service key. */

import { writeJson } from "../../core/json/number_texts.ts";
import type { Provider } from "../../config/config.ts";
import { GatewayError } from "../../core/errors.ts";
import { isQuickToParse } from "../../core/json/limits.ts";
import { parsePassed } from "../../core/json/passed_json.ts";
import { KeyProviderIds } from "../../operations/responses/key_provider_ids.ts";
import type { PassedRequest } from "../../routing/passed_request.ts";
import type { RequestRecord } from "../../routing/request_record.ts";
import {
  type ObjectIds,
  reachesObjects,
  toOwnPath,
  toOwnQuery,
  toOwnText,
  withMarkedIds,
  withOwnIds,
} from "../../upstream/passed_objects.ts";
import type { RouteContext } from "./route.ts";

/** The longest JSON in which IDs are found, in bytes. */
const MAX_JSON_BYTES = 4 * 1024 * 1024;

/** Content types that vendors never read as JSON. */
const CONTENT =
  /^\s*(?:multipart\/form-data|(?:image|audio|video)\/.*|application\/(?:octet-stream|(?:x-)?jsonl))\s*(?:;|$)/i;
const FORM = /^\s*application\/x-www-form-urlencoded/i;

/** The bytes that tell whether a body is JSON. */
const MAX_START_BYTES = 1024;

/** A body that is still sent. */
interface Upload {
  readonly body: { readonly isComplete: boolean };
  /** Reads the beginning. */
  readonly peek: (maxBytes: number) => Promise<Uint8Array>;
}

/** A request, and a change of its response. */
interface OwnedRequest extends Pick<PassedRequest, "path" | "query" | "changeAnswer"> {
  /** The body with the provider's own IDs; undefined for one that is sent unchanged. */
  readonly json: Uint8Array<ArrayBuffer> | undefined;
}

/**
 * Reads the IDs of a request. Undefined if it reaches no objects, or all service keys share them.
 *
 * @param path without its percent-encoding
 * @throws {GatewayError} `response_not_found` for an object that the caller did not get.
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
  const type = headers.get("content-type") ?? "";
  return {
    ...own,
    json: body === undefined || !(await isJson(body, type)) ? undefined : await readOwn(body, ids),
    changeAnswer: (text) => toMarked(text, ids),
  };
}

/** Whether a vendor may read a body as JSON. @throws {GatewayError} for a form in one line. */
async function isJson({ peek }: Upload, type: string): Promise<boolean> {
  if (FORM.test(type)) throw new GatewayError("invalid_request", "The request body must be JSON");
  if (CONTENT.test(type)) return false;
  // Some vendors detect UTF-16.
  return /^[\s\0\ufffd]*[{[]/.test(decoder.decode(await peek(MAX_START_BYTES)));
}

/** Restores the IDs of objects in the texts of requests to models; see {@linkcode toOwnText}. */
export function createIdRestorer(context: RouteContext): RequestRecord["toOwnText"] {
  if (context.config.hasOneOwner) return undefined;
  return (text, provider) => toOwnText(text, provider, toObjectIds(provider, context));
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

async function readOwn(
  { body, peek }: Upload,
  ids: ObjectIds,
): Promise<Uint8Array<ArrayBuffer>> {
  const text = decoder.decode(await peek(MAX_JSON_BYTES + 1));
  if (!body.isComplete) {
    throw new GatewayError("too_large", "The request body is too long to find its IDs");
  }
  const value = toValue(text);
  if (value === undefined) {
    throw new GatewayError(
      "invalid_request",
      "The request body is not JSON, or has too many parts",
    );
  }
  return encoder.encode(writeJson(withOwnIds(value, ids)));
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
