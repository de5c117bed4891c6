/** Streams of media: each event reaches the caller when the vendor sends it, and cuts change nothing. */

import { assertEquals } from "@std/assert";
import OpenAI, { toFile } from "openai";
import { cutsOf } from "../../support/cuts.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../../support/gateway.ts";
import { serveGateway, serveVendor } from "../../support/server.ts";

const USAGE = { type: "tokens", input_tokens: 14, output_tokens: 3, total_tokens: 17 };
const TRANSCRIPT = [
  { type: "transcript.text.delta", delta: "Good " },
  { type: "transcript.text.delta", delta: "day ü" },
  { type: "transcript.text.done", text: "Good day ü", usage: USAGE },
];
const EDIT = [
  { type: "image_edit.partial_image", b64_json: "cGFydA==", partial_image_index: 0 },
  { type: "image_edit.completed", b64_json: "aW1n", usage: { ...USAGE, output_tokens: 9 } },
];

function toEvents(events: readonly { readonly type: string }[]): string[] {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

const file = await toFile(new Uint8Array(100), "a.mp3");
const encoder = new TextEncoder();

/** A vendor that sends each piece when the caller has read the one before. */
function createWorld(
  kind: string,
  model: string,
  pieces: readonly (string | Uint8Array<ArrayBuffer>)[],
  type: string,
) {
  let release = Promise.withResolvers<void>();
  const vendor = serveVendor(async (request) => {
    await request.bytes();
    const body = new ReadableStream({
      async start(controller) {
        for (const [index, piece] of pieces.entries()) {
          if (index > 0) await release.promise;
          release = Promise.withResolvers<void>();
          controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
        }
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": type } });
  });
  const base_url = `${vendor.url}/v1`;
  const providers = { p: { kind, api_key: VENDOR_KEY, base_url, models: [model] } };
  const served = serveGateway({ config: { providers } });
  const { url, fetch } = served;
  return {
    ...{ served, url, fetch },
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 }),
    /** The caller has read a piece. */
    next: () => release.resolve(),
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(served.gateway.bugs, []);
    },
  };
}

Deno.test("openai package: each delta of a transcript arrives when the vendor sends it", async () => {
  const events = toEvents(TRANSCRIPT);
  const model = "gpt-4o-transcribe";
  await using world = createWorld("openai", model, events, "text/event-stream");
  const stream = await world.client.audio.transcriptions.create({ file, model, stream: true });
  const seen: unknown[] = [];
  for await (const event of stream) {
    seen.push(event);
    world.next();
  }
  assertEquals(seen, TRANSCRIPT);
});

Deno.test("openai package: a partial image of an edit arrives when the vendor sends it", async () => {
  const [events, model] = [toEvents(EDIT), "gpt-image-1"];
  await using world = createWorld("openai", model, events, "text/event-stream");
  const request = { image: file, model, prompt: "a hat", stream: true } as const;
  const types: string[] = [];
  for await (const { type } of await world.client.images.edit(request)) {
    types.push(type);
    world.next();
  }
  assertEquals(types, EDIT.map(({ type }) => type));
});

Deno.test("ElevenLabs' audio arrives as it is made, also as events", async () => {
  const audio = [1, 2, 3].map((byte) => new Uint8Array(200).fill(byte));
  const model = "eleven_flash_v2_5";
  for (const asEvents of [false, true]) {
    await using world = createWorld("elevenlabs", model, audio, "audio/mpeg");
    const response = await world.fetch(`${world.url}/v1/audio/speech`, {
      method: "POST",
      headers: { authorization: `Bearer ${SERVICE_KEY}` },
      body: JSON.stringify({
        ...{ model, input: "Hello", voice: "a" },
        ...(asEvents && { stream_format: "sse" }),
      }),
    });
    const read: number[] = [];
    let reads = 0;
    for await (const bytes of response.body ?? []) {
      read.push(...bytes);
      reads++;
      world.next();
    }
    const received = Uint8Array.from(read);
    const spoken = asEvents
      ? new TextDecoder().decode(received).trim().split("\n\n").flatMap((
        event,
      ) => [...Uint8Array.fromBase64(JSON.parse(event.replace("data: ", "")).audio ?? "")])
      : [...received];
    assertEquals([spoken, reads >= 3], [audio.flatMap((piece) => [...piece]), true]);
    // 40 dollars per million characters, from the catalog.
    assertEquals(world.served.gateway.lines.at(-1)?.cost_usd, 0.0002);
  }
});

const CUT = [
  ["/v1/audio/transcriptions", "gpt-4o-transcribe", toEvents(TRANSCRIPT), 3],
  ["/v1/images/edits", "gpt-image-1", toEvents(EDIT), 9],
] as const;

for (const [path, model, events, output] of CUT) {
  Deno.test(`events of ${path} pass unchanged wherever they are cut, and are charged once`, async () => {
    const bytes = encoder.encode(events.join(""));
    let pieces: Uint8Array<ArrayBuffer>[] = [];
    const gateway = createTestGateway({
      config: { providers: { openai: { kind: "openai", api_key: VENDOR_KEY, models: [model] } } },
      async fetch(_, { body }) {
        const isStream = typeof body === "object" && !(body instanceof Uint8Array);
        if (isStream) { for await (const _ of body); }
        const headers = { "content-type": "text/event-stream" };
        return new Response(ReadableStream.from(pieces), { headers });
      },
    });
    for (const at of cutsOf(bytes.length)) {
      pieces = [bytes.slice(0, at), bytes.slice(at)];
      const form = new FormData();
      for (const [name, value] of [["model", model], ["prompt", "a"], ["stream", "true"]]) {
        form.append(name ?? "", value ?? "");
      }
      form.append(path.endsWith("edits") ? "image" : "file", file);
      const response = await gateway.app.handle(
        new Request(`http://gateway.test${path}`, {
          method: "POST",
          headers: { authorization: `Bearer ${SERVICE_KEY}` },
          body: form,
        }),
      );
      assertEquals(await response.bytes(), bytes, `cut at ${at}`);
      const { completion_tokens, outcome } = gateway.lines.at(-1) ?? {};
      assertEquals([completion_tokens, outcome], [output, "done"]);
    }
  });
}
