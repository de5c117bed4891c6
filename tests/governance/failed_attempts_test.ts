/** What attempts cost that did not answer: a vendor may bill what it has worked on. */

import type { StopSignal } from "../../src/core/stop_signal.ts";
import { assert, assertEquals } from "@std/assert";
import { createTestGateway, type TestGateway } from "../support/gateway.ts";
import { until } from "../support/elapse.ts";
import { CHAT } from "../support/stage.ts";
import { ScriptedVendor, type Sent } from "../support/scripted_vendor.ts";

const HEADERS = { authorization: "Bearer sk-a" };
const ADMIN = { authorization: "Bearer sk-root" };
const MESSAGES = [{ role: "user", content: "word ".repeat(2000) }];
/** The estimate of the prompt. */
const INPUT = 2166;

type Answer = (sent: Sent, signal: StopSignal | null) => Response | Promise<Response>;

const USAGE = { prompt_tokens: 2000, completion_tokens: 5, total_tokens: 2005 };
const CHOICES = [
  { index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" },
];
const COMPLETION = { id: "c", object: "chat.completion", created: 1, model: "b" };

const answer: Answer = () => Response.json({ ...COMPLETION, choices: CHOICES, usage: USAGE });

const stall: Answer = (_, signal) =>
  new Promise((_, reject) =>
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
  );

/** A gateway whose first target is `a`, at 1,000 and 10,000 dollars per million, and whose second is `b`. */
function start(
  first: Answer,
  key: Record<string, unknown> = {},
  second = answer,
  sections: Record<string, unknown> = {},
) {
  const vendor = new ScriptedVendor((sent, signal) =>
    (sent.body.model === "a" ? first : second)(sent, signal)
  );
  const prices = { input: 1000, output: 10_000 };
  const models = ["a", "b"].map((id) => ({ id, prices, max_output_tokens: 10 }));
  const gateway = createTestGateway({
    config: {
      server: {
        keys: [{ name: "a", key: "sk-a", ...key }],
        admin_keys: [{ name: "root", key: "sk-root" }],
      },
      providers: {
        v: {
          ...{ kind: "openai_compatible", base_url: "http://vendor.test/v1", retries: 0, models },
          timeout: { first_token: "1s", total: "2s" },
        },
      },
      aliases: { chain: ["a", "b"] },
      ...sections,
    },
    fetch: vendor.fetch,
  });
  return { gateway, vendor };
}

/** Asks once; the clock advances once the first target was called, so that a stalled one times out. */
async function ask({ gateway, vendor }: ReturnType<typeof start>, members = {}) {
  const before = vendor.sent.length;
  const body = { model: "chain", messages: MESSAGES, max_tokens: 10, ...members };
  const open = gateway.call(CHAT, body, HEADERS);
  await until(() => vendor.sent.length > before);
  gateway.clock.advance(2000);
  const response = await open;
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, row: await lastRow(gateway) };
}

async function lastRow(gateway: TestGateway) {
  const { data } = await (await gateway.call("/v1/admin/requests", undefined, ADMIN)).json();
  const path = `/v1/admin/requests/${data[0].id}`;
  return await (await gateway.call(path, undefined, ADMIN)).json();
}

const toCosts = (row: { attempts: Record<string, unknown>[] }) =>
  row.attempts.map(({ input_tokens, output_tokens, usage_source, cost_usd }) => [
    ...[input_tokens, output_tokens, usage_source, cost_usd],
  ]);

/** What the first attempt costs if it was cut: the estimate of its input, and ten tokens of output. */
const CUT = [INPUT, 10, "estimated", 2.266];
const ANSWERED = [2000, 5, "vendor", 2.05];
const NOTHING = [0, 0, "none", 0];

Deno.test("an attempt that timed out is billed beside the one that answered", async () => {
  const started = start(stall);
  const { status, headers, row } = await ask(started);
  assertEquals([status, row.attempt_count, row.provider, row.upstream], [200, 2, "v", "b"]);
  assertEquals(toCosts(row), [CUT, ANSWERED]);
  const { input_tokens, output_tokens, usage_source, cost_usd } = row;
  assertEquals([input_tokens, output_tokens, usage_source], [INPUT + 2000, 15, "estimated"]);
  assertEquals(cost_usd, 4.316);
  assertEquals(headers.get("x-sluice-cost-usd"), "4.316");
  assertEquals(headers.get("x-sluice-estimated"), "cost");
});

for (
  const [name, key, code] of [
    ["budget", { budget: { usd: 7, per: "day" } }, "insufficient_quota"],
    ["limit of tokens", { limits: { tokens_per_day: 9000 } }, "rate_limit_exceeded"],
  ] as const
) {
  Deno.test(`the ${name} of the key counts an attempt that timed out`, async () => {
    const started = start(stall, key);
    // Without their first attempts, a third request would also pass.
    assertEquals((await ask(started)).status, 200);
    assertEquals((await ask(started)).status, 200);
    const body = { model: "chain", messages: MESSAGES, max_tokens: 10 };
    const refused = await started.gateway.call(CHAT, body, HEADERS);
    assertEquals([refused.status, (await refused.json()).error.code], [429, code]);
    assertEquals(started.vendor.sent.length, 4);
  });
}

Deno.test("the limit of a model counts its own attempt only", async () => {
  const limits = { models: { a: { tokens_per_day: 4000 }, b: { tokens_per_day: 4500 } } };
  const started = start(stall, {}, answer, { limits });
  await ask(started);
  await ask(started);
  // Of `a`, 2,176 of 4,000 tokens were used after the first request; of `b` 2,005 of 4,500, twice.
  assertEquals(started.vendor.sent.map(({ body }) => body.model), ["a", "b", "b"]);
  const sent = started.gateway.call(CHAT, { model: "chain", messages: MESSAGES }, HEADERS);
  const refused = await sent;
  assertEquals([refused.status, (await refused.json()).error.code], [429, "rate_limit_exceeded"]);
});

const body = (value: unknown): Answer => () => Response.json(value);
const broken = (error: Error): Answer => () => Promise.reject(error);
const reset = Object.assign(new Error("connection reset"), { code: "ECONNRESET" });
const refused = Object.assign(new Error("connection refused"), { code: "ECONNREFUSED" });

const stream = (text: string): Answer => () =>
  new Response(text, { headers: { "content-type": "text/event-stream" } });
const chunk = (members: Record<string, unknown>) =>
  `data: ${
    JSON.stringify({
      id: "c",
      object: "chat.completion.chunk",
      created: 1,
      model: "a",
      choices: [],
      ...members,
    })
  }\n\n`;

/** What the first attempt gets, and what its vendor may bill: tokens, source, dollars. */
const FAILURES: readonly (readonly [string, Answer, readonly unknown[], { stream?: true }?])[] = [
  ["a status of 500", () => new Response("{}", { status: 500 }), NOTHING],
  ["a status of 429", () => Response.json({ error: { message: "m" } }, { status: 429 }), NOTHING],
  ["an error in a 200", body({ error: { message: "m", code: 500 } }), NOTHING],
  [
    "a status of 500 with usage",
    () => Response.json({ error: { message: "m" }, usage: USAGE }, { status: 500 }),
    ANSWERED,
  ],
  ["an error with usage in a 200", body({ error: { message: "m" }, usage: USAGE }), ANSWERED],
  ["a refused connection", broken(refused), NOTHING],
  // Estimates: the input, and the tokens that a model writes in no time.
  ["a connection that breaks off", broken(reset), [INPUT, 0, "estimated", 2.166]],
  [
    "an answer that is not JSON",
    () => new Response("x".repeat(400)),
    [INPUT, 100, "estimated", 3.166],
  ],
  ["an error event", stream(`data: ${JSON.stringify({ error: { message: "m" } })}\n\n`), NOTHING, {
    stream: true,
  }],
  ["a stream without content", stream(""), [INPUT, 0, "estimated", 2.166], { stream: true }],
  [
    "usage, and then an error event",
    stream(chunk({ usage: USAGE }) + `data: ${JSON.stringify({ error: { message: "m" } })}\n\n`),
    [2000, 5, "estimated", 2.05],
    { stream: true },
  ],
];

for (const [name, first, expected, members] of FAILURES) {
  Deno.test(`billed after ${name}: ${expected.join(" ")}`, async () => {
    const started = start(first);
    const sent = started.gateway.call(CHAT, {
      ...{ model: "a", messages: MESSAGES, max_tokens: 10 },
      ...members,
    }, HEADERS);
    assert((await (await sent).text()) !== "");
    const row = await lastRow(started.gateway);
    assertEquals(toCosts(row), [expected]);
    const { input_tokens, output_tokens, usage_source, cost_usd } = row;
    assertEquals([input_tokens, output_tokens, usage_source, cost_usd], [...expected]);
  });
}

Deno.test("tokens in metrics are those of the target that may bill them", async () => {
  const started = start(stall);
  await ask(started);
  const metrics = await (await started.gateway.call("/metrics", undefined, HEADERS)).text();
  const lines = metrics.split("\n").filter((line) => line.startsWith("sluice_tokens_total{"));
  const counts = lines.map((line) =>
    /model="(\w+)",kind="(\w+)"\} (\d+)/.exec(line)?.slice(1).join()
  );
  assertEquals(counts.toSorted(), ["a,input,2166", "a,output,10", "b,input,2000", "b,output,5"]);
});

Deno.test("parts of a batch that an earlier attempt got are billed once", async () => {
  let failures = 1;
  const vendor = new ScriptedVendor(({ body: { input } }) => {
    const inputs = [input].flat() as string[];
    if (inputs[0] !== "0" && failures-- > 0) return new Response("not JSON");
    const data = inputs.map((_, index) => ({ object: "embedding", index, embedding: [1] }));
    const usage = { prompt_tokens: inputs.length, total_tokens: inputs.length };
    return Response.json({ object: "list", data, model: "a", usage });
  });
  const models = [{ id: "a", max_inputs: 2, prices: { input: 1000, output: 0 } }];
  const gateway = createTestGateway({
    config: {
      server: {
        keys: [{ name: "a", key: "sk-a" }],
        admin_keys: [{ name: "root", key: "sk-root" }],
      },
      providers: {
        v: {
          kind: "openai",
          api_key: "sk-v",
          base_url: "http://vendor.test/v1",
          retries: 1,
          models,
        },
      },
    },
    fetch: vendor.fetch,
  });
  const input = ["0", "1", "2"];
  const open = gateway.call("/v1/embeddings", { model: "a", input }, HEADERS);
  await until(() => vendor.sent.length >= 2);
  await until(() => {
    gateway.clock.advance(100);
    return vendor.sent.length >= 3;
  });
  const response = await open;
  assertEquals([response.status, (await response.json()).usage.prompt_tokens], [200, 3]);
  const row = await lastRow(gateway);
  // The first attempt got two vectors; the third input is estimated as two tokens.
  assertEquals(toCosts(row).map(([tokens, , source]) => [tokens, source]), [
    [4, "estimated"],
    [1, "vendor"],
  ]);
  assertEquals([row.input_tokens, row.usage_source], [5, "estimated"]);
});
