/** Failures after retries, which clients must not multiply. */

import { assert, assertEquals } from "@std/assert";
import { hurry } from "../../support/elapse.ts";
import { GatewayError } from "../../../src/core/errors.ts";
import { responses } from "../../../src/apis/responses/format.ts";
import { fail, stage } from "../../support/stage.ts";

const PATH = "/v1/responses";

interface Failure {
  readonly error: { readonly code: string; readonly message: string };
}

for (const stream of [false, true]) {
  const form = stream ? "a stream" : "a plain answer";
  for (const status of [500, 503]) {
    Deno.test(`${form}: a vendor's ${status} after retries is a 503 that ends the turn of Codex`, async () => {
      const { gateway, visits } = stage({ a: fail(status) });
      const asked = gateway.call(PATH, { model: "a", input: "Hi", stream });
      const reported = await hurry(gateway.clock, asked);
      const { error }: Failure = await reported.json();
      assertEquals([reported.status, error.code], [503, "server_is_overloaded"]);
      assertEquals(reported.headers.get("x-should-retry"), "false");
      assertEquals(visits.length, 3);
      assert(!/capacity/.test(error.message));
    });
  }
}

Deno.test("a failure that the gateway has not repeated keeps its status, and so does another format", async () => {
  const { gateway } = stage({ a: fail(500) }, { retries: 0 });
  const reported = await hurry(gateway.clock, gateway.call(PATH, { model: "a", input: "Hi" }));
  const { error }: Failure = await reported.json();
  assertEquals([reported.status, error.code], [502, "upstream_error"]);
  assertEquals(reported.headers.get("x-should-retry"), null);
  const { ask } = stage({ a: fail(500) });
  const other = await ask();
  assertEquals([other.status, other.error.code], [502, "upstream_error"]);
});

Deno.test("a stream that fails after retries has a code that ends the turn, another one has not", () => {
  const final = { headers: { "x-should-retry": "false" } };
  const failed = (error: GatewayError) => {
    const text = new TextDecoder().decode(responses.writeStreamError(error, "req_1"));
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => JSON.parse(data));
    return [events[0].error.code, events[1].response.error.code];
  };
  assertEquals(failed(new GatewayError("upstream_timeout", "late", final)), [
    "server_is_overloaded",
    "server_is_overloaded",
  ]);
  assertEquals(failed(new GatewayError("upstream_timeout", "late")), [
    "upstream_timeout",
    "server_error",
  ]);
  // A refused key is shown to the user: no other request can help.
  assertEquals(failed(new GatewayError("upstream_auth", "no", final))[1], "server_error");
});
