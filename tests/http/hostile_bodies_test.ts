/** Bodies made to be expensive: each is answered soon, and none holds the event loop. */

import { assert, assertEquals } from "@std/assert";
import { createGatewayOn, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { ScriptedVendor } from "../support/scripted_vendor.ts";
import { SystemClock } from "../../src/core/clock.ts";
import { heldCpuMs, MAX_HELD_CPU_MS, streamed } from "../support/held_loop.ts";

/** One size is parsed in one go, the other in pieces. */
const SIZES = [3_000_000, 8_000_000];

const CONFIG = {
  providers: { local: { kind: "openai", api_key: VENDOR_KEY, models: ["m"] } },
  server: { keep_alive: "0s" },
};
const HI = '{"role":"user","content":"Hi"}';

/** Repeats a text, with a separator, up to the size of a body. */
function times(text: string, size: number): string {
  return Array(Math.floor(size / (text.length + 1))).fill(text).join(",");
}

/** Members of different names. */
function members(value: string, size: number): string {
  const count = Math.floor(size / (9 + value.length));
  return Array.from({ length: count }, (_, index) => `"k${index}":${value}`).join(",");
}

function withMessages(messages: string, rest = ""): string {
  return `{"model":"m","messages":[${messages}]${rest}}`;
}

function withContent(content: string): string {
  return withMessages(`{"role":"user","content":"${content}"}`);
}

/** Shapes of bodies, and the status that each comes to. */
const SHAPES: readonly (readonly [what: string, make: (size: number) => string, status: number])[] =
  [
    ["numbers as messages", (size) => withMessages(times("1", size)), 400],
    ["empty objects as messages", (size) => withMessages(times("{}", size)), 400],
    ["empty lists as messages", (size) => withMessages(times("[]", size)), 400],
    ["short messages", (size) => withMessages(times('{"role":"user","content":""}', size)), 400],
    [
      "numbers as content",
      (size) => withMessages(`{"role":"user","content":[${times("1", size)}]}`),
      400,
    ],
    [
      "empty tool calls",
      (size) => withMessages(`{"role":"assistant","tool_calls":[${times("{}", size)}]}`),
      400,
    ],
    ["stop sequences", (size) => withMessages(HI, `,"stop":[${times('"a"', size)}]`), 400],
    ["models", (size) => withMessages(HI, `,"models":[${times('"m"', size)}]`), 400],
    ["logit_bias", (size) => withMessages(HI, `,"logit_bias":{${members("1", size)}}`), 400],
    ["unknown members", (size) => withMessages(HI, `,${members("{}", size)}`), 400],
    ["one member again and again", (size) => withMessages(HI, `,${times('"x":1', size)}`), 400],
    [
      "__proto__ again and again",
      (size) => withMessages(HI, `,${times('"__proto__":{}', size)}`),
      400,
    ],
    ["nested lists", (size) => withMessages("[".repeat(size / 2) + "]".repeat(size / 2)), 400],
    ["nested lists that do not end", (size) => withMessages("[".repeat(size)), 400],
    ["nested objects", (size) => withMessages('{"a":'.repeat(size / 5)), 400],
    ["closing brackets", (size) => "]][".repeat(size / 3), 400],
    ["a number of digits", (size) => withMessages(HI, `,"seed":${"7".repeat(size)}`), 400],
    ["a long fraction", (size) => withMessages(HI, `,"top_p":0.${"3".repeat(size)}`), 200],
    ["white space", (size) => `${withMessages(HI)}${" \n".repeat(size / 2)}`, 200],
    ["a string that does not end", (size) => `{"model":"${"m".repeat(size)}`, 400],
    ["a long name of a model", (size) => `{"model":"${"m".repeat(size)}","messages":[${HI}]}`, 404],
    ["a long name of a member", (size) => withMessages(HI, `,"${"n".repeat(size)}":1`), 200],
    ["escaped letters", (size) => withContent("\\u0041".repeat(size / 6)), 200],
    ["escaped quotes", (size) => withContent('\\"'.repeat(size / 2)), 200],
    ["halves of characters", (size) => withContent("\\ud800".repeat(size / 6)), 200],
    ["brackets in a text", (size) => withContent("{[,:]}".repeat(size / 6)), 200],
    [
      "a text of one byte a character, but for one",
      (size) => withContent(`${"a".repeat(size)}漢`),
      200,
    ],
  ];

for (const [what, make, expected] of SHAPES) {
  for (const size of SIZES) {
    Deno.test(`${size / 1e6} MB of ${what}: ${expected}, and the event loop is not blocked`, async () => {
      using clock = Object.assign(new SystemClock(), {
        [Symbol.dispose]: () => clock.close(),
      });
      const vendor = new ScriptedVendor();
      const gateway = createGatewayOn(clock, { config: CONFIG, fetch: vendor.fetch });
      const bytes = new TextEncoder().encode(make(size));
      const headers = {
        authorization: `Bearer ${SERVICE_KEY}`,
        "content-length": String(bytes.length),
      };
      let text = "";
      let status = 0;
      const held = await heldCpuMs(async () => {
        const request = new Request("http://gateway.test/v1/chat/completions", {
          method: "POST",
          headers,
          body: streamed(bytes),
        });
        const response = await gateway.app.handle(request);
        status = response.status;
        text = await response.text();
      });
      assertEquals([status, gateway.bugs], [expected, []], text.slice(0, 300));
      assert(status === 200 || text.length < 2000);
      assert(held < MAX_HELD_CPU_MS, `the loop was held for ${held} ms`);
    });
  }
}
