import { assertEquals, assertMatch } from "@std/assert";
import { mistral } from "../../../src/providers/mistral/mistral_adapter.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { sayHello, ScriptedVendor } from "../../support/scripted_vendor.ts";

type Json = Record<string, unknown>;

async function sentFor(body: Json, vendor = new ScriptedVendor()): Promise<Json[]> {
  const provider = { kind: "mistral", api_key: VENDOR_KEY, models: ["m", "magistral-small"] };
  const config = { providers: { mistral: provider } };
  const gateway = createTestGateway({ config, fetch: vendor.fetch });
  const messages = [{ role: "user", content: "Hi" }];
  const response = await gateway.call("/v1/chat/completions", { model: "m", messages, ...body });
  assertEquals(response.status, 200, await response.text());
  return vendor.sent.map((sent) => sent.body);
}

const callOf = (id: string) => ({
  role: "assistant",
  tool_calls: [{ id, type: "function", function: { name: "now", arguments: "{}" } }],
});
const resultOf = (tool_call_id: string) => ({ role: "tool", tool_call_id, content: "noon" });
const HI = { role: "user", content: "Hi" };

/** The ids of calls and of results, in the order of the messages. */
async function idsFor(...ids: string[]): Promise<string[]> {
  const turns = ids.flatMap((id) => [callOf(id), resultOf(id)]);
  const [sent] = await sentFor({ messages: [HI, ...turns] });
  return (sent?.messages as Json[]).slice(1).map(({ tool_calls, tool_call_id }) =>
    String(tool_call_id ?? (tool_calls as Json[])[0]?.id)
  );
}

Deno.test("toRequest() sends ids of nine letters and digits, the same every time", async () => {
  const ids = await idsFor("call_abcdefghijklmnop", "Ab3dE6gH9", "", "call_ä");
  for (const id of ids) assertMatch(id, /^[A-Za-z0-9]{9}$/);
  assertEquals(ids.filter((_, at) => at % 2 === 0), ids.filter((_, at) => at % 2 === 1));
  assertEquals(ids[2], "Ab3dE6gH9");
  assertEquals(await idsFor("call_abcdefghijklmnop", "Ab3dE6gH9", "", "call_ä"), ids);
  assertEquals(new Set(ids).size, 4);
});

Deno.test("toRequest() gives calls of several turns with the same ID different IDs", async () => {
  const ids = await idsFor("Ab3dE6gH9", "Ab3dE6gH9", "call_1", "call_1");
  assertEquals(new Set(ids).size, 4);
  assertEquals(ids[0], "Ab3dE6gH9");
  for (const id of ids) assertMatch(id, /^[A-Za-z0-9]{9}$/);
});

Deno.test("toRequest() sends thinking back only to models that think", async () => {
  const messages = [HI, { role: "assistant", content: "4", reasoning_content: "2+2" }, HI];
  const [thinking] = await sentFor({ model: "magistral-small", messages });
  assertEquals((thinking?.messages as Json[])[1], {
    role: "assistant",
    content: [
      { type: "thinking", thinking: [{ type: "text", text: "2+2" }] },
      { type: "text", text: "4" },
    ],
  });
  const [plain] = await sentFor({ messages });
  assertEquals((plain?.messages as Json[])[1], { role: "assistant", content: "4" });
});

Deno.test("an effort that the model rejects is omitted, and the request is sent again", async () => {
  const message = "reasoning_effort is not enabled for this model";
  const vendor = new ScriptedVendor((sent) =>
    "reasoning_effort" in sent.body
      ? Response.json({ object: "error", message, code: "3051" }, { status: 400 })
      : sayHello(sent)
  );
  const sent = await sentFor({ reasoning_effort: "low" }, vendor);
  assertEquals(sent.map((body) => body.reasoning_effort), ["high", undefined]);
});

Deno.test("toError() reads validation errors, and repairs unknown fields", () => {
  const verdictOf = (status: number, body: unknown) =>
    mistral.toError({ where: "answer", status, headers: new Headers(), body });
  const detail = (loc: unknown[], type = "extra_forbidden") => ({
    detail: [{ type, loc, msg: "No" }],
  });
  const unknown = verdictOf(422, detail(["body", "safe_prompt"]));
  assertEquals([unknown.kind, unknown.message], ["invalid_request", "safe_prompt: No"]);
  assertEquals(unknown.repair, { without: "safe_prompt" });
  assertEquals(verdictOf(422, detail(["body", "messages"])).repair, undefined);
  assertEquals(verdictOf(422, detail(["body", "n"], "less_than")).repair, undefined);
  assertEquals(verdictOf(422, { message: detail(["body", "n"], "less_than") }).message, "n: No");
  assertEquals(verdictOf(401, { detail: "Unauthorized" }).kind, "upstream_auth");
  assertEquals(verdictOf(500, undefined).kind, "upstream_error");
});
