/** The mock answers every endpoint, so that each can be tried without a key. */

import { allTrials } from "../../support/read_trials.ts";
import { hasOperation, OTHER_OPERATIONS } from "../../../src/contract/operations.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import OpenAI, { toFile } from "openai";
import { OPERATIONS } from "../../../src/gateway/execute/list.ts";
import { mock } from "../../../src/providers/mock/mock_adapter.ts";
import { SERVICE_KEY } from "../../support/gateway.ts";
import { grayPixels } from "../../support/png.ts";
import { serveGateway } from "../../support/server.ts";

const model = "mock-echo";

function createWorld() {
  const models = [model, "mock-503", "mock-flaky", "mock-cut", "mock-think"];
  const served = serveGateway({ config: { providers: { mock: { kind: "mock", models } } } });
  const { url, fetch } = served;
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  return {
    served,
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 }),
    post: (path: string, body: unknown) =>
      fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) }),
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      assertEquals(served.gateway.bugs, []);
      assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

const file = await toFile(new Uint8Array(40_000), "speech.mp3");

Deno.test("the mock has every operation", async () => {
  const lacking = (await allTrials()).filter(({ lacksMock }) => lacksMock);
  const names = OPERATIONS.map(({ name }) => name);
  assertEquals(names.toSorted(), ["chat", ...Object.keys(OTHER_OPERATIONS)].toSorted());
  assertEquals(
    names.filter((name) => !hasOperation(mock, name)),
    lacking.map(({ operation }) => operation),
  );
});

Deno.test("images are small PNG that differ by prompt and number, also of edits", async () => {
  await using world = createWorld();
  const { images } = world.client;
  const first = await images.generate({ model, prompt: "a cat", n: 2, size: "1024x1024" });
  const again = await images.generate({ model, prompt: "a cat" });
  const other = await images.generate({ model, prompt: "a dog" });
  const edited = await images.edit({ model, prompt: "a cat", image: file });
  const data = [first, again, other, edited].map((answer) =>
    (answer.data ?? []).map(({ b64_json }) => b64_json ?? "")
  );
  assertEquals(data.map(({ length }) => length), [2, 1, 1, 1]);
  assertEquals(data[0]?.[0], data[1]?.[0]);
  assertEquals(new Set(data.flat()).size, 3);
  for (const image of data.flat()) {
    const { width, pixels } = grayPixels(Uint8Array.fromBase64(image));
    assertEquals([width, pixels.length, new Set(pixels).size], [64, 4096, 2]);
  }
  assertEquals(first.usage?.total_tokens, 4);
  assertEquals(world.served.gateway.lines.map(({ images }) => images), [2, 1, 1, 1]);
});

Deno.test("images stream with partial images", async () => {
  await using world = createWorld();
  const { images } = world.client;
  const types: string[] = [];
  const asked = { model, prompt: "a cat", stream: true, partial_images: 2 } as const;
  for await (const event of await images.generate(asked)) types.push(event.type);
  const edit = { model, prompt: "x", image: file, stream: true } as const;
  for await (const event of await images.edit(edit)) types.push(event.type);
  const partial = "image_generation.partial_image";
  assertEquals(types, [partial, partial, "image_generation.completed", "image_edit.completed"]);
});

Deno.test("speech is a tone as WAV or PCM, or events with pieces of it", async () => {
  await using world = createWorld();
  const { speech } = world.client.audio;
  const asked = { model, voice: "alloy", input: "Hello there, this is a longer text." } as const;
  const wav = await speech.create(asked);
  assertEquals(wav.headers.get("content-type"), "audio/wav");
  assertEquals(wav.headers.get("x-sluice-converted"), "response_format mp3->wav");
  const bytes = await wav.bytes();
  assertEquals(new TextDecoder().decode(bytes.subarray(0, 4)), "RIFF");
  const pcm = await (await speech.create({ ...asked, response_format: "pcm" })).bytes();
  assertEquals(pcm, bytes.subarray(44));
  assertEquals(pcm.length, asked.input.length * 24_000 / 15 * 2);
  const body = { ...asked, response_format: "pcm", stream_format: "sse" };
  const events = (await (await world.post("/v1/audio/speech", body)).text()).trim().split("\n\n")
    .map((event) => JSON.parse(event.replace("data: ", "")));
  const last = events.pop();
  assert(events.length > 2, `${events.length} pieces`);
  assertEquals(events.flatMap(({ audio }) => [...Uint8Array.fromBase64(audio)]), [...pcm]);
  assertEquals([last.type, last.usage.input_tokens], ["speech.audio.done", 7]);
});

Deno.test("transcripts say what was received, as JSON, text or events", async () => {
  await using world = createWorld();
  const { transcriptions, translations } = world.client.audio;
  const text = "This is a mock: it received 40000 bytes of the file 'speech.mp3'.";
  const answer = await transcriptions.create({ file, model });
  assertEquals(answer as unknown, { text, usage: { type: "duration", seconds: 3 } });
  const plain = await transcriptions.create({ file, model, response_format: "text" });
  assertEquals(plain as unknown, text);
  assertEquals((await translations.create({ file, model })).text, text);
  const events: unknown[] = [];
  for await (const event of await transcriptions.create({ file, model, stream: true })) {
    events.push("delta" in event ? event.delta : event.text);
  }
  assertEquals(events.pop(), text);
  assertEquals(events.join(""), text);
  assertEquals(world.served.gateway.lines[0]?.seconds, 3);
});

Deno.test("documents are ranked by the words that they share with the query", async () => {
  await using world = createWorld();
  const documents = ["a cold river", "the sluice holds the river", "nothing"];
  const response = await world.post("/v1/rerank", { model, query: "sluice river", documents });
  const { results } = await response.json();
  assertEquals(
    results.map(({ index, relevance_score }: Record<string, number>) => [index, relevance_score]),
    [[1, 1], [0, 0.5], [2, 0]],
  );
});

Deno.test("texts are flagged for the categories that they name", async () => {
  await using world = createWorld();
  const { results } = await world.client.moderations.create({ model, input: ["Violence!", "tea"] });
  assertEquals(results.map(({ flagged }) => flagged), [true, false]);
  assertEquals(results[0]?.categories.violence, true);
  const parts = await world.client.moderations.create({
    model,
    input: [{ type: "text", text: "hate" }],
  });
  assertEquals(parts.results.map(({ flagged }) => flagged), [true]);
});

Deno.test("models that fail do so at every endpoint", async () => {
  await using world = createWorld();
  const requests = [
    ["/v1/images/generations", { prompt: "a" }],
    ["/v1/audio/speech", { input: "a", voice: "b" }],
    ["/v1/rerank", { query: "a", documents: ["b"] }],
    ["/v1/moderations", { input: "a" }],
  ] as const;
  for (const [path, members] of requests) {
    const response = await world.post(path, { model: "mock-503", ...members });
    const { error } = await response.json();
    assertEquals(response.status, 503, path);
    assertStringIncludes(error.message, "The mock was asked for a 503");
  }
});

Deno.test("an answer by a mock costs nothing", async () => {
  await using world = createWorld();
  const body = { model, query: "a", documents: ["b"] };
  const response = await world.post("/v1/rerank", body);
  await response.body?.cancel();
  const cost = response.headers.get("x-sluice-cost-usd");
  assert(cost === null || cost === "0", `${cost}`);
});
