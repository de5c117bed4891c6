/** Downloads from real servers on loopback, which `allow` opens by name. */

import type { ImageRules } from "../../../src/config/config.ts";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import {
  Budget,
  createDownload,
  ImageRefusal,
  type Resolve,
} from "../../../src/upstream/images/download.ts";
import { PIXEL } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { Gate, serveVendor } from "../../support/server.ts";

const RULES: ImageRules = {
  http: true,
  allow: new Set(["pictures.test"]),
  maxSize: 1000,
  timeout: 10_000,
};

const IMAGE = { "content-type": "image/png" };

/** One download, with everything around it that a test may want to look at. */
class Attempt {
  readonly clock = new ManualClock();
  readonly asked: string[] = [];
  readonly caller = new AbortController();
  readonly #resolve: Resolve;

  constructor(resolve: Resolve = () => Promise.resolve(["127.0.0.1"])) {
    this.#resolve = resolve;
  }

  async get(
    url: string,
    rules: Partial<ImageRules> = {},
    budget = new Budget(5000),
  ): Promise<Uint8Array> {
    const download = createDownload(this.clock, (host) => {
      this.asked.push(host);
      return this.#resolve(host);
    });
    try {
      return await download(url, { ...RULES, ...rules }, budget, this.caller.signal);
    } finally {
      assertEquals(this.clock.pending, 0, "a timer was left behind");
    }
  }

  /** Why a download was refused. */
  async refusal(
    url: string,
    rules: Partial<ImageRules> = {},
    budget?: Budget,
  ): Promise<string> {
    return (await assertRejects(() => this.get(url, rules, budget), ImageRefusal)).message;
  }
}

/** The URL of a server under the name that `allow` opens. */
function named(url: string, path = "/", host = "pictures.test"): string {
  return `http://${host}:${new URL(url).port}${path}`;
}

Deno.test("download() returns the bytes, and sends no credentials", async () => {
  const seen: unknown[] = [];
  await using server = serveVendor(({ method, url, headers }) => {
    seen.push(method, url, headers.get("host"), [...headers.keys()].sort());
    return new Response(PIXEL, { headers: { "content-type": "Image/PNG; q=1" } });
  });
  const attempt = new Attempt();
  const bytes = await attempt.get(named(server.url, "/a%20b/c.png?size=1#top"));
  assertEquals(new Uint8Array(bytes), PIXEL);
  assertEquals(seen, [
    "GET",
    named(server.url, "/a%20b/c.png?size=1"),
    new URL(named(server.url)).host,
    ["accept", "accept-encoding", "connection", "host", "user-agent"],
  ]);
  assertEquals(attempt.asked, ["pictures.test"]);
});

Deno.test("download() reads a body without a length", async () => {
  await using server = serveVendor(() =>
    new Response(ReadableStream.from([PIXEL.slice(0, 9), PIXEL.slice(9)]), { headers: IMAGE })
  );
  assertEquals(new Uint8Array(await new Attempt().get(named(server.url))), PIXEL);
});

/** URLs that are refused before a DNS lookup or a connection. */
const REFUSED_URLS: readonly (readonly [string, string])[] = [
  ["https://127.0.0.1/a.png", "its host is not on the public internet"],
  ["https://127.1/", "its host is not on the public internet"],
  ["https://2130706433/", "its host is not on the public internet"],
  ["https://0x7f.0.0.1/", "its host is not on the public internet"],
  ["https://127.0.0.1./", "its host is not on the public internet"],
  ["https://①②⑦.0.0.1/", "its host is not on the public internet"],
  ["https://0/", "its host is not on the public internet"],
  ["https://10.0.0.1:8443/", "its host is not on the public internet"],
  ["https://169.254.169.254/latest/meta-data/", "its host is not on the public internet"],
  ["https://[::1]/", "its host is not on the public internet"],
  ["https://[::]/", "its host is not on the public internet"],
  ["https://[::ffff:127.0.0.1]/", "its host is not on the public internet"],
  ["https://[64:ff9b::10.0.0.1]/", "its host is not on the public internet"],
  ["https://[fd00:ec2::254]/", "its host is not on the public internet"],
  ["https://me:secret@pictures.test/", "its URL must not hold a user name or password"],
  ["https://", "its URL is not valid"],
  ["https://[fe80::1%25eth0]/", "its URL is not valid"],
  ["ftp://pictures.test/", "its URL must be https or http"],
  ["file:///etc/passwd", "its URL must be https or http"],
  [`https://pictures.test/${"a".repeat(9000)}`, "its URL is not valid"],
];

for (const [url, why] of REFUSED_URLS) {
  Deno.test(`download() refuses ${url.slice(0, 60)} without a look at the network`, async () => {
    const attempt = new Attempt();
    assertEquals(await attempt.refusal(url), why);
    assertEquals(attempt.asked, []);
  });
}

Deno.test("download() refuses plain http unless it is allowed", async () => {
  await using server = serveVendor(() => new Response(PIXEL, { headers: IMAGE }));
  const attempt = new Attempt();
  const url = named(server.url);
  assertEquals(await attempt.refusal(url, { http: false }), "its URL must be https");
  assertEquals(attempt.asked, []);
  assertEquals((await attempt.get(url, { http: true })).length, PIXEL.length);
});

/** Addresses that are refused when a name resolves to them, also beside public ones. */
const REFUSED_ADDRESSES: readonly (readonly string[])[] = [
  ["127.0.0.1"],
  ["192.168.1.1"],
  ["169.254.169.254"],
  ["::1"],
  ["::ffff:10.0.0.1"],
  ["64:ff9b::7f00:1"],
  ["fe80::1%eth0"],
  ["8.8.8.8", "10.0.0.1"],
  ["2606:4700::1111", "::1"],
];

for (const addresses of REFUSED_ADDRESSES) {
  Deno.test(`download() does not connect to a name that means ${addresses.join(" and ")}`, async () => {
    let connections = 0;
    await using server = serveVendor(() => new Response(String(++connections)));
    const attempt = new Attempt(() => Promise.resolve(addresses));
    const url = named(server.url, "/", "rebound.test");
    assertEquals(await attempt.refusal(url), "its host is not on the public internet");
    assertEquals([attempt.asked, connections], [["rebound.test"], 0]);
  });
}

Deno.test("download() connects to the checked address, even if the name resolves to another one later", async () => {
  await using checked = serveVendor(() => new Response(PIXEL, { headers: IMAGE }));
  const { port } = new URL(checked.url);
  // What a second look-up would lead to: the same port of another address.
  const other = Deno.listen({ hostname: "127.0.0.2", port: Number(port) });
  const accepted = other.accept().then(() => "connected", () => "closed");
  const answers = [["127.0.0.1"], ["127.0.0.2"]];
  const attempt = new Attempt(() => Promise.resolve(answers.shift() ?? []));
  assertEquals((await attempt.get(named(checked.url))).length, PIXEL.length);
  assertEquals(attempt.asked, ["pictures.test"]);
  other.close();
  assertEquals(await accepted, "closed");
});

Deno.test("download() over https connects to the checked address with the caller's host name", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const attempt = new Attempt();
  const refusal = attempt.refusal(`https://pictures.test:${port}/`, { http: false });
  using connection = await listener.accept();
  const hello = new Uint8Array(4096);
  const size = await connection.read(hello) ?? 0;
  // A TLS record that holds a handshake, with the name for the server to choose by.
  assertEquals(hello[0], 0x16);
  assertStringIncludes(new TextDecoder("latin1").decode(hello.subarray(0, size)), "pictures.test");
  await connection.write(new TextEncoder().encode("no TLS here"));
  assertEquals(await refusal, "its host cannot be reached");
});

Deno.test("download() closes the connection to a server that never ends its handshake", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const attempt = new Attempt();
  const refusal = attempt.refusal(`https://pictures.test:${port}/`);
  using connection = await listener.accept();
  await connection.read(new Uint8Array(4096));
  attempt.clock.advance(10_000);
  assertEquals(await refusal, "it took longer than 10000 ms");
  assertEquals(await connection.read(new Uint8Array(16)), null);
});

Deno.test("download() allows a host by its name only, not by its address", async () => {
  const attempt = new Attempt();
  const rules = { allow: new Set(["127.0.0.1"]) };
  const why = await attempt.refusal("http://pictures.test:1/", rules);
  assertEquals(why, "its host is not on the public internet");
});

for (const host of ["127.0.0.1", "PICTURES.test", "pictures.test."]) {
  Deno.test(`download() knows the host that is allowed as ${host}`, async () => {
    await using server = serveVendor(() => new Response(PIXEL, { headers: IMAGE }));
    const rules = { allow: new Set(["127.0.0.1", "pictures.test"]) };
    const bytes = await new Attempt().get(named(server.url, "/", host), rules);
    assertEquals(bytes.length, PIXEL.length);
  });
}

Deno.test("download() reports failures of names and servers", async () => {
  const unknown = new Attempt(() => Promise.reject(new TypeError("at 10.1.1.1:53")));
  assertEquals(await unknown.refusal("https://nowhere.test/"), "its host was not found");
  const empty = new Attempt(() => Promise.resolve([]));
  assertEquals(await empty.refusal("https://pictures.test/"), "its host was not found");
  const unused = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = unused.addr as Deno.NetAddr;
  unused.close();
  const refused = await new Attempt().refusal(`http://pictures.test:${port}/`);
  assertEquals(refused, "its host cannot be reached");
  for (const status of [204, 206, 304, 401, 404, 500]) {
    await using server = serveVendor(() => new Response(null, { status, headers: IMAGE }));
    const why = await new Attempt().refusal(named(server.url));
    assertEquals(why, `its host answered with status ${status}`);
  }
});

/** A server that leads on as often as the path says, then gives the image. */
function serveRedirects(status: number) {
  return serveVendor(({ url }) => {
    const left = Number(new URL(url).pathname.slice(1));
    if (left === 0) return new Response(PIXEL, { headers: IMAGE });
    return new Response("moved", { status, headers: { location: `/${left - 1}` } });
  });
}

for (const status of [301, 302, 303, 307, 308]) {
  Deno.test(`download() follows three redirects of status ${status}, and no fourth`, async () => {
    await using server = serveRedirects(status);
    const attempt = new Attempt();
    assertEquals((await attempt.get(named(server.url, "/3"))).length, PIXEL.length);
    assertEquals(attempt.asked.length, 4);
    const why = await attempt.refusal(named(server.url, "/4"));
    assertEquals(why, "it redirects more than 3 times");
  });
}

/** Targets of redirects that are refused, and their error messages. */
const REFUSED_REDIRECTS: readonly (readonly [string, string])[] = [
  ["http://127.0.0.1:1/", "a redirect's host is not on the public internet"],
  ["//[::1]/", "a redirect's host is not on the public internet"],
  ["https://10.0.0.1/", "a redirect's host is not on the public internet"],
  ["http://169.254.169.254/latest/", "a redirect's host is not on the public internet"],
  ["http://inner.test/", "a redirect's host is not on the public internet"],
  ["file:///etc/passwd", "a redirect's URL must be https or http"],
  ["http://u:p@pictures.test/", "a redirect's URL must not hold a user name or password"],
  ["http://", "a redirect's URL is not valid"],
];

for (const [location, why] of REFUSED_REDIRECTS) {
  Deno.test(`download() is not led to ${location}`, async () => {
    await using server = serveVendor(() =>
      new Response(null, { status: 302, headers: { location } })
    );
    assertEquals(await new Attempt().refusal(named(server.url)), why);
  });
}

Deno.test("download() checks the name of each redirect", async () => {
  await using server = serveRedirects(302);
  const answers = [["127.0.0.1"], ["127.0.0.1"], ["10.0.0.1"]];
  let at = 0;
  const attempt = new Attempt(() => Promise.resolve(answers[at++] ?? []));
  const allow = new Set<string>();
  // The first two hops are open for as long as this name is on the list.
  allow.has = () => at < 3;
  const why = await attempt.refusal(named(server.url, "/3"), { allow });
  assertEquals(why, "a redirect's host is not on the public internet");
});

Deno.test("download() cancels a redirect's body", async () => {
  const closed = new Gate();
  await using server = serveVendor(({ url }) => {
    if (url.endsWith("/image")) return new Response(PIXEL, { headers: IMAGE });
    const endless = new ReadableStream({ cancel: () => closed.open() });
    return new Response(endless, { status: 302, headers: { location: "/image" } });
  });
  assertEquals((await new Attempt().get(named(server.url))).length, PIXEL.length);
  await closed.opened;
});

for (const type of [undefined, "text/html", "application/octet-stream", "application/pdf"]) {
  Deno.test(`download() does not read a body of type ${type}`, async () => {
    const closed = new Gate();
    await using server = serveVendor(() => {
      const body = new ReadableStream({ cancel: () => closed.open() });
      return new Response(body, { headers: type === undefined ? {} : { "content-type": type } });
    });
    const why = await new Attempt().refusal(named(server.url));
    assertEquals(why, "its content type is not an image type");
    await closed.opened;
  });
}

/** A body of `size` bytes, with its length declared or not, and whether its reader has left. */
function serveSized(size: number, isDeclared: boolean) {
  const closed = new Gate();
  const server = serveVendor(() => {
    let left = size;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        const packet = new Uint8Array(Math.min(left, 500));
        left -= packet.length;
        if (packet.length > 0) controller.enqueue(packet);
        if (left === 0) controller.close();
      },
      cancel: () => closed.open(),
    });
    const length: Record<string, string> = isDeclared ? { "content-length": String(size) } : {};
    return new Response(body, { headers: { ...IMAGE, ...length } });
  });
  return { closed, server };
}

for (const isDeclared of [true, false]) {
  const how = isDeclared ? "declared" : "streamed";

  Deno.test(`download() takes as many ${how} bytes as are allowed, and not one more`, async () => {
    const fine = serveSized(1000, isDeclared);
    await using _fine = fine.server;
    assertEquals((await new Attempt().get(named(fine.server.url))).length, 1000);
    const over = serveSized(1001, isDeclared);
    await using _over = over.server;
    assertEquals(await new Attempt().refusal(named(over.server.url)), "it is over 1000 bytes");
  });

  Deno.test(`download() hangs up on an endless body, ${how}`, async () => {
    const { closed, server } = serveSized(1e12, isDeclared);
    await using _ = server;
    assertEquals(await new Attempt().refusal(named(server.url)), "it is over 1000 bytes");
    await closed.opened;
  });

  Deno.test(`download() keeps to what all images may have together, ${how}`, async () => {
    const { server } = serveSized(900, isDeclared);
    await using _ = server;
    const budget = new Budget(2000);
    const attempt = new Attempt();
    await attempt.get(named(server.url), {}, budget);
    await attempt.get(named(server.url), {}, budget);
    const why = await attempt.refusal(named(server.url), {}, budget);
    assertEquals(why, "the images in this request are over 2000 bytes together");
  });
}

Deno.test("download() refuses a truncated image", async () => {
  for (const head of ["content-length: 100", "transfer-encoding: chunked"]) {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr as Deno.NetAddr;
    const refusal = new Attempt().refusal(`http://pictures.test:${port}/`);
    const connection = await listener.accept();
    await connection.read(new Uint8Array(4096));
    const answer = `HTTP/1.1 200 OK\r\ncontent-type: image/png\r\n${head}\r\n\r\n3\r\nabc\r\n`;
    await connection.write(new TextEncoder().encode(answer));
    connection.close();
    assertEquals(await refusal, "the connection was lost");
  }
});

/** Where a server stops: what it still sends, if anything. */
const STOPS: Readonly<Record<string, string>> = {
  "before it answers": "",
  "within its headers": "HTTP/1.1 200 OK\r\ncontent-type: im",
  "within the image":
    "HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 100\r\n\r\nabc",
};

/** A server that stops, and a promise of the end of its connection. */
async function stopping(text: string, ask: (url: string) => Promise<unknown>) {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const asked = ask(`http://pictures.test:${port}/`);
  const connection = await listener.accept();
  await connection.read(new Uint8Array(4096));
  await connection.write(new TextEncoder().encode(text));
  const closed = connection.read(new Uint8Array(16)).catch(() => null).then((size) => {
    connection.close();
    return size;
  });
  return { asked, closed };
}

for (const [where, text] of Object.entries(STOPS)) {
  Deno.test(`download() waits ten seconds for a server that stops ${where}, then hangs up`, async () => {
    const attempt = new Attempt();
    const { asked, closed } = await stopping(text, (url) => attempt.refusal(url));
    attempt.clock.advance(9999);
    assertEquals(attempt.clock.pending, 1);
    attempt.clock.advance(1);
    assertEquals(await asked, "it took longer than 10000 ms");
    assertEquals(await closed, null);
  });

  Deno.test(`download() hangs up on a server that stops ${where} when the caller leaves`, async () => {
    const attempt = new Attempt();
    const gone = new Error("gone");
    const { asked, closed } = await stopping(text, (url) => assertRejects(() => attempt.get(url)));
    attempt.caller.abort(gone);
    assertEquals(await asked, gone);
    assertEquals(await closed, null);
  });
}

Deno.test("download() applies its time limit to name resolution", async () => {
  const attempt = new Attempt(() => new Promise(() => {}));
  const slow = attempt.refusal("https://slow.test/");
  attempt.clock.advance(10_000);
  assertEquals(await slow, "it took longer than 10000 ms");
  const left = attempt.get("https://slow.test/");
  attempt.caller.abort(new RangeError("gone"));
  await assertRejects(() => left, RangeError, "gone");
  await assertRejects(() => attempt.get("https://slow.test/"), RangeError, "gone");
  assert(attempt.asked.length === 2);
});

Deno.test("download() applies its limit of ten seconds to all redirects together", async () => {
  const arrived = new Gate();
  await using server = serveVendor(({ url }) => {
    if (url.endsWith("/slow")) {
      arrived.open();
      return new Promise<Response>(() => {});
    }
    attempt.clock.advance(6000);
    return new Response(null, { status: 302, headers: { location: "/slow" } });
  });
  const attempt = new Attempt();
  const refusal = attempt.refusal(named(server.url));
  await arrived.opened;
  attempt.clock.advance(4000);
  assertEquals(await refusal, "it took longer than 10000 ms");
});
