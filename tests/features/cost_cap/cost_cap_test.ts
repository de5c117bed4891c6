/** `x-sluice-max-cost`: what all attempts of a request may cost together. */

import { assert, assertEquals } from "@std/assert";
import { hurry } from "../../support/elapse.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { sayHello, ScriptedVendor } from "../../support/scripted_vendor.ts";
import { type Answer, CHAT, fail, hang, inTurn } from "../../support/stage.ts";

const provider = (id: string, prices: Record<string, unknown> | undefined) => ({
  kind: "openai_compatible",
  base_url: `http://${id}/v1`,
  api_key: `key-${id}`,
  retries: 1,
  timeout: { first_token: "1s", total: "1s" },
  models: [{ id, max_output_tokens: 10_000, ...(prices && { prices }) }],
});

const CONFIG = {
  providers: {
    dear: provider("dear", { input: 10, output: 100 }),
    cheap: provider("cheap", { input: 1, output: 10 }),
    unknown: provider("unknown", undefined),
    claude: {
      kind: "anthropic",
      base_url: "http://claude/v1",
      api_key: "key-claude",
      models: [{ id: "claude", max_output_tokens: 10_000, prices: { input: 1, output: 10 } }],
    },
    native: {
      kind: "openai",
      base_url: "http://native/v1",
      api_key: "key-n",
      models: [{ id: "native", max_output_tokens: 10_000, prices: { input: 1, output: 10 } }],
    },
  },
  aliases: { both: ["dear", "cheap"], blind: ["unknown", "cheap"] },
};

interface Sent {
  readonly host: string;
  readonly body: Record<string, unknown>;
}

/** About 1,000 tokens of input. */
const MESSAGES = [{ role: "user", content: "word ".repeat(1000) }];

function scene(scripts: Record<string, Answer> = {}) {
  const sent: Sent[] = [];
  const vendor = new ScriptedVendor(async (one, signal) => {
    const host = new URL(one.url).hostname;
    sent.push({ host, body: one.body });
    return await (scripts[host] ?? sayHello)(one, signal);
  });
  const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
  return {
    sent,
    async ask(model: string, cost: string, members: Record<string, unknown> = {}, path = CHAT) {
      const body = { model, messages: MESSAGES, ...members };
      const headers = { "x-sluice-max-cost": cost };
      const explained = await gateway.call(path, body, { ...headers, "x-sluice-explain": "true" });
      const explanation = await explained.json();
      assertEquals(sent.length, 0);
      const told = await hurry(gateway.clock, gateway.call(path, body, headers));
      const text = await hurry(gateway.clock, told.text());
      assertEquals(gateway.bugs, []);
      const json = told.headers.get("content-type")?.includes("json")
        ? JSON.parse(text)
        : undefined;
      return { status: told.status, headers: told.headers, error: json?.error, explanation };
    },
  };
}

/** The most that what was sent may cost, in micro-dollars. */
function costOf(sent: Sent | undefined): number {
  const { host = "", body = {} } = sent ?? {};
  const factor = host === "dear" ? 10 : 1;
  const output = Number(body.max_tokens ?? body.max_completion_tokens ?? body.max_output_tokens);
  return factor * (1000 + output * 10);
}

Deno.test("a target that the request can afford gets it as it is", async () => {
  const { ask, sent } = scene();
  const told = await ask("cheap", "0.2");
  assertEquals([told.status, sent[0]?.body.max_tokens], [200, undefined]);
  assertEquals(told.headers.get("x-sluice-converted"), null);
});

for (const stream of [false, true]) {
  Deno.test(`without max_tokens the output is limited, and the receipt says so (stream: ${stream})`, async () => {
    const { ask, sent } = scene();
    const told = await ask("cheap", "0.05", { stream });
    assertEquals(told.status, 200);
    const [first] = sent;
    const cost = costOf(first);
    assert(cost > 40_000 && cost <= 50_500, `${cost} micro-dollars`);
    assertEquals(
      told.headers.get("x-sluice-converted"),
      `max_tokens unlimited->${first?.body.max_tokens}`,
    );
    assertEquals(told.explanation.targets[0].request.body, first?.body);
  });
}

Deno.test("with max_tokens a target that may cost more is skipped, or the request refused", async () => {
  const { ask, sent } = scene();
  const told = await ask("both", "0.02", { max_tokens: 1000 });
  assertEquals([told.status, sent.map(({ host }) => host)], [200, ["cheap"]]);
  assertEquals(told.headers.get("x-sluice-route"), "max-cost=1");
  assertEquals(sent[0]?.body.max_tokens, 1000);
  assertEquals(told.explanation.targets[0].error.code, "max_price_exceeded");
  assertEquals(told.explanation.route, "max-cost=1");
  const alone = scene();
  const refused = await alone.ask("dear", "0.02", { max_tokens: 1000 });
  assertEquals([refused.status, refused.error.code], [400, "max_price_exceeded"]);
  assertEquals(
    refused.error.message,
    "The request is capped by 'x-sluice-max-cost', and 'dear' of 'dear' may cost more than what " +
      "remains of 0.02 USD; it fits 'cheap'",
  );
  assertEquals([refused.error.param, alone.sent.length], ["x-sluice-max-cost", 0]);
});

Deno.test("a target whose price is unknown is not tried", async () => {
  const { ask, sent } = scene();
  assertEquals((await ask("blind", "1")).status, 200);
  assertEquals(sent.map(({ host }) => host), ["cheap"]);
  const refused = await scene().ask("unknown", "1");
  assert(refused.error.message.includes("'unknown' of 'unknown' has no known price"));
});

Deno.test("an attempt that the vendor may bill uses up the cap", async () => {
  const { ask, sent } = scene({ cheap: hang });
  const told = await ask("cheap", "0.02", { max_tokens: 1000 });
  assertEquals([told.status, sent.length], [504, 1], "the retry is not affordable");
  const twice = scene({ cheap: hang });
  assertEquals((await twice.ask("cheap", "0.025", { max_tokens: 1000 })).status, 504);
  assertEquals(twice.sent.length, 2);
});

Deno.test("an attempt that was refused costs nothing", async () => {
  const { ask, sent } = scene({ cheap: inTurn(fail(503), sayHello) });
  assertEquals((await ask("cheap", "0.02", { max_tokens: 1000 })).status, 200);
  assertEquals(sent.length, 2);
});

Deno.test("several answers share the cap", async () => {
  const { ask, sent } = scene();
  assertEquals((await ask("cheap", "0.05", { n: 4 })).status, 200);
  const cost = 1000 + 4 * 10 * Number(sent[0]?.body.max_tokens);
  assert(cost > 40_000 && cost <= 50_500, `${cost} micro-dollars`);
});

Deno.test("the limit is sent in the vendor's own format", async () => {
  const claude = scene();
  await claude.ask("claude", "0.05");
  const native = scene();
  await native.ask(
    "native",
    "0.05",
    { messages: undefined, input: "word ".repeat(1000) },
    "/v1/responses",
  );
  for (const { sent } of [claude, native]) {
    const [first] = sent;
    const cost = costOf(first);
    assert(cost > 40_000 && cost <= 50_500, `${first?.host}: ${cost} micro-dollars`);
  }
});

for (const value of ["", "-1", "1e-3", "0x1", "free", "0.0000000001", "9999999"]) {
  Deno.test(`x-sluice-max-cost: ${value} is a 400`, async () => {
    const { ask, sent } = scene();
    const told = await ask("cheap", value);
    assertEquals([told.status, told.error.param, sent.length], [400, "x-sluice-max-cost", 0]);
  });
}
