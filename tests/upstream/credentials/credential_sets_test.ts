/** Providers that can be signed for in more than one way. */

import { assertEquals, assertThrows } from "@std/assert";
import { type Config, ConfigErrors } from "../../../src/config/config.ts";
import { loadTestConfig } from "../../support/gateway.ts";

const BARE = { kind: "bedrock", region: "us-east-1", models: ["m"] };
const ALL = {
  ...BARE,
  api_key: "${BEARER}",
  access_key_id: "${ID}",
  secret_access_key: "${SECRET}",
  session_token: "${TOKEN}",
};

function load(provider: Record<string, unknown>, env: Record<string, string> = {}): Config {
  return loadTestConfig({ providers: { aws: provider } }, env);
}

function reasonFor(provider: Record<string, unknown>, env: Record<string, string> = {}): string {
  const [off] = load(provider, env).disabled;
  return off?.reason ?? "on";
}

function faultsOf(provider: Record<string, unknown>): string[] {
  const error: unknown = assertThrows(() => load({ ...BARE, ...provider }), ConfigErrors);
  return (error as ConfigErrors).errors.map(({ path, message }) => `${path}: ${message}`);
}

for (
  const [what, env, keys, secrets] of [
    ["an API key", { BEARER: "b" }, ["b"], {}],
    ["AWS keys", { ID: "i", SECRET: "s" }, [], { access_key_id: "i", secret_access_key: "s" }],
    ["AWS keys that expire", { ID: "i", SECRET: "s", TOKEN: "t" }, [], {
      access_key_id: "i",
      secret_access_key: "s",
      session_token: "t",
    }],
    ["an API key and a part of AWS keys", { BEARER: "b", ID: "i", TOKEN: "t" }, ["b"], {}],
  ] as const
) {
  Deno.test(`a provider that names all credentials is on with ${what}`, () => {
    const provider = load(ALL, env).providers.get("aws");
    assertEquals([provider?.keys, provider?.secrets], [keys, secrets]);
    assertEquals(provider?.settings.options, { region: "us-east-1" });
  });
}

Deno.test("a provider without a complete set of credentials is disabled", () => {
  assertEquals(reasonFor(ALL), "BEARER is not set, ID is not set, SECRET is not set");
  assertEquals(reasonFor(ALL, { ID: "i" }), "BEARER is not set, SECRET is not set");
  assertEquals(reasonFor(ALL, { SECRET: "s", TOKEN: "t" }), "BEARER is not set, ID is not set");
});

Deno.test("a provider with no or empty credentials is disabled", () => {
  const reason = "no api_key, nor access_key_id and secret_access_key";
  assertEquals(reasonFor(BARE), reason);
  const empty = { api_key: "", access_key_id: "${ID:-}", secret_access_key: "s" };
  assertEquals(reasonFor({ ...BARE, ...empty }), reason);
});

Deno.test("a whole pool of API keys may be unset if there are other credentials", () => {
  const pool = { ...ALL, api_key: ["${A}", "${B}"] };
  assertEquals(load(pool, { B: "b", ID: "i" }).providers.get("aws")?.keys, ["b"]);
  assertEquals(load(pool, { ID: "i", SECRET: "s" }).providers.get("aws")?.keys, []);
  assertEquals(reasonFor(pool), "A is not set, B is not set, ID is not set, SECRET is not set");
});

Deno.test("an unset variable elsewhere disables a provider, regardless of its credentials", () => {
  const reason = reasonFor({ ...BARE, api_key: "b", base_url: "${URL}" });
  assertEquals(reason, "URL is not set");
});

Deno.test("an incomplete set of credentials is an error", () => {
  assertEquals(faultsOf({ access_key_id: "i" }), [
    "providers.aws.secret_access_key: is required beside 'access_key_id'",
  ]);
  assertEquals(faultsOf({ api_key: "b", session_token: "t" }), [
    "providers.aws.access_key_id: is required beside the rest of the keys",
  ]);
  assertEquals(faultsOf({ api_key: "b", region: "eu/west" }), [
    "providers.aws.region: must be a region such as 'us-east-1'",
  ]);
});

Deno.test("the redactor of a provider removes every credential from a vendor's message", () => {
  const provider = load(ALL, { BEARER: "bbb", ID: "iii", SECRET: "sss", TOKEN: "ttt" })
    .providers.get("aws");
  const words = provider?.redactor.redact("bbb, iii, sss and ttt");
  assertEquals(words, "[redacted], [redacted], [redacted] and [redacted]");
});
