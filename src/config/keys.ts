/** Service keys and admin keys: authentication, and the models that each key may use. */

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { isObject } from "../core/json/object.ts";
import * as z from "zod";
import { eachInSteps, type Steps } from "../core/steps.ts";
import { type Budget, keyBudget, keyLimits, type RateLimits } from "./limits.ts";
import type { ModelPatterns } from "./model_patterns.ts";
import { DIGEST, integer, serviceKeyText, timestamp } from "./values.ts";

/** A key that clients authenticate with. Holds its name, not its text. */
export interface ServiceKey {
  readonly name: string;
  /** Keys in the same group share stored answers and reasoning state. */
  readonly group?: string | undefined;
  /** The names that it may use; absent for all. Keys with equal lists share one value. */
  readonly models?: ModelPatterns | undefined;
  /** Its class in queues; `interactive` if absent. */
  readonly priority?: "interactive" | "batch" | undefined;
  /** Its share of turns in queues relative to other keys; 1 if absent. */
  readonly weight?: number | undefined;
  /** The person and team that it belongs to; the ledger sums usage by them. */
  readonly owner?: string | undefined;
  readonly team?: string | undefined;
  readonly note?: string | undefined;
  readonly limits?: RateLimits | undefined;
  readonly budget?: Budget | undefined;
  /** The limits and the budget for each of its end users. */
  readonly endUsers?: EndUserRules | undefined;
  /** The end user to whom these limits apply, for an end user's entry. */
  readonly endUser?: string | undefined;
  /** When it expires, in Unix seconds. */
  readonly expires?: number | undefined;
  /** Whether an admin key may edit config.yaml. */
  readonly mayEditConfig?: boolean | undefined;
}

/** The limits for each end user of a key. */
export interface EndUserRules {
  readonly limits?: RateLimits | undefined;
  readonly budget?: Budget | undefined;
  /** The maximum number of end users with separate limits; all others share one set. */
  readonly max: number;
}

/** A key for the routes below `/v1/admin`, and no others. */
export type AdminKey = Pick<ServiceKey, "name" | "mayEditConfig">;

/** A set of service keys or admin keys, each given in plain text or as its digest. */
export class Keyring {
  readonly keys: readonly ServiceKey[];
  /**
   * By SHA-256 digest. A lookup may take longer for a digest with the same prefix as that of a key,
   * but tokens cannot be chosen by digest.
   */
  readonly #byDigest = new Map<string, ServiceKey>();
  /**
   * Caches valid tokens, since hashing one per request would dominate the cost of authentication.
   */
  readonly #presented = new Map<string, ServiceKey>();

  private constructor(keys: readonly ServiceKey[]) {
    this.keys = keys;
  }

  /** @param pairs keys with their text: the plain key, or `sha256:` and its digest */
  static *create(pairs: readonly (readonly [ServiceKey, string])[]): Steps<Keyring> {
    const keyring = new Keyring(pairs.map(([key]) => key));
    yield* eachInSteps(
      pairs,
      ([key, text]) => keyring.#byDigest.set(digestOf(text).toString("hex"), key),
    );
    return keyring;
  }

  /** All keys' digests in hex. */
  get digests(): readonly string[] {
    return [...this.#byDigest.keys()];
  }

  /** Finds the key that a client presents. A valid token is hashed once. */
  readonly authenticate = (token: string): ServiceKey | undefined => {
    const known = this.#presented.get(token);
    if (known !== undefined) return known;
    const key = this.#byDigest.get(sha256(token).toString("hex"));
    if (key !== undefined) this.#presented.set(token, key);
    return key;
  };
}

/** The SHA-256 digest of a key in config.yaml, given in plain text or as `sha256:…`. */
export function digestOf(key: string): Buffer {
  const [, hex] = DIGEST.exec(key) ?? [];
  return hex === undefined ? sha256(key) : Buffer.from(hex, "hex");
}

const name = z.string().min(1).describe("Name of the key in the access log; must be unique");
const key = serviceKeyText(
  "The key, or 'sha256:' followed by the 64 hexadecimal digits of its SHA-256 digest",
);

/** The longest owner, team or note of a key. */
const MAX_LABEL_CHARS = 128;

function label(description: string) {
  return z.string().min(1).max(MAX_LABEL_CHARS).describe(description).optional();
}

/** A key's permissions: the same for configured and stored keys. */
export const keySettings = z.strictObject({
  models: z.array(z.string().min(1)).min(1).optional()
    .describe("Model names that this key may use, with '*' as a wildcard; all if omitted"),
  limits: keyLimits.optional().describe("Limits of this key; those in 'limits' if omitted"),
  budget: keyBudget.optional().describe("Maximum spending of this key"),
  expires: timestamp("Start of the day in UTC on which the key expires").optional(),
  priority: z.enum(["interactive", "batch"]).optional().describe(
    "Class of the key in queues ('routing.queue'): an interactive key gets eight times the turns of a batch key; 'interactive' if omitted",
  ),
  weight: z.number().min(0.01).max(1000).optional().describe(
    "The key's share of turns in queues, relative to other keys; 1 if omitted",
  ),
  owner: label("The person responsible for the key; usage can be grouped by it"),
  team: label("The team that the key belongs to; usage can be grouped by it"),
  note: label("Any text, for administrators"),
});

const DEFAULT_MAX_END_USERS = 1000;

const endUserRules = z.strictObject({
  limits: keyLimits.optional().describe("Limits of each end user; none if omitted"),
  budget: keyBudget.optional().describe("Maximum spending of each end user"),
  max: integer(
    "Maximum number of end users with separate limits; all others share one set of limits",
    1,
    50_000,
  )
    .prefault(DEFAULT_MAX_END_USERS),
});

/** A key's validated settings. */
export type KeySettings = z.infer<typeof keySettings>;

/** The schema of an entry of `server.keys`. */
export const serviceKeyEntry = z.strictObject({
  name,
  key,
  group: z.string().min(1).optional().describe(
    "Keys in the same group share stored answers, vendors' response IDs and reasoning state; if " +
      "omitted, this key shares them with no other key",
  ),
  ...keySettings.shape,
  end_users: endUserRules.optional().describe(
    "Limits and budget for each end user of this key, in addition to the key's own; see " +
      "'server.end_users'",
  ),
});

/** The owner of answers to requests with a key: its group, or the key itself if it has none. */
export function ownerOf({ name, group }: Pick<ServiceKey, "name" | "group">): string {
  // Key names never begin with a control character.
  return group === undefined ? name : `\0group ${group}`;
}

/** Whether all keys have the same owner, so that answers need no protection from other keys. */
export function haveOneOwner(keys: readonly ServiceKey[]): boolean {
  return new Set(keys.map(ownerOf)).size <= 1;
}

/** The settings that only keys in config.yaml have. */
type ConfigOnly = Pick<ServiceKey, "group"> & { readonly end_users?: EndUserRules | undefined };

/**
 * Creates a key from its settings.
 *
 * @param toModels creates the value for a list of patterns, or returns the existing value for an
 * equal list
 */
export function toServiceKey(
  name: string,
  settings: KeySettings & ConfigOnly,
  toModels: (patterns: readonly string[]) => ModelPatterns,
): ServiceKey {
  const { models, limits, budget, expires, priority, weight, group, end_users } = settings;
  const { owner, team, note } = settings;
  return {
    name,
    ...(group !== undefined && { group }),
    ...(priority !== undefined && { priority }),
    ...(weight !== undefined && { weight }),
    ...(owner !== undefined && { owner }),
    ...(team !== undefined && { team }),
    ...(note !== undefined && { note }),
    ...(models !== undefined && { models: toModels(models) }),
    ...(limits !== undefined && { limits }),
    ...(budget !== undefined && { budget }),
    ...(end_users !== undefined && { endUsers: end_users }),
    ...(expires !== undefined && { expires }),
  };
}

/** The schema of an entry of `server.admin_keys`. */
export const adminKeyEntry = z.strictObject({
  name,
  key,
  edit_config: z.boolean().default(false).describe(
    "Whether the key may save config.yaml through the console and the API: it can then do " +
      "anything that the file can, such as read any file and environment variable. The process " +
      "keeps the permission to write files if any key has it at startup",
  ),
});

/**
 * The first 8 hexadecimal digits of a key's SHA-256 digest, which identify it without revealing it.
 */
export function fingerprintOf(key: string): string {
  return sha256(key).toString("hex").slice(0, 8);
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The variables that define the keys if config.yaml has no list of them. */
const KEY_VARIABLES = [
  { variable: "SLUICE_API_KEY", list: "keys", name: "default" },
  { variable: "SLUICE_ADMIN_KEY", list: "admin_keys", name: "admin" },
] as const;

type Env = (name: string) => string | undefined;

/**
 * Adds the keys in the environment to a document without a list of keys. An empty list means that
 * no keys are wanted.
 */
export function withKeysOfEnv(document: unknown, env: Env): unknown {
  if (document !== null && !isObject(document)) return document;
  const server = document?.server ?? {};
  if (!isObject(server)) return document;
  const added = KEY_VARIABLES.flatMap(({ variable, list, name }) =>
    (server[list] ?? undefined) === undefined && env(variable) !== undefined
      ? [[list, [{ name, key: `\${${variable}}` }]] as const]
      : []
  );
  return added.length === 0
    ? document
    : { ...document, server: { ...server, ...Object.fromEntries(added) } };
}

/** Lists the variables that are set but not used as keys in config.yaml. */
export function findUnusedKeys(
  find: Readonly<Record<"keys" | "admin_keys", (token: string) => unknown>>,
  env: Env,
): readonly string[] {
  return KEY_VARIABLES.flatMap(({ variable, list }) => {
    const token = env(variable);
    return token === undefined || find[list](token) !== undefined
      ? []
      : [`${variable} is set, but is not among the keys in server.${list}`];
  });
}
