/** Requests for images: faults, streams, failover, limits, costs, and OpenAI's client. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import OpenAI, { APIError } from "openai";
import type { Fetch } from "../../src/upstream/transport.ts";
import {
  createTestGateway,
  SERVICE_KEY,
  type TestGateway,
  VENDOR_KEY,
} from "../support/gateway.ts";
import { type ServedGateway, serveGateway, serveVendor } from "../support/server.ts";

const MODEL = { id: "gpt-image-1", prices: { input: 5, output: 40 } };
const USAGE = { input_tokens: 10, output_tokens: 100, total_tokens: 110 };
const ANSWER = { created: 1, data: [{ b64_json: "aW1n" }], usage: USAGE };
const REQUEST = { model: "gpt-image-1", prompt: "a cat" };

function gatewayOf(fetch: Fetch, members: Record<string, unknown> = {}): TestGateway {
  const openai = { kind: "openai", api_key: VENDOR_KEY, models: [MODEL], retries: 0 };
  const gemini = {
    kind: "gemini",
    api_key: VENDOR_KEY,
    models: [{ id: "imagen-4.0-generate-001", prices: { image: 0.04 } }],
  };
  return createTestGateway({ config: { providers: { openai, gemini }, ...members }, fetch });
}

const FAULTS: readonly (readonly [Record<string, unknown>, string])[] = [
  [{ prompt: undefined }, "prompt"],
  [{ n: 0 }, "n"],
  [{ n: 11 }, "n"],
  [{ size: "big" }, "size"],
  [{ response_format: "png" }, "response_format"],
  [{ partial_images: 4 }, "partial_images"],
  [{ stream: "yes" }, "stream"],
];

for (const [change, param] of FAULTS) {
  Deno.test(`images with ${JSON.stringify(change)} are refused before anything is sent`, async () => {
    const gateway = gatewayOf(() => Promise.reject(new Error("sent")));
    const response = await gateway.call("/v1/images/generations", { ...REQUEST, ...change });
    assertEquals(response.status, 400);
    assertEquals((await response.json()).error.param, param);
  });
}

Deno.test("an answer is charged by its tokens, and its images are counted", async () => {
  const gateway = gatewayOf(() => Promise.resolve(Response.json(ANSWER)));
  const response = await gateway.call("/v1/images/generations", REQUEST);
  assertEquals(await response.json(), ANSWER);
  const { prompt_tokens, completion_tokens, images, cost_usd } = gateway.lines[0] ?? {};
  assertEquals([prompt_tokens, completion_tokens, images, cost_usd], [10, 100, 1, 0.00405]);
});

Deno.test("another vendor makes the images when the first one is unavailable, at its price", async () => {
  const gateway = gatewayOf(
    (url) =>
      Promise.resolve(
        url.includes("openai.com")
          ? new Response("{}", { status: 503 })
          : Response.json({ predictions: [{ bytesBase64Encoded: "aW1n" }] }),
      ),
    { aliases: { draw: ["gpt-image-1", "imagen-4.0-generate-001"] } },
  );
  const response = await gateway.call("/v1/images/generations", { ...REQUEST, model: "draw" });
  assertEquals((await response.json()).data, [{ b64_json: "aW1n" }]);
  assertEquals(response.headers.get("x-sluice-provider"), "gemini");
  const line = gateway.lines.at(-1);
  assertEquals([line?.images, line?.cost_usd], [1, 0.04]);
});

Deno.test("an image that the vendor has filtered is an error, and is not charged", async () => {
  const gateway = gatewayOf(() => Promise.resolve(Response.json({ predictions: [] })));
  const request = { model: "imagen-4.0-generate-001", prompt: "a cat" };
  const response = await gateway.call("/v1/images/generations", request);
  assertEquals((await response.json()).error.code, "content_filter");
  assertEquals([gateway.lines.at(-1)?.images, gateway.lines.at(-1)?.cost_usd], [
    undefined,
    undefined,
  ]);
});

Deno.test("a key's limit of images reserves the number that a request asks for", async () => {
  const gateway = gatewayOf(() => Promise.resolve(Response.json(ANSWER)), {
    limits: { images_per_day: 3 },
  });
  const statuses: number[] = [];
  for (const n of [3, 3, 1, 2]) {
    const response = await gateway.call("/v1/images/generations", { ...REQUEST, n });
    await response.body?.cancel();
    statuses.push(response.status);
  }
  // Each answer has one image, whatever was reserved for it.
  assertEquals(statuses, [200, 429, 200, 429]);
});

Deno.test("a vendor without streams answers with an event for each image", async () => {
  const predictions = [{ bytesBase64Encoded: "aW1n" }, { bytesBase64Encoded: "aW1o" }];
  const gateway = gatewayOf(() => Promise.resolve(Response.json({ predictions })));
  const model = "imagen-4.0-generate-001";
  const request = { model, prompt: "a cat", n: 2, stream: true, partial_images: 2 };
  const response = await gateway.call("/v1/images/generations", request);
  assertEquals(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  assertEquals(response.headers.get("x-sluice-ignored"), "partial_images");
  const events = (await response.text()).trim().split("\n\n").map((event) => event.split("\n"));
  assertEquals(events.map(([name]) => name), Array(2).fill("event: image_generation.completed"));
  const data = events.map(([, line = ""]) => JSON.parse(line.slice("data: ".length)));
  assertEquals(data.map(({ type, b64_json }) => [type, b64_json]), [
    ["image_generation.completed", "aW1n"],
    ["image_generation.completed", "aW1o"],
  ]);
  assertEquals(gateway.lines[0]?.images, 2);
});

Deno.test("an explanation shows the request of a vendor with other names", async () => {
  const gateway = gatewayOf(() => Promise.reject(new Error("sent")));
  const request = { model: "imagen-4.0-generate-001", prompt: "a cat", n: 2, size: "1024x1792" };
  const response = await gateway.call("/v1/images/generations", request, {
    "x-sluice-explain": "true",
  });
  const { targets: [{ request: sent, receipt }] } = await response.json();
  assertEquals(sent.body, {
    instances: [{ prompt: "a cat" }],
    parameters: { sampleCount: 2, aspectRatio: "9:16" },
  });
  assertEquals(receipt.map(({ parameter, fate }: Record<string, unknown>) => [parameter, fate]), [
    ["n", "renamed"],
    ["size", "converted"],
  ]);
});

/** The events of an image with a partial one, as OpenAI sends them. */
const PARTIAL = {
  type: "image_generation.partial_image",
  b64_json: "cGFydA==",
  partial_image_index: 0,
};
const COMPLETED = { type: "image_generation.completed", b64_json: "aW1n", usage: USAGE };
const EVENTS = [PARTIAL, COMPLETED].map((event) =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
);

function streamOf(...pieces: readonly string[]): Response {
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
        controller.close();
      },
    }),
    { headers: { "content-type": "text/event-stream" } },
  );
}

Deno.test("a stream cut at every byte passes the same bytes, and is charged once", async () => {
  const text = EVENTS.join("");
  for (let at = 1; at < text.length; at++) {
    const gateway = gatewayOf(() => Promise.resolve(streamOf(text.slice(0, at), text.slice(at))));
    const response = await gateway.call("/v1/images/generations", { ...REQUEST, stream: true });
    assertEquals(await response.text(), text, `cut at ${at}`);
    const { completion_tokens, images, outcome } = gateway.lines[0] ?? {};
    assertEquals([completion_tokens, images, outcome], [100, 1, "done"]);
  }
});

Deno.test("a stream that ends without an image is an error, and counts as an estimate", async () => {
  const gateway = gatewayOf(() => Promise.resolve(streamOf(EVENTS[0] ?? "")));
  const response = await gateway.call("/v1/images/generations", { ...REQUEST, stream: true });
  const text = await response.text();
  assertStringIncludes(text, EVENTS[0] ?? "-");
  assertStringIncludes(text, "upstream_error");
  const { images, completion_tokens, usage_estimated, outcome } = gateway.lines[0] ?? {};
  assertEquals([images, completion_tokens, usage_estimated, outcome], [1, 0, true, "failed"]);
});

Deno.test("an error event before the first image is an answer with its status", async () => {
  const error = { message: "Rejected by the safety system", code: "moderation_blocked" };
  const event = `event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`;
  const gateway = gatewayOf(() => Promise.resolve(streamOf(event)));
  const response = await gateway.call("/v1/images/generations", { ...REQUEST, stream: true });
  assertEquals(response.status >= 400, true);
  assertStringIncludes((await response.json()).error.message, "Rejected by the safety system");
  assertEquals(gateway.lines[0]?.images, undefined);
});

interface World extends AsyncDisposable {
  readonly served: ServedGateway;
  readonly client: OpenAI;
}

function createWorld(answer: (body: Record<string, unknown>) => Response): World {
  const vendor = serveVendor(async (request) => answer(await request.json()));
  const base_url = `${vendor.url}/v1`;
  const openai = { kind: "openai", api_key: VENDOR_KEY, base_url, models: [MODEL] };
  const served = serveGateway({ config: { providers: { openai } } });
  const { url, fetch } = served;
  return {
    served,
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 }),
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(served.gateway.bugs, []);
      assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

Deno.test("openai package: images.generate() reads images and usage", async () => {
  await using world = createWorld(() => Response.json(ANSWER));
  const { data, usage } = await world.client.images.generate(REQUEST);
  assertEquals([data?.[0]?.b64_json, usage?.output_tokens], ["aW1n", 100]);
});

Deno.test("openai package: images.generate() gets each event when the vendor sends it", async () => {
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  await using world = createWorld(() => {
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(EVENTS[0]));
        // The second event is sent only when the client has the first one.
        await isRead;
        controller.enqueue(new TextEncoder().encode(EVENTS[1]));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const types: string[] = [];
  const stream = await world.client.images.generate({
    ...REQUEST,
    stream: true,
    partial_images: 1,
  });
  for await (const event of stream) {
    types.push(event.type);
    resolve();
  }
  assertEquals(types, [PARTIAL.type, COMPLETED.type]);
});

Deno.test("openai package: images.generate() raises the vendor's error", async () => {
  const error = { message: "No", type: "image_generation_user_error", code: "moderation_blocked" };
  await using world = createWorld(() => Response.json({ error }, { status: 400 }));
  const thrown = await assertRejects(() => world.client.images.generate(REQUEST), APIError);
  assertEquals(thrown.status, 400);
});
