/**
 * Fields that a target rejects. They are removed from a request after the vendor has refused it,
 * and from later requests once a request without them has succeeded.
 */

import { isWrittenByCaller } from "../upstream/caller_words.ts";
import { type ChatRequest, isObject, type JsonObject } from "../chat/chat.ts";
import type { Clock } from "../core/clock.ts";
import type { Adapter, Repair } from "../providers/contract/adapter.ts";
import { PARAMETERS } from "../providers/contract/support.ts";
import type { Receipt } from "../providers/contract/receipt.ts";

/** A rejection expires after this many milliseconds unless it is confirmed again. */
const LIFETIME_MS = 3_600_000;
/** The largest number of rejections that are kept for one target. */
const MAX_REJECTIONS = 32;

/** Fields that usage accounting needs: they are never removed from other requests. */
const FOR_ACCOUNTING = new Set(["stream_options"]);

/** One rejection as `GET /v1/providers` shows it. */
export interface RejectionReport {
  /** The parameter's name in requests, or the vendor's field if requests have no such parameter. */
  readonly parameter: string;
  /** The name that is sent instead; absent if the field is removed. */
  readonly sent_as?: string;
  readonly expires_in_ms: number;
}

/** A refused request without the rejected field, and the repair that changed it. */
export interface RepairedRequest {
  readonly body: JsonObject;
  readonly repair: Repair;
}

/** A request that the vendor has refused. */
export interface RefusedRequest {
  /** The body as it was sent. */
  readonly body: JsonObject;
  readonly request: ChatRequest;
  readonly receipt: Receipt;
}

interface Rejection {
  readonly repair: Repair;
  /** When it expires, by the mode of the requests that confirmed it. */
  readonly expiry: Map<string, number>;
}

/**
 * Removes the field that the vendor rejects from a refused request. Returns undefined if the field
 * was not sent, or if the text that names it may come from the caller.
 */
export function applyRepair(
  repair: Repair | undefined,
  { body, request, receipt }: RefusedRequest,
): RepairedRequest | undefined {
  if (repair === undefined || !isIn(body, repair)) return undefined;
  if (repair.words !== undefined && isWrittenByCaller(repair.words, request)) return undefined;
  return { body: applied(repair, body, request, receipt), repair };
}

/** The rejections of one target. Only names that the gateway knows are kept, so it is bounded. */
export class LearnedRejections {
  /** By the fields that the repair removes or renames. */
  readonly #rejections = new Map<string, Rejection>();

  /**
   * Keeps a repair whose request has just succeeded, for requests of the same mode. Of several
   * repairs of one request, only the last is known to be the cause. A repair of a field that the
   * caller invented, or that usage accounting needs, is not kept.
   */
  confirm(repair: Repair, request: ChatRequest, adapter: Adapter, clock: Clock): void {
    const paths = pathsOf(repair);
    const isOurs = namesOf(repair).every((name) => isKnown(name, adapter) || !(name in request));
    if (!isOurs || paths.some((path) => FOR_ACCOUNTING.has(path))) return;
    const now = clock.now();
    this.#forgetExpired(now);
    const key = paths.join();
    const known = this.#rejections.get(key);
    if (known === undefined && this.#rejections.size >= MAX_REJECTIONS) return;
    const expiry = known?.expiry ?? new Map<string, number>();
    expiry.set(modeOf(request), now + LIFETIME_MS);
    this.#rejections.set(key, { repair, expiry });
  }

  /** Removes the rejected fields of this mode from a body. Returns the same body if it has none. */
  apply(body: JsonObject, request: ChatRequest, receipt: Receipt, clock: Clock): JsonObject {
    if (this.#rejections.size === 0) return body;
    const mode = modeOf(request);
    const now = clock.now();
    let kept = body;
    for (const { repair, expiry } of this.#rejections.values()) {
      if ((expiry.get(mode) ?? 0) > now && isIn(kept, repair)) {
        kept = applied(repair, kept, request, receipt);
      }
    }
    return kept;
  }

  report(now: number): RejectionReport[] {
    this.#forgetExpired(now);
    return [...this.#rejections.values()].map(({ repair, expiry }) => ({
      parameter: namesOf(repair)[0] ?? pathsOf(repair)[0] ?? "",
      ...(repair.as !== undefined && { sent_as: repair.as }),
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

/**
 * The part of a request that often decides whether a parameter is accepted: a model may refuse
 * `temperature` while it reasons, or `n` in streams. A rejection in one mode proves nothing for
 * another.
 */
function modeOf(request: ChatRequest): string {
  const { stream, reasoning_effort, thinking, tools, functions, response_format } = request;
  const has = (value: unknown) => value !== undefined;
  return [
    ...[stream ?? false, reasoning_effort, has(thinking), has(tools ?? functions)],
    response_format?.type,
  ].join();
}

const KNOWN = new Set<string>(PARAMETERS);

/** Whether the gateway or the adapter lists a field of this name. */
function isKnown(name: string, { supports: { extensions } }: Adapter): boolean {
  return KNOWN.has(name) || extensions !== "all" && Object.hasOwn(extensions, name);
}

function applied(
  repair: Repair,
  body: JsonObject,
  request: ChatRequest,
  receipt: Receipt,
): JsonObject {
  let kept = body;
  for (const path of pathsOf(repair)) {
    if (has(kept, path.split("."))) kept = without(kept, path.split("."), repair.as);
  }
  for (const name of namesOf(repair)) {
    if (!has(request, name.split("."))) continue;
    if (isObject(request[name]) && name === "stream_options") continue;
    if (repair.as === undefined) receipt.ignore(name);
    else receipt.rename(name, repair.as);
  }
  return kept;
}

function isIn(body: JsonObject, repair: Repair): boolean {
  return pathsOf(repair).some((path) => has(body, path.split(".")));
}

function pathsOf({ without }: Repair): readonly string[] {
  return typeof without === "string" ? [without] : without;
}

function namesOf(repair: Repair): readonly string[] {
  return repair.parameters ?? pathsOf(repair);
}

/** Whether a path leads to a member. A path goes through every entry of a list. */
function has(value: unknown, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((entry) => has(entry, path));
  const [step = "", ...others] = path;
  if (!isObject(value) || !(step in value)) return false;
  return others.length === 0 || has(value[step], others);
}

/** A copy without one member. An object that becomes empty is removed too. */
function without(
  object: JsonObject,
  [step = "", ...others]: readonly string[],
  as: string | undefined,
): JsonObject {
  const { [step]: value, ...rest } = object;
  if (others.length === 0) return as === undefined || as in rest ? rest : { ...rest, [as]: value };
  const removeRest = (inner: unknown) => isObject(inner) ? without(inner, others, as) : inner;
  if (Array.isArray(value)) return { ...rest, [step]: value.map(removeRest) };
  const inner = isObject(value) ? without(value, others, as) : {};
  return Object.keys(inner).length === 0 ? rest : { ...rest, [step]: inner };
}
