/** The streams of all vendors as events of the Messages API: they say what chat completions say. */

import { assert, assertEquals } from "@std/assert";
import { isObject, type JsonObject } from "../../../src/contract/chat.ts";
import { messages } from "../../../src/apis/messages/format.ts";
import { cutsOf } from "../../support/cuts.ts";
import { readFixtures } from "../../support/fixtures.ts";
import { fold, prepared, type PreparedCase } from "../../support/folding.ts";
import { collect, readEvents, readInput } from "../../support/message_events.ts";

for (const fixture of readFixtures()) {
  // The format has neither several answers nor custom tools.
  if (fixture.upstream.type !== "stream" || fixture.request.n !== undefined) continue;
  if (JSON.stringify(fixture.request.tools ?? []).includes('"custom"')) continue;
  const { bytes } = fixture.upstream;
  const title = `${fixture.vendor}/${fixture.name}`;

  Deno.test(`${title}: the events of a message say what the chunks say`, () => {
    const chat = prepared(fixture);
    const one: PreparedCase = { ...chat, format: messages };
    const said = fold(one, [bytes]);
    const [kind = "", message = ""] = said.split("\n\n").slice(-2);
    const [chatKind = "", chatMessage = ""] = fold(chat, [bytes]).split("\n\n").slice(-2);
    assertEquals([kind, message], [chatKind, chatMessage], "the same failure, or none");
    const events = readEvents(said);
    if (kind !== "undefined") {
      assert(!events.some(({ type }) => type === "message_stop"), "a failure is no end");
      return;
    }
    const collected = collect(events);
    assertEquals(contentOf(collected), contentOfChunks(fold(chat, [bytes])));
  });

  Deno.test(`${title}: any cut of the bytes gives the same events of a message`, () => {
    const one: PreparedCase = { ...prepared(fixture), format: messages };
    const whole = fold(one, [bytes], Infinity);
    assertEquals(fold(one, Array.from(bytes, (byte) => Uint8Array.of(byte))), whole);
    for (const cut of cutsOf(bytes.length)) {
      const events = fold(one, [bytes.subarray(0, cut), bytes.subarray(cut)]);
      if (events !== whole) assertEquals(events, whole, `cut at ${cut}`);
    }
  });
}

interface Content {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly unknown[];
}

function contentOf({ content }: JsonObject): Content {
  const blocks = (content as unknown[]).filter(isObject);
  const joined = (type: string) =>
    blocks.filter((block) => block.type === type).map((block) => block[type]).join("");
  return {
    text: joined("text"),
    thinking: joined("thinking"),
    calls: blocks.filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => [id, name, input]),
  };
}

function contentOfChunks(stream: string): Content {
  let [text, thinking] = ["", ""];
  const calls: { id: unknown; name: unknown; json: string }[] = [];
  for (const event of stream.split("\n\n").filter((event) => event.startsWith("data: {"))) {
    const [choice] = JSON.parse(event.slice("data: ".length)).choices;
    const { content, refusal, reasoning_content, tool_calls } = choice?.delta ?? {};
    text += (content ?? "") + (refusal ?? "");
    thinking += reasoning_content ?? "";
    for (const { index, id, function: made } of tool_calls ?? []) {
      const name = made?.name;
      const call = calls[index] ??= { id, name, json: "" };
      call.json += made?.arguments ?? "";
    }
  }
  return {
    text,
    thinking,
    calls: calls.map(({ id, name, json }) => [id, name, readInput(json)]),
  };
}
