import { assert, assertEquals, assertThrows } from "@std/assert";
import type { ChatRequest, Message } from "../../../src/contract/chat.ts";
import { readChatRequest } from "../../../src/apis/chat/read_request.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { RequestChanges } from "../../../src/contract/request_changes.ts";
import { mergeTurns, withoutLegacy } from "../../../src/providers/shared/messages.ts";
import { decodeText, readDataUrl, readMedia, sniffMediaType } from "../../../src/apis/media.ts";
import { InnerJson } from "../../../src/core/json/inner_json.ts";
import { pairTools, parseArguments } from "../../../src/apis/tool_pairing.ts";
import { planTools } from "../../../src/providers/shared/tool_plan.ts";
import { uniquely } from "../../../src/core/collections.ts";

const read = (body: Record<string, unknown>): ChatRequest =>
  readChatRequest({ model: "m", messages: [{ role: "user", content: "Hi" }], ...body });
const toCall = (body: Record<string, unknown>) => ({
  request: read(body),
  changes: new RequestChanges(),
});
const messages = (...list: unknown[]): readonly Message[] => read({ messages: list }).messages;
const called = (...ids: string[]) => ({
  role: "assistant",
  tool_calls: ids.map((id) => ({
    id,
    type: "function",
    function: { name: `f_${id}`, arguments: "" },
  })),
});
const result = (tool_call_id: string, content = "done") => ({
  role: "tool",
  tool_call_id,
  content,
});

function faultOf(act: () => unknown): { kind: string; param: string | null; message: string } {
  const error: unknown = assertThrows(act, GatewayError);
  const { kind, param, message } = error as GatewayError;
  return { kind, param, message };
}

Deno.test("mergeTurns() joins consecutive turns of one role and removes empty turns", () => {
  assertEquals(
    mergeTurns([
      { role: "user", blocks: [1] },
      { role: "assistant", blocks: [] },
      { role: "user", blocks: [2, 3] },
      { role: "assistant", blocks: [4] },
    ]),
    [{ role: "user", blocks: [1, 2, 3] }, { role: "assistant", blocks: [4] }],
  );
});

Deno.test("withoutLegacy() converts function calls to tool calls and keeps every index", () => {
  const modern = withoutLegacy(messages(
    { role: "user", content: "Hi" },
    { role: "assistant", content: null, function_call: { name: "now", arguments: "{}" } },
    { role: "function", name: "now", content: null },
  ));
  assertEquals(modern.length, 3);
  assertEquals(modern[1], {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "now", arguments: "{}" } }],
  });
  assertEquals(modern[2], { role: "tool", tool_call_id: "call_1", content: "" });
});

Deno.test("withoutLegacy() converts a call once that has both of its names", () => {
  const made = { name: "now", arguments: "{}" };
  const both = {
    role: "assistant",
    content: null,
    function_call: made,
    tool_calls: [{ id: "a", type: "function", function: made }],
  };
  const ids = withoutLegacy(messages(
    both,
    { role: "function", name: "now", content: "1" },
    both,
    { role: "tool", tool_call_id: "a", content: "2" },
  )).map((turn) =>
    turn.role === "assistant" ? turn.tool_calls?.map(({ id }) => id) : turn.tool_call_id
  );
  assertEquals(ids, [["call_0"], "call_0", ["a"], "a"]);
});

Deno.test("pairTools() pairs results with calls in any order", () => {
  const { calls, results } = pairTools(
    messages(called("a", "b"), result("b"), { role: "system", content: "s" }, result("a")),
    (id) => id,
  );
  assertEquals(calls.get(0)?.map(({ id, name }) => [id, name]), [["a", "f_a"], ["b", "f_b"]]);
  assertEquals([results.get(1)?.name, results.get(3)?.name], ["f_b", "f_a"]);
});

Deno.test("pairTools() makes IDs unique in the whole request", () => {
  const { calls, results } = pairTools(
    messages(called("x"), result("x"), called("x", "x"), result("x"), result("x")),
    (id) => id,
  );
  assertEquals([0, 2].map((at) => calls.get(at)?.map(({ id }) => id)), [["x"], ["x_2", "x_3"]]);
  assertEquals([1, 3, 4].map((at) => results.get(at)?.id), ["x", "x_2", "x_3"]);
});

Deno.test("pairTools() keeps the last of two results for one call", () => {
  const { results } = pairTools(messages(called("a"), result("a"), result("a")), (id) => id);
  assertEquals([...results.keys()], [2]);
});

Deno.test("pairTools() refuses a call without a result, wherever the conversation ends", () => {
  for (const rest of [[], [{ role: "user", content: "?" }], [result("a"), called("c")]]) {
    const fault = faultOf(() => pairTools(messages(called("a", "b"), ...rest), (id) => id));
    assertEquals([fault.kind, fault.param], ["invalid_request", "messages[0].tool_calls"]);
    assertEquals(fault.message.endsWith(rest.length === 2 ? ": b" : ": a, b"), true);
  }
});

Deno.test("pairTools() refuses a result without a call", () => {
  const fault = faultOf(() =>
    pairTools(messages({ role: "user", content: "Hi" }, result("a")), (id) => id)
  );
  assertEquals([fault.kind, fault.param], ["invalid_request", "messages[1].tool_call_id"]);
});

Deno.test("pairTools() converts a call of a custom tool, with its text as input", () => {
  const custom = { id: "c", type: "custom", custom: { name: "run", input: "ls -l" } };
  const { calls, results } = pairTools(
    messages({ role: "assistant", tool_calls: [custom] }, result("c")),
    (id) => id,
  );
  assertEquals(calls.get(0), [{ id: "c", name: "run", input: { input: "ls -l" } }]);
  assertEquals(results.get(1), calls.get(0)?.[0]);
});

Deno.test("uniquely() appends a number to a used name, within the length limit", () => {
  const unique = uniquely((name) => name, 5);
  assertEquals(["abcde", "abcde", "abc_2", "abcde"].map(unique), [
    "abcde",
    "abc_2",
    "abc_3",
    "abc_4",
  ]);
});

Deno.test("parseArguments() returns an object for any text", () => {
  assertEquals(parseArguments("", new InnerJson()), {});
  assertEquals(parseArguments('{"a":1}', new InnerJson()), { a: 1 });
  assertEquals(parseArguments("[1]", new InnerJson()), { value: [1] });
  assertEquals(parseArguments('{"cut":', new InnerJson()), { arguments: '{"cut":' });
});

Deno.test("planTools() reads current and legacy fields", () => {
  const tool = (name: string) => ({ type: "function", function: { name } });
  const named = { type: "function", function: { name: "b" } };
  const plan = (body: Record<string, unknown>) => {
    const changes = new RequestChanges();
    const { tools, mode, name } = planTools({ request: read(body), changes });
    return [tools.map(({ definition }) => definition.name), mode, name, ...changes.converted];
  };
  const tools = [tool("a"), tool("b")];
  assertEquals(plan({}), [[], undefined, undefined]);
  assertEquals(plan({ tools }), [["a", "b"], undefined, undefined]);
  assertEquals(plan({ tools, tool_choice: "none" }), [["a", "b"], "none", undefined]);
  assertEquals(plan({ tools, tool_choice: named }), [["a", "b"], "required", "b"]);
  const allowed_tools = { mode: "required", tools: [named] };
  assertEquals(plan({ tools, tool_choice: { type: "allowed_tools", allowed_tools } }), [
    ["b"],
    "required",
    undefined,
    "tool_choice allowed_tools->required",
  ]);
  assertEquals(plan({ functions: [{ name: "a" }], function_call: { name: "a" } }), [
    ["a"],
    "required",
    "a",
  ]);
  assertEquals(plan({ functions: [{ name: "a" }], tool_choice: "required" }), [
    ["a"],
    undefined,
    undefined,
  ]);
});

Deno.test("planTools() returns the path of a definition and its cache marker", () => {
  const cache = { type: "ephemeral" };
  const inner = { name: "a", cache_control: cache };
  const rows: [body: Record<string, unknown>, path: string][] = [
    [{ tools: [{ type: "function", function: inner }] }, "tools[0].function"],
    [
      { tools: [{ type: "function", function: { name: "a" }, cache_control: cache }] },
      "tools[0].function",
    ],
    [{ functions: [inner] }, "functions[0]"],
  ];
  for (const [body, path] of rows) {
    const [tool] = planTools(toCall(body)).tools;
    assertEquals([tool?.path, tool?.cacheControl], [path, cache]);
  }
});

Deno.test("planTools() converts custom tools to functions, and finds them in choices", () => {
  const custom = { type: "custom", custom: { name: "c", description: "Runs" } };
  const entry = { type: "custom", custom: { name: "c" } };
  const choices = [
    [undefined, undefined],
    [entry, "required"],
    [{ type: "allowed_tools", allowed_tools: { mode: "auto", tools: [entry] } }, "auto"],
  ];
  for (const [tool_choice, mode] of choices) {
    const call = toCall({ tools: [custom], ...(tool_choice !== undefined && { tool_choice }) });
    const plan = planTools(call);
    const [{ path, definition } = { path: "", definition: { name: "" } }] = plan.tools;
    assertEquals([path, definition.name, plan.mode], ["tools[0].custom", "c", mode]);
    assertEquals(definition.parameters?.required, ["input"]);
    assert(call.changes.converted.has("tools custom->function"));
  }
});

Deno.test("planTools() refuses a choice of an undefined tool", () => {
  const tools = [{ type: "function", function: { name: "a" } }];
  const tool_choice = { type: "function", function: { name: "zzz" } };
  assertEquals(faultOf(() => planTools(toCall({ tools, tool_choice }))), {
    kind: "invalid_value",
    param: "tool_choice",
    message: "Invalid value for 'tool_choice': no tool is named 'zzz'",
  });
  const paths: [body: Record<string, unknown>, param: string][] = [
    [{ tools, tool_choice: { type: "custom", custom: { name: "zzz" } } }, "tool_choice"],
    [
      {
        tools,
        tool_choice: {
          type: "allowed_tools",
          allowed_tools: { mode: "auto", tools: [{ type: "custom", name: "zzz" }] },
        },
      },
      "tool_choice.allowed_tools",
    ],
    [{ functions: [{ name: "a" }], function_call: { name: "zzz" } }, "function_call"],
  ];
  for (const [body, param] of paths) {
    const fault = faultOf(() => planTools(toCall(body)));
    assertEquals(fault.param, param);
    assertEquals(fault.message, `Invalid value for '${param}': no tool is named 'zzz'`);
  }
});

Deno.test("readDataUrl() reads base64 and percent escapes, and prefers the detected type", () => {
  const gif = btoa("GIF89a...");
  assertEquals(readDataUrl(`data:image/png;base64,${gif}`), { mediaType: "image/gif", data: gif });
  assertEquals(
    readDataUrl(`DATA:IMAGE/GIF;BASE64,${gif.slice(0, 5)}\n ${gif.slice(5)}`)?.data,
    gif,
  );
  assertEquals(readDataUrl("data:,a%20b%C3%A9%zz"), {
    mediaType: "text/plain",
    data: new TextEncoder().encode("a bé%zz").toBase64(),
  });
  assertEquals(readDataUrl("data:text/csv;charset=utf-8;base64,YSxi")?.mediaType, "text/csv");
  assertEquals(readDataUrl("data: Text/CSV ; Base64 ,YSxi"), {
    mediaType: "text/csv",
    data: "YSxi",
  });
  assertEquals(
    readDataUrl(`data:image/gif;base64,${encodeURIComponent("R0lGOA==")}`)?.data,
    "R0lGOA==",
  );
  const png = "data:image/png;base64,";
  for (const bad of [png, `${png}?!`, `${png}AAAAA`, `${png}AA=`, "data:nothing", "http://x"]) {
    assertEquals(readDataUrl(bad), undefined, bad);
  }
  assertEquals(readDataUrl(`${png}AA`)?.data, "AA", "padding may be missing");
});

Deno.test("sniffMediaType() detects images and PDF by their first bytes", () => {
  const types: [bytes: string, type: string | undefined][] = [
    ["\x89PNG\r\n\x1a\n", "image/png"],
    ["\xff\xd8\xff\xe0", "image/jpeg"],
    ["GIF87a", "image/gif"],
    ["RIFF\x01\x02\x03\x04WEBPVP8 ", "image/webp"],
    ["RIFF\x01\x02\x03\x04WAVEfmt ", undefined],
    ["%PDF-1.7", "application/pdf"],
    ["plain", undefined],
  ];
  for (const [bytes, type] of types) assertEquals(sniffMediaType(btoa(bytes)), type, bytes);
});

Deno.test("decodeText() returns undefined for bytes that are not text", () => {
  assertEquals(decodeText(btoa("plain")), "plain");
  assertEquals(decodeText(btoa("\xff\xfe\x00")), undefined);
});

Deno.test("readMedia() accepts a file with and without a data URL, and no file by ID", () => {
  const data = btoa("%PDF-1.7");
  const file = (file: Record<string, unknown>) => ({ type: "file" as const, file });
  assertEquals(readMedia(file({ file_data: data, filename: "a.pdf" }), "p"), {
    mediaType: "application/pdf",
    data,
    filename: "a.pdf",
  });
  assertEquals(readMedia(file({ file_data: "YSxi", filename: "a.csv" }), "p"), {
    mediaType: "text/plain",
    data: "YSxi",
    filename: "a.csv",
  });
  assertEquals(readMedia(file({ file_data: "YSxi", filename: "" }), "p"), {
    mediaType: "application/octet-stream",
    data: "YSxi",
    filename: undefined,
  });
  const image = { type: "image_url" as const, image_url: { url: "data:image/png;base64,?" } };
  assertEquals(faultOf(() => readMedia(image, "p")).param, "p.image_url.url");
  assertEquals(
    faultOf(() => readMedia(file({ file_id: "file-1" }), "p")).kind,
    "unsupported_content",
  );
  assertEquals(
    faultOf(() => readMedia(file({ file_data: "data:x" }), "p")).param,
    "p.file.file_data",
  );
});
