/** Reasoning state in a process with two workers, and over a restart. */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { anthropic } from "../../support/loops/claude.ts";
import { FUNCTION_TOOL, QUESTION, resultOf } from "../../support/loops/loop.ts";
import { addressOf, type Running, startSluice } from "../../support/process.ts";
import { sayHello } from "../../support/scripted_vendor.ts";
import { serveVendor } from "../../support/server.ts";
import { needs } from "../../support/needs.ts";

const OWN_KEY = "sk-own";

function serveClaude(arrived: JsonObject[]) {
  return serveVendor(async (request) => {
    const body: JsonObject = await request.json();
    arrived.push(body);
    const isFirst = Array.isArray(body.messages) && body.messages.length === 1;
    if (isFirst) return Response.json(anthropic.answer([anthropic.calls[0]]));
    return sayHello({ url: new URL(request.url).pathname, body });
  });
}

function start(vendor: string, server: JsonObject): Running {
  const config = JSON.stringify({
    server: { port: 0, workers: 2, keys: [{ name: "own", key: OWN_KEY }], ...server },
    providers: { vendor: anthropic.provider(vendor) },
  });
  return startSluice(["--config", "config.yaml"], { files: { "config.yaml": config } });
}

/** Over a new connection, so that the system chooses a worker. */
async function ask(base: string, messages: readonly JsonObject[]): Promise<JsonObject> {
  using client = Deno.createHttpClient({});
  const response = await fetch(`${base}/v1/chat/completions`, {
    client,
    method: "POST",
    headers: { authorization: `Bearer ${OWN_KEY}` },
    body: JSON.stringify({ model: anthropic.model, messages, tools: [FUNCTION_TOOL] }),
  });
  return await response.json();
}

const USER = { role: "user", content: QUESTION };

async function idOf(base: string): Promise<string> {
  const text = JSON.stringify(await ask(base, [USER]));
  return /"id":"([^"]+)","type":"function"/.exec(text)?.[1] ?? "";
}

function secondTurn(id: string): readonly JsonObject[] {
  const [call] = anthropic.calls;
  const called = { name: FUNCTION_TOOL.function.name, arguments: `{"city":"${call.city}"}` };
  return [
    USER,
    { role: "assistant", tool_calls: [{ id, type: "function", function: called }] },
    { role: "tool", tool_call_id: id, content: resultOf(call) },
  ];
}

const [CALL] = anthropic.calls;
const WHOLE = anthropic.back({ calls: [CALL], results: [CALL], whole: true });

/** Enough connections that each of two workers has some, but for a chance of 2^-19. */
const MANY = 20;

for (
  const [place, kind, maxLength] of [["ids", "_sluice_s", 2048], [
    "memory",
    "_sluice_m",
    64,
  ]] as const
) {
  Deno.test({
    ...needs(
      "Linux",
      Deno.build.os === "linux",
      `state in the ${place} comes back whichever worker gets the second turn`,
    ),
    async fn() {
      const arrived: JsonObject[] = [];
      await using vendor = serveClaude(arrived);
      await using running = start(vendor.url, { reasoning_state: { max_id_length: maxLength } });
      const base = await addressOf(running);
      const id = await idOf(base);
      assert(id.includes(kind), id);
      for (let turn = 0; turn < MANY; turn++) {
        await ask(base, secondTurn(id));
        const { messages } = arrived.at(-1) ?? {};
        assertEquals(Array.isArray(messages) && messages.slice(1), WHOLE, `turn ${turn}`);
      }
    },
  });
}

Deno.test("state in the ids comes back after a restart with the same key", async () => {
  const arrived: JsonObject[] = [];
  await using vendor = serveClaude(arrived);
  const server = { reasoning_state: { key: "0123456789abcdef0123456789abcdef" } };
  let id = "";
  {
    await using running = start(vendor.url, server);
    id = await idOf(await addressOf(running));
  }
  for (const [settings, whole] of [[server, true], [{}, false]] as const) {
    await using running = start(vendor.url, settings);
    await ask(await addressOf(running), secondTurn(id));
    const { messages } = arrived.at(-1) ?? {};
    const expected = anthropic.back({ calls: [CALL], results: [CALL], whole });
    assertEquals(Array.isArray(messages) && messages.slice(1), expected);
  }
});
