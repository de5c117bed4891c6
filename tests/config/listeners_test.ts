/** `server.tls`, `server.serves` and `server.listeners`. */

import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ConfigErrors, readAddress } from "../../src/config/config.ts";
import { LISTENER_PARTS } from "../../src/config/listeners.ts";
import { toEndpoints } from "../../src/process/listener/endpoint.ts";
import { loadTestConfig } from "../support/gateway.ts";

const ADDRESS = { hostname: "0.0.0.0", port: 8787 };
const TLS = { cert: "a.pem", key: "a.key" };

Deno.test("without settings there is one listener, which serves everything", () => {
  const { server } = loadTestConfig({ providers: {} }, {});
  assertEquals(toEndpoints(server, ADDRESS), [{
    address: ADDRESS,
    rules: {
      serves: new Set(LISTENER_PARTS),
      hosts: undefined,
      host: undefined,
      isLocal: false,
    },
  }]);
});

Deno.test("listeners have an address, a certificate, parts and names", () => {
  const { server } = loadTestConfig({
    providers: {},
    server: {
      tls: TLS,
      serves: ["api"],
      listeners: [
        { port: "9000", serves: ["admin"], hosts: ["Ops.Example.com."], tls: TLS },
        { host: "::", port: 0 },
        { path: "/run/s", mode: "600", serves: ["api"] },
      ],
    },
  }, {});
  const [main, admin, any, socket] = toEndpoints(server, ADDRESS);
  assertEquals([main?.tls, [...main?.rules?.serves ?? []]], [TLS, ["api"]]);
  assertEquals(admin, {
    address: { hostname: "127.0.0.1", port: 9000 },
    tls: TLS,
    compatible: false,
    rules: {
      serves: new Set(["admin"] as const),
      hosts: new Set(["ops.example.com"]),
      host: "127.0.0.1",
      isLocal: true,
    },
  });
  assertEquals(any?.address, { hostname: "::", port: 0 });
  assertEquals([any?.tls, any?.rules?.isLocal, any?.rules?.serves.size], [undefined, false, 4]);
  assertEquals(socket?.address, { path: "/run/s", mode: 0o600 });
  assertEquals([socket?.rules?.isLocal, socket?.rules?.host], [false, undefined]);
});

/** Invalid `server` sections, with a part of the message. */
const INVALID: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ tls: { cert: "a" } }, "server.tls.key"],
  [{ tls: { cert: "", key: "b" } }, "server.tls.cert"],
  [
    { tls: { ...TLS, client_ca: "ca.pem" } },
    "server.tls.client_ca: is not possible: the gateway does not request client certificates",
  ],
  [{ tls: { ...TLS, sert: "x" } }, "server.tls.sert: is not a known key"],
  [{ serves: [] }, "server.serves"],
  [{ serves: ["apis"] }, "server.serves[0]"],
  [{ listeners: [{}] }, "server.listeners[0]: needs 'port', or 'path' for a Unix socket"],
  [{ listeners: [{ path: "/a", port: 1 }] }, "server.listeners[0].port: excludes 'path'"],
  [{ listeners: [{ path: "/a", host: "b" }] }, "server.listeners[0].host: excludes 'path'"],
  [{ listeners: [{ path: "/a", tls: TLS }] }, "server.listeners[0].tls: excludes 'path'"],
  [{ listeners: [{ path: "/a", mode: "rw" }] }, "server.listeners[0].mode: must be a file mode"],
  [{ listeners: [{ port: 70000 }] }, "server.listeners[0].port"],
  [{ listeners: [{ port: 1, hosts: ["http://a"] }] }, "server.listeners[0].hosts[0]"],
  [{ listeners: [{ prot: 1 }] }, "did you mean 'port'?"],
];

for (const [server, message] of INVALID) {
  Deno.test(`server ${JSON.stringify(server)} is refused`, () => {
    const thrown = assertThrows(() => loadTestConfig({ providers: {}, server }, {}), ConfigErrors);
    assertStringIncludes(thrown.message, message);
  });
}

Deno.test("readAddress() reads the certificate, and ignores an invalid one", () => {
  const sources = { env: () => undefined, readFile: () => "" };
  const read = (tls: unknown) => readAddress(JSON.stringify({ server: { tls } }), sources).tls;
  assertEquals([read(TLS), read(undefined), read(1), read({ cert: "a" })], [
    TLS,
    undefined,
    undefined,
    undefined,
  ]);
});
