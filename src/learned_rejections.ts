/**
 * Fields that a target rejects: they are left out of a request after the vendor has refused it, and
 * of later requests once a request without them has succeeded.
 */

import { isWrittenByCaller } from "./caller_words.ts";
import { type ChatRequest, isObject, type JsonObject } from "./chat.ts";
import type { Clock } from "./clock.ts";
import type { Adapter, Repair } from "./providers/adapter.ts";
import { PARAMETERS, type Receipt } from "./providers/support.ts";

/** A rejection is forgotten after this many milliseconds without having been confirmed again. */
const LIFETIME_MS = 3_600_000;
/** The most rejections of one target that are remembered. */
const MAX_REJECTIONS = 32;

/** Fields that usage is counted by: they are never left out of other requests. */
const FOR_ACCOUNTING = new Set(["stream_options"]);

/** What `GET /v1/providers` shows of one rejection. */
export interface RejectionReport {
  /** The parameter as callers name it, or the vendor's field where callers have no name for it. */
  readonly parameter: string;
  /** The name it is sent under instead; absent when it is left out. */
  readonly sent_as?: string;
  readonly expires_in_ms: number;
}

/** A request that the vendor refused, and what it is sent as instead. */
export interface MendedRequest {
  readonly body: JsonObject;
  readonly repair: Repair;
}

/** What a repair is tried on. */
export interface RefusedRequest {
  /** As it was sent. */
  readonly body: JsonObject;
  readonly request: ChatRequest;
  readonly receipt: Receipt;
}

interface Rejection {
  readonly repair: Repair;
  /** When it is forgotten, by the mode of the requests it was confirmed with. */
  readonly expiry: Map<string, number>;
}

/**
 * Leaves out of a refused request what the vendor says it does not take. Undefined when the field
 * was not sent, or when the caller may have written the words that name it.
 */
export function mend(
  repair: Repair | undefined,
  { body, request, receipt }: RefusedRequest,
): MendedRequest | undefined {
  if (repair === undefined || !isIn(body, repair)) return undefined;
  if (repair.words !== undefined && isWrittenByCaller(repair.words, request)) return undefined;
  return { body: applied(repair, body, request, receipt), repair };
}

/** What one target rejects. Bounded by the gateway's own names; callers cannot add to them. */
export class LearnedRejections {
  /** By the fields that a repair is about. */
  readonly #rejections = new Map<string, Rejection>();

  /**
   * Remembers a repair whose request has just succeeded, for requests of the same mode. Of several
   * repairs of one request, only the last is known to have made the difference. Repairs of fields
   * that the caller made up or that usage is counted by concern that one request alone.
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

  /** A body without the fields that requests of this mode are refused with; the same one if none. */
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

  /** Forgets everything, and says how many rejections that was. */
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
 * What often decides whether a parameter is taken: a model may refuse `temperature` while it
 * reasons, or `n` in streams. A rejection that one mode has shown says nothing of another.
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

/** Whether a caller's name of a field is one that the gateway or the adapter lists. */
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
    if (!(name in request) || isObject(request[name]) && name === "stream_options") continue;
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

/** Whether there is a member at a path, which goes through every entry of a list. */
function has(value: unknown, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((entry) => has(entry, path));
  const [step = "", ...others] = path;
  if (!isObject(value) || !(step in value)) return false;
  return others.length === 0 || has(value[step], others);
}

/** A copy without a member; an object that is left empty goes too. */
function without(
  object: JsonObject,
  [step = "", ...others]: readonly string[],
  as: string | undefined,
): JsonObject {
  const { [step]: value, ...rest } = object;
  if (others.length === 0) return as === undefined || as in rest ? rest : { ...rest, [as]: value };
  const mend = (inner: unknown) => isObject(inner) ? without(inner, others, as) : inner;
  if (Array.isArray(value)) return { ...rest, [step]: value.map(mend) };
  const inner = isObject(value) ? without(value, others, as) : {};
  return Object.keys(inner).length === 0 ? rest : { ...rest, [step]: inner };
}
