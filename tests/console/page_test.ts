/** The page of the console and its files: who gets them, and with which headers. */

import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { ASSET_FILES } from "../../src/console/asset_files.ts";
import { isLoopback } from "../../src/core/loopback.ts";
import { createTestGateway, type TestGateway } from "../support/gateway.ts";
import { readRoot } from "../support/read_root.ts";

const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
const GZIP = { "accept-encoding": "gzip, deflate, br" };
/** The maximum of what a browser loads at the first visit, compressed, in bytes. */
const MAX_FIRST_BYTES = 100_000;
/** The files of a first visit: those of the page, of the frame and of a view. */
const MAX_FIRST_REQUESTS = 9;

function createGateway(server: Record<string, unknown> = {}, isLocal = true): TestGateway {
  const providers = { mock: { kind: "mock", models: ["mock-echo"] } };
  return createTestGateway({ config: { server, providers }, isLocal });
}

/** Sends a request without a key. */
function visit(
  { app }: TestGateway,
  path: string,
  headers: Record<string, string> = HTML,
  method = "GET",
): Promise<Response> {
  return app.handle(new Request(`http://127.0.0.1${path}`, { method, headers }));
}

/** The links of the page, by what stands after the hash. */
async function readLinks(gateway: TestGateway): Promise<Map<string, string>> {
  const html = await (await visit(gateway, "/")).text();
  return new Map(
    [...html.matchAll(/(?:href|src)="(\/console\/[^/]+\/([^"]+))"/g)]
      .map(([, link = "", path = ""]) => [path, link]),
  );
}

Deno.test("GET / shows the page to browsers, and the description of the API to others", async () => {
  const gateway = createGateway();
  const page = await visit(gateway, "/");
  assertEquals(page.status, 200);
  assertEquals(page.headers.get("content-type"), "text/html; charset=utf-8");
  assertEquals(page.headers.get("vary"), "accept, accept-encoding");
  assertMatch(await page.text(), /^<!DOCTYPE html>/);
  for (
    const headers of [
      ...[{}, { accept: "*/*" }, { accept: "application/json" }],
      { accept: "application/json, text/html;q=0.5" },
    ]
  ) {
    const described = await visit(gateway, "/", headers);
    assertEquals((await described.json()).name, "sluice");
    assertEquals(described.headers.get("vary"), "accept");
  }
});

Deno.test("the page and its files allow no other origin, no inline script and no frame", async () => {
  const gateway = createGateway();
  const page = await visit(gateway, "/");
  const policy = new Map(
    (page.headers.get("content-security-policy") ?? "").split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources.join(" ")];
    }),
  );
  assertEquals(policy.get("default-src"), "'none'");
  assertEquals(policy.get("script-src"), "'self'");
  assertEquals(policy.get("style-src"), "'self'");
  assertEquals(policy.get("connect-src"), "'self'");
  assertEquals(policy.get("frame-ancestors"), "'none'");
  assertEquals(policy.get("base-uri"), "'none'");
  assertEquals(policy.get("form-action"), "'none'");
  assertEquals(page.headers.get("referrer-policy"), "no-referrer");
  assertEquals(page.headers.get("x-content-type-options"), "nosniff");
  const html = await page.text();
  assertEquals(html.match(/<script(?![^>]* src=)|<style| style=| on\w+=|https?:/g), null);
  for (const [, link] of await readLinks(gateway)) {
    const file = await visit(gateway, link);
    assertEquals(file.headers.get("x-content-type-options"), "nosniff");
    await file.body?.cancel();
  }
});

Deno.test("each file has a strong tag for each encoding, and never changes", async () => {
  const gateway = createGateway();
  for (const [path, link] of await readLinks(gateway)) {
    const plain = await visit(gateway, link, {});
    const packed = await visit(gateway, link, GZIP);
    assertEquals([plain.status, packed.status], [200, 200], path);
    assertEquals(plain.headers.get("content-encoding"), null);
    assertEquals(packed.headers.get("content-encoding"), "gzip");
    assertEquals(packed.headers.get("vary"), "accept-encoding");
    const unpacked = packed.body?.pipeThrough(new DecompressionStream("gzip"));
    assertEquals(await new Response(unpacked).text(), await plain.text(), path);
    for (const { headers } of [plain, packed]) {
      assertEquals(headers.get("cache-control"), "public, max-age=31536000, immutable");
      const etag = headers.get("etag") ?? "";
      assertMatch(etag, /^"[\w-]+"$/);
      const encoding: Record<string, string> = headers === packed.headers ? GZIP : {};
      const again = await visit(gateway, link, { ...encoding, "if-none-match": `"x", W/${etag}` });
      assertEquals([again.status, again.body], [304, null]);
      assertEquals(again.headers.get("etag"), etag);
    }
    assertNotEquals(plain.headers.get("etag"), packed.headers.get("etag"));
  }
  const [link = ""] = (await readLinks(gateway)).values();
  const unchanged = await visit(gateway, link, { "if-none-match": "*" });
  assertEquals([unchanged.status, unchanged.body], [304, null]);
  for (
    const coding of ["gzip;q=0", "br", "identity", "gzip; q=0.000", "", "identity, gzip;q=0.5"]
  ) {
    const answer = await visit(gateway, link, { "accept-encoding": coding });
    assertEquals(answer.headers.get("content-encoding"), null, coding);
    await answer.body?.cancel();
  }
});

Deno.test("HEAD answers as GET without a body", async () => {
  const gateway = createGateway();
  const links = await readLinks(gateway);
  for (const path of ["/", ...links.values()]) {
    const [got, head] = [await visit(gateway, path), await visit(gateway, path, HTML, "HEAD")];
    assertEquals((await head.arrayBuffer()).byteLength, 0);
    const size = (await got.arrayBuffer()).byteLength;
    assertEquals(Number(head.headers.get("content-length")), size);
    assertEquals(head.headers.get("etag"), got.headers.get("etag"));
  }
});

/** The modules that a module imports statically, directly or not, by their paths. */
async function importedBy(gateway: TestGateway, base: string, entry: string): Promise<Set<string>> {
  const found = new Set([entry]);
  for (const path of found) {
    const text = await (await visit(gateway, base + path, {})).text();
    for (const [, name = ""] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) found.add(name);
  }
  return found;
}

Deno.test("a first visit takes few requests and is small", async () => {
  const gateway = createGateway();
  const links = await readLinks(gateway);
  const base = links.get("main.js")?.replace("main.js", "") ?? "";
  const sizeOf = async (path: string) => {
    const packed = await visit(gateway, path, { ...HTML, ...GZIP });
    await packed.body?.cancel();
    assertEquals(packed.status, 200, path);
    return Number(packed.headers.get("content-length"));
  };
  const views = [...ASSET_FILES.keys()].filter((path) =>
    path.endsWith(".js") && !links.has(path) && !path.startsWith("shared")
  );
  assertEquals(views, ["reports.js", "tools.js"]);
  for (const view of views) {
    const modules = await importedBy(gateway, base, view);
    const files = new Set([...links.keys(), ...modules]);
    for (const file of files) assert(ASSET_FILES.has(file), file);
    let bytes = await sizeOf("/");
    for (const file of files) bytes += await sizeOf(base + file);
    // With the page itself.
    assert(files.size + 1 <= MAX_FIRST_REQUESTS, `${files.size + 1} requests for ${view}`);
    assert(bytes < MAX_FIRST_BYTES, `${bytes} bytes for ${view}`);
  }
});

Deno.test("the page loads at once what its first module imports", async () => {
  const gateway = createGateway();
  const links = await readLinks(gateway);
  const base = links.get("main.js")?.replace("main.js", "") ?? "";
  for (const path of await importedBy(gateway, base, "main.js")) assert(links.has(path), path);
});

Deno.test("unknown files, other methods and paths out of the folder are refused", async () => {
  const gateway = createGateway();
  const link = (await readLinks(gateway)).get("main.js") ?? "";
  const base = link.replace("main.js", "");
  for (
    const path of [
      `${base}none.js`,
      `${base}..%2f..%2fmain.ts`,
      `${base}%2e%2e/page.ts`,
      `${base}__proto__`,
      `${base}`,
      "/console/0000/main.js",
      "/console/main.js",
      "/console/",
    ]
  ) {
    const answer = await visit(gateway, path);
    assertEquals(answer.status, 404, path);
    assertEquals((await answer.json()).error.type, "invalid_request_error");
  }
  const posted = await visit(gateway, link, HTML, "POST");
  assertEquals([posted.status, posted.headers.get("allow")], [405, "GET, HEAD"]);
  await posted.body?.cancel();
});

Deno.test("server.console decides, and without it the address", async () => {
  for (
    const [setting, isLocal, isOn] of [
      [undefined, true, true],
      [undefined, false, false],
      ["on", false, true],
      ["off", true, false],
    ] as const
  ) {
    const gateway = createGateway(setting === undefined ? {} : { console: setting }, isLocal);
    const page = await visit(gateway, "/");
    const text = await page.text();
    assertEquals(text.startsWith("<!DOCTYPE"), isOn, `${setting} ${isLocal}`);
    const links = await readLinks(createGateway());
    const file = await visit(gateway, links.get("main.js") ?? "");
    const body = await file.text();
    if (isOn) assertEquals(file.status, 200);
    else {
      const elsewhere = links.get("main.js")?.replace("/console/", "/elsewhere/") ?? "";
      const unknown = await (await visit(gateway, elsewhere)).text();
      assertEquals([file.status, body], [404, unknown.replace("/elsewhere/", "/console/")]);
      assertEquals((await visit(gateway, "/console/x", {}, "POST")).status, 404);
    }
  }
});

Deno.test("the page is not shown through a proxy on this machine, unless it is enabled", async () => {
  const hosts = ["llm.example.com"];
  const isShown = async (headers: Record<string, string>, server: Record<string, unknown> = {}) => {
    const page = await visit(createGateway({ hosts, ...server }), "/", { ...HTML, ...headers });
    return (await page.text()).startsWith("<!DOCTYPE");
  };
  for (const host of ["localhost:8787", "127.0.0.1:8787", "[::1]", "sluice.localhost"]) {
    assert(await isShown({ host }), host);
  }
  const proxied: readonly Record<string, string>[] = [
    { host: "llm.example.com" },
    { host: "192.0.2.1" },
    ...["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"]
      .map((name) => ({ host: "127.0.0.1", [name]: "x" })),
  ];
  for (const headers of proxied) {
    assertEquals(await isShown(headers), false, JSON.stringify(headers));
    assert(await isShown(headers, { console: "on" }), JSON.stringify(headers));
  }
});

Deno.test("isLoopback() knows the addresses of the machine alone", () => {
  for (const name of ["127.0.0.1", "127.9.0.1", "localhost", "LOCALHOST", "::1", "[::1]"]) {
    assert(isLoopback(name), name);
  }
  for (const name of ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example.com", "localhost.example"]) {
    assert(!isLoopback(name), name);
  }
});

Deno.test("the one style sheet has all of the sources, in the order of the page", async () => {
  const gateway = createGateway();
  const read = (path: string) => readRoot(`src/console/assets/${path}`);
  const sheets = [...read("index.html").matchAll(/<link rel="stylesheet" href="\.\/([^"]+)"/g)]
    .map(([, path = ""]) => path);
  const all = await (await visit(gateway, (await readLinks(gateway)).get("all.css") ?? "")).text();
  const texts = sheets.map((path) => read(path).replaceAll(/^ *\/\*.*?\*\/\n/gms, ""));
  assert(sheets.length > 0);
  assertEquals(all, texts.join("\n").replaceAll(/\s*\n\s*/g, " "));
  const root = new URL("../../src/console/assets/", import.meta.url);
  const below = (folder: string): string[] =>
    [...Deno.readDirSync(new URL(folder, root))].flatMap(({ name, isDirectory }) =>
      isDirectory ? below(`${folder}${name}/`) : name.endsWith(".css") ? [folder + name] : []
    );
  assertEquals(sheets.toSorted(), below("").toSorted());
});
