/** Errors of converted requests name the caller's own fields, and none where there is no such field. */

import { assert, assertEquals } from "@std/assert";
import { FieldPaths } from "../../src/apis/chat/field_paths.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { failing, ScriptedVendor } from "../support/scripted_vendor.ts";

type Json = Record<string, unknown>;

interface Failed {
  readonly status: number;
  readonly param: unknown;
  readonly code: unknown;
  readonly message: string;
}

const CEREBRAS = { kind: "cerebras", api_key: VENDOR_KEY, models: ["m"] };
const CLAUDE = { kind: "anthropic", api_key: VENDOR_KEY, models: ["m"] };
const GEMINI = { kind: "gemini", api_key: VENDOR_KEY, models: ["m"] };
const STRICT = { "x-sluice-strict": "true" };

async function ask(
  path: string,
  provider: Json,
  request: Json,
  headers: Record<string, string>,
  vendor: ScriptedVendor,
): Promise<Failed> {
  const gateway = createTestGateway({
    config: { providers: { p: provider } },
    fetch: vendor.fetch,
  });
  const answer = await gateway.call(path, { model: "m", ...request }, headers);
  const text = await answer.text();
  assertEquals(gateway.bugs, []);
  const { error } = JSON.parse(text);
  return { status: answer.status, param: error.param, code: error.code, message: error.message };
}

const respond = (provider: Json, request: Json, headers = {}, vendor = new ScriptedVendor()) =>
  ask("/v1/responses", provider, request, headers, vendor);
const message = (provider: Json, request: Json, headers = {}, vendor = new ScriptedVendor()) =>
  ask("/v1/messages", provider, { max_tokens: 9, ...request }, headers, vendor);

const AUDIO = { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } };
const TEXT = { type: "input_text", text: "Hi" };
const HELLO = { role: "user", content: "Hi" };

/** The first place is unsupported in each of these. */
const INPUTS: readonly (readonly [input: readonly Json[], param: string])[] = [
  [[{ role: "user", content: [TEXT, AUDIO] }], "input[0].content[1]"],
  [
    [{ role: "developer", content: "Short" }, { role: "user", content: [AUDIO] }],
    "input[1].content[0]",
  ],
  [
    [
      HELLO,
      { type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] },
      { role: "assistant", content: "Let me see" },
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      { type: "function_call", call_id: "c2", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "Fine" },
      // It follows the results in the chat request.
      { role: "user", content: [AUDIO] },
      { type: "function_call_output", call_id: "c2", output: [TEXT] },
    ],
    "input[6].content[0]",
  ],
  [
    [
      HELLO,
      { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: [TEXT, AUDIO] },
    ],
    "input[2].output[1]",
  ],
];

for (const [input, param] of INPUTS) {
  Deno.test(`Responses: content that cannot be conveyed is at ${param}`, async () => {
    for (const extra of [{}, { instructions: "Be brief" }]) {
      const { status, ...failed } = await respond(CEREBRAS, { input, ...extra });
      assertEquals([status, failed.param], [400, param], failed.message);
      assertEquals(failed.code, "unsupported_content");
    }
  });
}

Deno.test("Responses: an earlier answer's content is named by the ID that brought it", async () => {
  const gateway = createTestGateway({
    config: { providers: { a: { ...CLAUDE, models: ["claude"] }, p: { ...GEMINI } } },
    fetch: new ScriptedVendor().fetch,
  });
  const call = async (members: Json) => await (await gateway.call("/v1/responses", members)).json();
  const first = await call({ model: "m", input: [{ role: "user", content: [TEXT, AUDIO] }] });
  const { error } = await call({
    model: "claude",
    previous_response_id: first.id,
    input: "And now?",
  });
  assertEquals(error.param, "previous_response_id");
});

Deno.test("Responses: parameters have the caller's names in refusals of x-sluice-strict", async () => {
  const rows: readonly (readonly [members: Json, param: string])[] = [
    [
      { parallel_tool_calls: false, tools: [{ type: "function", name: "f" }] },
      "parallel_tool_calls",
    ],
    [{ text: { verbosity: "low" } }, "text.verbosity"],
    [{ truncation: "auto" }, "truncation"],
  ];
  for (const [members, param] of rows) {
    const failed = await respond(CEREBRAS, { input: "Hi", ...members }, STRICT);
    assertEquals([failed.code, failed.param], ["unsupported_parameter", param]);
    assert(failed.message.includes(`'${param}'`), failed.message);
  }
});

/** A vendor of the dialect that finds fault with one field. */
const refusing = (param: string) =>
  failing(400, { error: { message: `Bad '${param}'`, type: "invalid_request_error", param } });

const TOOLS = [{ type: "web_search" }, { type: "function", name: "f", parameters: {} }];

Deno.test("Responses: a vendor's error about a field of its chat API names the caller's field", async () => {
  const rows: readonly (readonly [vendors: string, param: string | null])[] = [
    ["messages[1].content[0].image_url.url", "input[0].content[0]"],
    ["messages.1.content", "input[0].content"],
    ["messages.[0]", "instructions"],
    ["messages", "input"],
    ["tools[0].function.parameters.type", "tools[1].parameters.type"],
    ["tools[7]", null],
    ["max_completion_tokens", "max_output_tokens"],
    ["reasoning_effort", "reasoning.effort"],
    ["response_format.json_schema.schema", "text.format.schema"],
    ["response_format", "text.format"],
    ["metadata.team", "metadata.team"],
    ["an_unknown_field", null],
  ];
  for (const [vendors, param] of rows) {
    const input = [{ role: "user", content: [{ type: "input_text", text: "Hi" }] }];
    const request = { instructions: "Be brief", input, tools: TOOLS };
    const failed = await respond(CEREBRAS, request, {}, refusing(vendors));
    assertEquals([failed.status, failed.param], [400, param], vendors);
    assertEquals(failed.message, `Bad '${param ?? vendors}'`);
  }
});

Deno.test("Responses: a native target's names are the caller's already", async () => {
  const openai = { kind: "openai", api_key: VENDOR_KEY, models: ["m"] };
  const failed = await respond(openai, { input: [HELLO] }, {}, refusing("input[0].content"));
  assertEquals(failed.param, "input[0].content");
});

const PDF = {
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data: "AAAA" },
};
const ASKED = { role: "user", content: "Hi" };
const USES = {
  role: "assistant",
  content: [{ type: "text", text: "Let me see" }, {
    type: "tool_use",
    id: "t1",
    name: "f",
    input: {},
  }],
};

const TURNS: readonly (readonly [messages: readonly Json[], param: string])[] = [
  [[{ role: "user", content: [{ type: "text", text: "Read" }, PDF] }], "messages[0].content[1]"],
  [
    [ASKED, USES, {
      role: "user",
      content: [
        { type: "text", text: "Here" },
        { type: "tool_result", tool_use_id: "t1", content: [{ type: "text", text: "" }, PDF] },
      ],
    }],
    "messages[2].content[1].content[1]",
  ],
  [
    [ASKED, USES, {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", is_error: true, content: "No" }, PDF],
    }],
    "messages[2].content[1]",
  ],
];

for (const [messages, param] of TURNS) {
  Deno.test(`Messages: content that cannot be conveyed is at ${param}`, async () => {
    for (const extra of [{}, { system: "Be brief" }]) {
      const failed = await message(CEREBRAS, { messages, ...extra });
      assertEquals(failed.status, 400);
      assert(failed.message.startsWith(`${param}: `), failed.message);
    }
  });
}

Deno.test("Messages: parameters have the caller's names in refusals of x-sluice-strict", async () => {
  const failed = await message(
    { ...GEMINI, kind: "mistral" },
    { messages: [ASKED], output_config: { effort: "low" }, top_k: 3 },
    STRICT,
  );
  assert(/'output_config\.effort'|'top_k'/.test(failed.message), failed.message);
  assert(!failed.message.includes("reasoning_effort"), failed.message);
});

Deno.test("Messages: a vendor's name for a field of its chat API becomes the caller's", async () => {
  const rows: readonly (readonly [vendors: string, said: string])[] = [
    ["stop", "stop_sequences"],
    ["messages[1].content[0]", "messages[0].content[0]"],
    ["tools[0].function.parameters", "tools[1].input_schema"],
    ["user", "metadata.user_id"],
  ];
  for (const [vendors, said] of rows) {
    const failed = await message(
      CEREBRAS,
      {
        system: "Be brief",
        messages: [{
          role: "user",
          content: [{ type: "text", text: "Hi" }, {
            type: "image",
            source: { type: "base64", media_type: "image/png", data: "AAAA" },
          }],
        }],
        tools: [{ type: "web_search_20250305", name: "w" }, { name: "f", input_schema: {} }],
      },
      {},
      refusing(vendors),
    );
    assertEquals(failed.message, `Bad '${said}'`);
  }
});

Deno.test("an error in a stream names the caller's own field", async () => {
  const event = {
    error: { message: "Bad", type: "invalid_request_error", param: "max_completion_tokens" },
  };
  const chunk = { choices: [{ index: 0, delta: { role: "assistant", content: "Hi" } }] };
  const body = [chunk, event].map((data) => `data: ${JSON.stringify(data)}\n\n`).join("");
  const vendor = new ScriptedVendor(() =>
    new Response(body, { headers: { "content-type": "text/event-stream" } })
  );
  const gateway = createTestGateway({
    config: { providers: { p: CEREBRAS } },
    fetch: vendor.fetch,
  });
  const answer = await gateway.call("/v1/responses", { model: "m", input: "Hi", stream: true });
  const text = await answer.text();
  assert(text.includes('"param":"max_output_tokens"'), text);
  assert(!text.includes("max_completion_tokens"), text);
});

Deno.test("receipts have the caller's names", async () => {
  const gateway = createTestGateway({
    config: { providers: { p: CLAUDE } },
    fetch: new ScriptedVendor().fetch,
  });
  const answer = await gateway.call("/v1/responses", {
    model: "m",
    input: "Hi",
    max_output_tokens: 50,
    text: { verbosity: "low" },
    truncation: "auto",
  });
  assertEquals([answer.status, (await answer.text()).includes("Hello.")], [200, true]);
  assertEquals(answer.headers.get("x-sluice-ignored")?.split(", ").sort(), [
    "text.verbosity",
    "truncation",
  ]);
  assertEquals(answer.headers.get("x-sluice-converted"), "max_output_tokens->max_tokens");
});

Deno.test("a path that is no path of the request has no position", () => {
  const origins = new FieldPaths({
    messages: [{ path: "input[0]", content: "input[0].content" }],
    tools: ["tools[3]"],
    parameters: "parameters",
    conversation: "input",
    fields: [["stop", "stop_sequences", "same"]],
  });
  const rows: readonly (readonly [string, string | null])[] = [
    ["messages[0]", "input[0]"],
    ["messages[0].role", "input[0]"],
    ["messages[0].content", "input[0].content"],
    ["messages[0].content[2].text", "input[0].content[2]"],
    ["messages[0].content.2.text", "input[0].content[2]"],
    ["messages[1]", null],
    ["messages[999999999]", null],
    ["messages[9999999999999]", null],
    ["messagesque", null],
    ["tools", "tools"],
    ["tools[0].function.name", "tools[3].name"],
    ["stop[1]", "stop_sequences[1]"],
    ["stopped", null],
    ["", null],
  ];
  for (const [path, own] of rows) assertEquals(origins.pathOf(path), own, path);
});
