/** `sluice health`: the URL that it requests, and its results. */

import { assertEquals } from "@std/assert";
import { readAddress } from "../../src/config/config.ts";
import { checkHealth } from "../../src/tools/health.ts";

/** Starts a server in place of a gateway and passes its port to `run`. */
async function withServer(
  hostname: string,
  answer: (path: string) => Response,
  run: (port: number) => Promise<void>,
): Promise<void> {
  await using server = Deno.serve(
    { hostname, port: 0, onListen: () => {} },
    (request) => answer(new URL(request.url).pathname),
  );
  await run(server.addr.port);
}

const asGateway = (path: string) => new Response("{}", { status: path === "/healthz" ? 200 : 404 });

for (const host of ["127.0.0.1", "localhost", "0.0.0.0"]) {
  Deno.test(`checkHealth() finds a gateway that listens on ${host}`, async () => {
    await withServer(host, asGateway, async (port) => {
      assertEquals(await checkHealth({ host, port, tls: undefined }), undefined);
    });
  });
}

Deno.test("checkHealth() reports an unexpected status", async () => {
  await withServer("127.0.0.1", () => new Response(null, { status: 503 }), async (port) => {
    const error = await checkHealth({ host: "127.0.0.1", port, tls: undefined });
    assertEquals(error, `http://127.0.0.1:${port}/healthz returned status 503`);
  });
});

Deno.test("checkHealth() says why it cannot connect", async () => {
  const closed = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = closed.addr;
  closed.close();
  assertEquals(
    await checkHealth({ host: "127.0.0.1", port, tls: undefined }),
    `Cannot connect to http://127.0.0.1:${port}/healthz: connection refused: no process listens there`,
  );
  const cert = "tests/support/tls/localhost.pem";
  assertEquals(
    await checkHealth({ host: "127.0.0.1", port, tls: { cert, key: cert } }),
    `Cannot connect to https://127.0.0.1:${port}/healthz: connection refused: no process listens there`,
  );
});

const sources = {
  env: (name: string) => name === "PORT" ? "9000" : undefined,
  readFile: () => {
    throw new Deno.errors.NotFound();
  },
};

/** Texts of config.yaml and the address that they configure. */
const ADDRESSES: readonly (readonly [string, string, number])[] = [
  ["server: { host: 0.0.0.0, port: 9000 }", "0.0.0.0", 9000],
  ['server: { port: "${PORT}" }\nproviders: 5', "127.0.0.1", 9000],
  ["server: { prot: 1, host: '::', port: many }", "::", 8787],
  ["server: {", "127.0.0.1", 8787],
  ["", "127.0.0.1", 8787],
];

for (const [text, host, port] of ADDRESSES) {
  Deno.test(`readAddress() reads ${JSON.stringify(text)}`, () => {
    assertEquals(readAddress(text, sources), { host, port });
  });
}
