/** The buffers of events. */

import { assert, assertEquals } from "@std/assert";
import { Bytes, Output } from "../../src/core/bytes.ts";

Deno.test("bytes have a part where every byte of it is the same, at any position", () => {
  const all = Uint8Array.from({ length: 40 }, (_, index) => 255 - index);
  for (let length = 1; length <= 13; length++) {
    for (let at = 0; at + length <= all.length; at++) {
      const part = all.slice(at, at + length);
      const bytes = new Bytes(all);
      assert(bytes.has(new Bytes(part), at), `${length} bytes at ${at}`);
      assertEquals(bytes.has(new Bytes(part), all.length - length + 1), false);
      for (let changed = 0; changed < length; changed++) {
        const other = part.slice();
        other[changed] = (other[changed] ?? 0) ^ 0x80;
        assertEquals(bytes.has(new Bytes(other), at), false, `byte ${changed} of ${length}`);
      }
    }
  }
});

Deno.test("bytes that are a part of a buffer are compared from their own start", () => {
  const buffer = new TextEncoder().encode("abcdefgh");
  assert(new Bytes(buffer.subarray(2)).has(new Bytes(buffer.subarray(3, 8)), 1));
  assertEquals(new Bytes(buffer.subarray(2, 4)).has(new Bytes(buffer.subarray(2, 6)), 0), false);
});

Deno.test("the memory of a long event is released", () => {
  const output = new Output();
  output.addText("x".repeat(4 * 1024 * 1024));
  output.clear();
  output.addText("y");
  assertEquals(new TextDecoder().decode(output.bytes), "y");
  assert(output.bytes.buffer.byteLength <= 1024 * 1024, `${output.bytes.buffer.byteLength} bytes`);
});
