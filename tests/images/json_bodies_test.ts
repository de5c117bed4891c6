/** Edits of images as JSON, with images as data URLs. */

import { assertEquals } from "@std/assert";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";

const PATH = "/v1/images/edits";
const IMAGE = Uint8Array.of(1, 2, 3, 4);
const urlOf = (bytes: Uint8Array, type = "image/png") => `data:${type};base64,${bytes.toBase64()}`;
const REQUEST = {
  prompt: "a hat",
  images: [{ image_url: urlOf(IMAGE) }, { image_url: urlOf(Uint8Array.of(5), "image/jpeg") }],
};
const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

function createWorld() {
  const sent: unknown[] = [];
  const provider = (kind: string, models: readonly string[]) => ({
    ...{ kind, api_key: VENDOR_KEY, retries: 0, models },
  });
  const gateway = createTestGateway({
    config: {
      providers: {
        openai: provider("openai", ["gpt-image-1"]),
        xai: provider("xai", ["grok-imagine-image"]),
      },
      aliases: { edit: ["grok-imagine-image", "gpt-image-1"] },
    },
    fetch: async (url, { body, headers }) => {
      if (url.includes("x.ai")) {
        sent.push(JSON.parse(String(body)));
        return new Response("{}", { status: 503 });
      }
      const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers }).formData();
      sent.push(
        await Promise.all(
          [...form].map(async ([name, value]) =>
            typeof value === "string"
              ? [name, value]
              : [name, value.name, value.type, [...await value.bytes()]]
          ),
        ),
      );
      return Response.json({ created: 1, data: [{ b64_json: "aW1n" }] });
    },
  });
  return { gateway, sent };
}

Deno.test("an edit as JSON is a form for OpenAI, and JSON for others", async () => {
  const { gateway, sent } = createWorld();
  const request = { model: "edit", ...REQUEST, mask: REQUEST.images[0], n: 2, stream: false };
  const response = await gateway.call(PATH, request, JSON_TYPE);
  assertEquals((await response.json()).data, [{ b64_json: "aW1n" }]);
  assertEquals(sent, [
    {
      model: "grok-imagine-image",
      prompt: "a hat",
      n: 2,
      images: REQUEST.images.map(({ image_url: url }) => ({ type: "image_url", url })),
    },
    [
      ["model", "gpt-image-1"],
      ["prompt", "a hat"],
      ["n", "2"],
      ["stream", "false"],
      ["image[]", "image.png", "image/png", [...IMAGE]],
      ["image[]", "image.jpeg", "image/jpeg", [5]],
      ["mask", "mask.png", "image/png", [...IMAGE]],
    ],
  ]);
  gateway.flush();
  assertEquals(gateway.lines.at(-1)?.images, 1);
  assertEquals([gateway.bugs, gateway.clock.pending], [[], 0]);
});

const FAULTS: readonly (readonly [Record<string, unknown>, param: string, code?: string])[] = [
  [{ images: undefined }, "images"],
  [{ images: [] }, "images"],
  [{ images: Array(17).fill(REQUEST.images[0]) }, "images"],
  [{ images: ["a"] }, "images[0].image_url"],
  [{ images: [{ image_url: "data:image/png;base64,a" }] }, "images[0].image_url"],
  [
    { images: [{ image_url: "https://a.test/1.png" }] },
    "images[0].image_url",
    "unsupported_content",
  ],
  [{ images: [{ file_id: "file-1" }] }, "images[0].file_id", "unsupported_content"],
  [{ mask: {} }, "mask.image_url"],
  [{ prompt: "" }, "prompt"],
];

for (const [change, param, code = "invalid_value"] of FAULTS) {
  Deno.test(`an edit as JSON with ${JSON.stringify(change).slice(0, 60)} is refused`, async () => {
    const { gateway, sent } = createWorld();
    const response = await gateway.call(PATH, { model: "edit", ...REQUEST, ...change }, JSON_TYPE);
    const { error } = await response.json();
    assertEquals([response.status, error.param, error.code], [400, param, code]);
    assertEquals(sent, []);
  });
}

Deno.test("an edit of another media type must be a form", async () => {
  const { gateway } = createWorld();
  const request = { model: "edit", ...REQUEST };
  const response = await gateway.call(PATH, request, { "content-type": "text/plain" });
  assertEquals(response.status, 400);
  assertEquals(
    (await response.json()).error.message,
    "The request body must be a form with a file",
  );
});
