/** How server-sent events are split: ends of lines, cuts, and streams with carriage returns. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { endOfEvent, EventReader } from "../../src/streaming/event_splitter.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A reader that writes `<data>` as an event for each frame, and learns a template from each event. */
function createReader(write = (data: string) => `<${data}>`) {
  const parsed: string[] = [];
  const reader = new EventReader(({ text, frames }, templates) => {
    const datas = frames.map(({ data }) => data);
    parsed.push(...datas);
    const written = datas.map((data) => `data: ${write(data)}\n\n`).join("");
    const [data, ...others] = datas;
    templates.forget();
    if (data !== undefined && others.length === 0 && text !== "") {
      templates.learn(text, written, { text: data.slice(1, -1) });
    }
    return written;
  });
  const push = (text: string) => {
    const output = reader.push(encoder.encode(text));
    return typeof output === "string" ? output : decoder.decode(output);
  };
  return { reader, push, parsed };
}

/** What is written for events of these texts. */
const written = (...texts: string[]) => texts.map((text) => `data: <"${text}">\n\n`).join("");

const END = 'data: "end"';

Deno.test("an event ends with a blank line of LF or CR LF", () => {
  const end = (text: string, start = 0) => endOfEvent(encoder.encode(text), start);
  assertEquals([end("a\n\nb"), end("a\n\r\nb"), end("a\r\n\r\nb")], [3, 4, 5]);
  assertEquals(
    [end("a\nb\n"), end("a\n"), end("a\n\r"), end("a\n\rb\n"), end("")],
    Array(5).fill(0),
  );
  assertEquals(end("a\n:\nb\n\n"), 7, "a comment of one character is no blank line");
  assertEquals([end("a\n\nb\n\n", 3), end("a\n\nb\n\n", 1)], [6, 3]);
});

Deno.test("events that fit the template are not parsed, wherever they are cut", () => {
  const { push, parsed } = createReader();
  const first = push('data: "a"\n\n');
  assertEquals(first, written("a"));
  assertEquals(push('data: "b"\n\ndata: "c"\n\n'), written("b", "c"));
  assertEquals(push('data: "d'), "");
  assertEquals(push('"\n'), "");
  assertEquals(push('\ndata: "e"\n\n'), written("d", "e"));
  assertEquals(parsed, ['"a"']);
});

Deno.test("events that are sent as they came are a view of the packet, not a copy", () => {
  const { reader, push, parsed } = createReader((data) => data);
  push('data: "a"\n\n');
  const packet = encoder.encode('data: "b"\n\ndata: "c"\n\n');
  const output = reader.push(packet);
  assert(output instanceof Uint8Array && output.buffer === packet.buffer);
  assertEquals(output.length, packet.length);
  assertEquals(parsed, ['"a"']);
});

Deno.test("a packet may have more output than the buffer holds", () => {
  const { push, parsed } = createReader();
  push('data: "a"\n\n');
  const long = "x".repeat(40_000);
  // Written from the template, then parsed, then written from the template again.
  const events = `data: "${long}"\n\ndata: "${long}"\n\n`;
  const output = push(`${events}: comment\n\n${events}`);
  assert(output === written(long, long, long, long), `${output.length} units`);
  // A comment forgets the template, so the event after it is parsed.
  assertEquals(parsed.map(({ length }) => length), [3, long.length + 2]);
  assertEquals(push('data: "b"\n\n'), written("b"));
});

Deno.test("a stream with carriage returns is parsed as a whole from then on", () => {
  const { push, parsed } = createReader();
  push('data: "a"\n\n');
  assertEquals(push('data: "b"\r'), "");
  // What follows within the line ends of such a stream is parsed, too.
  const rest = push("\n\r\n") + push('data: "c"\n\ndata: "d"\n\n') + push(`${END}\r\r`);
  assertEquals(rest, written("b", "c", "d", "end"));
  assertEquals(parsed, ['"a"', '"b"', '"c"', '"d"', '"end"']);
});

Deno.test("an event over the limit is refused, with carriage returns too", () => {
  const megabyte = "x".repeat(1024 * 1024);
  for (const start of ["data: ", "data: \r: "]) {
    const { push } = createReader();
    push(start);
    assertThrows(() => {
      for (let count = 0; count < 9; count++) push(megabyte);
    });
    // Events of a normal size may be as many as they like.
    const { push: pushAgain } = createReader();
    pushAgain(start);
    for (let count = 0; count < 20; count++) pushAgain(`${megabyte}\n\ndata: `);
  }
});

Deno.test("what is left at the end of the stream is its last event", () => {
  const { reader, push } = createReader();
  push(END);
  assertEquals(reader.end().map(({ data }) => data), ['"end"']);
});
