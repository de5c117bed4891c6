/** Cached answers: the written text without usage and with a placeholder for the ID. */

import { writeJson } from "../../core/json/number_texts.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { toList } from "../../core/json/values.ts";
import type { Clock } from "../../core/clock.ts";
import { parsePassed } from "../../core/json/reader.ts";

/** An answer in the cache. */
export interface StoredAnswer {
  /** When it was stored, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Its cost in US dollars; undefined if the price is unknown. */
  readonly usd: number | undefined;
  /** The placeholder for the answer's ID in its text. */
  readonly placeholder: string;
  /** The body, or all events of a stream. */
  readonly text: string;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The JSON in an event or a line. U+2028 and U+2029 do not end a line, unlike for `^` and `.`,
 * since strings may contain them.
 */
const DATA = /(?<![^\r\n])(data: ?)?(\{[^\r\n]*)/g;
/** A comment with its line end. */
const COMMENT = /(?<![^\r\n]):[^\r\n]*[\r\n]+/g;

/**
 * Prepares the text of a complete answer. Undefined for one that must not be reused, such as a
 * refusal.
 *
 * @param placeholder text that does not occur in any answer
 */
export function prepareText(
  text: string,
  stream: boolean,
  placeholder: string,
): string | undefined {
  let isFinal = true;
  const prepare = (json: string): string => {
    const body = parsePassed(json);
    if (!isObject(body) || isRefusal(body)) isFinal = false;
    else for (const holder of holdersOf(body)) clear(holder, placeholder);
    return writeJson(body);
  };
  try {
    const prepared = stream
      ? text.replace(COMMENT, "").replace(
        DATA,
        (_, data: string | undefined, json: string) => `${data ?? ""}${prepare(json)}`,
      )
      : prepare(text);
    return isFinal ? prepared : undefined;
  } catch {
    // The text is not JSON.
    return undefined;
  }
}

/** The text of a stored answer with a new ID. */
export function textOf({ text, placeholder }: StoredAnswer, id: string): string {
  return text.replaceAll(placeholder, id);
}

export function encodeAnswer(answer: StoredAnswer): Uint8Array {
  return encoder.encode(JSON.stringify(answer));
}

/** Undefined for invalid bytes, such as those written by another version. */
export function decodeAnswer(bytes: Uint8Array): StoredAnswer | undefined {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes));
    if (!isObject(value)) return undefined;
    const { at, usd, placeholder, text } = value;
    return typeof at === "number" && typeof placeholder === "string" && typeof text === "string"
      ? { at, usd: typeof usd === "number" ? usd : undefined, placeholder, text }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The objects with an answer's ID and usage, in a body or an event. */
function holdersOf(body: JsonObject): JsonObject[] {
  return [body, body.message, body.response].filter(isObject);
}

function clear(holder: JsonObject, placeholder: string): void {
  // Errors and parts of answers have other IDs or none.
  for (const name of ["id", "responseId"]) {
    if (typeof holder[name] === "string") holder[name] = placeholder;
  }
  for (const name of ["usage", "usageMetadata"]) {
    const usage = holder[name];
    if (isObject(usage)) holder[name] = toZero(usage);
  }
  for (const name of FLAT_USAGE) if (holder[name] !== undefined) holder[name] = 0;
}

/** Members with usage in formats that have no usage object. */
const FLAT_USAGE = [
  ...["eval_count", "eval_duration", "load_duration"],
  ...["prompt_eval_count", "prompt_eval_duration", "total_duration"],
];

/** The same members, with 0 for each number. */
function toZero(usage: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(usage).map(([name, value]) => {
      if (typeof value === "number") return [name, 0];
      return [name, isObject(value) ? toZero(value) : value];
    }),
  );
}

/** Whether a body or an event is part of a refusal by the model or the vendor. */
function isRefusal(body: JsonObject): boolean {
  const { error, type, choices } = body;
  if (isObject(error) || type === "error") return true;
  if (typeof type === "string" && type.startsWith("response.refusal")) return true;
  const isRefused = (choice: unknown) => {
    if (!isObject(choice)) return false;
    const part = isObject(choice.message) ? choice.message : choice.delta;
    return isObject(part) && typeof part.refusal === "string" && part.refusal !== "";
  };
  if (toList(choices).some(isRefused)) return true;
  return holdersOf(body).some(({ output }) =>
    toList(output).some((item) =>
      isObject(item) &&
      toList(item.content).some((part) => isObject(part) && part.type === "refusal")
    )
  );
}

/** The limits for a request's wait. */
interface WaitLimits {
  /** Fires when the caller has disconnected. */
  readonly signal: AbortSignal;
  /** Milliseconds until the caller's deadline; Infinity without one. */
  readonly leftMs: number;
}

/** A request in flight that others wait for. */
export interface Flight {
  /** Completes the flight with its answer, or with undefined if others cannot use the answer. */
  land(answer: StoredAnswer | undefined): void;
}

export class Flights {
  readonly #clock: Pick<Clock, "after">;
  readonly #open = new Map<string, Promise<StoredAnswer | undefined>>();

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
  }

  /** The number of requests in flight. */
  get size(): number {
    return this.#open.size;
  }

  /** Begins a flight. The caller must call `land`. */
  begin(id: string): Flight {
    const { promise, resolve } = Promise.withResolvers<StoredAnswer | undefined>();
    this.#open.set(id, promise);
    return {
      land: (answer) => {
        if (this.#open.get(id) === promise) this.#open.delete(id);
        resolve(answer);
      },
    };
  }

  /**
   * Waits for an identical request in flight; returns undefined at once if there is none. Resolves
   * to undefined if its answer cannot be used or does not arrive in time.
   */
  wait(id: string, limits: WaitLimits): Promise<StoredAnswer | undefined> | undefined {
    const flight = this.#open.get(id);
    return flight && this.#within(flight, limits);
  }

  async #within(
    flight: Promise<StoredAnswer | undefined>,
    { signal, leftMs }: WaitLimits,
  ): Promise<StoredAnswer | undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const stop = () => resolve(undefined);
    const cancel = Number.isFinite(leftMs) ? this.#clock.after(Math.max(0, leftMs), stop) : stop;
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      return await Promise.race([flight, promise]);
    } finally {
      cancel();
      signal.removeEventListener("abort", stop);
    }
  }
}
