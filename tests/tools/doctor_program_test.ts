/** `sluice doctor` and `sluice check --live`: what they find, and what their reports do not contain. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { examineClocks } from "../../src/tools/doctor/examine.ts";
import { examineStores } from "../../src/tools/doctor/stores.ts";
import type { Finding } from "../../src/tools/doctor/system.ts";
import type { Config } from "../../src/config/config.ts";
import { runCommand } from "../support/command.ts";
import { runSluice, type Surroundings } from "../support/process.ts";
import { type Port, serveVendor } from "../support/server.ts";
import { certificateFiles } from "../support/tls/files.ts";
import { NEEDS_VALKEY, startValkey, VALKEY } from "../support/valkey_server.ts";
import { rulesFor } from "../support/shared_stores.ts";
import { HAS_POSTGRES, withPostgres } from "../support/postgres.ts";
import { emptyDatabase, stopPostgres } from "../support/postgres_store.ts";

const KEY = "sk-vendor-secret-1234567890";
const SERVICE_KEY = "sk-service-secret-1234567890";

interface Report {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

/** A vendor whose reply depends on the first part of the path. */
function serveModels(ahead = 0): Port {
  return serveVendor((request) => {
    const [, part = ""] = new URL(request.url).pathname.split("/");
    const key = request.headers.get("authorization") ?? "";
    const date = new Date(Date.now() - ahead).toUTCString();
    if (part === "refusing") {
      const error = {
        message: `Incorrect API key provided: ${key}`,
        type: "invalid_request_error",
      };
      return Response.json({ error }, { status: 401, headers: { date } });
    }
    if (part === "page") {
      return new Response("<p>Log in", { headers: { "content-type": "text/html", date } });
    }
    const status = new Map([["missing", 404], ["limited", 429], ["failing", 500]]).get(part) ?? 200;
    return Response.json({ object: "list", data: [{ id: "m" }] }, { status, headers: { date } });
  });
}

function configOf(
  providers: Record<string, unknown>,
  others: Record<string, unknown> = {},
): string {
  const keys = [{ name: "own", key: SERVICE_KEY }];
  return JSON.stringify({
    ...others,
    server: { port: 0, keys, ...others.server ?? {} },
    providers,
  });
}

const provider = (base_url: string, members: Record<string, unknown> = {}) => ({
  ...{ kind: "xai", api_key: KEY, models: ["m"], base_url, ...members },
});

async function examined(
  config: string,
  around: Surroundings = {},
): Promise<Report & { code: number }> {
  const files = { "config.yaml": config, ...around.files };
  const run = around.descriptors === undefined ? runCommand : runSluice;
  const { code, stdout, stderr } = await run(["doctor", "--json"], { ...around, files });
  assertEquals(stderr, "");
  for (const secret of [KEY, SERVICE_KEY]) assert(!stdout.includes(secret), stdout);
  return { ...JSON.parse(stdout), code };
}

function find({ findings }: Report, subject: string): string {
  const found = findings.filter((finding) => finding.subject === subject);
  assertEquals(found.length, 1, JSON.stringify(findings, null, 1));
  return `${found[0]?.status}: ${found[0]?.text}`;
}

Deno.test("doctor tries each key of each vendor with one request, and reveals none", async () => {
  await using vendor = serveModels();
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  closed.close();
  const report = await examined(configOf({
    works: provider(`${vendor.url}/works`, { api_key: [KEY, `${KEY}2`] }),
    refuses: provider(`${vendor.url}/refusing`),
    page: provider(`${vendor.url}/page`),
    others: provider(`${vendor.url}/works`, { models: [{ id: "own", upstream: "gone" }] }),
    lacks: provider(`${vendor.url}/missing`),
    limits: provider(`${vendor.url}/limited`),
    fails: provider(`${vendor.url}/failing`),
    closed: provider(`http://127.0.0.1:${closed.addr.port}`),
    mock: { kind: "mock", models: ["mock-echo"] },
    unset: { kind: "openai", api_key: "${NOT_SET}", models: ["o"] },
  }));
  assertEquals([report.code, report.ok], [1, false]);
  for (const key of ["works, key 1 of 2", "works, key 2 of 2"]) {
    assertMatch(find(report, key), /^ok: accepts the credentials, after \d+ ms$/);
  }
  assertEquals(
    find(report, "refuses"),
    "fail: refuses the credentials: status 401: Incorrect API key provided: Bearer [redacted]",
  );
  assertEquals(
    find(report, "page"),
    "warn: replies, but not with a list of models: status 200, text/html; is 'base_url' right?",
  );
  assertEquals(
    report.findings.filter(({ subject }) => subject === "others").map(({ text }) => text)[1],
    "does not list 'gone': is the name right?",
  );
  assertMatch(find(report, "lacks"), /^info: replies .*: status 404/);
  assertMatch(find(report, "limits"), /^warn: is reached, but limits requests: status 429/);
  assertMatch(find(report, "fails"), /^fail: fails: status 500/);
  assertMatch(find(report, "closed"), /^fail: cannot be reached: .*connection refused/);
  assertMatch(find(report, "mock"), /^info: answers within the process/);
  assertEquals(find(report, "provider unset"), "info: is disabled: NOT_SET is not set");
  assertMatch(find(report, "this machine"), /^ok: agrees with 8 other clocks$/);
});

Deno.test("a gateway without faults ends with 0, and the text has all areas and no secret", async () => {
  await using vendor = serveModels();
  const files = { "config.yaml": configOf({ works: provider(`${vendor.url}/works`) }) };
  const { code, stdout } = await runCommand(["doctor"], { files });
  assertEquals(code, 0, stdout);
  assertMatch(stdout, /^sluice \d+\.\d+\.\d+, \w+ \w+, deno \S+, \d{4}-\d\d-\d\dT/);
  const areas = ["CONFIGURATION", "VENDORS", "STORES", "LISTENERS", "CLOCK", "SYSTEM"];
  assertEquals(stdout.match(/^[A-Z]+$/gm), areas);
  assertMatch(stdout, /^ {2}OK +works +accepts the credentials/m);
  assert(stdout.endsWith("\n0 failures, 0 warnings\n"), stdout);
  for (const secret of [KEY, SERVICE_KEY]) assert(!stdout.includes(secret));
});

Deno.test("check --live adds what the vendors, stores and ports say to the report", async () => {
  await using vendor = serveModels();
  for (const [path, expected] of [["works", 0], ["refusing", 1]] as const) {
    const files = { "config.yaml": configOf({ one: provider(`${vendor.url}/${path}`) }) };
    const { code, stdout } = await runCommand(["check", "--live"], { files });
    assertEquals(code, expected, stdout);
    assertStringIncludes(stdout, "config.yaml is valid\n");
    assertMatch(stdout, path === "works" ? /OK +one +accepts/ : /FAIL +one +refuses/);
    assert(!stdout.includes(KEY));
    const plain = await runCommand(["check"], { files });
    assertEquals([plain.code, plain.stdout.includes("VENDORS")], [0, false]);
  }
});

Deno.test("an invalid configuration is a failure with its position, and the system is examined", async () => {
  const report = await examined("server: { prot: 1 }\nproviders: {}\n");
  assertEquals(report.code, 1);
  const [first] = report.findings;
  assertEquals([first?.area, first?.status], ["configuration", "fail"]);
  assertStringIncludes(first?.text ?? "", "prot");
  assert(report.findings.some(({ area }) => area === "system"));
});

Deno.test("a clock that differs from those of vendors is a warning", async () => {
  await using vendor = serveModels(120_000);
  const report = await examined(configOf({ one: provider(`${vendor.url}/works`) }));
  assertMatch(find(report, "this machine"), /^warn: 1(19|20|21) s ahead of 1 other clock: /);
  assertEquals(report.code, 0);
  const clocks = [0, 100, 90_000].map((skewMs, index) => ({ name: `c${index}`, skewMs }));
  assertEquals(examineClocks(clocks).map(({ status, subject }) => [status, subject]), [
    ["ok", "this machine"],
    ["warn", "c2"],
  ]);
});

Deno.test("a port of another process is a failure, and one of a gateway is not", async () => {
  using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const mock = { mock: { kind: "mock", models: ["m"] } };
  const portOf = (port: number) => configOf(mock, { server: { port } });
  const taken = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response("{}"),
  );
  const mine = await examined(portOf(taken.addr.port));
  await taken.shutdown();
  assertMatch(find(mine, `127.0.0.1:${taken.addr.port}`), /^ok: a healthy gateway answers there$/);
  const { port } = other.addr;
  const refused = await examined(portOf(port));
  assertEquals(find(refused, `127.0.0.1:${port}`), "fail: another process uses it");
  assertEquals(refused.code, 1);
});

Deno.test("certificates are read: their names and their end, or what is wrong", async () => {
  const mock = { mock: { kind: "mock", models: ["m"] } };
  const config = configOf(mock, {
    server: {
      tls: { cert: "${FOLDER}/cert.pem", key: "${FOLDER}/key.pem" },
    },
  });
  const valid = await examined(config, { files: certificateFiles("localhost") });
  assertMatch(find(valid, "cert.pem"), /^ok: is valid for \d{4,} days \(.*localhost/);
  const mixed = {
    ...certificateFiles("localhost"),
    "key.pem": certificateFiles("elsewhere")["key.pem"],
  };
  const wrong = await examined(config, { files: mixed });
  assertMatch(find(wrong, "start"), /^fail: Cannot use the certificate cert\.pem with/);
  assertEquals(wrong.code, 1);
  const read = (name: string) =>
    Deno.readTextFileSync(new URL(`../support/tls/${name}`, import.meta.url));
  const expired = await examined(config, {
    files: { "cert.pem": read("expired.pem"), "key.pem": read("expired.key.pem") },
  });
  assertMatch(find(expired, "cert.pem"), /^fail: has expired \d+ days ago/);
});

Deno.test("an SQLite store is examined without creating or changing it", async () => {
  const mock = { mock: { kind: "mock", models: ["m"] } };
  const folder = await Deno.makeTempDir({ prefix: "sluice-doctor-" });
  const report = await examined(configOf(mock, { store: `sqlite:${folder}/usage.db` }));
  assertMatch(find(report, "ledger"), /^info: .* does not exist yet/);
  assertEquals([...Deno.readDirSync(folder)], []);
  await Deno.remove(folder);
});

Deno.test("few file descriptors are a warning with what to change", async () => {
  const mock = { mock: { kind: "mock", models: ["m"] } };
  const report = await examined(configOf(mock), { descriptors: 500 });
  assertMatch(find(report, "file descriptors"), /^warn: only 4\d\d more .*LimitNOFILE/);
});

Deno.test({
  name: `the shared store is asked for its time${NEEDS_VALKEY}`,
  ignore: VALKEY === undefined,
  async fn() {
    const { port, ...server } = await startValkey();
    const sharedStore = rulesFor(port);
    const examine = () => examineStores({ store: undefined, sharedStore } as unknown as Config);
    try {
      const { findings, clocks } = await examine();
      assertEquals(findings.map(({ status }) => status), ["info", "ok"]);
      assert(Math.abs(clocks[0]?.skewMs ?? Infinity) < 5000);
      await server.kill();
      const down = await examine();
      assertMatch(down.findings[1]?.text ?? "", new RegExp(`^127\\.0\\.0\\.1:${port}: .*REFUSED`));
      assertEquals([down.findings[1]?.status, down.clocks], ["fail", []]);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  },
});

Deno.test({
  name: withPostgres("the ledger's server is asked for its time, and its tables are left alone"),
  ignore: !HAS_POSTGRES,
  async fn() {
    try {
      const store = await emptyDatabase();
      const examine = (changes: Record<string, unknown> = {}) =>
        examineStores({ store: { ...store, ...changes } } as unknown as Config);
      const { findings, clocks } = await examine();
      assertEquals(findings.map(({ status }) => status), ["ok", "info"]);
      assert(Math.abs(clocks[0]?.skewMs ?? Infinity) < 5000);
      const refused = await examine({ password: "wrong-password" });
      assertEquals(refused.findings[0]?.status, "fail");
      assert(!JSON.stringify(refused).includes("wrong-password"));
    } finally {
      await stopPostgres();
    }
  },
});
