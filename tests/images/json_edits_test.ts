/** Edits of images by vendors that take images in JSON. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { encodePng, grayPixels } from "../support/png.ts";
import { serviceAccount, TOKEN_URI } from "../support/service_account.ts";

const IMAGE = Uint8Array.of(1, 2, 3, 4);
const BASE64 = IMAGE.toBase64();
const URL = `data:image/png;base64,${BASE64}`;
/** Two pixels, of which the first is transparent. */
const MASK = encodePng({
  ...{ width: 2, colorType: 6, filters: [0] },
  pixels: Uint8Array.of(9, 9, 9, 0, 9, 9, 9, 255),
});

const BEDROCK = { kind: "bedrock", region: "us-east-1", api_key: VENDOR_KEY };
const VERTEX = {
  ...{ kind: "vertex", project: "p", location: "us-central1", api_key: undefined },
  credentials: serviceAccount().json,
};

type Json = Record<string, unknown>;

async function edit(
  provider: Json,
  model: string,
  { images = 1, mask, ...fields }: Json & { images?: number; mask?: Uint8Array<ArrayBuffer> } = {},
  answer: Json = { data: [{ b64_json: "aW1n" }] },
) {
  const sent: { url: string; body: Json }[] = [];
  const vendor = {
    api_key: VENDOR_KEY,
    models: [{ id: model, prices: { image: 0.5 } }],
    retries: 0,
  };
  const gateway = createTestGateway({
    config: { providers: { vendor: { ...vendor, ...provider } } },
    fetch: (url, { body }) => {
      if (url === TOKEN_URI) return Promise.resolve(Response.json({ access_token: "t" }));
      sent.push({ url, body: JSON.parse(String(body)) });
      return Promise.resolve(Response.json(answer));
    },
  });
  const form = new FormData();
  for (const [name, value] of Object.entries({ model, prompt: "a hat", ...fields })) {
    form.append(name, String(value));
  }
  for (let index = 0; index < images; index++) {
    form.append(
      images === 1 ? "image" : "image[]",
      new File([IMAGE], "a.png", { type: "image/png" }),
    );
  }
  if (mask !== undefined) form.append("mask", new File([mask], "m.png", { type: "image/png" }));
  const response = await gateway.app.handle(
    new Request("http://gateway.test/v1/images/edits", {
      method: "POST",
      headers: { authorization: `Bearer ${SERVICE_KEY}` },
      body: form,
    }),
  );
  const body = await response.json();
  const header = (name: string) => response.headers.get(`x-sluice-${name}`);
  assertEquals(gateway.bugs, []);
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
  return { status: response.status, body, header, sent, request: sent[0] ?? { url: "", body: {} } };
}

const image = { type: "image_url", url: URL };

Deno.test("xAI: one image or up to three, as data URLs", async () => {
  const one = await edit({ kind: "xai" }, "grok-imagine-image", { n: 2, size: "1024x1024" });
  assertEquals(one.request.url, "https://api.x.ai/v1/images/edits");
  assertEquals(one.request.body, {
    ...{ model: "grok-imagine-image", prompt: "a hat", n: 2, aspect_ratio: "1:1", image },
  });
  assertEquals(one.body.data, [{ b64_json: "aW1n" }]);
  assertEquals(one.header("cost-usd"), "0.5");
  const four = await edit({ kind: "xai" }, "grok-imagine-image", { images: 4, mask: MASK });
  assertEquals(four.request.body.images, [image, image, image]);
  assertEquals([four.header("converted"), four.header("ignored")], ["image 4->3", "mask"]);
});

Deno.test("Together: FLUX Kontext has one image, other models have references", async () => {
  const kontext = "black-forest-labs/FLUX.1-kontext-pro";
  const one = await edit({ kind: "together" }, kontext, { images: 2, seed: 7, mask: MASK });
  assertEquals(one.request.url, "https://api.together.xyz/v1/images/generations");
  assertEquals(one.request.body, { model: kontext, prompt: "a hat", seed: 7, image_url: URL });
  assertEquals([one.header("converted"), one.header("ignored")], ["image 2->1", "mask"]);
  const flux = await edit({ kind: "together" }, "black-forest-labs/FLUX.2-pro", { images: 2 });
  assertEquals(flux.request.body.reference_images, [URL, URL]);
  assertEquals(flux.header("converted"), null);
});

Deno.test("Bedrock: Amazon varies images, and paints where a mask is transparent", async () => {
  const answer = { images: ["aW1n"] };
  const model = "amazon.nova-canvas-v1:0";
  const varied = await edit(BEDROCK, model, { images: 2, n: 2, size: "512x512" }, answer);
  assertEquals(varied.request.body, {
    taskType: "IMAGE_VARIATION",
    imageVariationParams: { images: [BASE64, BASE64], text: "a hat" },
    imageGenerationConfig: { numberOfImages: 2, width: 512, height: 512 },
  });
  assertEquals(varied.body.data, [{ b64_json: "aW1n" }]);
  const painted = await edit(BEDROCK, model, { mask: MASK, size: "512x512", seed: 3 }, answer);
  const { taskType, inPaintingParams, imageGenerationConfig } = painted.request.body as {
    taskType: string;
    inPaintingParams: { image: string; maskImage: string; text: string };
    imageGenerationConfig: unknown;
  };
  const { maskImage, ...params } = inPaintingParams;
  assertEquals([taskType, params], ["INPAINTING", { image: BASE64, text: "a hat" }]);
  assertEquals(imageGenerationConfig, { seed: 3 });
  assertEquals(grayPixels(Uint8Array.fromBase64(maskImage)), { width: 2, pixels: [0, 255] });
  assertEquals([painted.header("converted"), painted.header("ignored")], ["mask", "size"]);
});

Deno.test("Bedrock: Stability changes an image, or paints where a mask is transparent", async () => {
  const answer = { images: ["aW1n"], finish_reasons: [null] };
  const sd3 = await edit(BEDROCK, "stability.sd3-5-large-v1:0", { seed: 5 }, answer);
  assertEquals(sd3.request.body, {
    ...{ prompt: "a hat", image: BASE64, mode: "image-to-image", strength: 0.7, seed: 5 },
  });
  const ultra = await edit(
    BEDROCK,
    "stability.stable-image-ultra-v1:1",
    { strength: 0.25, mask: MASK, output_format: "jpeg" },
    answer,
  );
  assertEquals(ultra.request.body, {
    ...{ prompt: "a hat", image: BASE64, strength: 0.25, output_format: "jpeg" },
  });
  assertEquals(ultra.header("ignored"), "mask");
  const inpaint = await edit(
    BEDROCK,
    "us.stability.stable-image-inpaint-v1:0",
    { mask: MASK, strength: 0.5 },
    answer,
  );
  const { mask, ...others } = inpaint.request.body;
  assertEquals(others, { prompt: "a hat", image: BASE64 });
  assertEquals(grayPixels(Uint8Array.fromBase64(String(mask))).pixels, [255, 0]);
  assertEquals([inpaint.header("converted"), inpaint.header("ignored")], ["mask", "strength"]);
});

Deno.test("Vertex: Imagen's model for edits gets references, and a mask whose white is painted", async () => {
  const model = "imagen-3.0-capability-001";
  const answer = { predictions: [{ bytesBase64Encoded: "aW1n" }] };
  const { request, header, body } = await edit(VERTEX, model, {
    mask: MASK,
    n: 2,
    size: "1024x1024",
  }, answer);
  assertStringIncludes(request.url, `/publishers/google/models/${model}:predict`);
  const { instances: [instance], parameters } = request.body as {
    instances: [{ prompt: string; referenceImages: Json[] }];
    parameters: unknown;
  };
  assertEquals(parameters, { sampleCount: 2, editMode: "EDIT_MODE_INPAINT_INSERTION" });
  const [raw, mask] = instance.referenceImages;
  const raw1 = { bytesBase64Encoded: BASE64 };
  assertEquals(raw, { referenceType: "REFERENCE_TYPE_RAW", referenceId: 1, referenceImage: raw1 });
  const { bytesBase64Encoded } = mask?.referenceImage as { bytesBase64Encoded: string };
  assertEquals(mask, {
    referenceType: "REFERENCE_TYPE_MASK",
    referenceId: 2,
    referenceImage: { bytesBase64Encoded },
    maskImageConfig: { maskMode: "MASK_MODE_USER_PROVIDED" },
  });
  assertEquals(grayPixels(Uint8Array.fromBase64(bytesBase64Encoded)).pixels, [255, 0]);
  assertEquals(header("converted"), "mask, n->sampleCount");
  assertEquals(header("ignored"), "size");
  assertEquals(body.data, [{ b64_json: "aW1n" }]);
  const plain = await edit(VERTEX, model, {}, answer);
  assertEquals(plain.request.body, {
    instances: [{ prompt: "a hat", referenceImages: [raw] }],
  });
});

Deno.test("a mask that cannot be converted, and models that do not edit, are refused", async () => {
  const mask = await edit(BEDROCK, "amazon.titan-image-generator-v2:0", { mask: IMAGE });
  assertEquals([mask.status, mask.body.error.code], [400, "unsupported_content"]);
  assertEquals(mask.body.error.param, "mask");
  const models = [
    [BEDROCK, "stability.stable-image-core-v1:1"],
    [VERTEX, "imagen-4.0-generate-001"],
    [{ kind: "fireworks" }, "accounts/fireworks/models/flux-1-schnell-fp8"],
  ] as const;
  for (const [provider, model] of models) {
    const { status, body, sent } = await edit(provider, model);
    assertEquals([status, body.error.code, sent.length], [400, "unsupported_operation", 0], model);
  }
});
