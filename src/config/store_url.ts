/** The setting `store`: the URL of the ledger's database. */

import * as z from "zod";

/** How the connection to a server is encrypted, with the meanings of libpq's `sslmode`. */
const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
export type SslMode = (typeof SSL_MODES)[number];

/** A PostgreSQL server and how to log in. */
export interface PostgresRules {
  readonly kind: "postgres";
  /** The setting itself, to detect changes. It contains the password, so it is never printed. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly sslMode: SslMode;
  /** The path of the CA certificates that the server's certificate must be signed by. */
  readonly rootCertificate: string | undefined;
}

/** Where the ledger is kept. */
export type StoreRules =
  | { readonly kind: "sqlite"; readonly url: string; readonly path: string }
  | PostgresRules;

const POSTGRES_PORT = 5432;
const SQLITE = "sqlite:";
const POSTGRES = /^postgres(?:ql)?:\/\//;

/** The schema of `store`. No message repeats the URL, which contains a password. */
export const storeUrl = z.string().check(({ value, issues }) => {
  const message = storeError(value);
  if (message !== undefined) issues.push({ code: "custom", message, input: undefined });
});

/** Reads a URL that {@linkcode storeUrl} accepts. */
export function toStoreRules(text: string): StoreRules {
  if (text.startsWith(SQLITE)) {
    return { kind: "sqlite", url: text, path: text.slice(SQLITE.length) };
  }
  const { hostname, port, pathname, username, password, searchParams } = new URL(text);
  const user = decodeURIComponent(username);
  return {
    kind: "postgres",
    url: text,
    host: decodeURIComponent(hostname).replace(/^\[|\]$/g, ""),
    port: port === "" ? POSTGRES_PORT : Number(port),
    database: decodeURIComponent(pathname.slice(1)) || user,
    user,
    password: decodeURIComponent(password),
    sslMode: (searchParams.get("sslmode") ?? "prefer") as SslMode,
    rootCertificate: searchParams.get("sslrootcert") ?? undefined,
  };
}

/** The name of a server in messages, without the password. */
export function toStoreName({ host, port, database }: PostgresRules): string {
  return `postgres://${host.includes(":") ? `[${host}]` : host}:${port}/${database}`;
}

/** Why a URL cannot be used. */
function storeError(text: string): string | undefined {
  if (text.startsWith(SQLITE)) {
    return text.length > SQLITE.length ? undefined : "must have the path of a file after 'sqlite:'";
  }
  if (!POSTGRES.test(text)) {
    return "must be 'sqlite:' and the path of a file, such as 'sqlite:./sluice.db', or the URL of " +
      "a PostgreSQL database, such as 'postgres://user:password@host/database'";
  }
  if (!URL.canParse(text) || !isDecodable(text)) {
    return "is not a valid URL: percent-encode the special characters of the user name and the " +
      "password";
  }
  const { hostname, username, searchParams } = new URL(text);
  if (hostname === "" || username === "") return "must name the user and the host";
  for (const [name, value] of searchParams) {
    if (name === "sslrootcert") continue;
    if (name !== "sslmode") return "has an unknown parameter; known are sslmode and sslrootcert";
    if (!(SSL_MODES as readonly string[]).includes(value)) {
      return `has an unknown sslmode; known are ${SSL_MODES.join(", ")}`;
    }
  }
  return undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
