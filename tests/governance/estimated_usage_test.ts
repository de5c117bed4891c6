/** What is counted where the vendor reports no usage: media, requests that are cut, and counts. */

import { assert, assertEquals } from "@std/assert";
import { tokenFamily } from "../../src/apis/token_families.ts";
import { countInput } from "../../src/apis/chat/token_estimate.ts";
import { createTestGateway, type TestGateway } from "../support/gateway.ts";
import { turn, until } from "../support/elapse.ts";
import { CHAT } from "../support/stage.ts";
import { LOCAL_STORES } from "../support/store_kinds.ts";
import type { UsageStore } from "../../src/governance/ledger/usage_store.ts";
import { ScriptedVendor } from "../support/scripted_vendor.ts";
import type { RequestWatcher } from "../../src/upstream/transport.ts";

const HEADERS = { authorization: "Bearer sk-a" };
const ADMIN = { authorization: "Bearer sk-root" };
const BASE64 = "QUJD".repeat(110_000);
const WORDS = "word ".repeat(2000);
const tokensOf = (...parts: Parameters<typeof countInput>) =>
  countInput(...parts).tokens(tokenFamily("o200k"));

function start(
  vendor: ScriptedVendor,
  key: Record<string, unknown> = {},
  usage?: UsageStore,
): TestGateway {
  const models = [{ id: "m", prices: { input: 1000, output: 10_000 }, max_output_tokens: 1000 }];
  return createTestGateway({
    config: {
      server: {
        keys: [{ name: "a", key: "sk-a", ...key }],
        admin_keys: [{ name: "root", key: "sk-root" }],
      },
      providers: {
        v: { kind: "openai_compatible", base_url: "http://vendor.test/v1", retries: 0, models },
        claude: { kind: "anthropic", api_key: "sk-v", models: ["claude-opus-4-5"] },
      },
    },
    fetch: vendor.fetch,
    ...(usage !== undefined && { usage }),
  });
}

/** A vendor that answers with this body, or never does. */
const answering = (body?: unknown) =>
  new ScriptedVendor((_, signal) =>
    body === undefined
      ? new Promise((_, reject) =>
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
      )
      : Response.json(body)
  );

const CHAT_ANSWER = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
};

/** The row of the last request, once there are this many. */
async function lastRow(gateway: TestGateway, count = 1): Promise<Record<string, unknown>> {
  for (let tries = 0; tries < 1000; tries++) {
    const response = await gateway.call("/v1/admin/requests", undefined, ADMIN);
    const { data } = await response.json();
    if (data.length >= count) return data[0];
    await turn();
  }
  throw new Error(`The ledger never had ${count} requests`);
}

async function spent(gateway: TestGateway): Promise<number> {
  const response = await gateway.call("/v1/admin/usage", undefined, ADMIN);
  return (await response.json()).data[0].cost_usd;
}

Deno.test("media count by their kind, not as text", () => {
  const tokens = (part: unknown) => tokensOf([{ role: "user", content: [part] }]) - 6;
  const url = (type: string) => `data:${type};base64,${BASE64}`;
  const source = (media_type: string) => ({ type: "base64", media_type, data: BASE64 });
  const images = [
    { type: "image_url", image_url: { url: url("image/png") } },
    { type: "image_url", image_url: { url: "https://images.test/a.png" } },
    { type: "input_image", image_url: url("image/png") },
    { type: "image", source: source("image/png") },
    { type: "image", source: { type: "url", url: "https://images.test/a.png" } },
    { type: "image_generation_call", result: BASE64 },
  ];
  for (const part of images) {
    assertEquals(Math.floor(tokens(part) / 100), 15, JSON.stringify(part).slice(0, 80));
  }
  const documents = [
    { type: "file", file: { file_data: url("application/pdf"), filename: "a.pdf" } },
    { type: "input_file", file_data: url("application/pdf") },
    { type: "document", source: source("application/pdf") },
  ];
  for (const part of documents) assertEquals(Math.floor(tokens(part) / 1000), 11);
  const audio = { type: "input_audio", input_audio: { data: BASE64, format: "wav" } };
  assertEquals(Math.floor(tokens(audio) / 100), 4);
  // A text that is encoded is still a text, as are the texts of a document.
  for (
    const type of ["text/plain", "application/json", "application/ld+json", "application/x-sh"]
  ) {
    const text = { type: "file", file: { file_data: url(type) } };
    assert(tokens(text) > 80_000, type);
  }
  for (const data of [WORDS, [{ type: "text", text: WORDS }]]) {
    const content = { type: "document", source: { type: "text", data } };
    assert(tokens(content) > 2000 && tokens(content) < 3000);
  }
});

Deno.test("a text counts as such, whatever it looks like and wherever it is", () => {
  const long = "x".repeat(1001) + " word".repeat(100_000);
  const hidden = { type: "image", source: { type: "base64", data: long } };
  const places: readonly unknown[] = [
    [{ role: "user", content: long }],
    [{ role: "user", content: `data:image/png;base64,${long}` }],
    [{ role: "user", content: [{ type: "text", text: `data:${long}` }] }],
    [{ role: "user", content: [{ type: "tool_use", input: hidden }] }],
    [{ role: "user", content: [{ type: "tool_result", content: long }] }],
    [{ type: "function_call_output", output: long }],
    [{ role: "user", content: [{ image_url: long }] }],
  ];
  // A long text is estimated from a sample.
  const least = 95_000;
  for (const place of places) {
    assert(tokensOf(place) > least, JSON.stringify(place).slice(0, 100));
  }
  for (const tool of [hidden, { properties: { [long]: {} } }, { description: long }]) {
    assert(tokensOf([], [tool]) > least);
  }
});

Deno.test("a limit of tokens refuses a long prompt that begins with a long word", async () => {
  const vendor = answering(CHAT_ANSWER);
  const gateway = start(vendor, { limits: { tokens_per_minute: 5000 } });
  const content = "x".repeat(1001) + " word".repeat(100_000);
  const response = await gateway.call(
    CHAT,
    { model: "m", messages: [{ role: "user", content }] },
    HEADERS,
  );
  assertEquals([response.status, (await response.json()).error.code], [400, "too_many_tokens"]);
  assertEquals(vendor.sent.length, 0);
});

Deno.test("an image of a key without limits is not estimated by its bytes", async () => {
  const gateway = start(answering(CHAT_ANSWER));
  const part = { type: "image_url", image_url: { url: `data:image/png;base64,${BASE64}` } };
  const messages = [{ role: "user", content: [part] }];
  const response = await gateway.call(CHAT, { model: "m", messages }, HEADERS);
  await response.text();
  const row = await lastRow(gateway);
  assertEquals([row.usage_source, Math.floor(Number(row.input_tokens) / 100)], ["estimated", 15]);
});

/** Whether the answer is streamed, what cuts it, and where its row is. */
const CUTS = [false, true].flatMap((stream) =>
  ["deadline", "caller"].flatMap((by) => LOCAL_STORES.map((kind) => ({ stream, by, kind })))
);

for (const { stream, by, kind: { name, run } } of CUTS) {
  const what = `${name}: what was sent and cut by the ${by} is estimated, stream: ${stream}`;
  Deno.test({
    name: what,
    fn: () =>
      run(async (usage) => {
        const vendor = answering();
        // The request of 2,166 tokens costs 2.2 US dollars, and the 10 tokens of output 0.1.
        const gateway = start(vendor, { budget: { usd: 6, per: "day" } }, usage);
        const messages = [{ role: "user", content: WORDS }];
        const body = { model: "m", messages, stream, max_tokens: 10 };
        for (let sent = 1; sent <= 3; sent++) {
          const caller = new AbortController();
          const headers = by === "deadline" ? { "x-sluice-deadline-ms": "150" } : undefined;
          const open = gateway.call(CHAT, body, { ...HEADERS, ...headers }, caller.signal);
          await until(() => vendor.sent.length === sent);
          gateway.clock.advance(150);
          if (by === "caller") caller.abort();
          const response = await open;
          await response.text();
          assertEquals(response.status, by === "deadline" ? 504 : 499);
          // In 150 ms, a model writes up to 15 tokens, but the caller allows 10.
          const { usage_source, input_tokens, output_tokens } = await lastRow(gateway, sent);
          assertEquals([usage_source, input_tokens, output_tokens], ["estimated", 2166, 10]);
        }
        assertEquals(Math.round(await spent(gateway) * 10), 68);
        const refused = await gateway.call(CHAT, body, HEADERS);
        assertEquals((await refused.json()).error.code, "insufficient_quota");
        assertEquals([refused.status, vendor.sent.length], [429, 3]);
        await lastRow(gateway, 4);
      }),
  });
}

Deno.test("what a vendor refuses, or what was not sent, is not charged", async () => {
  for (
    const fetch of [
      () => Promise.resolve(new Response("{}", { status: 500 })),
      () => Promise.reject(new Error("connect ECONNREFUSED")),
      (
        _: string,
        { signal, watcher }: { signal: AbortSignal; watcher?: RequestWatcher },
      ) => {
        watcher?.onConnecting?.(true);
        return new Promise<Response>((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason), { once: true })
        );
      },
    ]
  ) {
    const gateway = start({ fetch, sent: [] } as unknown as ScriptedVendor);
    const body = { model: "m", messages: [{ role: "user", content: WORDS }] };
    const headers = { ...HEADERS, "x-sluice-deadline-ms": "150" };
    const open = gateway.call(CHAT, body, headers);
    await until(() => gateway.clock.pending > 0);
    gateway.clock.advance(150);
    await (await open).text();
    const row = await lastRow(gateway);
    assertEquals([row.usage_source, row.input_tokens, row.cost_usd], ["none", 0, 0]);
  }
});

Deno.test("count_tokens counts as a request, and costs nothing", async () => {
  const key = {
    limits: { tokens_per_minute: 100, requests_per_minute: 3 },
    budget: { usd: 0.001, per: "day" },
  };
  for (const model of ["claude-opus-4-5", "m"]) {
    const gateway = start(answering({ input_tokens: 9 }), key);
    const body = { model, messages: [{ role: "user", content: WORDS.repeat(4) }] };
    for (const expected of [200, 200, 200, 429]) {
      const response = await gateway.call("/v1/messages/count_tokens", body, HEADERS);
      await response.text();
      assertEquals(response.status, expected, model);
      if (expected !== 200) continue;
      assertEquals(response.headers.get("x-sluice-cost-usd"), null);
      const row = await lastRow(gateway);
      assertEquals([row.input_tokens, row.output_tokens, row.cost_usd], [0, 0, 0]);
    }
  }
});
