/**
 * Encodes changes of breakers and keys as text for a store that replicas share. A text is signed
 * with a key that is derived from the provider's configuration, including its credentials, so that
 * only replicas with the same configuration can read or write it. It contains no credentials.
 */

import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { Config, Provider } from "../../config/config.ts";
import { ERROR_KINDS, type ErrorKind } from "../../core/errors.ts";
import type { StateChange } from "../state.ts";
import { MAX_RECORD_BYTES } from "./script.ts";

/** How long a record without an expiry is valid, in milliseconds. */
const VALID_MS = 60_000;

const SIGNATURE_CHARS = 43;

/** A change as stored. */
export interface HealthRecord {
  /** Identifies the changed breaker or key, so that only its last change is kept. */
  readonly field: string;
  readonly text: string;
}

/** A change made by another worker or replica. */
export interface ReceivedChange {
  readonly provider: Provider;
  readonly change: StateChange;
}

/** The kinds of failures that suspend keys. */
const KEY_FAILURES = new Set<unknown>(
  Object.entries(ERROR_KINDS).flatMap(([kind, { mayBeKey }]) => mayBeKey ? [kind] : []),
);
const keyFailure = z.custom<ErrorKind>((value) => KEY_FAILURES.has(value));
const common = { provider: z.string(), until: z.number().int().positive() };

/** The content of a record. Times are milliseconds by the store's clock. */
const content = z.discriminatedUnion("type", [
  z.strictObject({
    ...common,
    type: z.literal("open"),
    model: z.string(),
    by_one_caller: z.boolean(),
  }),
  z.strictObject({ ...common, type: z.literal("closed"), model: z.string() }),
  z.strictObject({
    ...common,
    type: z.literal("suspended"),
    /** The keyed hash (HMAC) of the key. */
    key: z.string(),
    model: z.string().optional(),
    reason: keyFailure,
  }),
  z.strictObject({ ...common, type: z.literal("reset") }),
]);
type Content = z.infer<typeof content>;

/** Writes and reads records for the providers of the current configuration. */
export class HealthRecords {
  readonly #secret: string;
  readonly #signers = new WeakMap<Provider, Signer>();

  /** @param secret the secret that replicas share besides the provider configuration */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /**
   * The record of a change; undefined if it is too long.
   *
   * @param now the time according to the change's clock
   * @param offset the store's time minus that clock, in milliseconds
   */
  write(
    provider: Provider,
    change: StateChange,
    { now, offset }: { readonly now: number; readonly offset: number },
  ): HealthRecord | undefined {
    const signer = this.#signerOf(provider);
    const ended = endOf(change) ?? now + VALID_MS;
    const own = { provider: provider.settings.id, until: Math.round(ended + offset) };
    const json = JSON.stringify(contentOf(change, own, (key) => signer.sign(`key ${key}`)));
    const text = signer.sign(`record ${json}`) + json;
    if (Buffer.byteLength(text) > MAX_RECORD_BYTES) return undefined;
    return { field: signer.sign(`field ${fieldOf(change)}`), text };
  }

  /**
   * Reads a record. Ignores expired records, and records that were not written by a replica with
   * the same configuration.
   *
   * @param offset the store's time minus the change's clock, in milliseconds
   */
  read(
    text: string,
    config: Config,
    { now, offset }: { readonly now: number; readonly offset: number },
  ): ReceivedChange | undefined {
    const json = text.slice(SIGNATURE_CHARS);
    const read = readContent(json);
    const provider = read && config.providers.get(read.provider);
    if (read === undefined || provider === undefined) return undefined;
    const signer = this.#signerOf(provider);
    if (!signer.verify(`record ${json}`, text.slice(0, SIGNATURE_CHARS))) return undefined;
    const until = read.until - offset;
    const change = until > now ? changeOf(read, until, provider, signer) : undefined;
    return change && { provider, change };
  }

  #signerOf(provider: Provider): Signer {
    let signer = this.#signers.get(provider);
    if (signer === undefined) {
      this.#signers.set(provider, signer = new Signer(this.#secret, provider));
    }
    return signer;
  }
}

/** Keyed hashes for one provider. */
class Signer {
  readonly #key: Buffer;

  constructor(secret: string, { settings, adapter, keys, secrets }: Provider) {
    const { id, baseUrl, options } = settings;
    const identity = [
      id,
      adapter.kind,
      baseUrl,
      sorted(options),
      [...keys].sort(),
      sorted(secrets),
    ];
    this.#key = createHmac("sha256", `sluice health ${secret}`).update(JSON.stringify(identity))
      .digest();
  }

  sign(text: string): string {
    return createHmac("sha256", this.#key).update(text).digest("base64url");
  }

  verify(text: string, signature: string): boolean {
    const [expected, actual] = [Buffer.from(this.sign(text)), Buffer.from(signature)];
    return expected.length === actual.length && timingSafeEqual(expected, actual);
  }
}

function sorted(members: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Object.keys(members).sort().map((name) => [name, members[name]]);
}

function endOf(change: StateChange): number | undefined {
  switch (change.type) {
    case "breaker":
      return change.openUntil;
    case "suspension":
      return change.until;
    case "reset":
      return undefined;
  }
}

/**
 * The name of what a change affects: a breaker, a key for one model or for all, or the provider.
 */
export function fieldOf(change: StateChange): string {
  switch (change.type) {
    case "breaker":
      return JSON.stringify([change.type, change.model]);
    case "suspension":
      return JSON.stringify([change.type, change.key, change.model]);
    case "reset":
      return JSON.stringify([change.type]);
  }
}

function contentOf(
  change: StateChange,
  own: { readonly provider: string; readonly until: number },
  hash: (key: string) => string,
): Content {
  switch (change.type) {
    case "breaker": {
      const { model, openUntil, byOneCaller } = change;
      if (openUntil === undefined) return { type: "closed", ...own, model };
      return { type: "open", ...own, model, by_one_caller: byOneCaller };
    }
    case "suspension": {
      const { key, model, kind: reason } = change;
      return {
        type: "suspended",
        ...own,
        key: hash(key),
        ...(model !== undefined && { model }),
        reason,
      };
    }
    case "reset":
      return { type: "reset", ...own };
  }
}

function readContent(json: string): Content | undefined {
  try {
    return content.safeParse(JSON.parse(json)).data;
  } catch {
    // The text is not JSON.
    return undefined;
  }
}

function changeOf(
  read: Content,
  until: number,
  provider: Provider,
  signer: Signer,
): StateChange | undefined {
  switch (read.type) {
    case "open": {
      const { model, by_one_caller: byOneCaller } = read;
      return { type: "breaker", model, openUntil: until, byOneCaller };
    }
    case "closed":
      return { type: "breaker", model: read.model, openUntil: undefined, byOneCaller: false };
    case "suspended": {
      const key = provider.keys.find((one) => signer.sign(`key ${one}`) === read.key);
      return key === undefined
        ? undefined
        : { type: "suspension", key, model: read.model, kind: read.reason, until };
    }
    case "reset":
      return { type: "reset" };
  }
}
