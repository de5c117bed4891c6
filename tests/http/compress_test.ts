/** Reports for admins and the console are compressed; nothing else is. */

import { assert, assertEquals } from "@std/assert";
import { compressed } from "../../src/http/compress.ts";
import { createRoutes, type RouteServices } from "../../src/http/routes/table.ts";
import type { Route, RouteContext, RouteResponse } from "../../src/http/routes/route.ts";
import { createTestGateway, type TestGateway } from "../support/gateway.ts";
import { turn } from "../support/elapse.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";

const GZIP = { "accept-encoding": "gzip, br" };
const as = (key: string) => ({ authorization: `Bearer ${key}` });

function gateway(): TestGateway {
  return createTestGateway({
    config: {
      server: {
        keys: [{ name: "a", key: "sk-a" }],
        admin_keys: [{ name: "root", key: "sk-root" }],
      },
      providers: { mock: { kind: "mock", models: ["mock-echo"] } },
    },
  });
}

async function unzip(response: Response): Promise<string> {
  const body = response.body ?? new ReadableStream();
  return await new Response(body.pipeThrough(new DecompressionStream("gzip"))).text();
}

/** Runs a route with one answer. */
function run(
  body: RouteResponse["body"],
  headers: Record<string, string> = GZIP,
  method = "GET",
): Promise<RouteResponse> | RouteResponse {
  const route: Route = {
    ...{ method: "GET", auth: "none", admission: "always", path: "/" },
    handle: () => ({ status: 200, headers: { "content-type": "application/json" }, body }),
  };
  const request = new Request("http://x/", { method, headers });
  const { handle = () => ({ status: 500, headers: {}, body: null }) } = compressed(route);
  return handle(request, {} as RouteContext);
}

Deno.test("a report of over 1 kB is compressed for clients that accept gzip", async () => {
  const one = gateway();
  for (let count = 0; count < 20; count++) {
    const body = { model: "mock-echo", messages: MESSAGES };
    await (await one.call(CHAT, body, as("sk-a"))).text();
  }
  one.flush();
  for (
    const [path, key] of [["/v1/admin/requests", "sk-root"], ["/v1/requests", "sk-a"]] as const
  ) {
    const plain = await one.call(path, undefined, as(key));
    const zipped = await one.call(path, undefined, { ...as(key), ...GZIP });
    const text = await plain.text();
    assert(text.length > 1024);
    assertEquals(plain.headers.get("content-encoding"), null);
    assertEquals(zipped.headers.get("content-encoding"), "gzip");
    for (const { headers } of [plain, zipped]) assertEquals(headers.get("vary"), "accept-encoding");
    assert(Number(zipped.headers.get("content-length")) < text.length / 2);
    assertEquals(JSON.parse(await unzip(zipped)), JSON.parse(text));
  }
});

Deno.test("answers of models are not compressed, and neither are short ones", async () => {
  const one = gateway();
  const content = "word ".repeat(1000);
  const body = { model: "mock-echo", messages: [{ role: "user", content }] };
  const chat = await one.call(CHAT, body, { ...as("sk-a"), ...GZIP });
  const text = await chat.text();
  assert(text.length > 1024);
  assertEquals(chat.headers.get("content-encoding"), null);
  const short = await one.call("/v1/usage", undefined, { ...as("sk-a"), ...GZIP });
  assertEquals(short.headers.get("content-encoding"), null);
  await short.text();
});

Deno.test("no route whose answer can have a secret or a vendor's text is compressed", () => {
  const services = { live: {}, usage: {}, health: {} } as unknown as RouteServices;
  const routes = createRoutes(services);
  // A wrapped handler is a method of its own name.
  const all = routes.filter(({ handle }) => handle?.name === "handle" && isWrapped(handle));
  assertEquals(all.map(({ method, path }) => `${method} ${path}`).toSorted(), [
    "GET /v1/admin/config/schema",
    "GET /v1/admin/health",
    "GET /v1/admin/keys",
    "GET /v1/admin/providers",
    "GET /v1/admin/request_counts",
    "GET /v1/admin/requests",
    "GET /v1/admin/requests/{request_id}",
    "GET /v1/admin/routes",
    "GET /v1/admin/usage",
    "GET /v1/request_counts",
    "GET /v1/requests",
    "GET /v1/requests/{request_id}",
    "GET /v1/routes",
    "GET /v1/usage",
  ]);
});

function isWrapped(handle: NonNullable<Route["handle"]>): boolean {
  return handle.toString().includes("compress(");
}

Deno.test("HEAD, other encodings, streams and files are left as they are", async () => {
  const text = "x".repeat(5000);
  const encodingOf = async (...input: Parameters<typeof run>) =>
    (await run(...input)).headers["content-encoding"];
  assertEquals(await encodingOf(text), "gzip");
  assertEquals(await encodingOf(text, GZIP, "HEAD"), undefined);
  assertEquals(await encodingOf(text, { "accept-encoding": "br" }), undefined);
  assertEquals(await encodingOf(text, { "accept-encoding": "gzip;q=0" }), undefined);
  assertEquals(await encodingOf(new ReadableStream()), undefined);
  assertEquals(await encodingOf(new TextEncoder().encode(text)), undefined);
  assertEquals(await encodingOf([new TextEncoder().encode(text)]), "gzip");
});

Deno.test("a large report is compressed in pieces, between which other requests are served", async () => {
  const rows = Array.from({ length: 60_000 }, (_, index) => ({ id: `req_${index * 7919}`, index }));
  const text = JSON.stringify({ data: rows });
  for (const body of [text, [new TextEncoder().encode(text)]]) {
    let turns = 0;
    let isDone = false;
    const counting = (async () => {
      for (; !isDone; turns++) await turn();
    })();
    const { body: pieces } = await run(body);
    isDone = true;
    await counting;
    assert(turns >= 3, `${turns} turns`);
    const zipped = new Blob(pieces as Uint8Array<ArrayBuffer>[]).stream().pipeThrough(
      new DecompressionStream("gzip"),
    );
    assertEquals(await new Response(zipped).text(), text);
  }
});
