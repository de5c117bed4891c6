/**
 * Requests whose features have nothing to do, beside the same requests without any: the vendor, the
 * caller, the log, the ledger and the metrics get the same, byte by byte.
 */

import { assert, assertEquals } from "@std/assert";
import { type Call, ComparedGateways, type Script, Shares } from "../support/compared_gateways.ts";
import { configOf, type Fixture, readFixtures } from "../support/fixtures.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { sayHello } from "../support/scripted_vendor.ts";
import { TOKEN_URI } from "../support/service_account.ts";

const TEXT = "Hello! What can you do for me?";

/** A plain request in each format of callers. */
const FORMATS: Readonly<Record<string, (model: string, stream: boolean) => Call>> = {
  chat: (model, stream) => ({
    path: "/v1/chat/completions",
    body: {
      model,
      messages: [{ role: "system", content: "Be brief." }, { role: "user", content: TEXT }],
      ...{ temperature: 0.5, top_p: 0.9, max_tokens: 64, seed: 7, user: "someone" },
      ...{ frequency_penalty: 0.1, presence_penalty: 0.2 },
      ...(stream && { stream, stream_options: { include_usage: true } }),
    },
  }),
  messages: (model, stream) => ({
    path: "/v1/messages",
    body: {
      ...{ model, max_tokens: 64, messages: [{ role: "user", content: TEXT }] },
      ...(stream && { stream }),
    },
  }),
  responses: (model, stream) => ({
    path: "/v1/responses",
    body: { model, input: TEXT, store: false, ...(stream && { stream }) },
  }),
  gemini: (model, stream) => ({
    path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: { contents: [{ role: "user", parts: [{ text: TEXT }] }] },
  }),
  ollama: (model, stream) => ({
    path: "/api/chat",
    body: { model, stream, messages: [{ role: "user", content: TEXT }] },
  }),
};
const NAMES = Object.keys(FORMATS);

function callOf(name: string, model: string, stream: boolean): Call {
  const make = FORMATS[name];
  if (make === undefined) throw new RangeError(`There is no format '${name}'`);
  return make(model, stream);
}

/** A share that falls to zero means that no plain request is compared. */
function assertShares(suite: ReadonlyMap<string, Shares>, begun: number): void {
  const told = JSON.stringify([...suite]);
  let total = 0;
  for (const shares of suite.values()) {
    total += shares.begun;
    assert(shares.plain > 0, `no first attempt has answered without features: ${told}`);
  }
  assert(total >= begun, `only ${total} requests were compared`);
}

function sharesByFormat(): Map<string, Shares> {
  return new Map(NAMES.map((name) => [name, new Shares()]));
}

/** One fixture in so many is enough: all of them take many times as long. */
const STRIDE = 4;

function answerOf({ upstream }: Fixture): Script {
  return ({ url }) => {
    if (url === TOKEN_URI) return Response.json({ access_token: VENDOR_KEY });
    if (upstream.type === "stream") {
      return new Response(upstream.bytes, { headers: { "content-type": upstream.contentType } });
    }
    const { status, headers, body } = upstream;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return new Response(text, { status, headers });
  };
}

Deno.test("answers of vendors in each format of callers", async () => {
  const suite = sharesByFormat();
  const fixtures = readFixtures().filter((_, index) => index % STRIDE === 0);
  for (const [index, fixture] of fixtures.entries()) {
    const { about: { headers = {} }, name, request, upstream, vendor } = fixture;
    const format = NAMES[index % NAMES.length] ?? "";
    const shares = suite.get(format) ?? new Shares();
    const gateways = new ComparedGateways(configOf(fixture), () => answerOf(fixture), shares);
    const call = format === "chat"
      ? { path: "/v1/chat/completions", body: request, headers }
      : callOf(format, String(request.model), upstream.type === "stream");
    await gateways.ask(`${vendor}/${name} as ${format}`, call);
  }
  assertShares(suite, 200);
});

const PRICES = { input: 1, output: 2 };
const model = (id: string) => ({ id, prices: PRICES });
const base_url = "http://vendor.test/v1";
const PROVIDERS = {
  openai: { kind: "openai", models: [model("gpt-4o")] },
  claude: { kind: "anthropic", models: [model("claude-haiku-4-5")] },
  gemini: { kind: "gemini", models: [model("gemini-2.5-flash")] },
  second: { kind: "openai_compatible", base_url, models: [model("other")] },
};
const MODELS = { openai: "gpt-4o", claude: "claude-haiku-4-5", gemini: "gemini-2.5-flash" };
const KEYS = {
  limited: { limits: { requests_per_minute: 3, concurrent: 2 } },
  paying: { budget: { usd: 0.0001, per: "day" } },
};

function headersOf(key: keyof typeof KEYS): Record<string, string> {
  return { authorization: `Bearer sk-test-key-of-${key}` };
}

/** A gateway whose models have another one to fall back to, and a retry. */
function configWith(more: Record<string, unknown> = {}): Record<string, unknown> {
  const providers = Object.entries(PROVIDERS).map(([id, provider]) => [id, {
    ...provider,
    api_key: VENDOR_KEY,
    ...(id !== "second" && { retries: 1 }),
  }]);
  const keys = Object.entries(KEYS).map(([name, rules]) => ({
    ...{ name, key: `sk-test-key-of-${name}` },
    ...rules,
  }));
  return {
    server: { keys: [{ name: "test", key: SERVICE_KEY }, ...keys] },
    providers: Object.fromEntries(providers),
    aliases: Object.fromEntries(
      Object.entries(MODELS).map(([id, name]) => [`chain-${id}`, [name, "other"]]),
    ),
    ...more,
  };
}

const refuse = (status: number, headers: Record<string, string> = {}) => () =>
  Response.json({ error: { message: "No", type: "server_error" } }, { status, headers });
const cut: Script = (sent) => {
  const { body, headers } = sayHello(sent);
  const isWhole = headers.get("content-type")?.startsWith("application/json");
  return new Response(isWhole ? '{"id":' : body, { headers });
};

/** What the vendors of a model answer one after the other; the last one stays. */
const OUTCOMES: Readonly<Record<string, readonly Script[]>> = {
  answered: [sayHello],
  retried: [refuse(500), sayHello],
  "rate limited": [refuse(429, { "retry-after": "1" }), sayHello],
  "fallen back": [refuse(500), refuse(503), sayHello],
  "cut off": [cut, sayHello],
  refused: [refuse(400)],
  failed: [refuse(500)],
};

function scriptOf(outcome: readonly Script[]): () => Script {
  return () => {
    let next = 0;
    return (sent) => (outcome[Math.min(next++, outcome.length - 1)] ?? sayHello)(sent);
  };
}

Deno.test("failures, retries and fallbacks in each format of callers", async () => {
  const suite = sharesByFormat();
  for (const [format, shares] of suite) {
    for (const [outcome, scripts] of Object.entries(OUTCOMES)) {
      for (const id of Object.keys(MODELS)) {
        for (const stream of [false, true]) {
          const gateways = new ComparedGateways(configWith(), scriptOf(scripts), shares);
          const title = `${outcome}: ${format} to ${id}${stream ? ", stream" : ""}`;
          const call = callOf(format, `chain-${id}`, stream);
          await gateways.ask(title, { ...call, waits: true });
        }
      }
    }
    assert(shares.promoted >= 12, `${format}: ${JSON.stringify(shares)}`);
  }
  assertShares(suite, 200);
});

Deno.test("limits, budgets and cached answers", async () => {
  const suite = sharesByFormat();
  const routing = { cache: { ttl: "1h", temperature: "any" } };
  for (const [format, shares] of suite) {
    for (const stream of [false, true]) {
      const call = callOf(format, MODELS.openai, stream);
      const limited = new ComparedGateways(configWith(), scriptOf([sayHello]), shares);
      const paying = new ComparedGateways(configWith(), scriptOf([sayHello]), shares);
      const [one, two] = [new Array<number>(), new Array<number>()];
      for (let count = 0; count < 5; count++) {
        one.push(await limited.ask("limits", { ...call, headers: headersOf("limited") }));
        two.push(await paying.ask("budget", { ...call, headers: headersOf("paying") }));
      }
      assertEquals(one, [200, 200, 200, 429, 429]);
      assertEquals([two[0], two.at(-1)], [200, 429], two.join());
      const cached = new ComparedGateways(configWith({ routing }), scriptOf([sayHello]), shares);
      const before = shares.featured;
      for (let count = 0; count < 3; count++) await cached.ask("cache", call);
      assertEquals(shares.featured - before, 3);
    }
  }
  assertShares(suite, 100);
});
