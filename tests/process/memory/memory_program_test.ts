/** The memory that the bodies of all requests take: a process with a small heap stays alive. */

import { assert, assertEquals } from "@std/assert";
import {
  addressOf,
  type Program,
  SOURCES,
  startSluice,
  withPreloaded,
} from "../../support/process.ts";

/** The heap of the process, in MiB. */
const HEAP_MB = 256;

const SMALL_HEAP: Program = {
  path: SOURCES.path,
  args: SOURCES.args.map((arg) =>
    arg.startsWith("--v8-flags=") ? `${arg},--max-old-space-size=${HEAP_MB}` : arg
  ),
};

const MIB = 1024 * 1024;
const KEYS = ["sk-large-0123456789", "sk-other-0123456789"] as const;
const PATIENCE_MS = 60_000;

/** A vendor that answers small requests at once, and large ones when a test lets it. */
function startVendor() {
  const { promise: reported, resolve: tell } = Promise.withResolvers<void>();
  const server = Deno.serve({ port: 0, onListen() {} }, async (request) => {
    const { byteLength } = await request.bytes();
    if (byteLength > 2 * MIB) await reported;
    return Response.json({
      id: "c",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{
        index: 0,
        message: { role: "assistant", content: "Hi" },
        finish_reason: "stop",
      }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  });
  return {
    port: server.addr.port,
    tell,
    [Symbol.asyncDispose]() {
      tell();
      return server.shutdown();
    },
  };
}

function configFor(port: number, workers: number, more = ""): string {
  return `
server:
  port: 0
  workers: ${workers}
  # A busy machine sends many large bodies at once only slowly.
  head_timeout: 5m
  body_timeout: 5m
  keys:
    - { name: large, key: ${KEYS[0]} }
    - { name: other, key: ${KEYS[1]} }
${more}
providers:
  v: { kind: openai_compatible, base_url: "http://127.0.0.1:${port}/v1", api_key: none-of-any, models: [m] }
`;
}

/** Sends a request with this many bytes of text. */
async function ask(address: string, key: string, bytes: number, client: Deno.HttpClient) {
  const content = "x".repeat(bytes);
  const response = await fetch(`${address}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
    signal: AbortSignal.timeout(PATIENCE_MS),
    client,
  });
  const { status, headers } = response;
  const { error } = await response.json();
  return { status, retryAfter: headers.get("retry-after"), code: error?.code };
}

for (const workers of [1, 2]) {
  Deno.test(`large requests do not end a process with a small heap (workers: ${workers})`, async () => {
    await using vendor = startVendor();
    using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    await using running = startSluice(["serve"], {
      files: { "config.yaml": configFor(vendor.port, workers) },
      program: SMALL_HEAP,
    });
    const address = await addressOf(running);
    const large = Array.from({ length: 60 }, () => ask(address, KEYS[0], 8 * MIB, client));
    const settled = Promise.allSettled(large);
    await running.logged("server.max_in_flight_bytes");
    // The key that holds much does not shut out others.
    assertEquals((await ask(address, KEYS[1], MIB, client)).status, 200);
    vendor.tell();
    const answers = (await settled).map((one) => one.status === "fulfilled" ? one.value : one);
    const answered = answers.filter(({ status }) => status === 200).length;
    const refused = answers.filter((one) => one.status === 503);
    assert(answered > 0 && refused.length > 0, JSON.stringify(answers));
    assertEquals(answered + refused.length, large.length, JSON.stringify(answers));
    assertEquals(refused[0], { status: 503, retryAfter: "1", code: "overloaded" });
    // What ended is given back.
    assertEquals((await ask(address, KEYS[0], 8 * MIB, client)).status, 200);
    const metrics = await fetch(`${address}/metrics`, {
      headers: { authorization: `Bearer ${KEYS[1]}` },
      client,
    });
    const text = await metrics.text();
    const counted = /sluice_memory_refusals_total\{kind="request"\} (\d+)/.exec(text)?.[1];
    assertEquals(Number(counted), refused.length);
  });
}

Deno.test("a gateway that is started as README says collects garbage after the start and after load", async () => {
  const config = {
    server: { port: 0, keys: [{ name: "own", key: "sk-own" }] },
    providers: { mock: { kind: "mock", models: ["mock-echo"] } },
  };
  await using running = startSluice([], {
    files: { "config.yaml": JSON.stringify(config) },
    program: withPreloaded("growing_heap.ts"),
  });
  const options = '{"type":"major","execution":"sync","flavor":"last-resort"}';
  await running.logged(`collected 1: ${options}`);
  const base = await addressOf(running);
  const answer = await fetch(`${base}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer sk-own" },
    body: JSON.stringify({ model: "mock-echo", messages: [{ role: "user", content: "Hi" }] }),
  });
  await answer.text();
  const before = running.stderr().split("collected").length - 1;
  await running.logged(`collected ${before + 1}: ${options}`);
});
