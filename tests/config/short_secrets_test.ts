/** Credentials of few characters: errors stay readable, and a warning names the setting. */

import { assertEquals } from "@std/assert";
import { toWarnings } from "../../src/config/warnings.ts";
import { createTestGateway } from "../support/gateway.ts";
import { loadListed } from "../support/model_lists.ts";

Deno.test("a vendor's error keeps its text with a key of one character, and loses the key", async () => {
  const providers = {
    p: { kind: "openai_compatible", base_url: "http://p.test/v1", api_key: "k", models: ["m"] },
  };
  const message = "Unknown token 'k' in the key";
  const { call } = createTestGateway({
    config: { providers },
    fetch: () => Promise.resolve(Response.json({ error: { message } }, { status: 400 })),
  });
  const body = { model: "m", messages: [{ role: "user", content: "Hi" }] };
  const { error } = await (await call("/v1/chat/completions", body)).json();
  assertEquals(error.message, "Unknown token '[redacted]' in the key");
});

Deno.test("a warning names each setting with a short secret, and not its value", () => {
  const base = { kind: "openai_compatible", base_url: "http://p.test/v1", models: ["m"] };
  const config = loadListed({
    short: { ...base, api_key: ["long-enough", "zq", "zq3"] },
    long: { ...base, api_key: "12345678" },
    none: base,
    proxied: { ...base, proxy: "http://u:zq@proxy.test:1" },
  });
  const warnings = toWarnings(config).filter((text) => text.includes("secret"));
  const rest =
    "has a secret of fewer than 8 characters, which is redacted only where it stands alone";
  assertEquals(warnings, [
    `providers.short.api_key ${rest}`,
    `providers.proxied.proxy ${rest}`,
  ]);
});
