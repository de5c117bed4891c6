/** What becomes of content that a feature cannot see. */

import { assertEquals } from "@std/assert";
import type { Feature, Unseen } from "../../src/gateway/feature.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";

const BYTES = new Uint8Array([1, 2, 3]);

/** A gateway with a feature that reads answers. */
function stage(unseen: Unseen | undefined) {
  let sent = 0;
  const feature: Feature = {
    name: "guard",
    plan: () => ({
      start: () => ({ answer: (body) => body, ...(unseen !== undefined && { unseen }) }),
    }),
    ...(unseen !== undefined && { passed: () => unseen }),
  };
  const speech = { id: "speak", capabilities: { speech: true } };
  const gateway = createTestGateway({
    config: {
      providers: {
        vendor: { kind: "openai", api_key: VENDOR_KEY, models: ["m", speech], passthrough: true },
      },
    },
    fetch: (url) => {
      sent++;
      const type = url.endsWith("/speech") ? "audio/mpeg" : "image/png";
      return Promise.resolve(new Response(BYTES, { headers: { "content-type": type } }));
    },
    features: [feature],
  });
  const pass = () =>
    gateway.app.handle(
      new Request("http://gateway.test/v1/providers/vendor/proxy/files/f", {
        headers: { authorization: `Bearer ${SERVICE_KEY}` },
      }),
    );
  const speak = () =>
    gateway.call("/v1/audio/speech", { model: "speak", input: "Hi", voice: "alloy" });
  return { gateway, pass, speak, sent: () => sent };
}

for (const unseen of [undefined, "pass"] as const) {
  Deno.test(`what a feature cannot see passes: ${unseen}`, async () => {
    const { pass, speak, sent } = stage(unseen);
    for (const ask of [pass, speak]) {
      const response = await ask();
      assertEquals([response.status, await response.bytes()], [200, BYTES]);
    }
    assertEquals(sent(), 2);
  });
}

Deno.test("a feature that must see all content closes the pass-through, before it is sent", async () => {
  const { pass, sent } = stage("refuse");
  const response = await pass();
  const { error } = await response.json();
  assertEquals([response.status, error.code, error.type], [
    ...[403, "unseen_content", "permission_error"],
  ]);
  assertEquals([error.message.includes("guard"), sent()], [true, 0]);
});

Deno.test("a feature that must see all content refuses answers in bytes", async () => {
  const { gateway, speak, sent } = stage("refuse");
  const response = await speak();
  const { error } = await response.json();
  assertEquals([response.status, error.code], [403, "unseen_content"]);
  assertEquals([sent(), gateway.bugs], [1, []]);
});
