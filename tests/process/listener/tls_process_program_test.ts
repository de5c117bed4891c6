/** A gateway with TLS, as a process with one worker and with two. */

import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { fileURLToPath } from "node:url";
import { until } from "../../support/elapse.ts";
import { type Running, runSluice, startSluice } from "../../support/process.ts";
import { readRoot } from "../../support/read_root.ts";
import { RawCaller } from "../../support/raw_caller.ts";
import { certificateFiles, type CertificateName, TlsCaller } from "../../support/tls/files.ts";

const PATIENCE_MS = 60_000;
const KEY = { authorization: "Bearer sk-own" };
const TLS = { cert: "cert.pem", key: "key.pem" };

function configOf(server: Record<string, unknown>): string {
  return JSON.stringify({
    server: { port: 0, tls: TLS, keys: [{ name: "own", key: "sk-own" }], ...server },
    providers: { mock: { kind: "mock", models: ["mock-echo"] } },
  });
}

async function start(server: Record<string, unknown> = {}): Promise<[Running, number]> {
  const files = { "config.yaml": configOf(server), ...certificateFiles("localhost") };
  const running = startSluice([], { files });
  await running.logged("Next steps");
  const [, port] = /^Sluice listens on https:\S+:(\d+)$/m.exec(running.stderr()) ?? [];
  return [running, Number(port)];
}

/** Whether a new connection gets a certificate, and an answer. */
async function hasCertificate(port: number, name: CertificateName): Promise<boolean> {
  try {
    using caller = await TlsCaller.connect(port, name);
    return (await caller.ask("/healthz")).startsWith("HTTP/1.1 200");
  } catch {
    return false;
  }
}

/** Of some streams, one is not delayed by the load of the machine. */
const STREAMS = 10;

/** Connections in a row that each worker has at least one of, but for a chance of 2^-11. */
const MANY = 12;

/** Waits until all new connections get a certificate. */
async function waitForCertificate(port: number, name: CertificateName): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (let inRow = 0; inRow < MANY;) {
    inRow = await hasCertificate(port, name) ? inRow + 1 : 0;
    if (performance.now() > end) throw new Error(`The port has another certificate than ${name}`);
  }
}

for (const workers of [1, 2]) {
  Deno.test(`${workers} workers serve HTTP/2 and HTTP/1.1 over TLS, and streams`, async () => {
    const [running, port] = await start({ workers });
    await using _ = running;
    const caCerts = [certificateFiles("localhost")["cert.pem"]];
    for (const version of [{ http1: false }, { http2: false }]) {
      using client = Deno.createHttpClient({ caCerts, ...version });
      const response = await fetch(`https://localhost:${port}/v1/chat/completions`, {
        client,
        method: "POST",
        headers: KEY,
        body: JSON.stringify({
          model: "mock-echo",
          stream: true,
          messages: [{ role: "user", content: "Hello" }],
        }),
      });
      assertEquals(response.status, 200);
      const text = await response.text();
      assertStringIncludes(text, '"content"');
      assert(text.endsWith("data: [DONE]\n\n"));
    }
    assertStringIncludes(running.stderr(), `  base URL  https://127.0.0.1:${port}/v1\n`);
  });

  Deno.test(`${workers} workers use a new certificate, and open connections and streams stay`, async () => {
    const [running, port] = await start({ workers });
    await using _ = running;
    using before = await TlsCaller.connect(port, "localhost");
    assertMatch(await before.ask("/healthz"), /^HTTP\/1\.1 200/);
    using live = await TlsCaller.connect(port, "localhost");
    assertMatch(
      await live.ask("/v1/live", `authorization: ${KEY.authorization}\r\n`),
      /^HTTP\/1\.1 200/,
    );
    for (const [name, text] of Object.entries(certificateFiles("elsewhere"))) {
      running.write(name, text);
    }
    await running.logged("the new certificate cert.pem is in use");
    // The message precedes the last worker.
    await waitForCertificate(port, "elsewhere");
    await assertRejects(() => TlsCaller.connect(port, "localhost"));
    assertMatch(await before.ask("/healthz"), /^HTTP\/1\.1 200/);
    assertStringIncludes(await live.read(), "data: ");
  });
}

Deno.test("the events of a stream over TLS do not wait for acknowledgements", async () => {
  const [running, port] = await start({ workers: 1 });
  await using _ = running;
  const body = JSON.stringify({
    ...{ model: "mock-echo", stream: true },
    messages: [{ role: "user", content: "some words that are sent one by one" }],
  });
  let fastest = Infinity;
  for (let count = 0; count < STREAMS; count++) {
    using caller = await TlsCaller.connect(port, "localhost");
    const began = performance.now();
    let text = await caller.post("/v1/chat/completions", body, KEY.authorization);
    while (!text.includes("[DONE]")) text += await caller.read();
    fastest = Math.min(fastest, performance.now() - began);
  }
  // With Nagle's algorithm, an event waits up to 40 ms for the acknowledgement of the one before.
  assert(fastest < 30, `${fastest} ms`);
});

Deno.test("a certificate that has expired replaces no valid one, and a valid one replaces it", async () => {
  const expired = {
    "cert.pem": readRoot("tests/support/tls/expired.pem"),
    "key.pem": readRoot("tests/support/tls/expired.key.pem"),
  };
  const [running, port] = await start({ workers: 2 });
  await using _ = running;
  for (const [name, text] of Object.entries(expired)) running.write(name, text);
  await running.logged(
    "the new certificate cert.pem has expired on 2021-01-01; the previous one stays in use",
  );
  await waitForCertificate(port, "localhost");
  for (const [name, text] of Object.entries(certificateFiles("elsewhere"))) {
    running.write(name, text);
  }
  await running.logged("the new certificate cert.pem is in use");
  await waitForCertificate(port, "elsewhere");
  using caller = await TlsCaller.connect(port, "elsewhere");
  const metrics = await caller.ask("/metrics", `authorization: ${KEY.authorization}\r\n`);
  assertMatch(metrics, /^HTTP\/1\.1 200/);
  let text = metrics;
  while (!text.includes("sluice_certificate_expiry_timestamp_seconds 4")) {
    const more = await caller.read();
    if (more === "") throw new Error("The metric is missing");
    text += more;
  }
});

Deno.test("a certificate without its key stays unused until the key is there too", async () => {
  const [running, port] = await start();
  await using _ = running;
  const { "cert.pem": cert, "key.pem": key } = certificateFiles("elsewhere");
  running.write("cert.pem", cert);
  await running.logged("the previous certificate stays in use");
  {
    using caller = await TlsCaller.connect(port, "localhost");
    assertMatch(await caller.ask("/healthz"), /^HTTP\/1\.1 200/);
  }
  running.write("key.pem", key);
  await running.logged("the new certificate cert.pem is in use");
  await waitForCertificate(port, "elsewhere");
});

Deno.test("plain HTTP and slow handshakes on the TLS port get nothing, and harm no one", async () => {
  const [running, port] = await start({ head_timeout: "1s", workers: 1 });
  await using _ = running;
  const base = `http://127.0.0.1:${port}`;
  await using plain = await RawCaller.connect(base);
  await plain.send("GET /healthz HTTP/1.1\nhost: localhost\n\n");
  await using silent = await RawCaller.connect(base);
  await using slow = await RawCaller.connect(base);
  // The start of a handshake record, which does not continue.
  await slow.send("\x16\x03\x01\x02");
  await until(() => plain.isClosed, PATIENCE_MS);
  assert(!plain.text.includes("200"));
  // After the time limit of the others.
  await new Promise((resolve) => setTimeout(resolve, 2500));
  using caller = await TlsCaller.connect(port, "localhost");
  const metrics = await caller.ask("/metrics", `authorization: ${KEY.authorization}\r\n`);
  assertMatch(metrics, /^HTTP\/1\.1 200/);
  assertEquals([silent.text, slow.text], ["", ""]);
  assert(!/error|rejection/i.test(running.stderr()), running.stderr());
});

/** Files that cannot be used, with the message. */
const UNUSABLE: Readonly<Record<string, readonly [Record<string, string>, RegExp]>> = {
  "the key of another certificate": [
    { ...certificateFiles("localhost"), "key.pem": certificateFiles("elsewhere")["key.pem"] },
    /Cannot use the certificate cert\.pem with the private key key\.pem: /,
  ],
  "a key that is none": [
    { ...certificateFiles("localhost"), "key.pem": "no key" },
    /Cannot use the certificate cert\.pem with the private key key\.pem: /,
  ],
  "an empty certificate": [
    { ...certificateFiles("localhost"), "cert.pem": "" },
    /Cannot use the certificate cert\.pem/,
  ],
  "no key": [
    { "cert.pem": certificateFiles("localhost")["cert.pem"] },
    /Cannot read the private key key\.pem: the file does not exist/,
  ],
};

for (const [what, [files, message]] of Object.entries(UNUSABLE)) {
  Deno.test(`with ${what} the process does not start, and says why`, async () => {
    for (const workers of [1, 2]) {
      const config = configOf({ workers });
      const { code, stderr } = await runSluice([], { files: { "config.yaml": config, ...files } });
      assertEquals(code, 1);
      assertMatch(stderr, message);
      assert(!stderr.includes("BEGIN") && !stderr.includes("    at "), stderr);
    }
  });
}

Deno.test("keys and connect call a gateway with TLS whose certificate is trusted", async () => {
  const [running, port] = await start({ admin_keys: [{ name: "ops", key: "sk-ops" }] });
  await using _ = running;
  const url = ["--url", `https://localhost:${port}`];
  const folder = Deno.makeTempDirSync({ prefix: "sluice-" });
  try {
    const env = {
      SLUICE_ADMIN_KEY: "sk-ops",
      SLUICE_API_KEY: "sk-own",
      CODEX_HOME: folder,
      DENO_CERT: fileURLToPath(new URL("../../support/tls/localhost.pem", import.meta.url)),
    };
    const usage = await runSluice(["usage", ...url], { env });
    assertEquals([usage.code, usage.stderr], [0, ""]);
    const printed = await runSluice(["connect", "codex", "--print", ...url], { env });
    assertEquals(printed.code, 0, printed.stderr);
    assertStringIncludes(printed.stdout, `base_url = "https://localhost:${port}/v1"`);
    const untrusted = await runSluice(["usage", ...url], { env: { SLUICE_ADMIN_KEY: "sk-ops" } });
    assertEquals(untrusted.code, 1);
    assertStringIncludes(untrusted.stderr, `Cannot connect to https://localhost:${port}`);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("health asks a gateway with TLS", async () => {
  const [running, port] = await start();
  await using _ = running;
  const files = { "config.yaml": configOf({ port }) };
  const pair = { ...files, ...certificateFiles("localhost") };
  const healthy = await runSluice(["health"], { files: pair });
  assertEquals([healthy.code, healthy.stdout], [0, "ok\n"]);
  const plain = { "config.yaml": configOf({ port, tls: undefined }) };
  const wrong = await runSluice(["health"], { files: plain });
  assertEquals(wrong.code, 1);
});
