/** Plain bodies of the Messages API, which are not checked by the schema. */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../../src/core/json/object.ts";
import { readMessagesRequest } from "../../../src/apis/messages/read_request.ts";
import { messagesRequest, toPlainBody } from "../../../src/apis/messages/schema.ts";
import { fuzz } from "../../support/fuzz.ts";
import { mutated } from "../../support/json_chance.ts";

const BODY = {
  model: "m",
  max_tokens: 10,
  system: [{ type: "text", text: "s", cache_control: { type: "ephemeral" } }],
  stream: true,
  temperature: 0.5,
  stop_sequences: ["x"],
  metadata: { user_id: "u" },
  tools: [{ name: "t", description: "d", input_schema: { type: "object", properties: {} } }],
  messages: [
    { role: "user", content: "Hello" },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "text", text: "I look" },
        { type: "tool_use", id: "c1", name: "t", input: { a: 1 } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "r" }] },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "c1", content: [{ type: "text", text: "r" }] }],
    },
  ],
};

/** Any change of it throws. */
function frozen<Value>(value: Value): Value {
  if (Array.isArray(value) || isObject(value)) Object.values(value).forEach(frozen);
  return Object.freeze(value);
}

Deno.test("a plain body is valid by the schema, with the same members in the same order", async () => {
  assert(toPlainBody(BODY) !== undefined);
  let plain = 0;
  await fuzz(5000, (random) => {
    let body: unknown = BODY;
    for (let times = random.below(3); times > 0; times--) body = mutated(random, body);
    if (!isObject(body)) return;
    const found = toPlainBody(body);
    if (found === undefined) return;
    plain++;
    const checked = messagesRequest.safeParse(body);
    assertEquals(checked.success, true, JSON.stringify(body));
    assertEquals(found, checked.data as unknown as JsonObject);
    assertEquals(Object.keys(found), Object.keys(checked.data ?? {}));
  });
  assert(plain > 20, `${plain} plain bodies`);
});

Deno.test("a conversion changes nothing within a plain body, and is that of the schema's copy", () => {
  const body = frozen(structuredClone(BODY));
  const { chat } = readMessagesRequest(body);
  const checked = structuredClone(messagesRequest.parse(body));
  // A member that is not plain: the schema is used.
  const other = readMessagesRequest({ ...checked, top_k: null });
  assertEquals(chat, other.chat);
});
