/**
 * A strict reader of the events of the Responses API: it fails where a client that relies on the
 * documented sequence would.
 */

import { assert, assertEquals, AssertionError } from "@std/assert";
import { isObject, type JsonObject } from "../../../src/contract/chat.ts";

export type Event = JsonObject & { type: string };

/** The events of a stream; comments are skipped. */
export function readEvents(text: string): Event[] {
  const blocks = text.split("\n\n");
  assertEquals(blocks.pop(), "", "the stream ends within an event");
  return blocks.filter((block) => !block.startsWith(":")).map((block) => {
    const [name = "", data = "", ...others] = block.split("\n");
    assertEquals(others, []);
    assert(name.startsWith("event: ") && data.startsWith("data: "), block);
    const event = JSON.parse(data.slice("data: ".length));
    assertEquals(event.type, name.slice("event: ".length));
    return event;
  });
}

function given<Value>(value: Value | undefined, message: string): Value {
  if (value === undefined) throw new AssertionError(message);
  return value;
}

interface Part {
  readonly type: unknown;
  text: string;
  done: boolean;
}

interface Item {
  readonly id: unknown;
  readonly added: JsonObject;
  readonly parts: Part[];
  text: string;
  done: JsonObject | undefined;
}

const TERMINAL = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** Reads a stream; returns the response of its last event. */
export function readStream(text: string): JsonObject {
  return checkEvents(readEvents(text));
}

/** Checks a sequence of events; returns the response of the last one. */
export function checkEvents(events: readonly Event[]): JsonObject {
  assertEquals(events.map(({ sequence_number }) => sequence_number), [...events.keys()]);
  const last = given(events.at(-1), "no event");
  assert(TERMINAL.has(last.type), `the last event is ${last.type}`);
  assertEquals(events.filter(({ type }) => TERMINAL.has(type)).length, 1);
  const reader = new Reader();
  events.forEach((event, index) => reader.push(event, index));
  const response = last.response as JsonObject;
  assertEquals(last.type, `response.${response.status}`);
  if (last.type !== "response.failed") {
    assertEquals(response.output, reader.items.map(({ done }) => done));
  }
  assertEquals(response.id, reader.id ?? response.id);
  return response;
}

class Reader {
  id: unknown;
  readonly items: Item[] = [];

  push(event: Event, index: number): void {
    if (event.type === "error") return;
    const name = event.type.replace(/^response\./, "");
    if (index < 2 && !TERMINAL.has(event.type)) {
      assertEquals(name, ["created", "in_progress"][index]);
      const { id, output, status, usage } = event.response as JsonObject;
      assertEquals([output, status, usage], [[], "in_progress", null]);
      if (index === 1) assertEquals(id, this.id);
      this.id = id;
    } else if (name === "output_item.added") {
      assertEquals(event.output_index, this.items.length);
      const added = event.item as JsonObject;
      assert(typeof added.id === "string" && added.id !== "");
      this.items.push({ id: added.id, added, parts: [], text: "", done: undefined });
    } else if (!TERMINAL.has(event.type)) this.#onItem(name, event);
  }

  #onItem(name: string, event: Event): void {
    const item = given(this.items[Number(event.output_index)], `${name} outside of its item`);
    assertEquals(item.done, undefined, `${name} after the end of its item`);
    if (name === "output_item.done") return finish(item, event.item as JsonObject);
    assertEquals(event.item_id, item.id);
    const index = Number(event.content_index ?? event.summary_index ?? -1);
    const openPart = () => {
      const part = given(item.parts[index], `${name} outside of its part`);
      assert(!part.done, `${name} after the end of its part`);
      return part;
    };
    switch (name) {
      case "content_part.added":
      case "reasoning_summary_part.added":
        assertEquals(index, item.parts.length);
        assert(item.parts.every(({ done }) => done));
        item.parts.push({ type: (event.part as JsonObject).type, text: "", done: false });
        return;
      case "output_text.delta":
      case "refusal.delta":
      case "reasoning_summary_text.delta":
        assert(typeof event.delta === "string");
        openPart().text += event.delta;
        return;
      case "output_text.done":
      case "reasoning_summary_text.done":
        return assertEquals(event.text, openPart().text);
      case "refusal.done":
        return assertEquals(event.refusal, openPart().text);
      case "output_text.annotation.added":
        return assert(isObject(event.annotation));
      case "content_part.done":
      case "reasoning_summary_part.done": {
        const part = openPart();
        const { text, refusal, type } = event.part as JsonObject;
        assertEquals([type, text ?? refusal], [part.type, part.text]);
        part.done = true;
        return;
      }
      case "function_call_arguments.delta":
      case "custom_tool_call_input.delta":
        item.text += event.delta;
        return;
      case "function_call_arguments.done":
        return assertEquals(event.arguments, item.text);
      case "custom_tool_call_input.done":
        return assertEquals(event.input, item.text);
    }
    throw new TypeError(`Unknown event ${name}`);
  }
}

function finish(item: Item, done: JsonObject): void {
  const { added, parts, text } = item;
  assertEquals([done.id, done.type], [added.id, added.type]);
  item.done = done;
  if (done.type === "function_call" || done.type === "custom_tool_call") {
    assertEquals([done.name, done.call_id], [added.name, added.call_id]);
    assertEquals(done.arguments ?? done.input, text);
    assert(done.status === "completed" || done.status === "incomplete");
    return;
  }
  assert(parts.every((part) => part.done));
  const whole = (done.type === "reasoning" ? done.summary : done.content) as JsonObject[];
  assertEquals(
    whole.map((part) => [part.type, part.text ?? part.refusal]),
    parts.map((part) => [part.type, part.text]),
  );
}

/** The content of an answer, independent of how its items are split. */
export interface Said {
  readonly text: string;
  readonly refusal: string;
  readonly thoughts: string;
  readonly calls: readonly unknown[];
  readonly usage: unknown;
  readonly status: unknown;
}

/** What a response says. */
export function saidBy({ output, usage, status }: JsonObject): Said {
  const items = output as JsonObject[];
  const partsOf = (item: JsonObject) => (item.content ?? item.summary ?? []) as JsonObject[];
  const messages = items.filter(({ type }) => type === "message").flatMap(partsOf);
  const thoughts = items.filter(({ type }) => type === "reasoning").flatMap(partsOf);
  const join = (parts: readonly JsonObject[], member: string) =>
    parts.map((part) => part[member] ?? "").join("");
  const counts = usage as JsonObject | null;
  return {
    text: join(messages, "text"),
    refusal: join(messages, "refusal"),
    thoughts: join(thoughts, "text"),
    calls: items.filter(({ type }) => String(type).endsWith("_call"))
      .map((item) => [item.call_id, item.name, item.arguments ?? item.input]),
    usage: counts && [counts.input_tokens, counts.output_tokens, counts.total_tokens],
    status,
  };
}
