/** Uploads of the pass-through that are slow: they end in time, and others are served meanwhile. */

import { assertEquals, assertMatch } from "@std/assert";
import { type Fetch, RequestBodyError } from "../../src/upstream/transport.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { turn } from "../support/elapse.ts";

const PAUSE_MS = 10_000;
/** The time limit of a body that is not large: eight pauses. */
const LIMIT_MS = 8 * PAUSE_MS;
const PLACES = 20;
const BYTE = new Uint8Array(1);

/** A gateway whose vendor reads each upload to its end. */
function world() {
  const fetch: Fetch = async (_url, { body }) => {
    try {
      if (typeof body === "object") { for await (const _ of body); }
    } catch (thrown) {
      throw new RequestBodyError(thrown);
    }
    return Response.json({ ok: true });
  };
  const vendor = { kind: "openai", api_key: VENDOR_KEY, models: ["m"], passthrough: true };
  const server = { max_in_flight: PLACES, body_timeout: `${PAUSE_MS}ms` };
  const mock = { kind: "mock", models: ["mock-echo"] };
  return createTestGateway({ config: { providers: { vendor, mock }, server }, fetch });
}

type World = ReturnType<typeof world>;

/** An upload whose chunks a test sends. */
class Upload {
  readonly answer: Promise<Response>;
  readonly #controller = new AbortController();
  isCancelled = false;
  #stream: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;

  constructor({ app }: World, first: Uint8Array<ArrayBuffer>) {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (stream) => {
        this.#stream = stream;
        stream.enqueue(first);
      },
      cancel: () => void (this.isCancelled = true),
    });
    this.answer = app.handle(
      new Request("http://gateway.test/v1/providers/vendor/proxy/files", {
        method: "POST",
        body,
        headers: { authorization: `Bearer ${SERVICE_KEY}`, "content-type": "multipart/form-data" },
        signal: this.#controller.signal,
      }),
    );
  }

  send(bytes: Uint8Array<ArrayBuffer> = BYTE): void {
    if (!this.isCancelled) this.#stream?.enqueue(bytes);
  }

  end(): void {
    this.#stream?.close();
  }
}

async function statusOf(answer: Response | Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

const CHAT = { model: "mock-echo", messages: [{ role: "user", content: "Hi" }] };

Deno.test("25 uploads that send a byte now and then take none of 20 slots", async () => {
  const gateway = world();
  const uploads = Array.from({ length: 25 }, () => new Upload(gateway, BYTE));
  for (let round = 0; round < 3; round++) {
    await turn();
    gateway.clock.advance(1500);
    for (const upload of uploads) upload.send();
  }
  await turn();
  assertEquals(await statusOf(gateway.call("/v1/chat/completions", CHAT)), 200);
  for (const upload of uploads) {
    upload.end();
    assertEquals(await statusOf(upload.answer), 200);
  }
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
});

Deno.test("slow uploads past their first 64 KiB release their slots in time", async () => {
  const gateway = world();
  const start = new Uint8Array(64 * 1024);
  const uploads = Array.from({ length: 25 }, () => new Upload(gateway, start));
  await turn();
  const answers = uploads.map(({ answer }) => statusOf(answer));
  assertEquals(await statusOf(gateway.call("/v1/chat/completions", CHAT)), 503);
  // What exceeds the places is refused at once. The others send a byte just before each limit.
  assertEquals(await Promise.all(answers.slice(PLACES)), Array(5).fill(503));
  for (let round = 0; round < 10; round++) {
    gateway.clock.advance(PAUSE_MS - 1);
    for (const upload of uploads) upload.send();
    await turn();
  }
  assertEquals(await Promise.all(answers.slice(0, PLACES)), Array(PLACES).fill(408));
  assertEquals(uploads.filter(({ isCancelled }) => isCancelled).length, uploads.length);
  assertEquals(await statusOf(gateway.call("/v1/chat/completions", CHAT)), 200);
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
});

for (const [where, size] of [["before", 1], ["after", 64 * 1024]] as const) {
  Deno.test(`a timer ends a slow upload, ${where} it has begun at the vendor`, async () => {
    const gateway = world();
    const upload = new Upload(gateway, new Uint8Array(size));
    await turn();
    let waited = 0;
    for (; waited + PAUSE_MS - 1 < LIMIT_MS; waited += PAUSE_MS - 1) {
      gateway.clock.advance(PAUSE_MS - 1);
      upload.send();
      await turn();
    }
    // Nothing more arrives, and the limit of a pause is farther away than that of the whole.
    const left = LIMIT_MS - waited + Math.ceil(size / 64) + 1;
    assertEquals(left < PAUSE_MS, true);
    gateway.clock.advance(left);
    const response = await upload.answer;
    assertEquals(response.status, 408);
    assertMatch((await response.json()).error.message, /took over 8\d s/);
    assertEquals(upload.isCancelled, true);
    assertEquals(gateway.clock.pending, 0, "a timer was left behind");
  });
}

Deno.test("an upload of 64 bytes a millisecond may take any time", async () => {
  const gateway = world();
  const upload = new Upload(gateway, BYTE);
  for (let seconds = 0; seconds < 300; seconds += 5) {
    await turn();
    gateway.clock.advance(5000);
    upload.send(new Uint8Array(5000 * 64));
  }
  await turn();
  upload.end();
  assertEquals(await statusOf(upload.answer), 200);
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
});
