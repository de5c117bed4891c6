/** Media at Azure: the address, the deployment and the key of each endpoint, in both versions of its API. */

import { assertEquals } from "@std/assert";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../../support/gateway.ts";

const ROOT = "https://own.openai.azure.com";
const PROVIDERS = {
  v1: { base_url: `${ROOT}/openai/v1` },
  dated: { base_url: ROOT, api_version: "2025-04-01-preview" },
};
const ENDPOINTS = [
  ["images/generations", undefined, { prompt: "a cat" }],
  ["images/edits", "image", { prompt: "a cat" }],
  ["audio/speech", undefined, { input: "Hello", voice: "alloy" }],
  ["audio/transcriptions", "file", {}],
  ["audio/translations", "file", {}],
] as const;

/** What is sent for a request to an endpoint: its address, the model of its body, and its key. */
async function send(
  provider: Record<string, unknown>,
  [path, file, fields]: typeof ENDPOINTS[number],
) {
  const sent: unknown[] = [];
  const azure = {
    ...{ kind: "azure", api_key: VENDOR_KEY, models: ["m"], retries: 0, ...provider },
    deployments: { m: "own-deployment" },
  };
  const gateway = createTestGateway({
    config: { providers: { azure } },
    async fetch(url, { body, headers }) {
      const whole = await new Response(body as BodyInit, { headers }).bytes();
      const type = headers["content-type"] ?? "";
      const model = type.startsWith("multipart")
        ? (await new Response(whole, { headers }).formData()).get("model")
        : JSON.parse(new TextDecoder().decode(whole)).model;
      sent.push([url.replace(ROOT, ""), model, headers["api-key"], headers.authorization]);
      return Response.json({ error: { message: "No" } }, { status: 400 });
    },
  });
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: "m", ...fields })) form.append(name, value);
  if (file !== undefined) form.append(file, new File(["bytes"], "a.bin"));
  const response = await gateway.app.handle(
    new Request(`http://gateway.test/v1/${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${SERVICE_KEY}` },
      body: file === undefined ? JSON.stringify({ model: "m", ...fields }) : form,
    }),
  );
  assertEquals((await response.json()).error.message, "No");
  return sent;
}

for (const endpoint of ENDPOINTS) {
  const [path] = endpoint;
  Deno.test(`Azure's ${path} has its deployment in the body, or in a dated address`, async () => {
    const [own, key] = ["own-deployment", VENDOR_KEY];
    assertEquals(await send(PROVIDERS.v1, endpoint), [[`/openai/v1/${path}`, own, key, undefined]]);
    const dated = `/openai/deployments/${own}/${path}?api-version=2025-04-01-preview`;
    assertEquals(await send(PROVIDERS.dated, endpoint), [[dated, own, key, undefined]]);
  });
}
