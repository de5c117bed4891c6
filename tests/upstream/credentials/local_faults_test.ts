/** A metadata service that fails says nothing about the machine. */

import { assertEquals, assertRejects } from "@std/assert";
import { GatewayError } from "../../../src/core/errors.ts";
import { refusedLocally } from "../../../src/upstream/credentials/service_request.ts";
import { askMetadata } from "../../../src/upstream/credentials/google/token.ts";
import type { VendorResponse } from "../../../src/upstream/transport.ts";
import { ManualClock } from "../../support/manual_clock.ts";

for (
  const [status, words] of [
    [404, "the machine has no service account (status 404)"],
    [403, "the machine has no service account (status 403)"],
    [429, "Google's metadata server is unavailable (status 429)"],
    [503, "Google's metadata server is unavailable (status 503)"],
  ] as const
) {
  Deno.test(`a metadata service that answers ${status} is described as it is`, async () => {
    const fetch = () =>
      Promise.resolve(
        new Response("no", { status, headers: { "metadata-flavor": "Google" } }) as VendorResponse,
      );
    const { signal } = new AbortController();
    const deps = { clock: new ManualClock(), fetch, direct: fetch, signal };
    const asking = askMetadata("169.254.169.254", "email", deps);
    const { message } = await assertRejects(() => asking, GatewayError);
    assertEquals(message, `Cannot get credentials: ${words}`);
  });
}

Deno.test("only the refusals of a local service say something about the machine", () => {
  const of = (status: number) => refusedLocally("there is no role", "the service", status).message;
  assertEquals(of(404), "Cannot get credentials: there is no role (status 404)");
  assertEquals(of(500), "Cannot get credentials: the service is unavailable (status 500)");
});
