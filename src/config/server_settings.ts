/** The settings of the gateway's HTTP server, from their section of config.yaml. */

import { createHmac } from "node:crypto";
import {
  LISTENER_PARTS,
  type ListenerPart,
  type ListenerSettings,
  toListenerSettings,
} from "./listeners.ts";
import { MAX_DEPTH, MAX_MEMBERS } from "../core/json/limits.ts";
import type { MemoryLimits } from "../memory/store.ts";
import { type StateSettings, toMemoryLimits, toStateSettings } from "./reasoning_state.ts";
import type { ServerEntry } from "./server_schema.ts";
import type { JsonLimits } from "../core/json/scan.ts";

/** Which images the gateway may download: `server.images` in config.yaml. */
export interface ImageRules {
  /** Whether plain http is allowed. */
  readonly http: boolean;
  /** Hosts that may resolve to private addresses. */
  readonly allow: ReadonlySet<string>;
  /** The maximum size of one image, in bytes. */
  readonly maxSize: number;
  /** Milliseconds for downloading one image, including the DNS lookup. */
  readonly timeout: number;
}

/** How end users are recorded: `server.end_users` in config.yaml. */
export interface EndUserSettings {
  readonly ids: "pseudonym" | "plain" | "off";
  /** The secret for the pseudonyms. */
  readonly secret: Uint8Array;
}

/** The limits for all request bodies together. */
export interface IncomingLimits {
  readonly bodies: number;
  readonly bytes: number;
}

/** The minimum for the number of bodies that are received at the same time. */
const MIN_BODIES = 1000;

/**
 * The limit on bodies as a multiple of the requests that may be in flight, if the result is higher.
 */
const BODIES_PER_REQUEST = 4;

/** The minimum for the total bytes of all bodies. */
const MIN_BYTES = 256 * 1024 * 1024;

/** The byte limit as a multiple of the maximum body size, if the result is higher. */
const LARGEST_BODIES = 8;

/** The limits for a request body. */
export interface BodyRules {
  /** The maximum size in bytes. */
  readonly maxBytes: number;
  /** The longest pause between packets, in milliseconds. */
  readonly maxPauseMs: number;
  /** The limits for its JSON. */
  readonly json: JsonLimits;
  /** The limits for all bodies together. */
  readonly incoming: IncomingLimits;
}

/** The members of `server` in config.yaml that are converted. */
interface ConvertedSettings {
  /**
   * The host names that clients use, in lower case; empty if only a loopback listener checks them.
   */
  readonly hosts: ReadonlySet<string>;
  /** The parts that the main listener serves. */
  readonly serves: ReadonlySet<ListenerPart>;
  /** The listeners besides the main one. */
  readonly listeners: readonly ListenerSettings[];
  /** The secret for the hashes of stored keys; undefined to use the one in the store. */
  readonly key_pepper: string | undefined;
  /** The allowed browser origins, `*` for all; empty when CORS is disabled. */
  readonly cors: readonly string[];
  readonly images: ImageRules;
  readonly end_users: EndUserSettings;
  readonly reasoning_state: StateSettings;
  /** The memory for Responses API answers. */
  readonly responses_memory: MemoryLimits;
}

/** The members that are used as they are, under their names in config.yaml. */
type PlainSettings = Omit<ServerEntry, keyof ConvertedSettings | "keys" | "admin_keys">;

/**
 * The settings of the gateway's own HTTP server: `server` in config.yaml. Durations are in
 * milliseconds, sizes in bytes.
 */
export interface ServerSettings extends Readonly<PlainSettings>, ConvertedSettings {
  /** The limits for model request bodies, derived from other settings. */
  readonly bodies: BodyRules;
}

/**
 * The settings from a validated `server` section.
 *
 * @param digests the digests of its keys, in any order
 */
export function toServerSettings(
  server: ServerEntry,
  digests: () => readonly string[],
): ServerSettings {
  const { keys: _, admin_keys: __, ...plain } = server;
  return {
    ...plain,
    hosts: new Set(server.hosts),
    serves: new Set(server.serves ?? LISTENER_PARTS),
    listeners: server.listeners.map(toListenerSettings),
    key_pepper: server.key_pepper || undefined,
    cors: typeof server.cors === "string" ? [server.cors] : server.cors,
    images: toImageRules(server.images),
    end_users: toEndUsers(server, digests),
    reasoning_state: toStateSettings(server.reasoning_state),
    responses_memory: toMemoryLimits(server.responses_memory),
    bodies: toBodyRules(server),
  };
}

/**
 * Whether a listener shows the console.
 *
 * @param byDefault whether it does if the configuration does not say
 */
export function isConsoleOn({ console: setting }: ServerSettings, byDefault: boolean): boolean {
  return setting === undefined ? byDefault : setting === "on";
}

function toBodyRules(
  { max_body: maxBytes, max_elements: elements, max_in_flight, body_timeout }: ServerEntry,
): BodyRules {
  return {
    maxBytes,
    maxPauseMs: body_timeout,
    json: { elements, members: MAX_MEMBERS, depth: MAX_DEPTH },
    incoming: {
      bodies: Math.max(MIN_BODIES, BODIES_PER_REQUEST * max_in_flight),
      bytes: Math.max(MIN_BYTES, LARGEST_BODIES * maxBytes),
    },
  };
}

function toEndUsers(
  { end_users: { ids, secret } }: ServerEntry,
  digests: () => readonly string[],
): EndUserSettings {
  const text = secret || digests().toSorted().join(" ");
  const hmac = createHmac("sha256", "sluice end users").update(text);
  return { ids, secret: hmac.digest() };
}

function toImageRules({ http, allow, max_size, timeout }: ServerEntry["images"]): ImageRules {
  return { http, allow: new Set(allow), maxSize: max_size, timeout };
}
