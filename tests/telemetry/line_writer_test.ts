/** Lines for a slow reader: in order, whole, bounded, and counted when they are dropped. */

import { assert, assertEquals } from "@std/assert";
import { LineWriter } from "../../src/telemetry/line_writer.ts";
import { turn } from "../support/elapse.ts";

/** An output that tests control. */
class SlowReader {
  readonly taken: string[] = [];
  readonly dropped: number[] = [];
  #waiting: PromiseWithResolvers<void> | undefined;
  readonly writer: LineWriter;

  constructor(maxChars: number) {
    this.writer = new LineWriter({
      write: (text) => {
        assert(this.#waiting === undefined, "two writes at a time");
        this.taken.push(text);
        this.#waiting = Promise.withResolvers();
        return this.#waiting.promise;
      },
      maxChars: () => maxChars,
      toLossLine: (count) => `${count} lost\n`,
      onDrop: (count) => this.dropped.push(count),
    });
  }

  /** The write that is under way ends. */
  async take(fault?: Error): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (fault === undefined) waiting?.resolve();
    else waiting?.reject(fault);
    await turn();
  }
}

Deno.test("lines are written in order, queued ones in one write", async () => {
  const reader = new SlowReader(1000);
  assert(reader.writer.isEmpty);
  reader.writer.push("1\n");
  reader.writer.push("2\n");
  reader.writer.push("3\n4\n");
  assertEquals(reader.taken, ["1\n"]);
  await reader.take();
  assertEquals(reader.taken, ["1\n", "2\n3\n4\n"]);
  await reader.take();
  reader.writer.push("5\n");
  assertEquals([reader.taken.at(-1), reader.writer.isEmpty], ["5\n", false]);
  await reader.take();
  await reader.writer.flush();
  assert(reader.writer.isEmpty);
  assertEquals(reader.dropped, []);
});

Deno.test("a write has up to 64 KiB of lines, or one longer text", async () => {
  const reader = new SlowReader(1e6);
  const line = "x".repeat(999) + "\n";
  for (let count = 0; count < 200; count++) reader.writer.push(line);
  reader.writer.push(line.repeat(100));
  for (let writes = 0; writes < 10; writes++) await reader.take();
  assertEquals(reader.taken.map(({ length }) => length), [1000, 65_000, 65_000, 65_000, 4000, 1e5]);
});

Deno.test("lines over the limit are dropped as a whole, and reported after the rest is written", async () => {
  const reader = new SlowReader(10);
  reader.writer.push("1234\n");
  reader.writer.push("567\n");
  reader.writer.push("ab\ncd\n");
  reader.writer.push("e\n");
  assertEquals(reader.dropped, [2, 1]);
  await reader.take();
  assertEquals(reader.taken, ["1234\n", "567\n"]);
  // The queue has space again, but the loss is not reported yet.
  reader.writer.push("f\n");
  await reader.take();
  await reader.take();
  assertEquals(reader.taken, ["1234\n", "567\n", "f\n", "3 lost\n"]);
  await reader.take();
  reader.writer.push("g\n");
  await reader.take();
  await reader.writer.flush();
  assertEquals(reader.taken.slice(4), ["g\n"]);
});

Deno.test("lines that cannot be written are dropped, and reported when writing works again", async () => {
  const reader = new SlowReader(100);
  reader.writer.push("1\n2\n");
  await reader.take(new Deno.errors.BrokenPipe());
  await reader.writer.flush();
  assertEquals([reader.taken, reader.dropped], [["1\n2\n"], [2]]);
  reader.writer.push("3\n");
  await reader.take();
  assertEquals(reader.taken.at(-1), "2 lost\n");
  // Even the telling may fail.
  await reader.take(new Deno.errors.BrokenPipe());
  reader.writer.push("4\n");
  await reader.take();
  assertEquals(reader.taken.slice(-2), ["4\n", "2 lost\n"]);
  await reader.take();
  await reader.writer.flush();
  assertEquals(reader.dropped, [2]);
});

Deno.test("a full queue does not grow", async () => {
  const reader = new SlowReader(100_000);
  const line = "x".repeat(99) + "\n";
  for (let count = 0; count < 100_000; count++) reader.writer.push(line);
  assertEquals(reader.dropped.length, 100_000 - 1000);
  reader.taken.length = 0;
  for (let writes = 0; writes < 10; writes++) await reader.take();
  assertEquals(reader.taken.join("").length, 99_900 + "99000 lost\n".length);
});
