/** Edits of images: forms to vendors of the dialect, images inline for Gemini, refusals of others. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import OpenAI, { toFile } from "openai";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { type ServedGateway, serveGateway, serveVendor } from "../support/server.ts";

const IMAGE = Uint8Array.from({ length: 3000 }, (_, index) => index % 241);
const MASK = Uint8Array.of(1, 2, 3);
const USAGE = { input_tokens: 10, output_tokens: 100, total_tokens: 110 };
const ANSWER = { created: 1, data: [{ b64_json: "aW1n" }], usage: USAGE };

interface World extends AsyncDisposable {
  readonly served: ServedGateway;
  readonly client: OpenAI;
  /** The path, and the entries of the form or the JSON, of each request to a vendor. */
  readonly sent: (readonly [path: string, body: unknown])[];
}

async function bodyOf(request: Request): Promise<unknown> {
  if (request.headers.get("content-type")?.includes("json")) return await request.json();
  const entries = [...await request.formData()];
  return await Promise.all(
    entries.map(async ([name, value]) =>
      typeof value === "string"
        ? [name, value]
        : [name, value.name, value.type, await value.bytes()]
    ),
  );
}

function createWorld(
  answer: (path: string) => Response,
  members: Record<string, unknown> = {},
): World {
  const sent: [string, unknown][] = [];
  const vendor = serveVendor(async (request) => {
    const { pathname } = new URL(request.url);
    sent.push([pathname, await bodyOf(request)]);
    return answer(pathname);
  });
  const provider = (kind: string, models: readonly string[]) => ({
    kind,
    api_key: VENDOR_KEY,
    base_url: `${vendor.url}/${kind}`,
    models,
    retries: 0,
  });
  const providers = {
    openai: provider("openai", ["gpt-image-1"]),
    gemini: provider("gemini", ["gemini-2.5-flash-image", "imagen-4.0-generate-001"]),
    xai: provider("xai", ["grok-imagine-image"]),
  };
  const served = serveGateway({ config: { providers, ...members } });
  const { url, fetch } = served;
  return {
    served,
    sent,
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 }),
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(served.gateway.bugs, []);
      assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

const png = (name: string, bytes = IMAGE) => toFile(bytes, name, { type: "image/png" });

Deno.test("openai package: images.edit() sends the same images and fields", async () => {
  await using world = createWorld(() => Response.json(ANSWER));
  const { data } = await world.client.images.edit({
    model: "gpt-image-1",
    image: [await png("a.png"), await png("b.png", MASK)],
    mask: await png("m.png", MASK),
    prompt: "a hat",
    n: 1,
    output_compression: 80,
    input_fidelity: "high",
  });
  assertEquals(data?.[0]?.b64_json, "aW1n");
  const [[path, form] = []] = world.sent;
  assertEquals(path, "/openai/images/edits");
  assertEquals(form, [
    ["model", "gpt-image-1"],
    ["prompt", "a hat"],
    ["n", "1"],
    ["output_compression", "80"],
    ["input_fidelity", "high"],
    ["image[]", "a.png", "image/png", IMAGE],
    ["image[]", "b.png", "image/png", MASK],
    ["mask", "m.png", "image/png", MASK],
  ]);
  const { images, completion_tokens } = world.served.gateway.lines[0] ?? {};
  assertEquals([images, completion_tokens], [1, 100]);
});

Deno.test("openai package: images.edit() reads the events of an edit", async () => {
  const events = ["image_edit.partial_image", "image_edit.completed"].map((type) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: "aW1n", usage: USAGE })}\n\n`
  ).join("");
  await using world = createWorld(() =>
    new Response(events, { headers: { "content-type": "text/event-stream" } })
  );
  const image = await png("a.png");
  const stream = await world.client.images.edit({
    model: "gpt-image-1",
    image,
    prompt: "a hat",
    stream: true,
  });
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  assertEquals(types, ["image_edit.partial_image", "image_edit.completed"]);
  assertEquals(world.served.gateway.lines[0]?.images, 1);
});

Deno.test("Gemini gets the images and the text, also after another vendor has failed", async () => {
  const candidates = [{ content: { parts: [{ inlineData: { data: "aW1n" } }] } }];
  const aliases = { edit: ["gpt-image-1", "grok-imagine-image", "gemini-2.5-flash-image"] };
  await using world = createWorld(
    (path) =>
      path.startsWith("/gemini")
        ? Response.json({ candidates })
        : new Response("{}", { status: 503 }),
    { aliases },
  );
  const request = { model: "edit", image: await png("a.png"), mask: await png("m.png", MASK) };
  const response = await world.client.images.edit({ ...request, prompt: "a hat" }).asResponse();
  assertEquals(response.headers.get("x-sluice-provider"), "gemini");
  assertEquals(response.headers.get("x-sluice-ignored"), "mask");
  assertEquals((await response.json()).data, [{ b64_json: "aW1n" }]);
  assertEquals(world.sent.map(([path]) => path), [
    "/openai/images/edits",
    "/xai/images/edits",
    "/gemini/models/gemini-2.5-flash-image:generateContent",
  ]);
  const { contents } = world.sent[2]?.[1] as { contents: [{ parts: unknown[] }] };
  assertEquals(contents[0].parts, [
    { inlineData: { mimeType: "image/png", data: IMAGE.toBase64() } },
    { text: "a hat" },
  ]);
});

for (const model of ["imagen-4.0-generate-001"]) {
  Deno.test(`edits with ${model} are refused before anything is sent`, async () => {
    await using world = createWorld(() => Response.json(ANSWER));
    const request = { model, image: await png("a.png"), prompt: "a hat" };
    const error = await world.client.images.edit(request).catch((thrown) => thrown);
    assertEquals([error.status, error.code], [400, "unsupported_operation"]);
    assertEquals(world.sent, []);
  });
}

const FAULTS: readonly (readonly [Record<string, string>, string, string])[] = [
  [{ model: "gpt-image-1" }, "image", "prompt"],
  [{ model: "gpt-image-1", prompt: "a" }, "mask", "image"],
  [{ model: "gpt-image-1", prompt: "a" }, "video", "video"],
  [{ model: "gpt-image-1", prompt: "a", n: "many" }, "image", "n"],
  [{ prompt: "a" }, "image", "model"],
];

for (const [fields, file, param] of FAULTS) {
  Deno.test(`an edit with a fault in '${param}' is refused before anything is sent`, async () => {
    await using world = createWorld(() => Response.json(ANSWER));
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append(file, new File([IMAGE], "a.png"));
    const response = await post(world, form);
    assertEquals(response.status, 400);
    assertEquals((await response.json()).error.param, param);
    assertEquals(world.sent, []);
  });
}

Deno.test("images over server.max_body together are refused", async () => {
  await using world = createWorld(() => Response.json(ANSWER), { server: { max_body: "4KiB" } });
  const form = new FormData();
  for (const name of ["a.png", "b.png"]) form.append("image[]", new File([IMAGE], name));
  const response = await post(world, form);
  assertEquals(response.status, 413);
  await response.body?.cancel();
});

Deno.test("an explanation of an edit shows its fields and the names of its files", async () => {
  await using world = createWorld(() => Response.json(ANSWER));
  const form = new FormData();
  for (const [name, value] of [["model", "gpt-image-1"], ["prompt", "a"], ["style", "vivid"]]) {
    form.append(name ?? "", value ?? "");
  }
  form.append("image", new File([IMAGE], "a.png"));
  const response = await post(world, form, { "x-sluice-explain": "true" });
  const { targets: [{ request, receipt }] } = await response.json();
  assertStringIncludes(request.url, "/images/edits");
  assertEquals(request.body, { model: "gpt-image-1", prompt: "a", image: ["a.png"] });
  assertEquals(receipt, [{ parameter: "style", fate: "ignored", rule: "dall-e-3 only" }]);
});

function post(
  { served: { fetch, url } }: World,
  body: FormData,
  headers: Record<string, string> = {},
): Promise<Response> {
  const authorization = `Bearer ${SERVICE_KEY}`;
  return fetch(`${url}/v1/images/edits`, {
    method: "POST",
    headers: { authorization, ...headers },
    body,
  });
}
