/**
 * Whatever JSON a caller sends, every adapter gives an answer below 500 that is well-formed;
 * whatever a vendor sends, it is never reported as a bug of the gateway. `SLUICE_FUZZ_SCALE=20`
 * tries 20 times as many of both.
 */

import { assert, assertEquals } from "@std/assert";
import { createTestGateway, type TestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { encodeMessages } from "../support/event_stream.ts";
import { mutated, randomJson } from "../support/json_chance.ts";
import { untilQuiet } from "../support/manual_clock.ts";
import { fuzz } from "../support/fuzz.ts";
import { Random } from "../support/random.ts";
import { randomRequest } from "../support/requests.ts";
import {
  CONVERSE_EVENTS,
  sayHello,
  ScriptedVendor,
  type Sent,
} from "../support/scripted_vendor.ts";
import { CHAT_KINDS } from "../support/chat_kinds.ts";

/** Seeds for a kind with separate code. */
const RUNS = 100;
/** Seeds for each kind that is a row of the OpenAI dialect: no two rows have the same ones. */
const DIALECT_RUNS = 25;
const MAX_DIALECT_SEEDS = 10_000;

/** One model of each kind that has few limits, and one that has many. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  openai: ["gpt-4o", "gpt-5.5"],
  "openai, responses": ["gpt-4o", "gpt-5.5"],
  anthropic: ["claude-3-haiku-20240307", "claude-opus-5"],
  gemini: ["gemini-2.0-flash", "gemini-2.5-pro", "gemini-3.5-flash"],
  vertex: ["gemma-4-31b-it", "claude-sonnet-4-5@20250929", "gemini-3.8-flash"],
  bedrock: ["mistral.mixtral-8x7b-instruct-v0:1", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"],
  cohere: ["command-a-plus-05-2026", "command-r-08-2024"],
  mistral: ["mistral-medium-2604", "codestral-latest"],
  ollama: ["qwen3:8b", "gpt-oss:120b-cloud"],
};

/** Members of config.yaml that a kind cannot do without. */
const MEMBERS: Readonly<Record<string, Record<string, unknown>>> = {
  bedrock: { region: "us-east-1" },
};

/** Every kind, and those again that have a second API. */
const KINDS = [...CHAT_KINDS, "openai, responses"];

function gatewayOf(kind: string, vendor = new ScriptedVendor()): TestGateway {
  const own = kind === "mock" ? {} : { api_key: VENDOR_KEY, base_url: "http://vendor.test" };
  const [name, api] = kind.split(", ");
  const provider = { kind: name, ...own, ...(api && { api }), models: modelsOf(kind) };
  return createTestGateway({
    config: { providers: { v: { ...MEMBERS[name ?? ""], ...provider } } },
    fetch: vendor.fetch,
  });
}

/**
 * Tries random inputs of a kind. No two rows of the OpenAI dialect have the same ones.
 *
 * @param share the number of its inputs, as a multiple of the usual one
 */
function tryInputs(kind: string, share: number, run: (random: Random) => unknown): Promise<number> {
  const isDialect = MODELS[kind] === undefined && kind !== "mock";
  const count = share * (isDialect ? DIALECT_RUNS : RUNS);
  return fuzz(count, run, isDialect ? KINDS.indexOf(kind) * MAX_DIALECT_SEEDS : 0);
}

function modelsOf(kind: string): readonly string[] {
  return MODELS[kind] ?? ["m"];
}

/** Sends a body, and checks all that holds for every answer. */
async function expectAnswer(gateway: TestGateway, body: string, below = 500): Promise<void> {
  const response = await gateway.call("/v1/chat/completions", body);
  const text = await response.text();
  const about = `${response.status} ${text.slice(0, 300)} for ${body.slice(0, 2000)}`;
  assert(gateway.bugs.length === 0, `${String(gateway.bugs[0])}: ${about}`);
  assert(response.status >= 200 && response.status < below, about);
  assert(isWellFormed(response, text), about);
  await untilQuiet(gateway.clock);
  assert(gateway.clock.pending === 0, `a timer was left behind: ${about}`);
}

function isWellFormed(response: Response, text: string): boolean {
  if (response.status !== 200) return isError(JSON.parse(text));
  if (response.headers.get("content-type") === "application/json") {
    const { object, choices, usage } = JSON.parse(text);
    return object === "chat.completion" && Array.isArray(choices) && typeof usage === "object";
  }
  const events = text.split("\n\n");
  const [last, empty] = [events.at(-2) ?? "", events.pop()];
  const isData = events.every((event) => event.startsWith("data: ") && !event.includes("\n"));
  const isEnd = last === "data: [DONE]" || isError(JSON.parse(last.slice("data: ".length)));
  return empty === "" && isData && isEnd;
}

function isError(body: unknown): boolean {
  const { error, ...others } = body as { error: Record<string, unknown> };
  const { message, type, param, code, ...more } = error;
  return Object.keys({ ...others, ...more }).length === 0 && typeof message === "string" &&
    typeof type === "string" && [param, code].every((it) => it === null || typeof it === "string");
}

for (const kind of KINDS) {
  Deno.test(`${kind}: any JSON in the place of a request gets an answer`, async () => {
    const gateway = gatewayOf(kind);
    await tryInputs(
      kind,
      1,
      (random) => expectAnswer(gateway, JSON.stringify(randomJson(random, 4))),
    );
  });

  Deno.test(`${kind}: any JSON in the place of a field gets an answer`, async () => {
    const gateway = gatewayOf(kind);
    await tryInputs(kind, 1, async (random) => {
      const request = randomRequest(random, random.pick(modelsOf(kind)));
      const name = random.pick([...Object.keys(request), "tools", "messages", "response_format"]);
      await expectAnswer(gateway, JSON.stringify({ ...request, [name]: randomJson(random, 4) }));
    });
  });

  Deno.test(`${kind}: a valid request with changes anywhere gets an answer`, async () => {
    const gateway = gatewayOf(kind);
    await tryInputs(kind, 3, async (random) => {
      let request: unknown = randomRequest(random, random.pick(modelsOf(kind)));
      for (let changes = random.below(4); changes >= 0; changes--) {
        request = mutated(random, request);
      }
      await expectAnswer(gateway, JSON.stringify(request));
    });
  });

  Deno.test(`${kind}: text that is truncated, repeated or unusual gets an answer`, async () => {
    const gateway = gatewayOf(kind);
    for (const text of oddTexts(modelsOf(kind)[0] ?? "")) await expectAnswer(gateway, text);
    await tryInputs(kind, 1 / 4, async (random) => {
      const text = JSON.stringify(randomRequest(random, random.pick(modelsOf(kind))));
      const at = random.below(text.length);
      await expectAnswer(gateway, text.slice(0, at));
      await expectAnswer(
        gateway,
        text.slice(0, at) + random.pick(["\\", '"', "}", "\0", ",", "1"]) + text.slice(at),
      );
    });
  });

  for (const depth of [500, 2000, 6000, 20_000]) {
    Deno.test(`${kind}: JSON nested ${depth} levels deep gets an answer, wherever it is`, async () => {
      const gateway = gatewayOf(kind);
      for (const text of deepTexts(modelsOf(kind).at(-1) ?? "", depth)) {
        await expectAnswer(gateway, text);
      }
    });
  }

  Deno.test(`${kind}: huge texts and long lists get an answer`, async () => {
    const gateway = gatewayOf(kind);
    for (const request of hugeRequests(modelsOf(kind)[0] ?? "")) {
      await expectAnswer(gateway, JSON.stringify(request));
    }
  });

  if (kind === "mock") continue;
  Deno.test(`${kind}: no answer of the vendor causes an internal error`, async () => {
    let random = new Random(0);
    const vendor = new ScriptedVendor((sent) => spoilt(random, sent));
    const gateway = gatewayOf(kind, vendor);
    await tryInputs(kind, 2, async (seeded) => {
      random = seeded;
      const request = randomRequest(random, random.pick(modelsOf(kind)));
      await expectAnswer(gateway, JSON.stringify(request), 600);
    });
  });
}

/** A vendor's answer with changes anywhere, whole or event by event. */
async function spoilt(random: Random, sent: Sent): Promise<Response> {
  const answer = sayHello(sent);
  if (sent.url.endsWith("/converse-stream")) return spoiltAwsStream(random);
  const text = await answer.text();
  const status = random.pick([200, 200, 200, 400, 401, 429, 500]);
  const { headers } = answer;
  if (!headers.get("content-type")?.includes("event-stream")) {
    return new Response(JSON.stringify(mutated(random, JSON.parse(text))), { status, headers });
  }
  const events = text.split("\n\n").map((event) => {
    const at = event.indexOf("{");
    if (at < 0 || random.chance(0.6)) return event;
    return event.slice(0, at) + JSON.stringify(mutated(random, JSON.parse(event.slice(at))));
  });
  return new Response(random.some(events, 0.95).join("\n\n"), { status, headers });
}

/** Messages whose events are changed, or whose bytes are. */
function spoiltAwsStream(random: Random): Response {
  const messages = random.some(CONVERSE_EVENTS, 0.95).map((message) =>
    random.chance(0.6) || !("data" in message)
      ? message
      : { ...message, data: mutated(random, structuredClone(message.data)) }
  );
  const bytes = encodeMessages(messages);
  if (random.chance(0.3)) bytes[random.below(bytes.length)] = random.below(256);
  return new Response(bytes.subarray(0, random.chance(0.8) ? undefined : random.below(999)), {
    headers: { "content-type": "application/vnd.amazon.eventstream" },
  });
}

const USER = { role: "user", content: "Hi" };

function oddTexts(model: string): string[] {
  const head = `{"model":"${model}","messages":[{"role":"user","content":"Hi"}]`;
  const odd = [
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "",
    "\\u0000",
  ];
  const values = ["1", '"x"', "null", "[]", '{"temperature":9,"stream":true,"role":"x"}'];
  const pairs = odd.flatMap((name) => values.map((value) => `"${name}":${value}`));
  return [
    ...pairs.flatMap((pair) => [
      `{${pair}}`,
      `${head},${pair}}`,
      `{"model":"${model}","messages":[{"role":"user","content":"Hi",${pair}}]}`,
      `${head},"metadata":{${pair}},"logit_bias":{${pair}},"tools":[{${pair}}]}`,
      `${head},"tools":[{"type":"function","function":{"name":"f","parameters":{${pair}}}}]}`,
      `${head},"tools":[{"type":"function","function":{"name":"f","parameters":` +
      `{"type":"object","properties":{${pair}},"required":["a"]},"strict":true}}]}`,
      `${head},"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{${pair}}}}}`,
    ]),
    ...odd.map((name) => `{"model":"${name}","messages":[{"role":"${name}","content":"Hi"}]}`),
    ...odd.map((name) => `{"model":"${name}","messages":[{"role":"user","content":"Hi"}]}`),
    `${head},"model":"${model}","messages":[]}`,
    `${head},"stream":true,"stream":false,"stream":true}`,
    `${head},"user":"\\ud800","stop":["\\udc00\\ud800"]}`,
    `{"model":"\\ud800@v","messages":[{"role":"user","content":"\\ud83d"}]}`,
    `{"model":"${model}","messages":[{"role":"user","content":"\\ud83d\\u0000\\uffff","name":"\\udfff"}]}`,
    `${head},"temperature":1e400}`,
    `${head},"temperature":-0,"top_p":1e-400,"seed":-0}`,
    `${head},"seed":123456789012345678901234567890,"max_tokens":9007199254740993}`,
    `${head},"max_tokens":1e308,"n":1e0}`,
    `${head},"tools":[{"type":"function","function":{"name":"f","parameters":{"required":` +
    `[{"toString":1}],"enum":[{"toString":1}],"type":{"toString":1},"properties":null}}}]}`,
    "\u00a0{}",
    "\ufeff{}",
  ];
}

/** A request with a deep value in each place that takes one. */
function deepTexts(model: string, depth: number): string[] {
  const arrays = "[".repeat(depth) + "]".repeat(depth);
  const objects = '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
  const schemas = ['{"type":"object","properties":{"a":', '{"anyOf":[', '{"items":', '{"not":']
    .map((open) => {
      const close = open.replace(/[^{[]/g, "").split("").reverse()
        .map((bracket) => bracket === "{" ? "}" : "]").join("");
      return open.repeat(depth) + '{"type":"string"}' + close.repeat(depth);
    });
  const head = `{"model":"${model}","messages":[{"role":"user","content":"Hi"}]`;
  const tool = (rest: string) =>
    `${head},"tools":[{"type":"function","function":{"name":"f","parameters":` +
    `{"type":"object","required":["a"],"properties":{"a":${rest}}}}}]}`;
  return [
    arrays,
    objects,
    ...[arrays, objects].flatMap((deep) => [
      `{"model":${deep},"messages":${deep}}`,
      `{"model":"${model}","messages":${deep}}`,
      `{"model":"${model}","messages":[{"role":"user","content":${deep}}]}`,
      `{"model":"${model}","messages":[{"role":"user","content":[{"type":"text","text":"Hi","x":${deep}}]}]}`,
      `{"model":"${model}","messages":[{"role":"assistant","content":"Hi","reasoning_details":${deep}}]}`,
      `{"model":"${model}","messages":[{"role":"user","content":"Hi","cache_control":${deep}}]}`,
      `${
        head.slice(0, -1)
      },{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":` +
      `{"name":"f","arguments":${
        JSON.stringify(deep)
      }}}]},{"role":"tool","tool_call_id":"a","content":"1"}]}`,
      ...["own_field", "stop", "tools", "tool_choice", "response_format", "thinking", "metadata"]
        .map((name) => `${head},"${name}":${deep}}`),
      tool(`{"enum":[${deep}],"default":${deep}}`),
    ]),
    ...schemas.flatMap((schema) => [
      tool(schema),
      tool(schema).replace('"name":"f"', '"name":"f","strict":true'),
      `${head},"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":${schema}}}}`,
      `${head},"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,` +
      `"schema":{"type":"object","properties":{"a":${schema}},"required":["a"]}}}}`,
    ]),
  ];
}

function hugeRequests(model: string): Record<string, unknown>[] {
  const long = "x".repeat(2 ** 20);
  const many = 5000;
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const tool = { type: "function", function: { name: "f" } };
  return [
    { model: long, messages: [USER] },
    { model, messages: [{ role: long, content: "Hi" }] },
    { model, messages: [{ role: "user", content: long, name: long }] },
    { model, messages: [USER], user: long, stop: [long], own_field: long, [long]: 1 },
    { model, messages: [USER], tools: [{ type: "function", function: { name: long } }] },
    { model, messages: [USER], metadata: { [long]: long }, logit_bias: { [long]: 1 } },
    { model, messages: Array.from({ length: many }, () => USER) },
    {
      model,
      messages: [{
        role: "user",
        content: Array.from({ length: many }, () => ({ type: "text", text: "a" })),
      }],
    },
    { model, messages: [USER], tools: Array.from({ length: many }, () => tool) },
    { model, messages: [USER], stop: Array.from({ length: many }, String) },
    {
      model,
      messages: [
        { role: "assistant", tool_calls: Array.from({ length: many }, () => call) },
        ...Array.from({ length: many }, () => ({ role: "tool", tool_call_id: "a", content: "1" })),
      ],
    },
    Object.fromEntries([
      ["model", model],
      ["messages", [USER]],
      ...Array.from({ length: many }, (_, index) => [`field_${index}`, index]),
    ]),
  ];
}

Deno.test("a caller's __proto__ does not affect other requests", async () => {
  const gateway = gatewayOf("openai_compatible");
  const body = '{"model":"m","messages":[{"role":"user","content":"Hi"}],' +
    '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
  await expectAnswer(gateway, body);
  assertEquals((({}) as Record<string, unknown>).polluted, undefined);
});
