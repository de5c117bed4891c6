/** Credentials that change while the process runs reach neither callers nor the log. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createTestGateway } from "../../support/gateway.ts";
import { serviceAccount } from "../../support/service_account.ts";

Deno.test("an access token that the vendor echoes is redacted, also after it was replaced", async () => {
  let issued = 0;
  const sent: string[] = [];
  const gateway = createTestGateway({
    config: {
      providers: {
        v: { kind: "vertex", credentials: serviceAccount().json, models: ["gemini-3-flash"] },
      },
    },
    fetch: (url, { headers }) => {
      if (url.includes("oauth2")) {
        return Promise.resolve(
          Response.json({ access_token: `opaque-access-token-${++issued}`, expires_in: 3600 }),
        );
      }
      sent.push(headers.authorization ?? "");
      const status = sent.length === 1 ? 401 : 400;
      const message = `These were refused: ${sent.join(", ")}`;
      return Promise.resolve(Response.json({ error: { code: status, message } }, { status }));
    },
  });
  const response = await gateway.call("/v1/chat/completions", {
    model: "gemini-3-flash",
    messages: [{ role: "user", content: "Hi" }],
  });
  const text = await response.text();
  assertEquals(sent, ["Bearer opaque-access-token-1", "Bearer opaque-access-token-2"]);
  assertEquals(response.status, 400);
  assertStringIncludes(text, "Bearer [redacted], Bearer [redacted]");
  assert(!JSON.stringify(gateway.lines).includes("opaque"));
});
