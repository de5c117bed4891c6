/** Vendors behind a proxy or TLS of their own providers, on loopback, with certificates by openssl. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { SystemClock } from "../../src/core/clock.ts";
import { dial } from "../../src/upstream/http1/dial.ts";
import { HttpClient } from "../../src/upstream/http1/client.ts";
import { createGatewayOn, VENDOR_KEY } from "../support/gateway.ts";
import { errorsOf } from "../support/sample_config.ts";
import { sayHello } from "../support/scripted_vendor.ts";
import { needs } from "../support/needs.ts";

const HAS_OPENSSL = (() => {
  try {
    return new Deno.Command("openssl", { args: ["version"] }).outputSync().success;
  } catch {
    return false;
  }
})();

const ANSWER = await sayHello({ url: "/chat/completions", body: {} }).text();
const CHAT = "/v1/chat/completions";
const HI = [{ role: "user", content: "Hi" }];

/** A folder with a private CA, and certificates that it has signed. */
class Authority implements Disposable {
  readonly folder = Deno.makeTempDirSync({ prefix: "sluice-ca-" });

  constructor() {
    this.#run("req", "-x509", ...KEY, "-days", "2", "-subj", "/CN=Private CA", ...this.#out("ca"));
    this.#sign("server", "subjectAltName=DNS:localhost,IP:127.0.0.1");
    this.#sign("client", "extendedKeyUsage=clientAuth");
  }

  path(name: string): string {
    return `${this.folder}/${name}`;
  }

  text(name: string): string {
    return Deno.readTextFileSync(this.path(name));
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.folder, { recursive: true });
  }

  #sign(name: string, extension: string): void {
    this.#run("req", ...KEY, "-subj", `/CN=${name}`, ...this.#out(name, "csr"));
    Deno.writeTextFileSync(this.path("extension"), `${extension}\n`);
    this.#run(
      ...["x509", "-req", "-days", "2", "-in", this.path(`${name}.csr`)],
      ...["-CA", this.path("ca.pem"), "-CAkey", this.path("ca.key"), "-CAcreateserial"],
      ...["-extfile", this.path("extension"), "-out", this.path(`${name}.pem`)],
    );
  }

  #out(name: string, kind = "pem"): string[] {
    return ["-keyout", this.path(`${name}.key`), "-out", this.path(`${name}.${kind}`)];
  }

  #run(...args: string[]): void {
    const { success, stderr } = new Deno.Command("openssl", { args }).outputSync();
    assert(success, new TextDecoder().decode(stderr));
  }
}

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** A vendor with TLS that keeps the names of its clients' certificates. */
class Vendor implements AsyncDisposable {
  readonly clients: (string | undefined)[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(authority: Authority, requestCert: boolean): Promise<Vendor> {
    const server = createServer({
      cert: authority.text("server.pem"),
      key: authority.text("server.key"),
      ca: authority.text("ca.pem"),
      requestCert,
      rejectUnauthorized: requestCert,
    });
    const vendor = new Vendor(server);
    server.on("request", (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate?.() ?? {};
      vendor.clients.push(subject?.CN as string | undefined);
      request.resume();
      request.on("end", () => {
        response.writeHead(200, { "content-type": "application/json", connection: "close" });
        response.end(ANSWER);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return vendor;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A gateway over the real clients, with one provider for each set of members. */
function startGateway(providers: Record<string, Record<string, unknown>>) {
  const clock = new SystemClock();
  const transport = new HttpClient({ dial, clock });
  const config = {
    providers: Object.fromEntries(
      Object.entries(providers).map(([id, members]) => [id, {
        ...{ kind: "openai_compatible", api_key: VENDOR_KEY, models: [id], retries: 0 },
        ...members,
      }]),
    ),
  };
  const gateway = createGatewayOn(clock, { config, fetch: transport.fetch });
  const ask = async (model: string) => {
    const response = await gateway.call(CHAT, { model, messages: HI });
    const { choices, error } = await response.json();
    return choices?.[0].message.content ?? error.message;
  };
  return {
    ...{ gateway, ask },
    [Symbol.dispose]() {
      transport.close();
      clock.close();
    },
  };
}

Deno.test({
  ...needs(
    "openssl",
    HAS_OPENSSL,
    "a private CA and a client certificate are those of one provider",
  ),
  async fn() {
    using authority = new Authority();
    await using plain = await Vendor.start(authority, false);
    await using mutual = await Vendor.start(authority, true);
    const at = (vendor: Vendor) => ({ base_url: `https://localhost:${vendor.port}/v1` });
    const ca = authority.path("ca.pem");
    const client = { cert: authority.text("client.pem"), key: authority.path("client.key") };
    using started = startGateway({
      trusting: { ...at(plain), tls: { ca } },
      strange: at(plain),
      mutual: { ...at(mutual), tls: { ca, ...client } },
      unknown: { ...at(mutual), tls: { ca } },
    });
    const { ask } = started;
    assertEquals(await ask("trusting"), "Hello.");
    assertMatch(await ask("strange"), /provider 'strange': TLS handshake failed$/);
    assertEquals(await ask("mutual"), "Hello.");
    assertMatch(await ask("unknown"), /provider 'unknown'/);
    // A kept connection of another provider is not used.
    assertMatch(await ask("strange"), /TLS handshake failed$/);
    assertEquals([plain.clients, mutual.clients], [[undefined], ["client"]]);
  },
});

Deno.test({
  ...needs(
    "openssl",
    HAS_OPENSSL,
    "certificates that cannot be used are a failure of TLS, and their key is in no line",
  ),
  async fn() {
    using authority = new Authority();
    const cert = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";
    const key = authority.text("client.key");
    using started = startGateway({
      broken: { base_url: "https://127.0.0.1:1/v1", tls: { cert, key } },
    });
    assertMatch(await started.ask("broken"), /TLS handshake failed$/);
    const [line] = key.split("\n").slice(1);
    const text = JSON.stringify(started.gateway.lines);
    assertStringIncludes(text, "the certificates cannot be used");
    assert(line !== undefined && !text.includes(line));
  },
});

/** A proxy that answers plain requests itself; it keeps their first lines and credentials. */
async function withProxy(run: (port: number, asked: string[]) => Promise<void>): Promise<void> {
  const asked: string[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    for await (const connection of listener) {
      const bytes = new Uint8Array(64 * 1024);
      let text = "";
      while (!/\r\n\r\n[^]*\}$/.test(text) && !text.startsWith("CONNECT")) {
        text += new TextDecoder().decode(bytes.subarray(0, await connection.read(bytes) ?? 0));
      }
      const [line = ""] = text.split("\r\n");
      asked.push(line, ...[/^proxy-authorization: (.*)$/im.exec(text)?.[1] ?? []].flat());
      const answer = line.startsWith("CONNECT")
        ? "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"
        : `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${ANSWER.length}\r\n\r\n${ANSWER}`;
      await connection.write(new TextEncoder().encode(answer));
      connection.close();
    }
  })();
  try {
    await run(listener.addr.port, asked);
  } finally {
    listener.close();
    await serving;
  }
}

Deno.test("a proxy is that of one provider, and is named when it refuses", async () => {
  await withProxy(async (port, asked) => {
    const proxy = `http://ada:pass%20word@127.0.0.1:${port}`;
    using started = startGateway({
      plain: { base_url: "http://vendor.test/v1", proxy },
      secure: { base_url: "https://vendor.test/v1", proxy },
      direct: { base_url: "http://127.0.0.1:1/v1" },
    });
    const { ask, gateway } = started;
    assertEquals(await ask("plain"), "Hello.");
    const basic = `Basic ${btoa("ada:pass word")}`;
    assertEquals(asked, ["POST http://vendor.test/v1/chat/completions HTTP/1.1", basic]);
    assertMatch(await ask("direct"), /provider 'direct': connection refused$/);
    assertEquals(
      await ask("secure"),
      "Cannot reach provider 'secure': the proxy does not answer, or rejects the connection",
    );
    assertEquals(asked.slice(2), ["CONNECT vendor.test:443 HTTP/1.1", basic]);
    const text = JSON.stringify(gateway.lines);
    assertStringIncludes(text, "proxy of the provider, for vendor.test:443");
    assert(!text.includes("pass"));
  });
});

Deno.test("proxies and certificates of providers are checked", () => {
  const provider = (members: string) =>
    `providers: { p: { kind: openai, api_key: k, models: [m], ${members} } }`;
  const files = { "/ca.pem": "-----BEGIN CERTIFICATE-----", "/text": "no certificate" };
  assertEquals(errorsOf(provider("tls: { ca: /ca.pem }, proxy: direct"), { files }), []);
  assertEquals(errorsOf(provider("proxy: 'socks5://127.0.0.1:1080'")), []);
  const url = "must be 'direct' or a URL such as http://proxy.example.com:3128";
  for (const wrong of ["proxy.example.com", "ftp://a", "http://a/b", ""]) {
    assertEquals(errorsOf(provider(`proxy: "${wrong}"`)), [`providers.p.proxy: ${url}`], wrong);
  }
  assertEquals(errorsOf(provider("tls: { ca: /none, cert: /text }"), { files }).toSorted(), [
    "providers.p.tls.ca: is neither text in PEM nor a file that can be read",
    "providers.p.tls.cert: the file is not in PEM: it has no line '-----BEGIN …'",
    "providers.p.tls: needs both 'cert' and 'key', or neither",
  ]);
});
