/** The headers of requests whose credentials are one header. */

import { assert, assertEquals } from "@std/assert";
import type { Provider } from "../../../src/config/config.ts";
import { Credentials } from "../../../src/upstream/credentials/credentials.ts";
import type { Auth } from "../../../src/contract/vendor_request.ts";

const credentials = new Credentials({ readFile: () => "" });
const BEARER: Auth = { type: "bearer" };
const HEADER: Auth = { type: "header", name: "x-api-key" };

const providerWith = (headers: Record<string, string>) =>
  ({ headers, keys: ["k1", "k2"], secrets: {} }) as unknown as Provider;

const plain = providerWith({});
const named = providerWith({ "x-team": "a", authorization: "Own" });

function headersOf(
  headers: Readonly<Record<string, string>>,
  auth: Auth,
  provider: Provider,
  key?: string,
) {
  return credentials.headersOf({ url: "", headers, auth, body: {} }, provider, key);
}

Deno.test("requests with the same headers and credentials share all headers", () => {
  const own = Object.freeze({ "x-own": "1" });
  const first = headersOf(own, BEARER, plain, "k1");
  assertEquals(first?.authorization, "Bearer k1");
  assertEquals(first?.["x-own"], "1");
  assert(headersOf(own, BEARER, plain, "k1") === first);
});

Deno.test("another key, provider or scheme has other headers", () => {
  const own = Object.freeze({ "x-own": "1" });
  headersOf(own, BEARER, plain, "k1");
  assertEquals(headersOf(own, BEARER, plain, "k2")?.authorization, "Bearer k2");
  const withoutKey = headersOf(own, BEARER, plain);
  assertEquals([withoutKey?.["x-own"], withoutKey?.authorization], ["1", undefined]);
  const configured = headersOf(own, BEARER, named, "k2");
  assertEquals([configured?.authorization, configured?.["x-team"]], ["Own", "a"]);
  const keyed = headersOf(own, HEADER, plain, "k1");
  assertEquals([keyed?.authorization, keyed?.["x-api-key"]], [undefined, "k1"]);
  const without = headersOf(own, { type: "none" }, plain, "k1");
  assertEquals([without?.["x-own"], without?.authorization], ["1", undefined]);
});

Deno.test("headers that may change are read for each request", () => {
  const own: Record<string, string> = { "x-own": "1" };
  headersOf(own, BEARER, plain, "k1");
  own["x-own"] = "2";
  assertEquals(headersOf(own, BEARER, plain, "k1")?.["x-own"], "2");
});

Deno.test("a request that has to be signed has no such headers", () => {
  const sigv4 = { type: "sigv4" } as Auth;
  assertEquals(headersOf(Object.freeze({}), sigv4, plain, "k1"), undefined);
});
