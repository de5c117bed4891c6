/** Requests about one answer: the path and the query that the vendor gets, and lists of input. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { createTestGateway, SERVICE_KEY } from "../../support/gateway.ts";
import { ScriptedVendor } from "../../support/scripted_vendor.ts";

const NATIVE = {
  kind: "openai",
  api: "responses",
  api_key: "sk-vendor-0123456789",
  base_url: "http://native.test/v1",
  models: ["m"],
};

function createWorld() {
  const sent: string[] = [];
  const gateway = createTestGateway({
    config: { providers: { v: NATIVE } },
    fetch: (url, { method }) => {
      sent.push(`${method} ${url}`);
      return Promise.resolve(Response.json({ id: "resp_1", status: "completed", output: [] }));
    },
  });
  const call = (method: string, path: string) => {
    const headers = { authorization: `Bearer ${SERVICE_KEY}` };
    return gateway.app.handle(
      new Request(`http://gateway.test/v1/responses/${path}`, { method, headers }),
    );
  };
  return { sent, call };
}

const RESOURCES: readonly (readonly [string, string])[] = [
  ["GET", ""],
  ["DELETE", ""],
  ["POST", "/cancel"],
  ["GET", "/input_items"],
];

const FOREIGN_SEGMENTS = [
  ".",
  "..",
  "%2e%2e",
  "%252e%252e",
  "..%2f",
  "a%2fb",
  "%2e%2e%2ffiles",
  "a%5cb",
  "a%00b",
  "a%0d%0ab",
  "a%3fb",
  "a%23b",
  "a%25b",
  "a%20b",
  "..%3b",
  "%ff",
  "é",
  "a".repeat(513),
];

for (const [method, rest] of RESOURCES) {
  Deno.test(`${method} /v1/responses/{id}${rest} refuses what is not one segment of a path`, async () => {
    const { sent, call } = createWorld();
    for (const id of FOREIGN_SEGMENTS) {
      const answer = await call(method, `${id}@v${rest}`);
      assertEquals(answer.status, 404, id);
      const { error } = await answer.json();
      assertEquals([error.type, error.code], ["invalid_request_error", null]);
      assertStringIncludes(error.message, "Response with id '");
    }
    assertEquals(sent, []);
  });
}

Deno.test("a vendor gets only the query parameters that a resource has", async () => {
  const { sent, call } = createWorld();
  const query = "?include=a&include[]=b&starting_after=4&include_obfuscation=false&limit=2" +
    "&order=asc&after=msg_1@v&api-version=1&key=x&stream=0";
  const ignored = [];
  for (const [method, rest] of RESOURCES) {
    const answer = await call(method, `resp_1@v${rest}${query}`);
    ignored.push(answer.headers.get("x-sluice-ignored"));
    await answer.body?.cancel();
  }
  const base = "http://native.test/v1/responses/resp_1";
  assertEquals(sent, [
    `GET ${base}?include=a&include%5B%5D=b&starting_after=4&include_obfuscation=false&stream=0`,
    `DELETE ${base}`,
    `POST ${base}/cancel`,
    `GET ${base}/input_items?include=a&include%5B%5D=b&limit=2&order=asc&after=msg_1`,
  ]);
  assertEquals(ignored, ["query", "query", "query", "query"]);
});

const CHAT = { kind: "openai_compatible", base_url: "http://chat.test/v1", models: ["m"] };

Deno.test("the input items of a converted answer have IDs and parts, and come in pages", async () => {
  const gateway = createTestGateway({
    config: { providers: { chat: CHAT } },
    fetch: new ScriptedVendor().fetch,
  });
  const input = [
    { role: "user", content: "One" },
    { role: "assistant", content: "Two" },
    { type: "message", role: "user", content: [{ type: "input_text", text: "Three" }] },
    { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: "c1", output: "4" },
    { id: "msg_own", role: "user", content: "Five" },
  ];
  const made = await (await gateway.call("/v1/responses", { model: "m", input })).json();
  const list = async (query: string) => {
    const answer = await gateway.call(`/v1/responses/${made.id}/input_items${query}`);
    return { status: answer.status, body: await answer.json() };
  };
  const { body } = await list("?order=asc");
  const data = body.data as JsonObject[];
  assertEquals(data.map(({ type, content }) => [type, content]), [
    ["message", [{ type: "input_text", text: "One" }]],
    ["message", [{ type: "output_text", annotations: [], logprobs: [], text: "Two" }]],
    ["message", [{ type: "input_text", text: "Three" }]],
    ["function_call", undefined],
    ["function_call_output", undefined],
    ["message", [{ type: "input_text", text: "Five" }]],
  ]);
  const ids = data.map(({ id }) => String(id));
  assertEquals(new Set(ids).size, 6);
  assertEquals(ids.map((id) => id.split("_")[0]), ["msg", "msg", "msg", "fc", "fco", "msg"]);
  assertEquals(ids[5], "msg_own");
  assertEquals([body.first_id, body.last_id, body.has_more], [ids[0], ids[5], false]);
  const newest = (await list("?limit=2")).body;
  assertEquals([newest.data.map(({ id }: JsonObject) => id), newest.has_more], [
    [ids[5], ids[4]],
    true,
  ]);
  const next = (await list(`?limit=4&after=${ids[4]}`)).body;
  assertEquals([next.data.map(({ id }: JsonObject) => id), next.has_more], [
    [ids[3], ids[2], ids[1], ids[0]],
    false,
  ]);
  for (const query of ["?limit=0", "?limit=101", "?limit=x", "?order=up"]) {
    assertEquals((await list(query)).status, 400, query);
  }
  assertEquals((await list("?after=msg_none")).status, 404);
});

Deno.test("item_reference finds an input item by the ID in the list", async () => {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({ config: { providers: { chat: CHAT } }, fetch: vendor.fetch });
  const ask = async (input: unknown) =>
    await (await gateway.call("/v1/responses", { model: "m", input })).json();
  const made = await ask([{ role: "user", content: "One" }]);
  const { data } = await (await gateway.call(`/v1/responses/${made.id}/input_items`)).json();
  await ask([{ type: "item_reference", id: data[0].id }]);
  assertEquals(vendor.sent[1]?.body.messages, [{ role: "user", content: "One" }]);
});
