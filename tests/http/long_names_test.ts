/** Names that callers choose, long or many: little of them comes back, in headers, errors or the log. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { RequestChanges } from "../../src/contract/request_changes.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { ScriptedVendor } from "../support/scripted_vendor.ts";

const CHAT = "/v1/chat/completions";
const CONFIG = {
  providers: {
    claude: { kind: "anthropic", api_key: VENDOR_KEY, models: ["claude-opus-5"] },
    mock: { kind: "mock", models: ["m"] },
  },
};
const HI = { model: "claude-opus-5", messages: [{ role: "user", content: "Hi" }] };
const LONG = "n".repeat(1_000_000);
const MANY = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`name_${index}`, 1]));

/** Requests in which a name is long, or names are many, and the status of each. */
const REQUESTS: readonly (readonly [
  what: string,
  body: Record<string, unknown>,
  headers: Record<string, string>,
  status: number,
])[] = [
  ["a long unknown member", { ...HI, [LONG]: 1 }, {}, 200],
  ["many unknown members", { ...HI, ...MANY }, {}, 200],
  ["a long unknown member, strictly", { ...HI, [LONG]: 1 }, { "x-sluice-strict": "true" }, 400],
  ["many unknown members, strictly", { ...HI, ...MANY }, { "x-sluice-strict": "true" }, 400],
  ["a long model", { ...HI, model: LONG }, {}, 404],
  ["a long model among its own", { ...HI, models: [LONG] }, {}, 404],
  ["a long name in metadata", { ...HI, metadata: { [LONG]: 1 } }, {}, 400],
  ["a long name in logit_bias", { ...HI, logit_bias: { [LONG]: "x" } }, {}, 400],
  ["a long role", { ...HI, messages: [{ role: LONG, content: "Hi" }] }, {}, 400],
  [
    "a long type of content",
    { ...HI, messages: [{ role: "user", content: [{ type: LONG }] }] },
    {},
    400,
  ],
  ["a long effort", { ...HI, reasoning_effort: LONG }, {}, 200],
];

for (const [what, body, headers, status] of REQUESTS) {
  Deno.test(`${what}: a short answer, short headers and a short line in the log`, async () => {
    const vendor = new ScriptedVendor();
    const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
    const response = await gateway.call(CHAT, body, headers);
    const text = await response.text();
    assertEquals([response.status, gateway.bugs], [status, []], text.slice(0, 300));
    const head = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\r\n");
    assert(head.length < 4000, `${head.length} characters of headers`);
    assert(text.length < 20_000, `${text.length} characters of body`);
    const line = JSON.stringify(gateway.lines);
    assert(line.length < 20_000, `${line.length} characters in the log`);
  });
}

Deno.test("a receipt lists a hundred entries and says how many more there are", () => {
  const changes = new RequestChanges();
  for (let index = 0; index < 1000; index++) changes.ignore(`name_${index}`);
  changes.ignore("reasoning_effort");
  changes.ignore(LONG);
  assertEquals(changes.ignored.size, 102);
  assert(changes.ignored.has("reasoning_effort"));
  assertEquals([...changes.ignored].slice(-3), ["name_99", "and more", "reasoning_effort"]);
  const other = new RequestChanges();
  other.rename(LONG, "x");
  assertEquals([...other.converted], [`${"n".repeat(80)}…`]);
});

Deno.test("an error keeps 4000 characters of its message and 200 of its path", () => {
  const error = new GatewayError("invalid_value", LONG, { param: LONG });
  assertEquals([error.message.length, error.param?.length], [4001, 201]);
  const again = error.withHeaders({ "x-should-retry": "false" });
  assertEquals([again.message, again.param], [error.message, error.param]);
  const short = new GatewayError("invalid_value", "It is short", { param: "n" });
  assertEquals([short.message, short.param], ["It is short", "n"]);
});

Deno.test("an explanation is bounded by the request times its targets", async () => {
  const gateway = createTestGateway({ config: CONFIG });
  const explain = async (size: number, models: string[]) => {
    const messages = [{ role: "user", content: "x".repeat(size) }];
    const body = { ...HI, messages, models };
    const response = await gateway.call(CHAT, body, { "x-sluice-explain": "true" });
    return { status: response.status, text: await response.text() };
  };
  assertEquals((await explain(3_000_000, [])).status, 200);
  assertEquals((await explain(3_000_000, ["m"])).status, 413);
  const { status, text } = await explain(5_000_000, []);
  assertEquals(status, 413);
  assertStringIncludes(
    text,
    "Only requests of at most 4194304 bytes are explained for a chain of 1",
  );
});
