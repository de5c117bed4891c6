/** Reading a chunked body: what the runtime holds of it stays small. */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { createBodyReader } from "../../src/http/body_reader.ts";

const KIB = 1024;
const SIZE = 8 * KIB * KIB;

/**
 * A body in chunks, read as the runtime does: for each view it takes as many bytes as that has, and
 * returns at most the rest of one chunk.
 */
function chunked(chunkBytes: number) {
  const state = { taken: 0, returned: 0, mostHeld: 0 };
  let rest = chunkBytes;
  const stream: ReadableStream<Uint8Array> = new ReadableStream({
    type: "bytes",
    pull(controller: ReadableByteStreamController) {
      const request = controller.byobRequest;
      const view = request?.view;
      if (request === null || request === undefined || !(view instanceof Uint8Array)) {
        throw new TypeError("The body is not read in views");
      }
      if (state.returned === SIZE) {
        controller.close();
        return request.respond(0);
      }
      state.taken = Math.min(SIZE, state.taken + view.length);
      // A chunk begins with its size.
      const head = rest === chunkBytes ? 6 : 0;
      const bytes = Math.min(rest, view.length - head);
      rest = rest === bytes ? chunkBytes : rest - bytes;
      state.returned += bytes;
      state.mostHeld = Math.max(state.mostHeld, state.taken - state.returned);
      request.respond(bytes);
    },
  }, { highWaterMark: 0 });
  return { state, stream };
}

for (const chunkBytes of [1, 4, 16, 64, 256].map((kib) => kib * KIB)) {
  Deno.test(`a body in chunks of ${chunkBytes / KIB} KiB is hardly read ahead`, async () => {
    const { state, stream } = chunked(chunkBytes);
    const reader = createBodyReader(stream, new Headers());
    let bytes = 0;
    for (let packet = await reader.read(); !packet.done; packet = await reader.read()) {
      bytes += packet.value.length;
    }
    assertEquals(bytes, SIZE);
    assert(state.mostHeld < SIZE / 10, `${state.mostHeld} bytes were held`);
  });
}

Deno.test("a body with a declared length is read as the stream gives it", async () => {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(4));
      controller.close();
    },
  });
  const reader = createBodyReader(body, new Headers({ "content-length": "4" }));
  assertEquals((await reader.read()).value?.length, 4);
  assertEquals((await reader.read()).done, true);
});

Deno.test("a stream of values is read as it is, and can be cancelled", async () => {
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(Uint8Array.of(1, 2)),
    cancel: () => void (cancelled = true),
  });
  const reader = createBodyReader(stream, new Headers());
  assertEquals((await reader.read()).value, Uint8Array.of(1, 2));
  await reader.cancel();
  assert(cancelled);
});

/** A body whose chunks arrive when they are sent. */
function sent() {
  let waiting: ReadableByteStreamController | undefined;
  const chunks: Uint8Array[] = [];
  let failure: Error | undefined;
  let isEnd = false;
  const answer = () => {
    const request = waiting?.byobRequest;
    const view = request?.view;
    if (waiting === undefined || request == null || !(view instanceof Uint8Array)) return;
    const chunk = chunks.shift();
    if (chunk !== undefined) {
      view.set(chunk);
      request.respond(chunk.length);
    } else if (failure !== undefined) waiting.error(failure);
    else if (isEnd) {
      waiting.close();
      request.respond(0);
    } else return;
    waiting = undefined;
  };
  const stream: ReadableStream<Uint8Array> = new ReadableStream({
    type: "bytes",
    pull(controller: ReadableByteStreamController) {
      waiting = controller;
      answer();
    },
  }, { highWaterMark: 0 });
  return {
    reader: createBodyReader(stream, new Headers()),
    send(...lengths: readonly number[]) {
      chunks.push(...lengths.map((length) => new Uint8Array(length)));
      answer();
    },
    end() {
      isEnd = true;
      answer();
    },
    fail(error: Error) {
      failure = error;
      answer();
    },
  };
}

Deno.test("small chunks that have arrived are returned together, and none waits for another", async () => {
  const { reader, send, end } = sent();
  send(100, 200, 300);
  assertEquals((await reader.read()).value?.length, 600);
  const next = reader.read();
  send(50);
  assertEquals((await next).value?.length, 50);
  send(60, 70);
  end();
  assertEquals((await reader.read()).value?.length, 130);
  assertEquals((await reader.read()).done, true);
  assertEquals((await reader.read()).done, true);
});

Deno.test("a body that breaks off fails after what has arrived", async () => {
  const { reader, send, fail } = sent();
  send(100, 200);
  fail(new TypeError("broken"));
  assertEquals((await reader.read()).value?.length, 300);
  await assertRejects(() => reader.read(), TypeError, "broken");
});

Deno.test("a body can be cancelled while its next chunk is awaited", async () => {
  const { reader, send } = sent();
  send(100);
  assertEquals((await reader.read()).value?.length, 100);
  await reader.cancel();
  assertEquals((await reader.read()).done, true);
});

for (const [size, isRefused] of [[255, true], [256, false]] as const) {
  Deno.test(`10,000 chunks of ${size} bytes are ${isRefused ? "refused" : "read"}`, async () => {
    const { reader, send, end } = sent();
    send(...Array<number>(10_000).fill(size));
    end();
    const read = async () => {
      let bytes = 0;
      for (let packet = await reader.read(); !packet.done; packet = await reader.read()) {
        bytes += packet.value.length;
      }
      return bytes;
    };
    if (!isRefused) return assertEquals(await read(), 10_000 * size);
    const error = await assertRejects(read, GatewayError);
    assertEquals(error.kind, "too_large");
    assertStringIncludes(error.message, "send larger chunks");
  });
}
