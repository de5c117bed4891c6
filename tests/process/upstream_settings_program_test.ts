/** `upstream` of config.yaml, through the running gateway: the HTTP client and the template cache. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { VENDOR_KEY } from "../support/gateway.ts";
import { runSluice, startSluice } from "../support/process.ts";
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

async function ask(stderr: string): Promise<string> {
  const [, base = ""] = /^Sluice listens on (http:\S+)$/m.exec(stderr) ?? [];
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

/** The runtime's fetch sends this header with each request, the native client never. */
const isFromFetch = (headers: Headers | undefined) => headers?.has("accept-language") ?? false;

/** Whether events came through as the vendor had written them, without being parsed. */
const isFromCache = (stream: string) => stream.includes(eventOf(WORDS.at(-1) ?? ""));

for (
  const [upstream, byFetch, byCache] of [
    [undefined, false, true],
    [{ http_client: "native", template_cache: "on" }, false, true],
    [{ http_client: "fetch" }, true, true],
    [{ template_cache: "off" }, false, false],
  ] as const
) {
  Deno.test(`upstream: ${JSON.stringify(upstream)} chooses the client and the way of events`, async () => {
    const heard: Headers[] = [];
    await using vendor = serveRecorder(heard);
    await using running = startSluice(["--port", "0"], {
      files: { "config.yaml": configOf(`${vendor.url}/v1`, upstream) },
      env: PLAIN,
    });
    await running.logged("\n    -d ");
    const stream = await ask(running.stderr());
    assertEquals([isFromFetch(heard[0]), isFromCache(stream)], [byFetch, byCache]);
    for (const word of WORDS) assertStringIncludes(stream, `"content":"${word}"`);
    assert(!running.stderr().includes("Warning"), running.stderr());
  });
}

Deno.test("a reload changes the client and the template cache of every worker", async () => {
  const heard: Headers[] = [];
  await using vendor = serveRecorder(heard);
  await using running = startSluice(["--port", "0"], {
    files: { "config.yaml": configOf(`${vendor.url}/v1`, undefined) },
    env: PLAIN,
  });
  await running.logged("\n    -d ");
  assert(isFromCache(await ask(running.stderr())));
  running.write(
    "config.yaml",
    configOf(`${vendor.url}/v1`, { http_client: "fetch", template_cache: "off" }),
  );
  await running.logged("Loaded");
  // Several connections, so that both workers are reached.
  for (let count = 0; count < 8; count++) assert(!isFromCache(await ask(running.stderr())));
  assertEquals(heard.map(isFromFetch), [false, ...Array(8).fill(true)]);
});

const CONNECTIONS = {
  connections: { max_age: "1m", max_requests: 10, reuse: true },
  resend: "never",
  timeout: { connect: "5s" },
};

const ignored = (name: string) =>
  `Warning: providers.p.${name} has no effect with the HTTP client 'fetch'\n`;
const IGNORED = ["connections.max_age", "connections.max_requests", "resend"];

Deno.test("check warns of settings that fetch ignores, and says why it is used", async () => {
  const check = async (upstream: unknown, env: Record<string, string> = {}) => {
    const files = { "config.yaml": configOf("http://127.0.0.1:1/v1", upstream, CONNECTIONS) };
    const { code, stdout } = await runSluice(["check"], { files, env: { ...PLAIN, ...env } });
    assertEquals(code, 0);
    return stdout;
  };
  assert(!(await check({ http_client: "native" })).includes("Warning"));
  const chosen = await check({ http_client: "fetch" });
  for (const name of IGNORED) assertStringIncludes(chosen, ignored(name));
  assert(!/reuse has|connect has|Requests to vendors/.test(chosen), chosen);
  const proxied = await check({ http_client: "native" }, { HTTPS_PROXY: "http://127.0.0.1:1" });
  for (const name of [...IGNORED, "timeout.connect"]) assertStringIncludes(proxied, ignored(name));
  assertMatch(
    proxied,
    /Requests to vendors use the HTTP client 'fetch', since HTTPS_PROXY is set\n/,
  );
  const traced = await check(undefined, {
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1",
  });
  assert(!traced.includes("HTTP client"), traced);
});

Deno.test("the start warns of settings that fetch ignores", async () => {
  await using running = startSluice(["--port", "0"], {
    files: {
      "config.yaml": configOf("http://127.0.0.1:1/v1", { http_client: "fetch" }, CONNECTIONS),
    },
    env: PLAIN,
  });
  await running.logged("\n    -d ");
  for (const name of IGNORED) assertStringIncludes(running.stderr(), ignored(name));
});

Deno.test("other values of upstream are refused", async () => {
  for (const upstream of [{ http_client: "curl" }, { template_cache: "of" }, { client: "fetch" }]) {
    const files = { "config.yaml": configOf("http://127.0.0.1:1/v1", upstream) };
    const { code, stderr } = await runSluice(["check"], { files, env: PLAIN });
    assertEquals(code, 1);
    assertMatch(stderr, /\n {2}upstream\.(http_client|template_cache|client): \S.+\n/);
  }
});
