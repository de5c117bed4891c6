/** Resolves config.yaml's references to secret managers. */

import { findSecrets, LONG_TEXT } from "../../config/config.ts";
import type { Clock } from "../../core/clock.ts";
import type { Environment } from "../system/files.ts";
import type { LogLevel } from "../../core/log_level.ts";
import type { SecretResult } from "../../config/references.ts";
import { runAtOnce, runInSlices } from "../../core/steps.ts";

/** Reads the value of a reference. Rejects with a message for the operator. */
type ReadSecret = (reference: string, env: Environment) => Promise<string>;

/** The dependencies of reading secrets. */
interface SecretDeps {
  readonly clock: Clock;
  readonly read: ReadSecret;
  /** Whether a reference names a secret manager. */
  readonly isReference: (reference: string) => boolean;
  readonly readFile: (path: string) => string;
  /** Writes a message for the operator. */
  readonly log: (text: string, level?: LogLevel) => void;
}

/** The interval for reading secrets, in milliseconds. */
const REFRESH_MS = 5 * 60_000;
/** The interval for retrying a secret without a value, in milliseconds. */
const RETRY_MS = 10_000;
/**
 * The minimum interval between reads after rejected credentials, in milliseconds; doubled each time
 * that no value has changed.
 */
const REFUSAL_MS = 10_000;

/** The state of one secret. */
interface Known {
  readonly value?: string;
  /** The reason why the last attempt failed; undefined if it succeeded. */
  readonly failure?: string;
}

/** Stores the values. A failure keeps the old value. */
export class ManagedSecrets {
  readonly #deps: SecretDeps;
  readonly #known = new Map<string, Known>();
  #references: ReadonlySet<string> = new Set();
  #env: Environment = () => undefined;
  /** Called when a value has changed, once the timer runs. */
  #onChange: (() => void) | undefined;
  #cancel = () => {};
  /** Whether secrets are being read because of the timer or a rejection. */
  #isReading = false;
  /** The interval until a rejection may trigger another read, and when it ends. */
  #refusalMs = REFUSAL_MS;
  #nextRefusal = 0;
  /** Whether the values have just been read, so that a reload need not read them again. */
  #isFresh = false;

  constructor(deps: SecretDeps) {
    this.#deps = deps;
  }

  /**
   * Reads the secrets of a configuration before it is loaded. Returns undefined if it has none, so
   * that it can be loaded without waiting.
   */
  prepare(text: string, env: Environment): Promise<void> | undefined {
    const { readFile } = this.#deps;
    this.#env = env;
    const finding = findSecrets(text, { env, readFile });
    return text.length < LONG_TEXT
      ? this.#prepare(runAtOnce(finding))
      : runInSlices(finding).then((found) => this.#prepare(found));
  }

  #prepare(found: ReadonlySet<string>): Promise<void> | undefined {
    this.#references = new Set([...found].filter(this.#deps.isReference));
    for (const reference of this.#known.keys()) {
      if (!this.#references.has(reference)) this.#known.delete(reference);
    }
    const isFresh = this.#isFresh && [...this.#references].every((one) => this.#known.has(one));
    this.#isFresh = false;
    if (this.#references.size === 0 || isFresh) {
      this.#schedule();
      return undefined;
    }
    return this.#readAll().then(() => this.#schedule());
  }

  /** The value of a reference; undefined if it names no secret manager. */
  readonly lookUp = (reference: string): SecretResult | undefined => {
    if (!this.#deps.isReference(reference)) return undefined;
    const { value, failure = "it was not read yet" } = this.#known.get(reference) ?? {};
    if (value !== undefined) return { value };
    const reason = `cannot read ${reference}: ${failure}`;
    return { reason, publicReason: "a secret of a secret manager cannot be read" };
  };

  /**
   * Reads the secrets on a timer until the returned function is called.
   *
   * @param onChange called after values have changed, to load the configuration again
   */
  start(onChange: () => void): () => void {
    this.#onChange = onChange;
    this.#schedule();
    return () => {
      this.#onChange = undefined;
      this.#cancel();
    };
  }

  /**
   * Reads the secrets soon, because a vendor has rejected credentials, which may have been replaced
   * in their secret manager. Does nothing if they were read recently.
   */
  refused(): void {
    const now = this.#deps.clock.now();
    if (this.#onChange === undefined || this.#references.size === 0 || this.#isReading) return;
    if (now < this.#nextRefusal) return;
    this.#nextRefusal = now + this.#refusalMs;
    this.#refusalMs = Math.min(2 * this.#refusalMs, REFRESH_MS);
    this.#cancel();
    void this.#refresh();
  }

  #schedule(): void {
    this.#cancel();
    if (this.#onChange === undefined || this.#references.size === 0) return;
    const isMissing = [...this.#references].some((one) =>
      this.#known.get(one)?.value === undefined
    );
    this.#cancel = this.#deps.clock.after(isMissing ? RETRY_MS : REFRESH_MS, () => {
      void this.#refresh();
    });
  }

  async #refresh(): Promise<void> {
    this.#isReading = true;
    const hasChanged = await this.#readAll();
    this.#isReading = false;
    this.#schedule();
    if (!hasChanged || this.#onChange === undefined) return;
    this.#refusalMs = REFUSAL_MS;
    this.#isFresh = true;
    this.#onChange();
  }

  /** Reads all secrets. Returns whether a value has changed. */
  async #readAll(): Promise<boolean> {
    const changes = await Promise.all([...this.#references].map((one) => this.#read(one)));
    return changes.includes(true);
  }

  async #read(reference: string): Promise<boolean> {
    const { log, read } = this.#deps;
    const before = this.#known.get(reference) ?? {};
    try {
      const value = await read(reference, this.#env);
      this.#known.set(reference, { value });
      return value !== before.value;
    } catch (thrown) {
      const failure = thrown instanceof Error ? thrown.message : String(thrown);
      this.#known.set(reference, { ...before, failure });
      const effect = before.value === undefined
        ? ""
        : "; the value that was read before stays in use";
      if (failure !== before.failure) log(`Cannot read ${reference}: ${failure}${effect}`, "warn");
      return false;
    }
  }
}
