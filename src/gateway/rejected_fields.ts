/**
 * Tracks the fields that a target rejects. They are removed or rewritten after the vendor has
 * rejected them, and also in later requests once a changed request has succeeded.
 */

import { isWrittenByCaller } from "../upstream/redacted_failure.ts";
import { type ChatRequest, isObject, type JsonObject, PARAMETERS } from "../contract/chat.ts";
import type { Clock } from "../core/clock.ts";
import type { Adapter } from "../contract/adapter.ts";
import { CONVERTED_MEMBERS } from "../contract/support.ts";
import type { RequestChanges } from "../contract/request_changes.ts";
import type { FieldRepair, Repair, VendorRequest } from "../contract/vendor_request.ts";
import { hasPath, withoutPath } from "../core/json/values.ts";

/** A rejection expires after this many milliseconds unless it is confirmed again. */
const LIFETIME_MS = 3_600_000;
/** The maximum number of stored rejections per target. */
const MAX_REJECTIONS = 32;

/** The maximum number of resends per attempt, each without a part that the vendor rejects. */
export const MAX_REPAIRS = 8;

/** Fields that usage accounting needs, which are never removed from other requests. */
const FOR_ACCOUNTING = new Set(["stream_options"]);

/** One rejection as shown by `GET /v1/providers`. */
export interface RejectionReport {
  /**
   * The parameter's name in requests, the vendor's field if requests have no such parameter, or the
   * name of a rewrite.
   */
  readonly parameter: string;
  /** The name that is sent instead; absent if the field is removed. */
  readonly sent_as?: string;
  readonly expires_in_ms: number;
}

/** A rejected request without the offending part, and the repair that changed it. */
export interface RepairedRequest {
  readonly request: VendorRequest;
  readonly repair: Repair;
}

/** The caller's request, from which a vendor's body was created. */
export interface CallerRequest {
  readonly body: JsonObject;
  /**
   * The part of a request that often determines whether a parameter is accepted: a model may reject
   * `temperature` when it reasons, or `n` in streams. A rejection in one mode says nothing about
   * other modes.
   */
  readonly mode: string;
  /** Whether the body is in the vendor's format, so that its members have the vendor's names. */
  readonly isNative?: true;
  /** Whether clients or the gateway add a field of this name on their own. */
  isKnown(name: string): boolean;
}

interface Rejection {
  readonly repair: Repair;
  /** When it expires, by the mode of the requests that confirmed it. */
  readonly expiry: Map<string, number>;
}

/**
 * Removes the part that the vendor rejected from a request. Returns undefined if the part was not
 * sent, or if the message that names it may quote the caller.
 */
export function applyRepair(
  repair: Repair | undefined,
  request: VendorRequest,
  caller: CallerRequest,
  changes: RequestChanges,
): RepairedRequest | undefined {
  if (repair === undefined) return undefined;
  if (repair.words !== undefined && isWrittenByCaller(repair.words, caller.body)) return undefined;
  const repaired = applied(repair, request, caller, changes);
  return repaired === request ? undefined : { request: repaired, repair };
}

/**
 * The rejections of one target. Only names known to the gateway are stored, so the size is bounded.
 */
export class RejectedFields {
  /** Keyed by the fields that the repair removes or renames, or by the name of its rewrite. */
  readonly #rejections = new Map<string, Rejection>();

  /**
   * Stores a repair whose request has just succeeded. The removal of a field applies to requests of
   * the same mode, a rewrite to all requests. Of several repairs to one request, only the last is
   * known to be effective. A repair of a caller-specific part, or of a field that usage accounting
   * needs, is not stored.
   */
  confirm(repair: Repair, caller: CallerRequest, clock: Clock): void {
    if (!mayBeKept(repair, caller)) return;
    const now = clock.now();
    this.#forgetExpired(now);
    const key = keyOf(repair);
    const known = this.#rejections.get(key);
    if (known === undefined && this.#rejections.size >= MAX_REJECTIONS) return;
    const expiry = known?.expiry ?? new Map<string, number>();
    expiry.set(modeOf(repair, caller), now + LIFETIME_MS);
    this.#rejections.set(key, { repair, expiry });
  }

  /**
   * Applies the confirmed repairs of a request's mode. Returns the same request if it needs no
   * change.
   */
  apply(
    request: VendorRequest,
    caller: CallerRequest,
    changes: RequestChanges,
    clock: Clock,
  ): VendorRequest {
    const now = clock.now();
    let kept = request;
    for (const { repair, expiry } of this.#rejections.values()) {
      const isValid = (expiry.get(modeOf(repair, caller)) ?? 0) > now;
      if (isValid) kept = applied(repair, kept, caller, changes);
    }
    return kept;
  }

  report(now: number): RejectionReport[] {
    this.#forgetExpired(now);
    return [...this.#rejections.values()].map(({ repair, expiry }) => ({
      parameter: nameOf(repair),
      ...("as" in repair && repair.as !== undefined && { sent_as: repair.as }),
      expires_in_ms: Math.max(...expiry.values()) - now,
    }));
  }

  /** Removes every rejection. Returns their number. */
  clear(): number {
    const { size } = this.#rejections;
    this.#rejections.clear();
    return size;
  }

  #forgetExpired(now: number): void {
    for (const [key, { expiry }] of this.#rejections) {
      for (const [mode, until] of expiry) if (until <= now) expiry.delete(mode);
      if (expiry.size === 0) this.#rejections.delete(key);
    }
  }
}

/** A chat request, for {@linkcode RejectedFields}. */
export function chatCaller(request: ChatRequest, { supports }: Adapter): CallerRequest {
  const { extensions } = supports;
  return {
    body: request,
    mode: chatModeOf(request),
    isKnown: (name) => KNOWN.has(name) || extensions !== "all" && Object.hasOwn(extensions, name),
  };
}

/**
 * A body for a native API, for {@linkcode RejectedFields}.
 *
 * @param optional the API's optional members
 */
export function nativeCaller(
  body: JsonObject,
  optional: ReadonlySet<string> | undefined,
): CallerRequest {
  const { stream, thinking, reasoning, tools } = body;
  const isThinking = isObject(thinking) ? thinking.type : isObject(reasoning);
  return {
    body,
    isNative: true,
    mode: ["native", stream === true, isThinking, Array.isArray(tools)].join(),
    isKnown: (name) => optional?.has(name) === true,
  };
}

/** The name of a repair, for admins. */
function nameOf(repair: Repair): string {
  if ("rewrite" in repair) return repair.rewrite.name;
  return namesOf(repair)[0] ?? pathsOf(repair)[0] ?? "";
}

function chatModeOf(request: ChatRequest): string {
  const { stream, reasoning_effort, thinking, tools, functions, response_format } = request;
  const has = (value: unknown) => value !== undefined;
  return [
    ...[stream ?? false, reasoning_effort, has(thinking), has(tools ?? functions)],
    response_format?.type,
  ].join();
}

const KNOWN = new Set<string>([...PARAMETERS, ...CONVERTED_MEMBERS]);

function mayBeKept(repair: Repair, caller: CallerRequest): boolean {
  const { body, isKnown } = caller;
  if ("rewrite" in repair) return repair.rewrite.isKept;
  if (pathsOf(repair).some((path) => FOR_ACCOUNTING.has(path))) return false;
  return callerNames(repair, caller).every((name) => {
    const [member = ""] = name.split(".");
    return isKnown(member) || !(member in body);
  });
}

function keyOf(repair: Repair): string {
  return "rewrite" in repair ? repair.rewrite.name : pathsOf(repair).join();
}

function modeOf(repair: Repair, { mode }: CallerRequest): string {
  return "rewrite" in repair ? "" : mode;
}

/** The repaired request; the same request if there is nothing to repair. */
function applied(
  repair: Repair,
  request: VendorRequest,
  caller: CallerRequest,
  changes: RequestChanges,
): VendorRequest {
  if ("rewrite" in repair) return repair.rewrite.apply(request, changes);
  let { body } = request;
  for (const path of pathsOf(repair)) {
    const steps = path.split(".");
    if (hasPath(body, steps)) body = withoutPath(body, steps, repair.as);
  }
  if (body === request.body) return request;
  for (const name of callerNames(repair, caller)) {
    if (!hasPath(caller.body, name.split("."))) continue;
    if (isObject(caller.body[name]) && name === "stream_options") continue;
    if (repair.as === undefined) changes.ignore(name);
    else changes.rename(name, repair.as);
  }
  return { ...request, body };
}

function pathsOf({ without }: FieldRepair): readonly string[] {
  return typeof without === "string" ? [without] : without;
}

/** The fields' names in the caller's request. */
function callerNames(repair: FieldRepair, { isNative }: CallerRequest): readonly string[] {
  return isNative ? pathsOf(repair) : namesOf(repair);
}

function namesOf(repair: FieldRepair): readonly string[] {
  return repair.parameters ?? pathsOf(repair);
}
