/** Short requests that refer to large stored items: they have the limits of the whole request. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { SystemClock } from "../../../src/core/clock.ts";
import { ExpansionBudget, sizeOf } from "../../../src/gateway/execute/responses/memory.ts";
import { createGatewayOn, createTestGateway, SERVICE_KEY } from "../../support/gateway.ts";
import { ScriptedVendor } from "../../support/scripted_vendor.ts";
import { threadCpuMs } from "../../support/thread_cpu.ts";

const CHAT = { kind: "openai_compatible", base_url: "http://chat.test/v1", models: ["m"] };
const NATIVE = {
  kind: "openai",
  api: "responses",
  api_key: "sk-vendor-0123456789",
  base_url: "http://native.test/v1",
  models: ["n"],
};

function say(content: string): Response {
  const message = { role: "assistant", content };
  return Response.json({ id: "c1", model: "m", choices: [{ index: 0, message }] });
}

function createWorld(server: JsonObject, content = "Hello.") {
  const vendor = new ScriptedVendor(({ url }) =>
    url.startsWith(CHAT.base_url)
      ? say(content)
      : Response.json({ id: "resp_1", status: "completed", output: [] })
  );
  const providers = { chat: CHAT, native: NATIVE };
  const gateway = createTestGateway({ config: { providers, server }, fetch: vendor.fetch });
  const ask = async (body: JsonObject) => {
    const answer = await gateway.call("/v1/responses", { model: "m", ...body });
    return { status: answer.status, body: await answer.json() as JsonObject };
  };
  return { vendor, ask };
}

const idOfItem = ({ output }: JsonObject) => String((output as JsonObject[])[0]?.id);
const messageOf = ({ error }: JsonObject) => String((error as JsonObject).message);

for (const model of ["m", "n"]) {
  Deno.test(`an item is referred to once, with the model ${model}`, async () => {
    const { ask, vendor } = createWorld({});
    const id = idOfItem((await ask({ input: "One" })).body);
    const item = { type: "item_reference", id };
    const { status, body } = await ask({ model, input: Array.from({ length: 400 }, () => item) });
    assertEquals(status, 400);
    assertEquals((body.error as JsonObject).param, "input[1]");
    assertEquals(vendor.sent.length, 1);
  });

  Deno.test(`items that exceed max_body together are a 413, with the model ${model}`, async () => {
    const { ask, vendor } = createWorld({ max_body: "300kB" }, "x".repeat(100_000));
    const input: JsonObject[] = [];
    for (let count = 0; count < 3; count++) {
      input.push({ type: "item_reference", id: idOfItem((await ask({ input: "One" })).body) });
    }
    assertEquals((await ask({ model, input: input.slice(1) })).status, 200);
    const { status, body } = await ask({ model, input });
    assertEquals(status, 413);
    assertStringIncludes(messageOf(body), "server.max_body");
    assertEquals(vendor.sent.length, 4);
  });

  Deno.test(`a conversation that exceeds max_elements is a 413, with the model ${model}`, async () => {
    const { ask, vendor } = createWorld({ max_elements: 500 });
    const input = Array.from({ length: 100 }, () => ({ role: "user", content: "Hi" }));
    const first = await ask({ input });
    const second = await ask({ input: "Two", previous_response_id: first.body.id });
    assertEquals([first.status, second.status], [200, 200]);
    const more = await ask({ model, input, previous_response_id: second.body.id });
    assertEquals(more.status, 413);
    assertStringIncludes(messageOf(more.body), "server.max_elements");
    assertEquals(vendor.sent.length, 2);
  });
}

Deno.test("the tokens of stored items count against limits", async () => {
  const keys = [{ name: "test", key: SERVICE_KEY, limits: { tokens_per_minute: 20_000 } }];
  const { ask } = createWorld({ keys }, "word ".repeat(6000));
  const first = await ask({ input: "One", max_output_tokens: 1 });
  assertEquals(first.status, 200);
  const more = { max_output_tokens: 1, previous_response_id: first.body.id };
  assertEquals((await ask({ input: "Two", ...more })).status, 200);
  assertEquals((await ask({ input: "Three", ...more })).status, 429);
});

Deno.test("sizeOf() is about the length of the JSON, and counts its elements", () => {
  const items = [
    { role: "user", content: [{ type: "input_text", text: "x".repeat(1000) }] },
    1,
    null,
  ];
  const { length, elements } = sizeOf(items);
  assertEquals(elements, 3 + 2 + 1 + 2);
  const exact = JSON.stringify(items).length;
  assert(length >= exact && length < exact * 1.1, `${length} for ${exact}`);
  const budget = new ExpansionBudget({ length, elements });
  budget.take({ length, elements });
});

/** The most that the event loop may be held, in milliseconds. */
const MAX_GAP_MS = 100;
const ATTEMPTS = 5;

Deno.test("a short request behind 30,000 stored items does not hold the event loop", async () => {
  const clock = new SystemClock();
  const gateway = createGatewayOn(clock, {
    config: { providers: { chat: CHAT } },
    fetch: () => Promise.resolve(say("Hello.")),
  });
  const ask = async (body: JsonObject) => {
    const answer = await gateway.call("/v1/responses", { model: "m", ...body });
    return { status: answer.status, body: await answer.json() as JsonObject };
  };
  const input = Array.from({ length: 30_000 }, (_, at) => ({ role: "user", content: `${at}` }));
  const { body } = await ask({ input });
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && least > MAX_GAP_MS; attempt++) {
    let longest = 0;
    let last = { wall: performance.now(), cpu: threadCpuMs() };
    const look = () => {
      const now = { wall: performance.now(), cpu: threadCpuMs() };
      // The least of both: what a busy machine takes from us is not ours.
      longest = Math.max(longest, Math.min(now.wall - last.wall, now.cpu - last.cpu));
      last = now;
    };
    const timer = setInterval(look, 1);
    const next = await ask({ input: "Next", previous_response_id: body.id });
    assertEquals(next.status, 200);
    look();
    clearInterval(timer);
    least = Math.min(least, longest);
  }
  clock.close();
  assert(least <= MAX_GAP_MS, `${least} ms`);
});
