/** Prompt caching, from requests in all formats to what vendors get. */

import { assertEquals } from "@std/assert";
import { hurry } from "../../support/elapse.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { scrape } from "../../support/samples.ts";
import { sayHello, ScriptedVendor } from "../../support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";
const MESSAGES = "/v1/messages";
const RESPONSES = "/v1/responses";
/** About 1,200 tokens. */
const LONG = "word ".repeat(1200);
const MARK = { type: "ephemeral" };
const POINT = { cachePoint: { type: "default" } };

type Json = Record<string, unknown>;

const CONFIG = {
  providers: {
    claude: { kind: "anthropic", api_key: VENDOR_KEY, models: ["claude-sonnet-5"] },
    aws: {
      kind: "bedrock",
      region: "us-east-1",
      api_key: VENDOR_KEY,
      models: [{ id: "aws-claude", upstream: "us.anthropic.claude-sonnet-5-v1:0" }],
    },
    google: {
      kind: "vertex",
      api_key: VENDOR_KEY,
      project: "p",
      models: [{ id: "google-claude", upstream: "claude-sonnet-5" }],
    },
    router: {
      kind: "openrouter",
      api_key: VENDOR_KEY,
      models: [{ id: "router-claude", upstream: "anthropic/claude-sonnet-5" }, "openai/gpt-5.5"],
    },
    openai: { kind: "openai", api_key: VENDOR_KEY, models: ["gpt-5.5"] },
    server: { kind: "openai_compatible", base_url: "http://vendor.test/v1", models: ["llama"] },
  },
  aliases: {
    clients: { targets: ["claude-sonnet-5"], prompt_caching: "client" },
    never: { targets: ["claude-sonnet-5"], prompt_caching: "off" },
  },
};

const CHAT_BODY = {
  messages: [{ role: "system", content: LONG }, { role: "user", content: "hi" }],
};

async function send(path: string, body: Json, headers: Record<string, string> = {}) {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
  const response = await gateway.call(path, body, headers);
  const answer = await response.json();
  assertEquals(response.status, 200, JSON.stringify(answer));
  assertEquals(gateway.bugs, []);
  return {
    body: vendor.body,
    added: response.headers.get("x-sluice-added"),
    ignored: response.headers.get("x-sluice-ignored"),
    converted: response.headers.get("x-sluice-converted"),
  };
}

async function explain(path: string, body: Json): Promise<{ body: unknown; rows: Json[] }> {
  const gateway = createTestGateway({ config: CONFIG });
  const response = await gateway.call(path, body, { "x-sluice-explain": "true" });
  const { targets } = await response.json();
  return { body: targets[0].request.body, rows: targets[0].receipt };
}

const TEXTS = {
  system: [{ type: "text", text: LONG, cache_control: MARK }],
  messages: [{ role: "user", content: [{ type: "text", text: "hi", cache_control: MARK }] }],
};

/** The same request in each format, to each vendor of Claude. */
const ROWS: readonly (readonly [path: string, body: Json, marked: Json, added: string])[] = [
  [CHAT, { ...CHAT_BODY, model: "claude-sonnet-5" }, TEXTS, "cache_control"],
  [CHAT, { ...CHAT_BODY, model: "google-claude" }, TEXTS, "cache_control"],
  [
    RESPONSES,
    { model: "claude-sonnet-5", instructions: LONG, input: "hi" },
    TEXTS,
    "cache_control",
  ],
  [
    MESSAGES,
    {
      model: "claude-sonnet-5",
      max_tokens: 9,
      system: LONG,
      messages: CHAT_BODY.messages.slice(1),
    },
    TEXTS,
    "cache_control",
  ],
  [
    CHAT,
    { ...CHAT_BODY, model: "aws-claude" },
    {
      system: [{ text: LONG }, POINT],
      messages: [{ role: "user", content: [{ text: "hi" }, POINT] }],
    },
    "cachePoint",
  ],
  [
    CHAT,
    { ...CHAT_BODY, model: "router-claude" },
    { messages: [{ role: "system", content: TEXTS.system }, TEXTS.messages[0]] },
    "cache_control",
  ],
];

for (const [path, body, marked, added] of ROWS) {
  Deno.test(`${path} to ${body.model}: the prompt is marked, and the receipt says so`, async () => {
    const sent = await send(path, body);
    for (const [name, value] of Object.entries(marked)) assertEquals(sent.body[name], value);
    assertEquals([sent.added, sent.ignored], [added, null]);
    assertEquals(JSON.stringify((await send(path, body)).body), JSON.stringify(sent.body));
    const explained = await explain(path, body);
    assertEquals(explained.body, sent.body);
    const row = explained.rows.find(({ parameter }) => parameter === added);
    assertEquals(row?.fate, "added");
    // As a client would write it.
    const own = JSON.parse(
      JSON.stringify(body).replace(
        '"hi"',
        JSON.stringify([
          { type: path === RESPONSES ? "input_text" : "text", text: "hi", cache_control: MARK },
        ]),
      ),
    );
    if (path === RESPONSES) own.input = [{ role: "user", content: own.input }];
    const clients = await send(path, own);
    assertEquals(clients.added, null);
    const { system, messages } = clients.body;
    const inSystem = JSON.stringify(system ?? [messages].flat()[0]);
    assertEquals(/cache_control|cachePoint/.test(inSystem), false);
  });
}

Deno.test("other models, and prompts below the minimum, get no cache markers", async () => {
  for (const model of ["gpt-5.5", "llama", "openai/gpt-5.5"]) {
    const { body, added } = await send(CHAT, { ...CHAT_BODY, model });
    assertEquals([added, JSON.stringify(body).includes("cache")], [null, false]);
  }
  const { body, added } = await send(CHAT, {
    model: "claude-sonnet-5",
    messages: [{ role: "system", content: "word ".repeat(600) }, { role: "user", content: "hi" }],
  });
  assertEquals([added, typeof body.system], [null, "string"]);
});

Deno.test("an alias leaves cache markers to clients, or allows none", async () => {
  const part = { type: "text", text: "hi", cache_control: MARK };
  const marked = { messages: [CHAT_BODY.messages[0], { role: "user", content: [part] }] };
  assertEquals((await send(CHAT, { ...CHAT_BODY, model: "clients" })).body.system, LONG);
  const clients = await send(CHAT, { ...marked, model: "clients" });
  assertEquals(clients.body.messages, [{ role: "user", content: [part] }]);
  assertEquals((await send(CHAT, { ...CHAT_BODY, model: "never" })).body.system, LONG);
  const never = await send(CHAT, { ...marked, model: "never" });
  assertEquals(never.body.messages, [{ role: "user", content: [{ type: "text", text: "hi" }] }]);
  assertEquals(never.ignored, "cache_control");
  const native = await send(MESSAGES, {
    ...marked,
    messages: marked.messages.slice(1),
    model: "never",
    max_tokens: 9,
  });
  assertEquals(native.body.messages, never.body.messages);
  assertEquals(native.ignored, "cache_control");
});

Deno.test("cache markers of Copilot's clients are used, and reach no other vendor", async () => {
  const messages = [
    { role: "system", content: LONG, copilot_cache_control: MARK },
    { role: "user", content: [{ type: "text", text: "hi", copilot_cache_control: MARK }] },
  ];
  const { body, added, converted } = await send(CHAT, { model: "claude-sonnet-5", messages });
  assertEquals([body.system, body.messages], [TEXTS.system, TEXTS.messages]);
  assertEquals([added, converted], [null, "messages.copilot_cache_control->cache_control"]);
  for (const model of ["gpt-5.5", "llama"]) {
    const other = await send(CHAT, { model, messages });
    assertEquals(JSON.stringify(other.body).includes("cache_control"), false);
    const names = ["messages.copilot_cache_control", "messages.content.copilot_cache_control"];
    assertEquals(other.ignored, names.join(", "));
  }
});

Deno.test("the other attempts of a request get the same bytes", async () => {
  let calls = 0;
  const vendor = new ScriptedVendor((sent) =>
    ++calls < 3 ? new Response("{}", { status: 503 }) : sayHello(sent)
  );
  const claude = { ...CONFIG.providers.claude, retries: 2 };
  const gateway = createTestGateway({ config: { providers: { claude } }, fetch: vendor.fetch });
  const asking = gateway.call(CHAT, { ...CHAT_BODY, model: "claude-sonnet-5" });
  const answer = await hurry(gateway.clock, asking);
  assertEquals(answer.status, 200, await answer.text());
  const bodies = new Set(vendor.sent.map(({ body }) => JSON.stringify(body)));
  assertEquals([calls, bodies.size], [3, 1]);
});

Deno.test("cache markers stop for a service key whose prompts are not read again, and return", async () => {
  let reads = 0;
  const vendor = new ScriptedVendor(({ body }) => {
    const isMarked = JSON.stringify(body).includes("cache_control");
    const cache_read_input_tokens = isMarked ? reads : 0;
    const cache_creation_input_tokens = isMarked && reads === 0 ? 1500 : 0;
    const usage = { input_tokens: 5, output_tokens: 2 };
    return Response.json({
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: body.model,
      content: [{ type: "text", text: "Hello." }],
      stop_reason: "end_turn",
      usage: { ...usage, cache_creation_input_tokens, cache_read_input_tokens },
    });
  });
  const keys = ["one", "two"].map((name) => ({ name, key: `sk-test-${name}-${"x".repeat(30)}` }));
  const gateway = createTestGateway({
    config: { ...CONFIG, server: { keys } },
    fetch: vendor.fetch,
  });
  const ask = async (key: string, path = CHAT, more: Json = {}, model = "claude-sonnet-5") => {
    const headers = { authorization: `Bearer ${keys.find(({ name }) => name === key)?.key}` };
    const body = { ...CHAT_BODY, ...more, model };
    const response = await gateway.call(path, body, headers);
    assertEquals(response.status, 200, await response.text());
    return response.headers.get("x-sluice-added") !== null;
  };
  /** How many of the requests were marked. */
  const askOften = async (times: number, ...input: Parameters<typeof ask>) => {
    let marked = 0;
    for (let time = 0; time < times; time++) {
      gateway.clock.advance(60_000);
      if (await ask(...input)) marked++;
    }
    return marked;
  };
  const first = await askOften(40, "one");
  // All marks, then those of the prefix, each until its writes are old enough to be judged.
  assertEquals(first <= 34, true, `${first} of 40`);
  assertEquals(await ask("one"), false);
  const native = { system: LONG, messages: CHAT_BODY.messages.slice(1), max_tokens: 9 };
  assertEquals(await ask("one", MESSAGES, native), false, "another format of the same place");
  assertEquals(await ask("two"), true, "another service key");
  // Explanations show the same, and teach nothing.
  for (let time = 0; time < 20; time++) {
    const headers = { authorization: `Bearer ${keys[0]?.key}`, "x-sluice-explain": "true" };
    const body = { ...CHAT_BODY, model: "claude-sonnet-5" };
    const { route, targets } = await (await gateway.call(CHAT, body, headers)).json();
    assertEquals([route, typeof targets[0].request.body.system], ["marks-stopped", "string"]);
  }
  reads = 1500;
  gateway.clock.advance(1_200_000);
  assertEquals(await askOften(60, "one"), 60);
  assertEquals(gateway.bugs, []);
  const metrics = await scrape({
    call: (path) => gateway.call(path, undefined, { authorization: `Bearer ${keys[0]?.key}` }),
  });
  const [all, prefix, stopped] = ["all", "prefix", "stopped"].map((marks) =>
    metrics.sum("sluice_prompt_marks_total", { marks, provider: "claude" })
  );
  assertEquals((all ?? 0) + (prefix ?? 0), first + 1 + 60);
  assertEquals([(prefix ?? 0) > 0, stopped], [true, 40 - first + 2]);
});

/** The texts before marks, in the order of a body. */
function markedTexts(body: unknown): string[] {
  const found: string[] = [];
  const visit = (value: unknown, before?: string) => {
    if (Array.isArray(value)) {
      let last = before;
      for (const entry of value) {
        visit(entry, last);
        last = entry?.text ?? last;
      }
    } else if (typeof value === "object" && value !== null) {
      const { cache_control, cachePoint, text, ...others } = value as Record<string, unknown>;
      for (const inner of Object.values(others)) visit(inner);
      if (cache_control !== undefined) found.push(String(text ?? "tool"));
      if (cachePoint !== undefined) found.push(before ?? "tool");
    }
  };
  visit([
    ...[(body as Json).tools, (body as Json).toolConfig],
    ...[(body as Json).system, (body as Json).messages],
  ]);
  return found;
}

Deno.test("of more than four cache markers of a client, the last four are kept, and reported", async () => {
  const part = (text: string) => ({ type: "text", text, cache_control: MARK });
  const parameters = { type: "object", properties: {} };
  const tool = { type: "function", function: { name: "f", parameters }, cache_control: MARK };
  const six = {
    tools: [tool],
    messages: [
      { role: "system", content: [part("S")] },
      { role: "user", content: [part("A"), part("B")] },
      { role: "assistant", content: [part("C")] },
      { role: "user", content: [part("D")] },
    ],
  };
  for (
    const model of ["claude-sonnet-5", "aws-claude", "google-claude", "router-claude", "clients"]
  ) {
    const { body, converted } = await send(CHAT, { model, ...six });
    assertEquals(markedTexts(body), ["A", "B", "C", "D"], model);
    assertEquals(converted?.includes("cache_control 6->4"), true, `${model}: ${converted}`);
    const four = { messages: six.messages.with(1, { role: "user", content: [part("A")] }) };
    const kept = await send(CHAT, { model, ...four });
    assertEquals(markedTexts(kept.body), ["S", "A", "C", "D"], model);
    assertEquals(kept.converted?.includes("cache_control 4") ?? false, false);
  }
  const { body, converted } = await send(CHAT, {
    ...{ model: "claude-sonnet-5", cache_control: MARK },
    ...six,
  });
  assertEquals([markedTexts(body), body.cache_control], [["B", "C", "D"], MARK]);
  assertEquals(converted?.includes("cache_control 7->4"), true);
});
