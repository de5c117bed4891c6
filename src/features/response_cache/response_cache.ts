/**
 * The response cache feature: identical requests of one service key receive the answer to the first
 * of them. docs/features/response_cache.md lists the conditions.
 */

import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { Config } from "../../config/config.ts";
import type { CachePolicy } from "../../config/routing_schema.ts";
import type { Clock } from "../../core/clock.ts";
import { GatewayError } from "../../core/errors.ts";
import type {
  CallerHeaders,
  CallerRequest,
  EndedAnswer,
  Feature,
  ReadyAnswer,
  ReadyRequest,
  RequestFeature,
  TargetName,
} from "../../gateway/feature.ts";
import type { StateStore } from "../../memory/store.ts";
import {
  decodeAnswer,
  encodeAnswer,
  type Flight,
  Flights,
  prepareText,
  type StoredAnswer,
  textOf,
} from "./stored_answer.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { toList } from "../../core/json/values.ts";
import { textOf as sourceTextOf } from "../../core/json/number_texts.ts";

/** The cache's dependencies. */
interface ResponseCacheOptions {
  /** The answers, by owner. */
  readonly store: StateStore;
  /** The process's secret, for cache keys without a configured key. */
  readonly secret: Uint8Array;
  readonly clock: Pick<Clock, "after" | "wallTime">;
  readonly newId: (prefix: string) => string;
}

/**
 * Answers to requests over this many bytes are not cached, since comparing the requests would take
 * longer than 10 ms.
 */
const MAX_REQUEST_BYTES = 1024 * 1024;

/** Answers over this many UTF-16 units are not stored. */
const MAX_ANSWER_LENGTH = 1024 * 1024;

/** Finish reasons for complete answers. */
const COMPLETE: ReadonlySet<string> = new Set(["stop", "tool_calls", "function_call"]);

/** The feature. */
export function responseCache(options: ResponseCacheOptions): Feature {
  const flights = new Flights(options.clock);
  return {
    name: "response_cache",
    plan({ config, policy: { cache: policy } }, { format, operation, callsNoModel }) {
      if (config.cacheTtlMs === 0 || policy === undefined || policy.ttl === 0) return undefined;
      if (callsNoModel || operation !== "chat") return undefined;
      const context = { ...options, config, policy, flights };
      return {
        start(request) {
          const { body, bytes, sent } = request;
          if (request.options === undefined) return undefined;
          const choice = sent && readChoice(sent.headers);
          if (choice?.mode === "off" || bytes > MAX_REQUEST_BYTES) return undefined;
          if (!isCacheable(body, format, policy.temperature === "any")) return undefined;
          return new CachedRequest(request, choice, context);
        },
      };
    },
  };
}

/** How a request uses the cache. */
interface CacheChoice {
  /** `refresh` stores the answer, but does not read an earlier one. */
  readonly mode: "use" | "refresh" | "off";
  /** The maximum age of an answer in milliseconds. */
  readonly ttlMs?: number;
}

/** The milliseconds in each unit. */
const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1000],
  ["m", 60_000],
  ["h", 3_600_000],
]);

const HEADER = "x-sluice-cache";

/**
 * Reads `x-sluice-cache: ttl=60s`, `refresh` or `off`. A client's retry bypasses the cache, because
 * the client rejected the previous answer.
 *
 * @throws {GatewayError} `invalid_value` for anything else.
 */
function readChoice(headers: CallerHeaders): CacheChoice | undefined {
  const text = headers.get(HEADER);
  const choice = text === null ? undefined : parseChoice(text);
  // OpenAI's and Anthropic's SDKs send it (checked 2026-11-24).
  return Number(headers.get("x-stainless-retry-count") ?? 0) > 0 ? { mode: "off" } : choice;
}

function parseChoice(text: string): CacheChoice {
  const [, number, unit = ""] = /^ttl=(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  if (number !== undefined) {
    return { mode: "use", ttlMs: Number(number) * (UNITS.get(unit) ?? 0) };
  }
  if (text === "refresh" || text === "off") return { mode: text };
  const message =
    `Invalid value for '${HEADER}': must be 'ttl=60s' or another duration, 'refresh' or 'off'`;
  throw new GatewayError("invalid_value", message, { param: HEADER });
}

interface CacheContext extends ResponseCacheOptions {
  readonly config: Config;
  readonly policy: CachePolicy;
  readonly flights: Flights;
}

/** One request that may be answered from the cache. */
class CachedRequest implements RequestFeature {
  /** Set for an answer from a target. */
  readonly headers = { [HEADER]: "miss" };
  readonly keepsText = MAX_ANSWER_LENGTH;
  readonly #request: CallerRequest;
  readonly #choice: CacheChoice | undefined;
  readonly #context: CacheContext;
  readonly #owner: string;
  #id = "";
  #flight: Flight | undefined;

  constructor(request: CallerRequest, choice: CacheChoice | undefined, context: CacheContext) {
    this.#request = request;
    this.#choice = choice;
    this.#context = context;
    // Prefixes separate the two kinds of owners.
    this.#owner = context.policy.scope === "group"
      ? `group ${request.owner}`
      : `key ${request.key}`;
  }

  async ready(
    targets: readonly TargetName[],
    limits: ReadyRequest,
  ): Promise<ReadyAnswer | undefined> {
    const { flights, policy } = this.#context;
    this.#id = this.#idOf(targets);
    if (this.#choice?.mode !== "refresh") {
      const found = await this.#find();
      if (found !== undefined) return this.#toReady(found);
      // Only the first of several identical requests is sent. If its answer cannot be shared, the
      // others are sent too.
      const waited = policy.single_flight ? flights.wait(this.#id, limits) : undefined;
      const shared = waited && await waited;
      if (shared !== undefined) return this.#toReady(shared);
      if (waited !== undefined) return undefined;
    }
    if (policy.single_flight) this.#flight = flights.begin(this.#id);
    return undefined;
  }

  explain() {
    return { cache: true };
  }

  end(answer: EndedAnswer): void {
    const stored = this.#toStored(answer);
    if (stored !== undefined) this.#put(stored);
    this.#flight?.land(stored);
  }

  /** Undefined for an answer that is incomplete or must not be reused. */
  #toStored({ complete, written }: EndedAnswer): StoredAnswer | undefined {
    if (!complete || written === undefined || this.#id === "") return undefined;
    const { finishReasons, text, usd } = written;
    if (finishReasons.length === 0 || !finishReasons.every((reason) => COMPLETE.has(reason))) {
      return undefined;
    }
    const { clock, newId } = this.#context;
    const placeholder = newId("cached-answer-");
    const prepared = prepareText(text, this.#request.stream, placeholder);
    return prepared === undefined
      ? undefined
      : { at: clock.wallTime(), usd, placeholder, text: prepared };
  }

  #put(answer: StoredAnswer): void {
    const { store } = this.#context;
    // Other workers may have an older answer.
    if (this.#choice?.mode === "refresh") store.remove(this.#owner, this.#id);
    store.put(this.#owner, this.#id, encodeAnswer(answer));
  }

  async #find(): Promise<StoredAnswer | undefined> {
    const bytes = (await this.#context.store.get(this.#owner, [this.#id])).get(this.#id);
    const found = bytes && decodeAnswer(bytes);
    return found !== undefined && this.#ageOf(found) < this.#maxAge() ? found : undefined;
  }

  /** The caller may require a newer answer than the stored one. */
  #maxAge(): number {
    return Math.min(this.#context.policy.ttl, this.#choice?.ttlMs ?? Infinity);
  }

  #ageOf({ at }: StoredAnswer): number {
    return Math.max(0, this.#context.clock.wallTime() - at);
  }

  #toReady(answer: StoredAnswer): ReadyAnswer {
    const id = this.#context.newId(this.#request.api.idPrefix);
    return {
      content: { type: "written", text: textOf(answer, id) },
      headers: {
        [HEADER]: "hit",
        age: String(Math.floor(this.#ageOf(answer) / 1000)),
      },
      note: "cache",
      ...(answer.usd !== undefined && { savedUsd: answer.usd }),
    };
  }

  /**
   * The cache key: a keyed hash of everything that the answer depends on. Target order is excluded,
   * since it may be random.
   */
  #idOf(targets: readonly TargetName[]): string {
    const { config, secret } = this.#context;
    const { api: { format }, body, formatHeaders, unnamedModel = "", options, stream } =
      this.#request;
    const input = toCanonicalJson([
      this.#owner,
      format,
      unnamedModel,
      stream,
      body,
      targets.map(({ provider, model }) => JSON.stringify([provider, model])).sort(),
      [...formatHeaders ?? []].sort(),
      options?.strict ?? false,
      config.generation(),
    ]);
    const key = config.server.reasoning_state.key ?? secret;
    return createHmac("sha256", Buffer.concat([Buffer.from("sluice response cache "), key]))
      .update(input).digest("base64url");
  }
}

/** Members that refer to data stored by the vendor, or that have side effects. */
const STATEFUL: readonly string[] = [
  "background",
  "cachedContent",
  "cached_content",
  "container",
  "context_management",
  "conversation",
  "mcp_servers",
  "plugins",
  "previous_response_id",
  "search_parameters",
  "web_search_options",
];

/** The request members that hold its content. */
const CONTENT: readonly string[] = [
  ...["messages", "input", "system", "instructions"],
  ...["contents", "systemInstruction", "system_instruction"],
];

/** The types of tools that the caller runs. */
const CALLER_TOOLS: ReadonlySet<unknown> = new Set(["function", "custom"]);
/** Members of the caller's tools. */
const NAMES: readonly string[] = ["name", "function"];

/** The members of a tool that contain the caller's functions. */
const DECLARATIONS: ReadonlySet<string> = new Set([
  "functionDeclarations",
  "function_declarations",
]);

/** Members with the arguments or the result of a call, which the model reads as text. */
const CALL_DATA: ReadonlySet<string> = new Set(["args", "response"]);

/** Members with an address or a file ID, whose content may change. */
const ADDRESSES: ReadonlySet<string> = new Set([
  "fileUri",
  "file_data_url",
  "file_uri",
  "file_url",
  "image_url",
  "url",
]);

/**
 * Whether the answer depends only on the request. It does not if there are server tools, URLs of
 * images and files, or references to earlier answers. Exported for tests.
 *
 * @param format the caller format, since the Responses API stores answers unless `store` is false
 * @param anyTemperature whether a request may have a temperature above 0
 */
export function isCacheable(body: JsonObject, format: string, anyTemperature: boolean): boolean {
  if (STATEFUL.some((name) => isSet(body[name]))) return false;
  // A stored prompt is an object. Endpoints that take a text do not take messages.
  if (isObject(body.prompt) || isSet(body.prompt) && isSet(body.messages)) return false;
  if (format === "responses" ? body.store !== false : body.store === true) return false;
  if (!anyTemperature && temperatureOf(body) !== 0) return false;
  if (!toList(body.tools).every(isCallerTool)) return false;
  return CONTENT.every((name) => !hasAddress(body[name]));
}

/** The temperature, which some formats nest in other settings. */
function temperatureOf({ temperature, generationConfig, generation_config, options }: JsonObject) {
  const settings = [generationConfig, generation_config, options].find(isObject);
  return temperature ?? settings?.temperature;
}

/** Whether the caller runs a tool. A tool without a type has a name, or contains only functions. */
function isCallerTool(tool: unknown): boolean {
  if (!isObject(tool)) return false;
  if (tool.type !== undefined) return CALLER_TOOLS.has(tool.type);
  return NAMES.some((name) => name in tool) ||
    Object.keys(tool).every((name) => DECLARATIONS.has(name));
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

/** Whether part of a message refers to something outside the request. */
function hasAddress(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasAddress);
  if (!isObject(value)) return false;
  if (value.type === "item_reference" || isSet(value.file_id)) return true;
  return Object.entries(value).some(([name, member]) => {
    // The model reads its calls' arguments as text.
    if (name === "input" && value.type === "tool_use") return false;
    if (CALL_DATA.has(name) && typeof value.name === "string") return false;
    if (typeof member === "string") return ADDRESSES.has(name) && !/^data:/i.test(member);
    return hasAddress(member);
  });
}

/**
 * The text of a JSON value without whitespace and with sorted members, as in
 * https://www.rfc-editor.org/rfc/rfc8785 (checked 2026-11-24). Numbers with a stored text are
 * compared by that text, which is what vendors receive. Exported for tests.
 */
export function toCanonicalJson(value: unknown): string {
  // Members with the value undefined are absent, as in `JSON.stringify`.
  if (!Array.isArray(value) && !isObject(value)) return JSON.stringify(value) ?? "null";
  const entryOf = (name: string | number) =>
    sourceTextOf(value, name) ??
      toCanonicalJson((value as JsonObject)[name]);
  if (Array.isArray(value)) return `[${value.map((_, at) => entryOf(at)).join(",")}]`;
  const members = Object.keys(value).sort().flatMap((name) =>
    value[name] === undefined ? [] : `${JSON.stringify(name)}:${entryOf(name)}`
  );
  return `{${members.join(",")}}`;
}
