/** Images by URL on their way to vendors that fetch them, and to vendors that do not. */

import type { StopSignal } from "../../../src/core/stop_signal.ts";
import type { ImageRules } from "../../../src/config/config.ts";
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { ChatRequest } from "../../../src/contract/chat.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import {
  Budget,
  createDownload,
  type Download,
  ImageRefusal,
} from "../../../src/upstream/images/download.ts";
import { needsImages, RequestImages } from "../../../src/upstream/images/request_images.ts";
import { createTestGateway, PIXEL, type TestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { failing, ScriptedVendor } from "../../support/scripted_vendor.ts";
import { Gate, serveVendor } from "../../support/server.ts";

const CHAT = "/v1/chat/completions";
const PIXEL_URL = `data:image/png;base64,${PIXEL.toBase64()}`;

/** A downloader without a network, and what it was asked for. */
class Library {
  readonly asked: string[] = [];
  readonly download: Download;
  /** How many downloads were under way at once. */
  most = 0;

  constructor(
    open: (url: string, signal: StopSignal) => Promise<Uint8Array> = () => Promise.resolve(PIXEL),
  ) {
    let now = 0;
    this.download = async (url, _rules, _budget, signal) => {
      this.asked.push(url);
      this.most = Math.max(this.most, ++now);
      try {
        return await open(url, signal);
      } finally {
        now--;
      }
    };
  }
}

interface Setting {
  readonly kind?: string;
  readonly library?: Library;
  readonly vendor?: ScriptedVendor;
  readonly config?: Record<string, unknown>;
}

function gatewayWith({ kind = "nvidia", library, vendor, config }: Setting): TestGateway {
  return createTestGateway({
    config: { providers: { v: providerOf(kind) }, ...config },
    fetch: (vendor ?? new ScriptedVendor()).fetch,
    download: (library ?? new Library()).download,
  });
}

function providerOf(kind: string, model = "m"): Record<string, unknown> {
  return { kind, api_key: VENDOR_KEY, base_url: `http://${kind}.test`, models: [model] };
}

function image(url: string, more: Record<string, unknown> = {}) {
  return { type: "image_url", image_url: { url, ...more } };
}

function asking(...urls: string[]): Record<string, unknown> {
  const content = [{ type: "text", text: "What is it?" }, ...urls.map((url) => image(url))];
  return { model: "m", messages: [{ role: "user", content }] };
}

/** The URLs of images that a vendor of the OpenAI dialect was sent. */
function imagesOf(body: Record<string, unknown>): string[] {
  const { messages } = body as { messages: { content: unknown }[] };
  return messages.flatMap(({ content }) => Array.isArray(content) ? content : [])
    .flatMap((part) => part.type === "image_url" ? [part.image_url.url] : []);
}

async function errorOf(response: Response): Promise<Record<string, unknown>> {
  assertEquals(response.status, 400);
  const { error } = await response.json();
  return error;
}

Deno.test("a vendor that accepts only bytes gets the bytes of an image", async () => {
  const library = new Library();
  const vendor = new ScriptedVendor();
  const gateway = gatewayWith({ library, vendor });
  const url = "https://example.com/cat.png?size=1";
  const response = await gateway.call(CHAT, asking(url));
  assertEquals((await response.json()).choices[0].message.content, "Hello.");
  assertEquals(imagesOf(vendor.body), [PIXEL_URL]);
  assertEquals(library.asked, [url]);
  assertEquals(gateway.clock.pending, 0);
});

Deno.test("a parameter that the vendor ignores does not prevent a download, except in strict mode", async () => {
  const library = new Library();
  const gateway = gatewayWith({ library });
  const body = { ...asking("https://a.test/1"), user: "someone" };
  const strict = await gateway.call(CHAT, body, { "x-sluice-strict": "true" });
  assertEquals((await errorOf(strict)).code, "unsupported_parameter");
  assertEquals(library.asked, []);
  const loose = await gateway.call(CHAT, body);
  await loose.text();
  assertEquals([loose.status, loose.headers.get("x-sluice-ignored")], [200, "user"]);
  assertEquals(library.asked.length, 1);
});

Deno.test("content around an image stays unchanged", async () => {
  const vendor = new ScriptedVendor();
  const messages = [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [image("https://a.test/1", { detail: "low" }), { type: "text", text: "?" }],
    },
  ];
  await gatewayWith({ vendor }).call(CHAT, { model: "m", messages });
  assertEquals(vendor.body.messages, [
    messages[0],
    { role: "user", content: [image(PIXEL_URL, { detail: "low" }), { type: "text", text: "?" }] },
  ]);
});

Deno.test("parameters of a request with an image are sent", async () => {
  const vendor = new ScriptedVendor();
  const tools = [{
    type: "function",
    function: { name: "now", parameters: { type: "object", properties: {} } },
  }];
  const response = await gatewayWith({ kind: "ollama", vendor }).call(CHAT, {
    ...asking("https://a.test/1"),
    tools,
    max_tokens: 5,
  });
  await response.text();
  assertEquals(response.status, 200);
  const { tools: sent, options } = vendor.body;
  assertEquals([sent, options], [tools, { num_predict: 5 }]);
});

for (const kind of ["openai", "anthropic"]) {
  Deno.test(`${kind} is sent https URLs as they are: it fetches them itself`, async () => {
    const library = new Library();
    const vendor = new ScriptedVendor();
    const url = "https://example.com/cat.png";
    await gatewayWith({ kind, library, vendor }).call(CHAT, asking(url));
    assert(JSON.stringify(vendor.body).includes(`"${url}"`));
    assertEquals(library.asked, []);
  });
}

for (const url of [PIXEL_URL, "ftp://example.com/cat.png", "cat.png"]) {
  Deno.test(`${url.slice(0, 20)} is not for the gateway to fetch`, async () => {
    const library = new Library();
    const vendor = new ScriptedVendor();
    await gatewayWith({ library, vendor }).call(CHAT, asking(url));
    assertEquals(imagesOf(vendor.body), [url]);
    assertEquals(library.asked, []);
  });
}

Deno.test("the gateway downloads http URLs if the vendor accepts only https", async () => {
  const library = new Library();
  const vendor = new ScriptedVendor();
  const gateway = gatewayWith({ kind: "anthropic", library, vendor });
  await gateway.call(CHAT, asking("HTTP://example.com/cat.png", "https://example.com/dog.png"));
  assertEquals(library.asked, ["HTTP://example.com/cat.png"]);
  const text = JSON.stringify(vendor.body);
  assert(text.includes(PIXEL.toBase64()) && text.includes("https://example.com/dog.png"));
});

Deno.test("images in tool messages are downloaded too", async () => {
  const library = new Library();
  const vendor = new ScriptedVendor();
  const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
  const messages = [
    { role: "user", content: "Look." },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: [image("https://example.com/seen.png")] },
  ];
  const gateway = gatewayWith({ library, vendor });
  assertEquals((await gateway.call(CHAT, { model: "m", messages })).status, 200);
  assertEquals(imagesOf(vendor.body), [PIXEL_URL]);
  assertEquals(library.asked, ["https://example.com/seen.png"]);
});

Deno.test("the type of an image is that of its bytes", async () => {
  const types: readonly (readonly [string, Uint8Array])[] = [
    ["image/png", PIXEL],
    ["image/jpeg", Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 0)],
    ["image/gif", new TextEncoder().encode("GIF89a......")],
    ["image/webp", new TextEncoder().encode("RIFF....WEBPVP8 ")],
  ];
  for (const [type, bytes] of types) {
    const vendor = new ScriptedVendor();
    const library = new Library(() => Promise.resolve(bytes));
    await gatewayWith({ library, vendor }).call(CHAT, asking("https://a.test/"));
    assertEquals(imagesOf(vendor.body), [`data:${type};base64,${bytes.toBase64()}`]);
  }
});

for (
  const text of ["", "<svg xmlns='http://www.w3.org/2000/svg'/>", "%PDF-1.7", "<!doctype html>"]
) {
  Deno.test(`'${text.slice(0, 8)}' is no image, whatever its server calls it`, async () => {
    const vendor = new ScriptedVendor();
    const library = new Library(() => Promise.resolve(new TextEncoder().encode(text)));
    const gateway = gatewayWith({ library, vendor });
    const error = await errorOf(await gateway.call(CHAT, asking("https://a.test/x")));
    assertEquals(error, {
      message: "Cannot fetch the image at 'a.test': it is not a PNG, JPEG, GIF or WebP file",
      type: "invalid_request_error",
      param: "messages[0].content[1]",
      code: "unsupported_content",
    });
    assertEquals(vendor.sent, []);
  });
}

Deno.test("a failed download is a 400 with the path of the image, and no more of its URL than the host", async () => {
  const library = new Library((url) =>
    url.includes("bad")
      ? Promise.reject(new ImageRefusal("its host was not found", { cause: "10.1.2.3" }))
      : Promise.resolve(PIXEL)
  );
  const gateway = gatewayWith({ library });
  const url = "https://user:secret@bad.test:8443/private/path?token=secret";
  const error = await errorOf(await gateway.call(CHAT, asking("https://a.test/", url)));
  assertEquals(error.message, "Cannot fetch the image at 'bad.test:8443': its host was not found");
  assertEquals(error.param, "messages[0].content[2]");
  assertEquals(gateway.clock.pending, 0);
  assertEquals(gateway.bugs, []);
  const [line] = gateway.lines;
  assert(!JSON.stringify(line).includes("secret"));
});

Deno.test("a URL is downloaded once for a request, even if it occurs several times", async () => {
  const library = new Library();
  const vendor = new ScriptedVendor();
  const gateway = gatewayWith({ library, vendor });
  await gateway.call(CHAT, asking("https://a.test/", "https://b.test/", "https://a.test/"));
  assertEquals(library.asked, ["https://a.test/", "https://b.test/"]);
  assertEquals(imagesOf(vendor.body), [PIXEL_URL, PIXEL_URL, PIXEL_URL]);
  // Another request downloads it again: the image at the URL may have changed.
  await gateway.call(CHAT, asking("https://a.test/"));
  assertEquals(library.asked.length, 3);
});

Deno.test("an image is downloaded once for all targets of a chain", async () => {
  const library = new Library();
  const vendor = new ScriptedVendor(({ url }) =>
    url.includes("ollama")
      ? Response.json({ message: { content: "A cat." }, done: true, done_reason: "stop" })
      : new Response("{}", { status: 503 })
  );
  const gateway = gatewayWith({
    library,
    vendor,
    config: {
      providers: {
        one: providerOf("nvidia", "one"),
        two: providerOf("lmstudio", "two"),
        three: providerOf("ollama", "three"),
      },
      aliases: { m: ["one", "two", "three"] },
    },
  });
  const response = await gateway.call(CHAT, asking("https://a.test/"));
  assertEquals((await response.json()).choices[0].message.content, "A cat.");
  assertEquals(vendor.sent.map(({ body }) => JSON.stringify(body).includes(PIXEL.toBase64())), [
    true,
    true,
    true,
  ]);
  assertEquals(library.asked, ["https://a.test/"]);
});

Deno.test("after a failed download, targets that download the image themselves are tried", async () => {
  const library = new Library(() => Promise.reject(new ImageRefusal("it is over 1 bytes")));
  const vendor = new ScriptedVendor();
  const gateway = gatewayWith({
    library,
    vendor,
    config: {
      providers: {
        one: providerOf("nvidia", "one"),
        two: providerOf("lmstudio", "two"),
        three: providerOf("openai", "three"),
      },
      aliases: { m: ["one", "two", "three"], narrow: ["one", "two"] },
    },
  });
  const response = await gateway.call(CHAT, asking("https://a.test/"));
  assertEquals(response.headers.get("x-sluice-provider"), "three");
  assertEquals(imagesOf(vendor.body), ["https://a.test/"]);
  assertEquals(library.asked, ["https://a.test/"]);
  const error = await errorOf(
    await gateway.call(CHAT, { ...asking("https://a.test/"), model: "narrow" }),
  );
  assertEquals(error.message, "Cannot fetch the image at 'a.test': it is over 1 bytes");
});

Deno.test("content that the target does not support is refused before any download", async () => {
  const library = new Library();
  const audio = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
  const content = [image("https://a.test/"), audio];
  const gateway = gatewayWith({ kind: "ollama", library });
  const error = await errorOf(
    await gateway.call(CHAT, { model: "m", messages: [{ role: "user", content }] }),
  );
  assertEquals(error.param, "messages[0].content[1]");
  const strict = await gateway.call(
    CHAT,
    { ...asking("https://a.test/"), logit_bias: { 1: 1 } },
    { "x-sluice-strict": "true" },
  );
  assertEquals((await errorOf(strict)).code, "unsupported_parameter");
  assertEquals(library.asked, []);
});

Deno.test("four images are downloaded at a time", async () => {
  const library = new Library(async () => {
    await new Promise((resolve) => queueMicrotask(() => resolve(undefined)));
    return PIXEL;
  });
  const vendor = new ScriptedVendor();
  const urls = Array.from({ length: 30 }, (_, index) => `https://a.test/${index}`);
  await gatewayWith({ library, vendor }).call(CHAT, asking(...urls));
  assertEquals(library.asked, urls);
  assertEquals(library.most, 4);
  assertEquals(imagesOf(vendor.body).length, 30);
});

Deno.test("more than a hundred images are refused", async () => {
  const library = new Library();
  const urls = Array.from({ length: 101 }, (_, index) => `https://a.test/${index}`);
  const gateway = gatewayWith({ library });
  const error = await errorOf(await gateway.call(CHAT, asking(...urls)));
  assertEquals(error.param, "messages[0].content[101]");
  assertMatch(String(error.message), /100/);
  assertEquals(library.asked, []);
  assertEquals((await gateway.call(CHAT, asking(...urls.slice(1)))).status, 200);
});

Deno.test("the first failed download ends the others", async () => {
  const ended: string[] = [];
  const library = new Library((url, signal) => {
    if (url.endsWith("/2")) return Promise.reject(new ImageRefusal("it is over 1 bytes"));
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => {
        ended.push(url);
        reject(signal.reason);
      })
    );
  });
  const urls = Array.from({ length: 9 }, (_, index) => `https://a.test/${index}`);
  const gateway = gatewayWith({ library });
  const error = await errorOf(await gateway.call(CHAT, asking(...urls)));
  assertEquals(error.param, "messages[0].content[3]");
  assertEquals(ended, ["https://a.test/0", "https://a.test/1", "https://a.test/3"]);
  assertEquals(library.asked.length, 4);
});

/** A library whose books are never handed out, and the signal that its reader gave. */
function closedLibrary() {
  const asked = new Gate<StopSignal>();
  const library = new Library((_, signal) => {
    asked.open(signal);
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason))
    );
  });
  return { library, asked: asked.opened };
}

Deno.test("downloads count towards x-sluice-deadline-ms", async () => {
  const { library, asked } = closedLibrary();
  const vendor = new ScriptedVendor();
  const gateway = gatewayWith({ library, vendor });
  const headers = { "x-sluice-deadline-ms": "3000" };
  const answer = gateway.call(CHAT, asking("https://a.test/"), headers);
  const signal = await asked;
  gateway.clock.advance(2999);
  assertEquals(signal.aborted, false);
  gateway.clock.advance(1);
  const response = await answer;
  assertEquals([response.status, signal.aborted], [504, true]);
  assertMatch((await response.json()).error.message, /deadline of 3000 ms/);
  assertEquals([vendor.sent.length, gateway.clock.pending], [0, 0]);
});

Deno.test("time spent on images reduces the vendor's time", async () => {
  const vendor = new ScriptedVendor(() => new Promise(() => {}));
  const library = new Library(() => {
    gateway.clock.advance(2000);
    return Promise.resolve(PIXEL);
  });
  const sent = new Gate();
  const gateway = createTestGateway({
    config: { providers: { v: providerOf("nvidia") } },
    download: library.download,
    fetch: (url, init) => {
      sent.open();
      const { promise, reject } = Promise.withResolvers<Response>();
      init.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      return Promise.race([promise, vendor.fetch(url, init)]);
    },
  });
  const headers = { "x-sluice-deadline-ms": "3000" };
  const answer = gateway.call(CHAT, asking("https://a.test/"), headers);
  await sent.opened;
  gateway.clock.advance(1000);
  assertEquals((await answer).status, 504);
});

for (const stream of [false, true]) {
  Deno.test(`shutdown ends a download, stream: ${stream}`, async () => {
    const { library, asked } = closedLibrary();
    const gateway = gatewayWith({ library });
    const answer = gateway.call(CHAT, { ...asking("https://a.test/"), stream });
    await asked;
    gateway.app.abort();
    const response = await answer;
    assertEquals(response.status, 503);
    assertEquals((await response.json()).error.code, "overloaded");
    assertEquals(gateway.clock.pending, 0);
  });
}

Deno.test("a client disconnect during a download closes its connection", async () => {
  const [asked, closed] = [new Gate(), new Gate()];
  await using pictures = serveVendor(() => {
    asked.open();
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(PIXEL),
      cancel: () => closed.open(),
    });
    return new Response(body, { headers: { "content-type": "image/png" } });
  });
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({
    config: { providers: { v: providerOf("nvidia") }, server: OPEN },
    fetch: vendor.fetch,
    download: createDownload(new ManualClock(), () => Promise.reject(new TypeError("no names"))),
  });
  const caller = new AbortController();
  const answer = gateway.app.handle(
    new Request(`http://gateway.test${CHAT}`, {
      method: "POST",
      headers: { authorization: "Bearer sk-test-service-key" },
      body: JSON.stringify(asking(pictures.url)),
      signal: caller.signal,
    }),
  );
  await asked.opened;
  caller.abort();
  await closed.opened;
  await answer;
  assertEquals([gateway.lines[0]?.status, vendor.sent.length], [499, 0]);
  assertEquals([gateway.clock.pending, gateway.bugs], [0, []]);
});

/** `server` members that let tests fetch from loopback. */
const OPEN = { images: { http: true, allow: ["127.0.0.1"] } };

/** What a real server on loopback gives, and what comes of it under these rules. */
const REAL: readonly (readonly [string, Record<string, unknown>, string | undefined])[] = [
  ["what is allowed", { http: true, allow: ["127.0.0.1"] }, undefined],
  ["http that is not allowed", { allow: ["127.0.0.1"] }, "its URL must be https"],
  ["a host that is not allowed", { http: true }, "its host is not on the public internet"],
  ["nothing said", {}, "its URL must be https"],
  [
    "a smaller size",
    { http: true, allow: ["127.0.0.1"], max_size: PIXEL.length - 1 },
    `it is over ${PIXEL.length - 1} bytes`,
  ],
];

for (const [what, images, why] of REAL) {
  Deno.test(`server.images of config.yaml rules over a real download: ${what}`, async () => {
    await using pictures = serveVendor(() =>
      new Response(PIXEL, { headers: { "content-type": "image/png" } })
    );
    const vendor = new ScriptedVendor();
    const clock = new ManualClock();
    const gateway = createTestGateway({
      config: { providers: { v: providerOf("nvidia") }, server: { images } },
      fetch: vendor.fetch,
      download: createDownload(clock, () => Promise.reject(new TypeError("no names"))),
    });
    const response = await gateway.call(CHAT, asking(`${pictures.url}/cat.png`));
    assertEquals([clock.pending, gateway.clock.pending], [0, 0]);
    if (why === undefined) {
      assertEquals(imagesOf(vendor.body), [PIXEL_URL]);
      return void await response.body?.cancel();
    }
    const { host } = new URL(pictures.url);
    const { message } = await errorOf(response);
    assertEquals(message, `Cannot fetch the image at '${host}': ${why}`);
  });
}

const RULES: ImageRules = { http: false, allow: new Set(), maxSize: 100, timeout: 1 };
const NONE = { https: false, http: false };
const NEVER = new AbortController().signal;

function messagesOf(...urls: string[]): ChatRequest["messages"] {
  return [{
    role: "user",
    content: urls.map((url) => ({ type: "image_url", image_url: { url } })),
  }];
}

Deno.test("needsImages() ignores URLs that only the vendor can read", () => {
  const own = /^(?:gs:|https:\/\/files\.vendor\.test\/)/i;
  const needs = (url: string, sources = {}) =>
    needsImages(messagesOf(url), { ...NONE, ...sources });
  assertEquals(needs("https://files.vendor.test/1", { own }), false);
  assertEquals(needs("gs://bucket/1.png", { own }), false);
  assertEquals(needs("https://other.test/1", { own }), true);
  assertEquals(needs("http://other.test/1", { https: true }), true);
  assertEquals(needs("https://other.test/1", { https: true }), false);
  assertEquals(needs("http://other.test/1", { http: true }), false);
  assertEquals(needs(PIXEL_URL), false);
  assertEquals(needsImages([{ role: "user", content: "https://other.test/1" }], NONE), false);
});

Deno.test("fill() does not change the caller's messages", async () => {
  const messages = messagesOf("https://a.test/", PIXEL_URL);
  const before = structuredClone(messages);
  const images = new RequestImages(RULES, new Library().download);
  assertEquals(await images.fill(messages, NONE, NEVER), messagesOf(PIXEL_URL, PIXEL_URL));
  assertEquals(messages, before);
});

Deno.test("fill() limits all downloads of a request to twice the size of the largest image", async () => {
  const budgets = new Set<Budget>();
  const images = new RequestImages(RULES, (_url, rules, budget) => {
    assertEquals(rules, RULES);
    budgets.add(budget);
    budget.take(80);
    return Promise.resolve(PIXEL);
  });
  await images.fill(messagesOf("https://a.test/1", "https://a.test/2"), NONE, NEVER);
  const error = await assertRejects(
    () => images.fill(messagesOf("https://a.test/1", "https://a.test/3"), NONE, NEVER),
    GatewayError,
  );
  assertEquals(error.kind, "unsupported_content");
  assertEquals(error.param, "messages[0].content[1]");
  assertMatch(error.message, /the images in this request are over 200 bytes together$/);
  assertEquals(budgets.size, 1);
});

Deno.test("fill() remembers failed downloads, but not aborted ones", async () => {
  const stop = new AbortController();
  const library = new Library((url, signal) => {
    if (url.endsWith("/bad")) return Promise.reject(new ImageRefusal("it is over 1 bytes"));
    stop.abort(new RangeError("stopped"));
    return signal.aborted ? Promise.reject(signal.reason) : Promise.resolve(PIXEL);
  });
  const images = new RequestImages(RULES, library.download);
  for (let time = 0; time < 2; time++) {
    await assertRejects(() => images.fill(messagesOf("https://a.test/bad"), NONE, NEVER));
  }
  assertEquals(library.asked, ["https://a.test/bad"]);
  await assertRejects(
    () => images.fill(messagesOf("https://a.test/"), NONE, stop.signal),
    RangeError,
    "stopped",
  );
  await assertRejects(
    () => images.fill(messagesOf("https://a.test/"), NONE, stop.signal),
    RangeError,
    "stopped",
  );
  assertEquals(library.asked, ["https://a.test/bad", "https://a.test/"]);
  assertEquals((await images.fill(messagesOf("https://a.test/"), NONE, NEVER)).length, 1);
});

Deno.test("an unexpected error of the downloader is an internal error", async () => {
  const library = new Library(() => Promise.reject(new TypeError("10.0.0.1")));
  const gateway = gatewayWith({ library, vendor: failing(500, {}) });
  const response = await gateway.call(CHAT, asking("https://a.test/"));
  assertEquals(response.status, 500);
  assert(!(await response.text()).includes("10.0.0.1"));
  assertEquals(gateway.bugs.length, 1);
});
