/** What vendors refuse in names, keys, roles and results, from callers of every format. */

import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import type { Feature } from "../../../src/gateway/feature.ts";
import { createTestGateway } from "../../support/gateway.ts";
import { chat } from "../../support/round_trips/chat.ts";
import type { Answer, Conversation, Format } from "../../support/round_trips/conversation.ts";
import { gemini } from "../../support/round_trips/gemini.ts";
import { messages } from "../../support/round_trips/messages.ts";
import { ollama } from "../../support/round_trips/ollama.ts";
import { responses } from "../../support/round_trips/responses.ts";
import { dataOf, list } from "../../support/round_trips/wire.ts";
import {
  refusalOf,
  STRICT_VENDORS,
  type StrictVendor,
  TEMPLATE_KINDS,
  templateRefusalOf,
} from "../../support/strict_vendors.ts";
import { textOf } from "../../support/sent_body.ts";

const CALLERS = [chat, responses, messages, gemini, ollama];
const USAGE = { input: 30, output: 20, cached: 0, reasoning: 0 };

/**
 * A gateway before a strict vendor.
 *
 * @param passes whether answers and events may pass unread
 */
/** A feature before which no answer passes unread. */
const READER: Feature = {
  name: "reader",
  plan: () => ({ start: () => ({ seesContent: true }) }),
};

function createWorld(vendor: StrictVendor, passes = false) {
  const { wire } = vendor;
  let sent: JsonObject = {};
  let toAnswer: (sent: JsonObject) => Answer;
  const gateway = createTestGateway({
    config: {
      providers: {
        p: { api_key: "k", retries: 0, models: [vendor.model], ...vendor.provider },
      },
    },
    fetch: async (url, init) => {
      sent = JSON.parse(await textOf(init.body));
      const refusal = refusalOf(vendor, sent);
      if (refusal !== undefined) {
        return Response.json({ error: { message: refusal, type: "invalid_request_error" } }, {
          status: 400,
        });
      }
      const answer = toAnswer(sent);
      const isStream = sent.stream === true || /stream/i.test(url);
      return isStream
        ? new Response(wire.writeStream(answer), { headers: { "content-type": wire.streamType } })
        : Response.json(wire.writeAnswer(answer));
    },
    features: passes ? [] : [READER],
  });
  return async (
    caller: Format,
    asked: Conversation,
    isStream: boolean,
    answerTo: (sent: JsonObject) => Answer,
  ) => {
    toAnswer = answerTo;
    const { path, body } = caller.writeRequest(asked, vendor.model, isStream);
    const response = await gateway.call(path, body);
    const text = await response.text();
    assertEquals(response.status, 200, text);
    assertEquals(gateway.bugs, []);
    const answer = isStream ? caller.readStream(text) : caller.readAnswer(JSON.parse(text));
    return { sent, answer, headers: response.headers };
  };
}

function toolNamed(name: string, parameters: JsonObject = { type: "object", properties: {} }) {
  return { name, description: name, parameters };
}

/** Names that one format or another takes: long ones with the same start, with dots, and copies. */
const NAMES = [
  "plain",
  `mcp__${"a".repeat(95)}`,
  `mcp__${"a".repeat(94)}b`,
  "mcp.files:read",
  "mcp_files_read",
  "1st/tool",
];

/** What the caller's format takes of them. */
const TAKEN = new Map<Format, RegExp>([
  [chat, /^[a-zA-Z0-9_-]{1,64}$/],
  [messages, /^[a-zA-Z0-9_-]{1,128}$/],
  [responses, /^[a-zA-Z0-9_-]{1,128}$/],
  [gemini, /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/],
  [ollama, /./],
]);

for (const vendor of STRICT_VENDORS) {
  const ask = createWorld(vendor);
  for (const caller of CALLERS) {
    Deno.test(`${caller.name} to ${vendor.name}: names of tools are those that it takes`, async () => {
      const names = NAMES.filter((name) => TAKEN.get(caller)?.test(name));
      for (const isStream of [false, true]) {
        const { sent, answer } = await ask(
          caller,
          {
            turns: [
              { role: "user", parts: [{ text: "Go" }] },
              {
                role: "assistant",
                text: "",
                calls: names.map((name, at) => ({ id: `call_${at}`, name, input: {} })),
              },
              { role: "tool", results: names.map((_, of) => ({ of, parts: [{ text: "ok" }] })) },
            ],
            tools: names.map((name) => toolNamed(name)),
            maxTokens: 100,
          },
          isStream,
          (body) => ({
            ...{ thoughts: [], text: [], logprobs: [], usage: USAGE, finish: "calls" },
            calls: vendor.wire.toolNames(body).slice(0, names.length)
              .map((name, at) => ({ id: `new_${at}`, name, pieces: ["{}"] })),
          }),
        );
        const sentNames = vendor.wire.toolNames(sent);
        assertEquals(new Set(sentNames).size, names.length, String(sentNames));
        // Names that the vendor takes stay as they are.
        const kept = names.filter((name) => vendor.toolNames.test(name));
        assertEquals(kept.filter((name) => !sentNames.includes(name)), []);
        assertEquals(answer.calls.map(({ name }) => name), names);
      }
      if (!caller.has.has("choice of tools")) return;
      const name = names.at(-1) ?? "";
      const { sent } = await ask(
        caller,
        {
          turns: [{ role: "user", parts: [{ text: "Go" }] }],
          tools: names.map((one) => toolNamed(one)),
          choice: { name },
          maxTokens: 100,
        },
        false,
        () => HELLO,
      );
      const chosen = vendor.wire.toolNames(sent).at(-1) ?? "";
      assertEquals(vendor.toolNames.test(name), chosen === name, chosen);
    });
  }
}

const ODD_PROPERTIES = ["filter[name]", "filter(name)", "$top", "@type", "two words", "ü", "ok"];
const LONG = "x".repeat(65);
const ODD_SCHEMA = {
  type: "object",
  properties: Object.fromEntries(
    [...ODD_PROPERTIES, LONG, `${LONG}y`].map((name) => [name, { type: "string" }]),
  ),
  required: ["filter[name]", "ok"],
  dependentRequired: { $top: ["@type"] },
};
/** The arguments of another tool, whose keys look like renamed ones. */
const PIECES = ['{"_to', 'p":', "1}"];
const ODD_INPUT = { "filter[name]": "a", ok: "$top", $top: { $top: 1 } };

for (const vendor of STRICT_VENDORS.filter(({ propertyNames }) => propertyNames !== undefined)) {
  const ask = createWorld(vendor);
  for (const caller of CALLERS) {
    // The same format passes unread.
    if (caller === messages && vendor.wire.writeAnswer === messages.writeAnswer) continue;
    Deno.test(`${caller.name} to ${vendor.name}: names of properties are those that it takes`, async () => {
      const names = Object.keys(ODD_SCHEMA.properties);
      for (const isStream of [false, true]) {
        let keys: string[] = [];
        const { sent, answer } = await ask(
          caller,
          {
            turns: [
              { role: "user", parts: [{ text: "Go" }] },
              {
                role: "assistant",
                text: "",
                calls: [{ id: "call_1", name: "list", input: ODD_INPUT }],
              },
              { role: "tool", results: [{ of: 0, parts: [{ text: "ok" }] }] },
            ],
            tools: [toolNamed("list", ODD_SCHEMA), toolNamed("plain")],
            maxTokens: 100,
          },
          isStream,
          (body) => {
            keys = Object.keys(vendor.wire.schemas(body)[0]?.properties ?? {});
            const text = JSON.stringify(Object.fromEntries(keys.map((key) => [key, key])));
            return {
              ...{ thoughts: [], text: [], logprobs: [], usage: USAGE, finish: "calls" },
              calls: [
                { id: "new_1", name: "list", pieces: [text.slice(0, 9), text.slice(9)] },
                { id: "new_2", name: "plain", pieces: PIECES },
              ],
            };
          },
        );
        assertEquals(new Set(keys).size, names.length);
        assertEquals(keys.includes("ok"), true);
        const [schema] = vendor.wire.schemas(sent);
        const sentName = (name: string) => keys[names.indexOf(name)] ?? "";
        if (caller !== gemini) {
          assertEquals(schema?.required, [sentName("filter[name]"), "ok"]);
          assertEquals(schema?.dependentRequired, { [sentName("$top")]: [sentName("@type")] });
        }
        assertEquals(vendor.wire.inputs(sent), [{
          [sentName("filter[name]")]: "a",
          ok: "$top",
          [sentName("$top")]: { $top: 1 },
        }]);
        const [call, plain] = answer.calls;
        if (isStream && caller.has.has("pieces of arguments")) {
          assertEquals(plain?.pieces, PIECES);
        }
        assertEquals(
          JSON.parse(call?.pieces.join("") ?? ""),
          Object.fromEntries(names.map((name) => [name, sentName(name)])),
        );
      }
    });
  }
}

for (const vendor of STRICT_VENDORS.filter(({ propertyNames }) => propertyNames !== undefined)) {
  Deno.test(`${vendor.name}: keys of long arguments are restored, although events become templates`, async () => {
    const { answer } = await createWorld(vendor, true)(
      chat,
      {
        turns: [{ role: "user", parts: [{ text: "Go" }] }],
        tools: [toolNamed("list", ODD_SCHEMA), toolNamed("plain")],
        maxTokens: 100,
      },
      true,
      (body) => {
        const keys = Object.keys(vendor.wire.schemas(body)[0]?.properties ?? {});
        const members = keys.flatMap((key) => Array(20).fill(`"${key}":"${key}"`));
        const text = `{${members.join(",")}}`;
        return {
          ...{ thoughts: [], text: ["a", "b"], logprobs: [], usage: USAGE, finish: "calls" },
          calls: [
            { id: "new_1", name: "plain", pieces: [...text] },
            { id: "new_2", name: "list", pieces: [...text] },
          ],
        };
      },
    );
    const [plain, list] = answer.calls.map(({ pieces }) => JSON.parse(pieces.join("")));
    assertEquals(Object.keys(list), Object.keys(ODD_SCHEMA.properties));
    assertEquals(Object.values(list), Object.keys(plain));
  });
}

for (const stream of [false, true]) {
  Deno.test(`a legacy function_call has the caller's names too, ${stream ? "streamed" : "whole"}`, async () => {
    const called = { name: "list", arguments: '{"_top":1,"ok":2}' };
    const pieces = [
      { name: "list", arguments: "" },
      ...[...called.arguments].map((one) => ({
        arguments: one,
      })),
    ];
    const toEvent = (delta: JsonObject, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const events = pieces.map((function_call) => toEvent({ function_call })).join("") +
      toEvent({}, "function_call") + "data: [DONE]\n\n";
    const message = { role: "assistant", content: null, function_call: called };
    const model = "claude-sonnet-4-5";
    const gateway = createTestGateway({
      config: {
        providers: {
          p: { kind: "openai_compatible", base_url: "http://server.test/v1", models: [model] },
        },
      },
      fetch: () =>
        Promise.resolve(
          stream
            ? new Response(events, { headers: { "content-type": "text/event-stream" } })
            : Response.json({ choices: [{ index: 0, message, finish_reason: "function_call" }] }),
        ),
    });
    const parameters = { type: "object", properties: { $top: {}, ok: {} } };
    const response = await gateway.call("/v1/chat/completions", {
      ...{ model, stream, messages: [{ role: "user", content: "Go" }] },
      functions: [{ name: "list", parameters }],
    });
    const text = await response.text();
    const chunks = stream ? dataOf(text) : [JSON.parse(text)];
    const said = chunks.flatMap(({ choices }) => list(choices))
      .map((choice) => choice.delta ?? choice.message);
    for (const calls of [said.map((one) => one.function_call), said.flatMap(firstCall)]) {
      const args = calls.map((call) => call?.arguments ?? "").join("");
      assertEquals(args, '{"$top":1,"ok":2}');
    }
  });
}

function firstCall({ tool_calls: calls }: JsonObject) {
  return list(calls).map((call) => call.function);
}

for (const isStream of [false, true]) {
  const kinds = ["anthropic Claude", "bedrock anthropic.claude-sonnet-4-5-20250929-v1:0"];
  for (const vendor of STRICT_VENDORS.filter(({ name }) => kinds.includes(name))) {
    Deno.test(`${vendor.name}: an answer by a tool has the caller's names, ${isStream ? "streamed" : "whole"}`, async () => {
      // The vendor cannot enforce it, so that a tool takes the answer.
      const schema = { ...ODD_SCHEMA, properties: { ...ODD_SCHEMA.properties, tree: TREE } };
      let text = "";
      const { sent, answer, headers } = await createWorld(vendor)(
        chat,
        {
          turns: [{ role: "user", parts: [{ text: "Go" }] }],
          tools: [],
          schema: { ...schema, $defs: { tree: TREE } },
          maxTokens: 100,
        },
        isStream,
        (body) => {
          const [name = ""] = vendor.wire.toolNames(body);
          const keys = Object.keys(vendor.wire.schemas(body)[0]?.properties ?? {});
          text = JSON.stringify(Object.fromEntries(keys.map((key) => [key, key])));
          return {
            ...{ thoughts: [], text: [], logprobs: [], usage: USAGE, finish: "calls" },
            calls: [{ id: "new_1", name, pieces: [...text] }],
          };
        },
      );
      const names = Object.keys(schema.properties);
      const keys = Object.keys(JSON.parse(text));
      assertEquals(vendor.wire.toolNames(sent)[0], "json");
      assertEquals(
        JSON.parse(answer.text.join("")),
        Object.fromEntries(names.map((name, at) => [name, keys[at]])),
      );
      assertEquals(
        headers.get("x-sluice-converted")?.includes("response_format.json_schema"),
        true,
      );
    });
  }
}

const TREE = { type: "object", properties: { inner: { $ref: "#/$defs/tree" } } };

const FUNCTION = { name: "f", parameters: { type: "object", properties: {} } };
const CHAT_CALLS = ["a", "b"].map((id) => ({
  ...{ id, type: "function", function: { name: "f", arguments: "{}" } },
}));

/** Conversations with instructions everywhere, and two messages of the user in a row. */
const INSTRUCTED: readonly (readonly [caller: string, path: string, body: JsonObject])[] = [
  ["chat", "/v1/chat/completions", {
    messages: [
      { role: "system", content: "S1" },
      { role: "developer", content: [{ type: "text", text: "S2" }] },
      { role: "user", content: "U1" },
      { role: "system", content: "S3" },
      { role: "assistant", tool_calls: CHAT_CALLS },
      { role: "tool", tool_call_id: "a", content: "R1" },
      { role: "developer", content: "S4" },
      { role: "tool", tool_call_id: "b", content: "R2" },
      { role: "user", content: "U2" },
      { role: "user", content: "U3" },
      { role: "assistant", content: "A1" },
      { role: "system", content: "S5" },
    ],
    tools: [{ type: "function", function: FUNCTION }],
  }],
  ["Responses", "/v1/responses", {
    instructions: "S1",
    input: [
      { role: "developer", content: "S2" },
      { role: "user", content: "U1" },
      { role: "developer", content: "S3" },
      ...["a", "b"].map((call_id) => ({
        ...{ type: "function_call", call_id, name: "f", arguments: "{}" },
      })),
      { type: "function_call_output", call_id: "a", output: "R1" },
      { type: "function_call_output", call_id: "b", output: "R2" },
      { role: "system", content: "S4" },
      { role: "user", content: [{ type: "input_text", text: "U2" }] },
      { role: "user", content: "U3" },
      { role: "assistant", content: "A1" },
      { role: "developer", content: "S5" },
    ],
    tools: [{ type: "function", ...FUNCTION }],
  }],
  ["Messages", "/v1/messages", {
    max_tokens: 100,
    system: [{ type: "text", text: "S1" }, { type: "text", text: "S2" }],
    messages: [
      { role: "user", content: "U1" },
      { role: "system", content: "S3" },
      {
        role: "assistant",
        content: ["a", "b"].map((id) => ({ type: "tool_use", id, name: "f", input: {} })),
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "R1" },
          { type: "tool_result", tool_use_id: "b", content: "R2" },
          { type: "text", text: "U2" },
        ],
      },
      { role: "system", content: "S4" },
      { role: "user", content: "U3" },
      { role: "assistant", content: "A1" },
      { role: "system", content: "S5" },
    ],
    tools: [{ name: "f", input_schema: FUNCTION.parameters }],
  }],
  ["Ollama", "/api/chat", {
    messages: [
      { role: "system", content: "S1" },
      { role: "system", content: "S2" },
      { role: "user", content: "U1" },
      { role: "system", content: "S3" },
      {
        role: "assistant",
        content: "",
        tool_calls: ["a", "b"].map(() => ({ function: { name: "f", arguments: {} } })),
      },
      { role: "tool", content: "R1", tool_name: "f" },
      { role: "tool", content: "R2", tool_name: "f" },
      { role: "system", content: "S4" },
      { role: "user", content: "U2" },
      { role: "user", content: "U3" },
      { role: "assistant", content: "A1" },
      { role: "system", content: "S5" },
    ],
    tools: [{ type: "function", function: FUNCTION }],
    stream: false,
  }],
];

/** The gateway before a server that renders templates. */
function createServer(kind: string, model: string, more: JsonObject = {}, status = 400) {
  const bodies: string[] = [];
  const provider = { kind, api_key: "k", base_url: "http://server.test/v1", models: [model] };
  const gateway = createTestGateway({
    config: { providers: { p: { ...provider, retries: 0, ...more } } },
    fetch: async (url, init) => {
      const text = await textOf(init.body);
      bodies.push(text);
      const isMessages = url.endsWith("/messages");
      const message = templateRefusalOf(list(JSON.parse(text).messages), model);
      return message === undefined
        ? Response.json((isMessages ? messages : chat).writeAnswer(HELLO))
        : Response.json({ error: { message: `Template: ${message}`, code: status } }, { status });
    },
  });
  return { gateway, bodies };
}

const HELLO: Answer = {
  ...{ thoughts: [], text: ["Hello."], calls: [], logprobs: [], usage: USAGE, finish: "stop" },
};

for (const kind of TEMPLATE_KINDS) {
  for (const model of ["Qwen/Qwen3.5-27B", "mistralai/Devstral-Small-2", "google/gemma-3-27b-it"]) {
    Deno.test(`${kind} ${model}: messages are in the order of its template, from all callers`, async () => {
      const { gateway, bodies } = createServer(kind, model);
      for (const [caller, path, body] of INSTRUCTED) {
        bodies.length = 0;
        for (let time = 0; time < 2; time++) {
          const response = await gateway.call(path, { model, ...body });
          const text = await response.text();
          assertEquals(response.status, 200, `${caller}: ${text}`);
          const converted = response.headers.get("x-sluice-converted") ?? "";
          const name = caller === "Responses" ? "input" : "messages";
          assertEquals(converted.split(", ").includes(name), true, converted);
        }
        const [first, again] = bodies;
        assertEquals(first, again);
        const sent = list(JSON.parse(first ?? "").messages);
        assertEquals(sent[0], { role: "system", content: "S1\n\nS2" }, caller);
        const texts = JSON.stringify(sent.slice(1));
        for (const name of ["S3", "S4", "S5"]) {
          assertEquals(texts.split(`<system>${name}</system>`).length, 2, `${caller}: ${texts}`);
        }
        for (const name of ["U1", "U2", "U3", "A1", "R1", "R2"]) {
          assertEquals(texts.split(name).length, 2, `${caller}: ${texts}`);
        }
      }
    });
  }
}

for (
  const [kind, status] of [["openai_compatible", 400], ["groq", 400], ["cerebras", 500]] as const
) {
  for (const model of ["Qwen/Qwen3.5-27B", "some-stral-model"]) {
    Deno.test(`${kind} ${model}: a template is learned from its error, with status ${status}`, async () => {
      for (const [caller, path, body] of INSTRUCTED) {
        const { gateway, bodies } = createServer(kind, model, {}, status);
        for (let time = 0; time < 2; time++) {
          const response = await gateway.call(path, { model, ...body });
          const text = await response.text();
          assertEquals(response.status, 200, `${caller}: ${text}`);
          const converted = response.headers.get("x-sluice-converted") ?? "";
          assertEquals(/(?:messages|input)(?:,|$)/.test(converted), true, converted);
        }
        // The last of two refusals is learned, and includes the first.
        assertEquals(bodies.length, model.includes("stral") ? 4 : 3, "The second is sent once");
        assertEquals(bodies.at(-1), bodies.at(-2));
        const plain = { model, messages: [{ role: "user", content: "Hi" }] };
        const response = await gateway.call("/v1/chat/completions", plain);
        assertEquals(response.headers.get("x-sluice-converted"), null);
        await response.body?.cancel();
      }
    });
  }
}

Deno.test("openai_compatible gets messages as they came until its template refuses them", async () => {
  const { gateway, bodies } = createServer("openai_compatible", "m");
  const order = [
    { role: "user", content: "U1" },
    { role: "user", content: "U2" },
    { role: "assistant", content: "A1" },
  ];
  await (await gateway.call("/v1/chat/completions", { model: "m", messages: order })).text();
  assertEquals(JSON.parse(bodies[0] ?? "").messages, order);
});

Deno.test("a caller who quotes the words of a template teaches nothing", async () => {
  const { gateway, bodies } = createServer("openai_compatible", "Qwen/Qwen3.5-27B");
  const response = await gateway.call("/v1/chat/completions", {
    model: "Qwen/Qwen3.5-27B",
    messages: [
      { role: "user", content: "Why 'System message must be at the beginning'?" },
      { role: "system", content: "S" },
    ],
  });
  assertEquals([response.status, bodies.length], [400, 1]);
  await response.body?.cancel();
});

Deno.test("system messages inside a native conversation are learned from a template's error", async () => {
  const model = "Qwen/Qwen3.5-27B";
  const [, path, body] = INSTRUCTED.find(([caller]) => caller === "Messages") ?? ["", "", {}];
  const { gateway, bodies } = createServer("vllm", model, { api: "messages" });
  for (let time = 0; time < 2; time++) {
    const response = await gateway.call(path, { model, ...body });
    assertEquals(response.status, 200, await response.text());
  }
  assertEquals([bodies.length, bodies[1]], [3, bodies[2]]);
  assertEquals(bodies[1]?.includes("<system>S3</system>"), true);
});

for (const kind of ["openai_compatible", "openrouter", "cerebras", "groq", "deepseek"]) {
  Deno.test(`${kind} gets no developer message`, async () => {
    const { gateway, bodies } = createServer(kind, "some-model");
    const messages = [{ role: "developer", content: "S" }, { role: "user", content: "U" }];
    const response = await gateway.call("/v1/chat/completions", { model: "some-model", messages });
    assertEquals(response.status, 200, await response.text());
    assertEquals(JSON.parse(bodies[0] ?? "").messages[0].role, "system");
  });
}

const REFERRING = [
  JSON.stringify({ schema: { items: [{ $ref: "#/$defs/A" }] }, $defs: { A: {} } }),
  '{"\\u0024ref":"a"}',
  '[{"$ref":"b"}]',
];

for (const vendor of STRICT_VENDORS.filter(({ name }) => name.endsWith(" Gemini"))) {
  for (const caller of CALLERS.filter((one) => one !== gemini)) {
    Deno.test(`${caller.name} to ${vendor.name}: a result with $ref is sent as text`, async () => {
      const { sent } = await createWorld(vendor)(
        caller,
        {
          turns: [
            { role: "user", parts: [{ text: "Go" }] },
            {
              role: "assistant",
              text: "",
              calls: [...REFERRING, ""].map((_, at) => ({ id: `c${at}`, name: "f", input: {} })),
            },
            {
              role: "tool",
              results: [...REFERRING, '{"text":"see $ref"}'].map((text, of) => ({
                of,
                parts: [{ text }],
              })),
            },
          ],
          tools: [toolNamed("f")],
          maxTokens: 100,
        },
        false,
        () => HELLO,
      );
      const responses = list(sent.contents).flatMap(({ parts }) => list(parts))
        .flatMap(({ functionResponse }) => functionResponse?.response ?? []);
      assertEquals(responses, [...REFERRING.map((output) => ({ output })), { text: "see $ref" }]);
    });
  }
}

Deno.test("an image's detail that only the Responses API has is high for chats", async () => {
  const image = (detail: string) => ({
    ...{ type: "input_image", image_url: "https://example.com/a.png", detail },
  });
  const input = [
    { role: "user", content: [image("original"), image("low")] },
    { type: "function_call", call_id: "a", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: [image("original")] },
  ];
  const tools = [{ type: "function", ...FUNCTION }];
  for (const kind of ["openai", "azure", "groq", "openrouter", "mistral", "openai_compatible"]) {
    const sent: JsonObject[] = [];
    const gateway = createTestGateway({
      config: {
        providers: {
          p: {
            ...{ kind, api_key: "k", base_url: "http://server.test/v1", models: ["m"] },
            ...(["openai", "azure"].includes(kind) && { api: "chat" }),
          },
        },
      },
      fetch: async (_, init) => {
        sent.push(JSON.parse(await textOf(init.body)));
        return Response.json(chat.writeAnswer(HELLO));
      },
    });
    const response = await gateway.call("/v1/responses", { model: "m", input, tools });
    assertEquals(response.status, 200, await response.text());
    const details = [...JSON.stringify(sent[0]).matchAll(/"detail":"(\w+)"/g)].map(([, one]) =>
      one
    );
    assertEquals(details, ["high", "low", "high"], kind);
    const converted = response.headers.get("x-sluice-converted") ?? "";
    assertEquals(converted.includes("image_url.detail original->high"), true, converted);
  }
});
