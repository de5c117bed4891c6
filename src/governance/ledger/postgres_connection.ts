/**
 * One connection to a PostgreSQL server, which is opened on demand and reopened after a loss. Calls
 * run one after the other; each has a time limit.
 */

import Client from "pg/client";
import { type PostgresRules, toStoreName } from "../../config/shared_store.ts";
import type { SqlRow, SqlSteps } from "./column_types.ts";
import { StoreError } from "./usage_store.ts";

const CONNECT_TIMEOUT_MS = 2000;
/** The maximum number of queued calls. */
const MAX_WAITING_CALLS = 50;

/**
 * SQLSTATE classes for values that the server rejects: data exceptions, violated constraints, and
 * exceeded program limits (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const REFUSED_VALUES = /^(?:22|23|54)/;
/** Rejected logins, unknown databases and missing privileges: the configuration is wrong. */
const REFUSED_LOGIN = /^(?:28|3D|42501)/;
const PLAIN_SERVER = "The server does not support SSL connections";
/**
 * The same, as reported by the driver and by TLS: no password in the URL, a server without TLS, and
 * a certificate from another CA or for another name. The codes are OpenSSL's
 * (https://nodejs.org/api/tls.html#x509-certificate-error-codes, 2026-11-20).
 */
const WRONG_SETTING =
  /^SASL: |does not support SSL|invalid peer certificate: (?:UnknownIssuer|NotValidForName|BadSignature|CaUsedAsEndEntity)/;
const WRONG_CERTIFICATE =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w*(?:ISSUER|LEAF)\w*|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE|INVALID_CA|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME_INVALID|ERR_OSSL_\w+)$/;

/**
 * Runs one statement with values for `$1`, `$2`, …, or several statements without values. The
 * default time limit is the connection's.
 */
export type RunSql = (
  text: string,
  values?: readonly unknown[],
  timeoutMs?: number,
) => Promise<readonly SqlRow[]>;

/** Runs steps, in the caller's transaction. */
export async function runSteps<Result>(sql: RunSql, steps: SqlSteps<Result>): Promise<Result> {
  let step = steps.next([]);
  while (step.done !== true) step = steps.next(await sql(step.value.text, step.value.values));
  return step.value;
}

/** The part of the client that is used here; its package has no types. */
interface PostgresClient {
  connect(): Promise<unknown>;
  query(query: { text: string; values?: readonly unknown[]; query_timeout: number }): Promise<
    { readonly rows?: readonly SqlRow[] }
  >;
  end(): Promise<void>;
  on(event: "error" | "end", listener: () => void): void;
}

export class PostgresConnection {
  readonly #rules: PostgresRules;
  readonly #certificate: string | undefined;
  readonly #timeoutMs: number;
  #client: PostgresClient | undefined;
  /** Resolves when the last call has ended. */
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** The server has no TLS, and `sslmode` allows that. */
  #isPlain: boolean;
  #isClosed = false;

  /**
   * @param certificate the CA certificates that verify the server's certificate, in PEM
   * @param timeoutMs for each statement
   */
  constructor(rules: PostgresRules, certificate: string | undefined, timeoutMs: number) {
    this.#rules = rules;
    this.#certificate = certificate;
    this.#timeoutMs = timeoutMs;
    this.#isPlain = rules.sslMode === "disable";
  }

  /**
   * Runs statements without other calls in between. After an error the connection is closed, which
   * also ends an open transaction.
   *
   * @throws {StoreError}
   */
  async call<Result>(run: (sql: RunSql) => Promise<Result>): Promise<Result> {
    if (this.#waiting >= MAX_WAITING_CALLS) {
      throw new StoreError("too many calls are waiting for it");
    }
    this.#waiting++;
    const result = this.#last.then(() => this.#run(run));
    this.#last = result.catch(() => {});
    try {
      return await result;
    } finally {
      this.#waiting--;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#client?.end();
    this.#client = undefined;
  }

  async #run<Result>(run: (sql: RunSql) => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new StoreError("it is closed");
    const client = this.#client ??= await this.#connect();
    try {
      return await run(async (text, values, timeoutMs = this.#timeoutMs) => {
        const query = { text, query_timeout: timeoutMs, ...(values && { values }) };
        return (await client.query(query)).rows ?? [];
      });
    } catch (thrown) {
      this.#forget(client);
      await client.end().catch(() => {});
      throw toStoreError(thrown);
    }
  }

  async #connect(): Promise<PostgresClient> {
    const { host, port, database, user, password } = this.#rules;
    const client = new Client({
      ...{ host, port, database, user },
      // A function, because the driver would replace an empty string with an environment variable.
      password: () => password,
      ssl: this.#isPlain ? false : this.#tls(),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      application_name: "sluice",
    }) as PostgresClient;
    // Without a listener, losing an idle connection would crash the process.
    client.on("error", () => this.#forget(client));
    client.on("end", () => this.#forget(client));
    try {
      await client.connect();
      return client;
    } catch (thrown) {
      await client.end().catch(() => {});
      if (
        this.#rules.sslMode === "prefer" && !this.#isPlain && messageOf(thrown) === PLAIN_SERVER
      ) {
        this.#isPlain = true;
        return await this.#connect();
      }
      throw toStoreError(thrown, `cannot connect to ${toStoreName(this.#rules)}: `);
    }
  }

  /** The TLS options for `sslmode` (https://www.postgresql.org/docs/current/libpq-ssl.html). */
  #tls() {
    const ca = this.#certificate === undefined ? {} : { ca: this.#certificate };
    switch (this.#rules.sslMode) {
      case "verify-full":
        return ca;
      case "verify-ca":
        return { ...ca, checkServerIdentity: () => undefined };
      default:
        return { rejectUnauthorized: false };
    }
  }

  #forget(client: PostgresClient): void {
    if (this.#client === client) this.#client = undefined;
  }
}

/** The server's message, which contains no password and no row values. */
function toStoreError(thrown: unknown, prefix = ""): StoreError {
  if (thrown instanceof StoreError) return thrown;
  const code = String((thrown as { readonly code?: unknown }).code ?? "");
  // Messages about rejected values may repeat the values.
  if (REFUSED_VALUES.test(code)) return new StoreError(`SQLSTATE ${code}`, "values");
  const message = messageOf(thrown);
  const isSetup = REFUSED_LOGIN.test(code) || WRONG_CERTIFICATE.test(code) ||
    WRONG_SETTING.test(message);
  return new StoreError(`${prefix}${message}`, isSetup ? "setup" : "unavailable");
}

function messageOf(thrown: unknown): string {
  // For a host with several addresses, the error contains one error per address.
  if (thrown instanceof AggregateError) return messageOf(thrown.errors[0]);
  return thrown instanceof Error ? thrown.message : String(thrown);
}
