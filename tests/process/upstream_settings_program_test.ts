/** `upstream` of config.yaml, through the running gateway: the template cache. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { VENDOR_KEY } from "../support/gateway.ts";
import { addressOf, type Running, runSluice, startSluice } from "../support/process.ts";
import { serveVendor } from "../support/server.ts";

/** Texts of the events of a stream: more than the cache learns from. */
const WORDS = Array.from({ length: 12 }, (_, index) => `word ${index}`);

/** An event whose members have an order that the gateway itself never writes. */
const eventOf = (content: string) =>
  `data: {"object":"chat.completion.chunk","choices":[{"finish_reason":null,"logprobs":null,"index":0,` +
  `"delta":{"content":"${content}"}}],"model":"m","created":1,"id":"c1"}\n\n`;

const STREAM = WORDS.map(eventOf).join("") +
  `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"m",` +
  `"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;

/** A vendor that keeps the headers of each request. */
function serveRecorder(heard: Headers[]) {
  return serveVendor(({ headers }) => {
    heard.push(headers);
    return new Response(STREAM, { headers: { "content-type": "text/event-stream" } });
  });
}

const configOf = (baseUrl: string, upstream: unknown, provider: Record<string, unknown> = {}) =>
  JSON.stringify({
    server: { keys: [{ name: "own", key: "sk-own" }], workers: 2 },
    providers: {
      p: {
        kind: "openai_compatible",
        base_url: baseUrl,
        api_key: VENDOR_KEY,
        models: ["m"],
        retries: 0,
        ...provider,
      },
    },
    ...(upstream === undefined ? {} : { upstream }),
  });

/** The environment without the developer's proxy and exporter. */
const PLAIN = Object.fromEntries(
  ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()])
    .map((name) => [name, ""]),
);

async function ask(running: Running): Promise<string> {
  const base = await addressOf(running);
  using client = Deno.createHttpClient({});
  const response = await fetch(`${base}/v1/chat/completions`, {
    client,
    method: "POST",
    headers: { authorization: "Bearer sk-own" },
    body: JSON.stringify({
      model: "m",
      stream: true,
      messages: [{ role: "user", content: "Hi" }],
    }),
  });
  return await response.text();
}

/** Whether events came through as the vendor had written them, without being parsed. */
const isFromCache = (stream: string) => stream.includes(eventOf(WORDS.at(-1) ?? ""));

for (
  const [upstream, byCache] of [
    [undefined, true],
    [{ template_cache: "on" }, true],
    [{ template_cache: "off" }, false],
  ] as const
) {
  Deno.test(`upstream: ${JSON.stringify(upstream)} chooses the way of events`, async () => {
    const heard: Headers[] = [];
    await using vendor = serveRecorder(heard);
    await using running = startSluice(["--port", "0"], {
      files: { "config.yaml": configOf(`${vendor.url}/v1`, upstream) },
      env: PLAIN,
    });
    const stream = await ask(running);
    assertEquals([heard.length, isFromCache(stream)], [1, byCache]);
    for (const word of WORDS) assertStringIncludes(stream, `"content":"${word}"`);
    assert(!running.stderr().includes("Warning"), running.stderr());
  });
}

Deno.test("a reload changes the template cache of every worker", async () => {
  const heard: Headers[] = [];
  await using vendor = serveRecorder(heard);
  await using running = startSluice(["--port", "0"], {
    files: { "config.yaml": configOf(`${vendor.url}/v1`, undefined) },
    env: PLAIN,
  });
  assert(isFromCache(await ask(running)));
  running.write(
    "config.yaml",
    configOf(`${vendor.url}/v1`, { template_cache: "off" }),
  );
  await running.logged("Loaded");
  // Several connections, so that both workers are reached.
  for (let count = 0; count < 8; count++) assert(!isFromCache(await ask(running)));
  assertEquals(heard.length, 9);
});

Deno.test("other values of upstream are refused", async () => {
  for (
    const upstream of [{ http_client: "native" }, { template_cache: "of" }, { client: "fetch" }]
  ) {
    const files = { "config.yaml": configOf("http://127.0.0.1:1/v1", upstream) };
    const { code, stderr } = await runSluice(["check"], { files, env: PLAIN });
    assertEquals(code, 1);
    assertMatch(stderr, /\n {2}upstream\.(http_client|template_cache|client): \S.+\n/);
  }
});
