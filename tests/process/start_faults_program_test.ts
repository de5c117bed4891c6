/** What prevents a start: `serve` says it and ends, `check` and `doctor` say the same before. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runSluice, type Surroundings } from "../support/process.ts";
import { certificateFiles } from "../support/tls/files.ts";

interface Fault extends Surroundings {
  /** Members of `server`. */
  readonly server?: Record<string, unknown>;
  readonly store?: string;
  readonly keys?: readonly unknown[];
  readonly args?: readonly string[];
  /** The whole messages; none if nothing prevents the start. */
  readonly says: readonly string[];
}

const KEYS = [{ name: "own", key: "sk-service-secret-1234567890" }];
const TLS = { cert: "cert.pem", key: "key.pem" };
const PUBLIC = "No service key is set, and other machines can connect to 0.0.0.0: set " +
  "SLUICE_API_KEY or 'server.keys' in config.yaml, or listen on 127.0.0.1";
const LONG = "s".repeat(120);

/** A database whose schema has a later version. */
function laterDatabase(): string {
  const bytes = new Uint8Array(100);
  new TextEncoder().encodeInto("SQLite format 3\0", bytes);
  new DataView(bytes.buffer).setUint32(60, 99);
  return new TextDecoder().decode(bytes);
}

const FAULTS: Readonly<Record<string, Fault>> = {
  "nothing": { says: [] },
  "no keys on an address of other machines": {
    keys: [],
    server: { host: "0.0.0.0" },
    says: [PUBLIC],
  },
  "the same by SLUICE_HOST": { keys: [], env: { SLUICE_HOST: "0.0.0.0" }, says: [PUBLIC] },
  "the same by --host": { keys: [], args: ["--host", "0.0.0.0"], says: [PUBLIC] },
  "a port that is none": {
    env: { SLUICE_PORT: "http" },
    says: ["SLUICE_PORT must be a number from 0 to 65535, not 'http'"],
  },
  "a log level that is none": {
    env: { SLUICE_LOG_LEVEL: "loud" },
    says: ["SLUICE_LOG_LEVEL must be one of debug, info, warn, error"],
  },
  "files of TLS that do not exist, and a missing folder of the store": {
    server: { tls: TLS },
    store: "sqlite:none/usage.db",
    says: [
      "Cannot open the store none/usage.db: the folder 'none' does not exist",
      "Cannot read the certificate cert.pem: the file does not exist",
    ],
  },
  "a certificate without its key": {
    server: { listeners: [{ port: 0, tls: TLS }] },
    files: {
      ...certificateFiles("localhost"),
      "key.pem": certificateFiles("elsewhere")["key.pem"] ?? "",
    },
    says: [
      "Cannot use the certificate cert.pem with the private key key.pem: " +
      "keys may not be consistent: KeyMismatch",
    ],
  },
  "a store that is no database": {
    store: "sqlite:usage.db",
    files: { "usage.db": "not a database" },
    says: ["Cannot open the store usage.db: it is not an SQLite database"],
  },
  "a store of a later version": {
    store: "sqlite:usage.db",
    files: { "usage.db": laterDatabase() },
    says: [
      "Cannot open the store usage.db: its schema has version 99, which is newer than this program",
    ],
  },
  "a store that is a folder": {
    store: "sqlite:.",
    says: ["Cannot open the store .: '.' is not a regular file"],
  },
  "a root certificate that does not exist": {
    store: "postgres://u:secret-password@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=root.pem",
    says: [
      "Cannot open the store postgres://127.0.0.1:1/d: the root certificate root.pem cannot be " +
      "read: No such file or directory",
    ],
  },
  "a root certificate that is none": {
    store: "postgres://u:secret-password@127.0.0.1:1/d?sslmode=verify-full&sslrootcert=root.pem",
    files: { "root.pem": "no certificate" },
    says: [
      "Cannot open the store postgres://127.0.0.1:1/d: the root certificate root.pem is not a " +
      "certificate in PEM",
    ],
  },
  "a socket in a folder that does not exist": {
    server: { listeners: [{ path: "none/s.sock" }] },
    says: ["Cannot listen on unix:none/s.sock: the folder 'none' does not exist"],
  },
  "a socket in place of a file, and one with a long path": {
    server: { listeners: [{ path: "config.yaml" }, { path: LONG }] },
    says: [
      "Cannot listen on unix:config.yaml: the file exists",
      `Cannot listen on unix:${LONG}: its path has more than 103 bytes`,
    ],
  },
  "two listeners with one address": {
    server: { port: 18_234, listeners: [{ port: 18_234 }] },
    says: ["Cannot listen on 127.0.0.1:18234: 'server' has two listeners with this address"],
  },
};

for (
  const [what, { server = {}, store, keys = KEYS, args = [], says, ...around }] of Object.entries(
    FAULTS,
  )
) {
  Deno.test(`whether it would start is answered before: ${what}`, async () => {
    const config = {
      server: { port: 0, keys, ...server },
      ...(store !== undefined && { store }),
      providers: { mock: { kind: "mock", models: ["m"] } },
    };
    const files = { ...around.files, "config.yaml": JSON.stringify(config) };
    const run = (words: readonly string[]) => runSluice([...words, ...args], { ...around, files });
    const [checked, live, report] = await Promise.all([
      run(["check"]),
      run(["check", "--live"]),
      run(["doctor", "--json"]),
    ]);
    const code = says.length === 0 ? 0 : 1;
    const stderr = says.map((text) => `sluice: ${text}\n`).join("");
    assertEquals([checked.stderr, checked.code], [stderr, code]);
    assertEquals([live.stderr, live.code === 0], [stderr, code === 0], live.stdout);
    const { findings } = JSON.parse(report.stdout);
    const failed = findings.filter(({ status }: { status: string }) => status === "fail")
      .map(({ text }: { text: string }) => text);
    for (const text of says) {
      assertEquals(failed.filter((one: string) => one === text).length, 1, report.stdout);
    }
    assertEquals(report.code, code, report.stdout);
    if (says.length === 0) return;
    const served = await run([]);
    assertEquals([served.stdout, served.code], ["", 1]);
    for (const text of says) assertStringIncludes(served.stderr, text);
    assert(!served.stderr.includes("secret"), served.stderr);
  });
}
