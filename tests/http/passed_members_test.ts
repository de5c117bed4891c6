/**
 * Members of a large body that no stage changes reach the vendor as the caller's bytes. What it
 * gets has the same value as the body of a small request, which is written anew.
 */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { configOf, type Fixture, readFixtures } from "../support/fixtures.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { TOKEN_URI } from "../support/service_account.ts";
import { sentText } from "../support/sent_text.ts";

const CHAT = "/v1/chat/completions";

/** White space within a body, after which it is large enough to be kept. */
const SPACES = " ".repeat(20_000);

/** A body of the same value that is large. */
function padded(text: string): string {
  return text.replace("{", `{${SPACES}`);
}

/** The bodies that vendors get. */
async function send(
  config: Record<string, unknown>,
  path: string,
  text: string,
  headers: Record<string, string> = {},
): Promise<string[]> {
  const sent: string[] = [];
  const gateway = createTestGateway({
    config,
    fetch: (url, { body }) => {
      if (url === TOKEN_URI) return Promise.resolve(Response.json({ access_token: VENDOR_KEY }));
      sent.push(sentText(body));
      return Promise.resolve(Response.json({ error: { message: "no" } }, { status: 400 }));
    },
  });
  const response = await gateway.call(path, text, headers);
  await response.body?.cancel();
  assertEquals(gateway.bugs, []);
  return sent;
}

/** A text whose numbers have digits that JavaScript would not write. */
function respelled(value: unknown): string {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): object };
  return JSON.stringify(
    value,
    (_, member) =>
      typeof member === "number"
        ? rawJSON(`${member}${Number.isInteger(member) ? ".0" : "0"}`)
        : member,
  );
}

/** Sends a body as it is and padded, and compares what the vendor gets. */
async function compare(
  config: Record<string, unknown>,
  path: string,
  text: string,
  headers?: Record<string, string>,
): Promise<void> {
  const anew = await send(config, path, text, headers);
  const passed = await send(config, path, padded(text), headers);
  assertEquals(passed.map(valueOf), anew.map(valueOf), text.slice(0, 200));
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const FIXTURES = readFixtures();

for (const vendor of new Set(FIXTURES.map((fixture) => fixture.vendor))) {
  Deno.test(`what ${vendor} gets of a large body has the value of one that is written anew`, async () => {
    const own = FIXTURES.filter((fixture) => fixture.vendor === vendor);
    for (const fixture of own) {
      const { request, about: { headers } } = fixture;
      await compare(configOf(fixture), CHAT, JSON.stringify(request), headers);
    }
    const usual = own[0] as Fixture;
    for (const [path, request] of OTHER_FORMATS) {
      const named = { ...request, model: modelOf(usual) };
      for (const text of [JSON.stringify(named), respelled(named)]) {
        await compare(configOf(usual), path, text);
      }
    }
  });
}

function modelOf({ about: { model } }: Fixture): string {
  return typeof model === "string" ? model : String(model.id);
}

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string", maxLength: 30 }, days: { type: "integer", default: 3 } },
  required: ["city"],
};
const IMAGE = "data:image/png;base64,iVBORw0KGgo=";
const OTHER_FORMATS: readonly (readonly [path: string, request: Record<string, unknown>])[] = [
  ["/v1/messages", {
    max_tokens: 4000,
    stream: true,
    temperature: 0.5,
    system: [{
      type: "text",
      text: "Be kind – always\u2028.",
      cache_control: { type: "ephemeral" },
    }],
    tools: [{ name: "weather", description: "The weather", input_schema: SCHEMA }],
    messages: [
      { role: "user", content: "Weather?" },
      {
        role: "assistant",
        content: [{
          type: "tool_use",
          id: "toolu_1",
          name: "weather",
          input: { city: "Bonn", n: 1 },
        }],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Sun" }] },
    ],
    ["__proto__x"]: 1,
  }],
  ["/v1/responses", {
    store: false,
    stream: true,
    instructions: "Be kind.",
    max_output_tokens: 4000,
    tools: [{ type: "function", name: "weather", parameters: SCHEMA, strict: false }],
    input: [
      { role: "user", content: [{ type: "input_text", text: "Weather?" }] },
      { type: "function_call", call_id: "call_1", name: "weather", arguments: '{"city":"Bonn"}' },
      { type: "function_call_output", call_id: "call_1", output: "Sun" },
    ],
  }],
  [CHAT, {
    stream: true,
    temperature: null,
    max_completion_tokens: 4000,
    response_format: {
      type: "json_schema",
      json_schema: { name: "answer", schema: SCHEMA, strict: null },
    },
    tools: [{ type: "function", function: { name: "weather", parameters: SCHEMA, strict: null } }],
    messages: [
      { role: "user", content: [{ type: "text", text: "?" }, image(null)] },
      { role: "assistant", content: null, tool_calls: [call("call_1")], refusal: null },
      { role: "tool", tool_call_id: "call_1", content: "Sun" },
    ],
    stop: [],
  }],
  ["/v1/embeddings", { input: ["one", "two"], dimensions: 256, user: "u" }],
];

function image(detail: string | null): Record<string, unknown> {
  return { type: "image_url", image_url: { url: IMAGE, detail } };
}

function call(id: string): Record<string, unknown> {
  return { id, type: "function", function: { name: "weather", arguments: '{"city": "Bonn"}' } };
}

const TARGET = {
  providers: { p: { kind: "openai_compatible", base_url: "https://v.test", models: ["m"] } },
};

Deno.test("members that no stage changes are sent as the caller wrote them", async () => {
  const messages =
    `[ {"content" : "\\u00fc\\/–", "role":"user","n":[1.0,1E2,12345678901234567890]} ]`;
  const text = `{"model":"m","messages":${messages},"seed":7.0,"x":{"a" : -0}}`;
  const [sent = ""] = await send(TARGET, CHAT, padded(text));
  for (const part of [`"messages":${messages}`, `"seed":7.0`, `"x":{"a" : -0}`, `"model":"m"`]) {
    assertStringIncludes(sent, part);
  }
  assertEquals(sent.length, text.length);
});

Deno.test("a byte order mark is not a part of the first member", async () => {
  const text = `\ufeff{"model":"m","messages":[{"role":"user","content":"Hi"}]}`;
  const [sent = ""] = await send(TARGET, CHAT, padded(text));
  assertEquals(JSON.parse(sent), JSON.parse(text.slice(1)));
});

/** Bodies that parsers read in different ways, and the value that this process reads. */
const AMBIGUOUS: Readonly<Record<string, string>> = {
  "a member twice": `{"model":"m","temperature":2,"messages":MESSAGES,"temperature":1}`,
  "a member twice, once escaped": `{"model":"m","top_p":0.1,"messages":MESSAGES,"t\\u006fp_p":1}`,
  "an escaped member": `{"mod\\u0065l":"m","messages":MESSAGES}`,
  "a deeper member twice": `{"model":"m","messages":MESSAGES,"x":{"a":1,"a":2}}`,
  "a deeper escaped member": `{"model":"m","messages":MESSAGES,"x":{"\\u0061":1}}`,
  "a member twice in a message":
    `{"model":"m","messages":[{"role":"system","content":"a","role":"user"}]}`,
  "a prototype twice": `{"model":"m","messages":MESSAGES,"x":{"__proto__":1,"__proto__":2}}`,
};

for (const [name, body] of Object.entries(AMBIGUOUS)) {
  Deno.test(`a body with ${name} is written anew`, async () => {
    const text = body.replace("MESSAGES", `[ {"role":"user","content":"Hi"}]`);
    const [sent = ""] = await send(TARGET, CHAT, padded(text));
    assertEquals(sent, JSON.stringify(JSON.parse(sent)));
    assertEquals(JSON.parse(sent), JSON.parse(text));
  });
}

Deno.test("a prototype as the name of a member is passed on as any other", async () => {
  const messages = `[{"role":"user","content":"Hi"}]`;
  const text = `{"model":"m","messages":${messages},"x": {"__proto__" :{"a":1.0}}}`;
  const [sent = ""] = await send(TARGET, CHAT, padded(text));
  assertStringIncludes(sent, `"x":{"__proto__" :{"a":1.0}}`);
});
