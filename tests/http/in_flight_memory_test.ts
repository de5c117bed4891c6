/** The memory of requests and answers: shares of keys, several workers, and what is given back. */

import { assert, assertEquals } from "@std/assert";
import { allocateInFlight, InFlightMemory } from "../../src/core/in_flight_memory.ts";
import { createTestGateway, SERVICE_KEY } from "../support/gateway.ts";
import { sayHello, ScriptedVendor } from "../support/scripted_vendor.ts";

const MIB = 1024 * 1024;
const LIMIT = 100 * MIB;

function createWorkers(count: number) {
  const buffer = allocateInFlight(count);
  const refused: string[] = [];
  const workers = Array.from(
    { length: count },
    (_, index) =>
      new InFlightMemory(buffer, index + 1, {
        defaultLimit: LIMIT,
        onRefused: (kind) => refused.push(kind),
      }),
  );
  return { buffer, refused, at: (index: number) => workers[index] as InFlightMemory };
}

/** Takes pieces of 1 MiB until one is refused; returns their number. */
function fill(memory: InFlightMemory, key: string): number {
  for (let count = 0;; count++) {
    if (!memory.begin(key, undefined).take(MIB, "request")) return count;
  }
}

Deno.test("one key gets three quarters of the memory, over all workers, and others a share", () => {
  const { at, refused } = createWorkers(2);
  const first = at(0).begin("one", undefined);
  assert(first.take(40 * MIB, "request"));
  assertEquals(fill(at(1), "one"), 35);
  assertEquals(fill(at(1), "two"), 18);
  assertEquals(refused, ["request", "request"]);
  assertEquals(at(0).bytes, 93 * MIB);
  first.release();
  first.release();
  assertEquals(at(1).bytes, 53 * MIB);
  assert(first.take(MIB, "request"));
  assertEquals(at(1).bytes, 53 * MIB, "a request that has ended holds nothing");
});

Deno.test("an answer may use what is free; a request that is alone always fits", () => {
  const { at, refused } = createWorkers(1);
  const alone = at(0).begin("one", undefined);
  assert(alone.take(LIMIT + MIB, "request"));
  assert(alone.take(MIB, "answer"));
  alone.release();
  const two = [at(0).begin("one", undefined), at(0).begin("one", undefined)] as const;
  assert(two[0].take(70 * MIB, "request"));
  assert(two[1].take(30 * MIB, "answer"));
  assert(!two[1].take(MIB, "answer"));
  assertEquals(refused, ["answer"]);
});

Deno.test("what a worker held is given back when it has died", () => {
  const { at, buffer } = createWorkers(2);
  at(0).begin("one", undefined).take(10 * MIB, "request");
  at(1).begin("one", undefined).take(20 * MIB, "request");
  InFlightMemory.releaseWorker(buffer, 2);
  assertEquals(at(0).bytes, 10 * MIB);
  InFlightMemory.releaseWorker(buffer, 1);
  assertEquals(at(0).bytes, 0);
  assertEquals(fill(at(0), "one"), 75);
});

for (const isChunked of [false, true]) {
  Deno.test(`a large body without memory is refused before it is read whole (chunked: ${isChunked})`, async () => {
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const vendor = new ScriptedVendor(async (sent) => {
      begun.resolve();
      await held.promise;
      return sayHello(sent);
    });
    const gateway = createTestGateway({
      config: {
        providers: { v: { kind: "openai", api_key: "sk-vendor", models: ["m"] } },
        server: { max_in_flight_bytes: "8MiB" },
      },
      fetch: vendor.fetch,
    });
    const text = JSON.stringify({
      model: "m",
      messages: [{ role: "user", content: "x".repeat(1_800_000) }],
    });
    const first = gateway.call("/v1/chat/completions", text);
    await begun.promise;
    let pulled = 0;
    const pieces = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    }, { highWaterMark: 0 });
    const response = await gateway.app.handle(
      new Request("http://gateway.test/v1/chat/completions", {
        method: "POST",
        headers: {
          authorization: `Bearer ${SERVICE_KEY}`,
          ...(isChunked ? {} : { "content-length": "8000000" }),
        },
        body: pieces,
      }),
    );
    assertEquals([response.status, response.headers.get("retry-after")], [503, "1"]);
    assertEquals((await response.json()).error.code, "overloaded");
    assert(isChunked ? pulled < 40 : pulled <= 1, `${pulled} pieces were read`);
    held.resolve();
    assertEquals((await first).status, 200);
    assertEquals((await gateway.call("/v1/chat/completions", text)).status, 200);
  });
}

for (const isLong of [false, true]) {
  Deno.test(`a kept file counts as the body of a request does (long: ${isLong})`, async () => {
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const models = ["gpt-image-1"];
    const gateway = createTestGateway({
      config: {
        providers: { v: { kind: "openai", api_key: "sk-vendor", models } },
        server: { max_in_flight_bytes: "8MiB" },
      },
      fetch: async () => {
        begun.resolve();
        await held.promise;
        return Response.json({ created: 1, data: [{ b64_json: "aW1n" }] });
      },
    });
    const edit = (bytes: number) => {
      const form = new FormData();
      for (const [name, value] of [["model", "gpt-image-1"], ["prompt", "a"]] as const) {
        form.append(name, value);
      }
      form.append("image", new File([new Uint8Array(bytes)], "a.png"));
      const headers = { authorization: `Bearer ${SERVICE_KEY}` };
      const init = { method: "POST", headers, body: form };
      return gateway.app.handle(new Request("http://gateway.test/v1/images/edits", init));
    };
    const first = edit(900_000);
    await begun.promise;
    // The first one holds about 3.5 MB of the 8 MiB, three times its size and a step.
    const second = edit(isLong ? 2_000_000 : 100_000);
    if (isLong) {
      const response = await second;
      assertEquals([response.status, response.headers.get("retry-after")], [503, "1"]);
      assertEquals((await response.json()).error.code, "overloaded");
    }
    held.resolve();
    assertEquals((await first).status, 200);
    if (!isLong) assertEquals((await second).status, 200);
    // What they held is given back.
    assertEquals((await edit(2_000_000)).status, 200);
  });
}
