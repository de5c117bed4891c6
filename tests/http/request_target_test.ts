/** The route comes from the request's target, whatever the Host header says. */

import { assertEquals } from "@std/assert";
import { readPath } from "../../src/http/router.ts";
import { createTestGateway, SERVICE_KEY } from "../support/gateway.ts";
import { type ServedGateway, serveGateway } from "../support/server.ts";

const CONFIG = { providers: { mock: { kind: "mock", models: ["m"] } } };

/** Sends a request as it is written here, and gives the status and the body of the answer. */
async function send(
  served: ServedGateway,
  text: string,
): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(served.url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(text));
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(4096);
  let answer = "";
  for (let size; (size = await connection.read(buffer)) !== null;) {
    answer += decoder.decode(buffer.subarray(0, size), { stream: true });
  }
  const [head = "", body = ""] = answer.split("\r\n\r\n", 2);
  return { status: Number(head.split(" ")[1]), body };
}

function get(target: string, headers: string): string {
  return `GET ${target} HTTP/1.1\r\n${headers}connection: close\r\n\r\n`;
}

/** Hosts that would make another path, or another host, of the URL. */
const ODD_HOSTS = [
  "x/healthz?",
  "x/healthz#",
  "x/v1/models?",
  "/healthz?",
  "x?",
  "x#",
  "x\\healthz",
  "user:secret@x",
  "//",
  "a b",
  "é",
  "x/../y",
  '"x"',
  "<x>",
];

for (const host of ODD_HOSTS) {
  Deno.test(`a Host '${host}' is a 400 and does not change the route`, async () => {
    await using served = serveGateway({ config: CONFIG });
    for (const target of ["/v1/models", "/healthz", "/nothing"]) {
      const { status, body } = await send(served, get(target, `host: ${host}\r\n`));
      assertEquals([status, JSON.parse(body).error], [400, {
        message: "The Host header is not valid",
        type: "invalid_request_error",
        param: null,
        code: null,
      }]);
    }
    assertEquals(served.gateway.bugs, []);
  });
}

for (
  const host of ["x", "X.Example.", "x:8080", "[::1]", "[::1]:80", "10.0.0.1:99999", "a_b", ""]
) {
  Deno.test(`a Host '${host}' is accepted`, async () => {
    await using served = serveGateway({ config: CONFIG });
    assertEquals((await send(served, get("/healthz", `host: ${host}\r\n`))).status, 200);
    assertEquals((await send(served, get("/v1/models", `host: ${host}\r\n`))).status, 401);
  });
}

Deno.test("a request without a Host is served, as HTTP/2 and HTTP/1.0 clients send it", async () => {
  await using served = serveGateway({ config: CONFIG });
  for (
    const [target, status] of [["/healthz", 200], ["/v1/models", 401], ["/nothing", 404]] as const
  ) {
    assertEquals((await send(served, get(target, ""))).status, status);
  }
});

/** Targets in their other forms, and the path that each asks for. */
const TARGETS: readonly (readonly [target: string, status: number])[] = [
  ["http://other.example/healthz", 200],
  ["http://other.example/healthz?x=/v1/models", 200],
  ["http://user:secret@other.example/healthz", 200],
  ["https://other.example/v1/models", 401],
  ["http://other.example", 200],
  ["http://other.example/nothing?/healthz", 404],
  ["/healthz?http://other.example/v1/models", 200],
  ["//healthz", 404],
  ["//other.example/healthz", 404],
  ["/healthz#", 404],
  ["/../healthz", 404],
  ["/v1/../healthz", 404],
  ["/%68ealthz", 404],
  ["/\\healthz", 404],
];

for (const [target, status] of TARGETS) {
  Deno.test(`the target '${target}' is taken as it is: ${status}`, async () => {
    await using served = serveGateway({ config: CONFIG });
    assertEquals((await send(served, get(target, "host: gateway.test\r\n"))).status, status);
  });
}

Deno.test("CONNECT and the target '*' match no route", async () => {
  await using served = serveGateway({ config: CONFIG });
  const rest = "HTTP/1.1\r\nhost: gateway.test\r\nconnection: close\r\n\r\n";
  assertEquals((await send(served, `CONNECT other.example:80 ${rest}`)).status, 405);
  assertEquals((await send(served, `OPTIONS * ${rest}`)).status, 404);
});

Deno.test("a model's name may hold whatever a target may", async () => {
  const models = ["a/b", "c@d", "ü ?#%"];
  const gateway = createTestGateway({ config: { providers: { mock: { kind: "mock", models } } } });
  const paths = ["a/b", "a%2Fb", "c@d", "c%40d", "%C3%BC%20%3F%23%25"];
  for (const path of paths) {
    const response = await gateway.call(`/v1/models/${path}`);
    await response.body?.cancel();
    assertEquals(response.status, 200, path);
  }
});

Deno.test("readPath() accepts a request without a Host for any authority", () => {
  const path = (url: string) => readPath(url, null);
  for (const host of ["localhost:8787", "127.0.0.1", "[::1]:80", "gateway.example:8787"]) {
    assertEquals(path(`http://${host}/v1/models?x`), "/v1/models");
  }
});

Deno.test("the route of the target, not of the Host, determines the key", async () => {
  await using served = serveGateway({ config: CONFIG });
  const key = `authorization: Bearer ${SERVICE_KEY}\r\n`;
  const { status } = await send(served, get("/v1/models", `host: gateway.test\r\n${key}`));
  assertEquals(status, 200);
});
