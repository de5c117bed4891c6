/**
 * What vendors' errors prove of the key that was used: only a status or a code of the vendor's own
 * suspends it, and each case below tests/fixtures says which.
 */

import { assertEquals } from "@std/assert";
import type { SuspensionScope } from "../../src/core/errors.ts";
import { adapters } from "../../src/providers/registry.ts";
import { type Fixture, readFixtures } from "../support/fixtures.ts";
import { prepared } from "../support/folding.ts";
import type { Suspension } from "../../src/contract/vendor_request.ts";

/** Codes that prove more than the status beside them, or that stand beside a status that proves nothing. */
const BY_CODE: Readonly<Record<string, readonly [SuspensionScope, code: string]>> = {
  "anthropic/error_on_hold": ["key", "organization_on_hold"],
  "anthropic/error_spend_limit": ["key", "enforced_spend_limit_reached"],
  "bedrock/error_auth": ["model", "AccessDeniedException"],
  "bedrock/error_signature": ["key", "IncompleteSignatureException"],
  "gemini/error_auth": ["key", "API_KEY_INVALID"],
  "gemini/error_key_blocked": ["key", "API_KEY_SERVICE_BLOCKED"],
  "moonshot/error_balance": ["key", "exceeded_current_quota_error"],
  "novita/error_reason": ["key", "NOT_ENOUGH_BALANCE"],
  "openai/error_model_access": ["model", "model_not_found"],
  "openai/error_permission": ["model", "unsupported_country_region_territory"],
  "openai/error_quota": ["key", "insufficient_quota"],
  "qwen/error_arrears": ["key", "Arrearage"],
  "qwen/error_model_access": ["model", "Model.AccessDenied"],
  "vertex/error_model_access": ["model", "IAM_PERMISSION_DENIED"],
  "zai/error_balance": ["key", "1113"],
};

/** Failures that are only about the request, although their status usually suspends a key. */
const OF_THE_REQUEST = new Set(["openai/error_over_rate_limit", "openrouter/error_not_affordable"]);

const STATUS_SCOPES = new Map<number, SuspensionScope>([[401, "key"], [402, "key"], [
  429,
  "model",
]]);

const WORDS = { key: "the key", model: "the key for the model" } as const;

type ErrorAnswer = Fixture & { readonly upstream: { readonly type: "answer" } };

const failures = readFixtures().filter((one): one is ErrorAnswer =>
  one.upstream.type === "answer" && one.upstream.status >= 400
);

for (const fixture of failures) {
  const name = `${fixture.vendor}/${fixture.name}`;
  const [scope, code] = BY_CODE[name] ?? [];
  const byStatus = OF_THE_REQUEST.has(name)
    ? undefined
    : STATUS_SCOPES.get(fixture.upstream.status);
  const wanted = scope ?? byStatus;
  const what = wanted === undefined ? "nothing" : WORDS[wanted];
  Deno.test(`${name}: it suspends ${what}`, () => {
    const found = suspensionOf(fixture);
    assertEquals(found?.scope, wanted);
    // A code beside a status that proves as much is as good.
    if (code !== undefined) assertEquals(found?.code, code);
  });
}

Deno.test("every listed case exists", () => {
  const names = new Set(failures.map(({ vendor, name }) => `${vendor}/${name}`));
  const listed = [...Object.keys(BY_CODE), ...OF_THE_REQUEST];
  assertEquals(listed.filter((name) => !names.has(name)), []);
});

function suspensionOf(fixture: ErrorAnswer): Suspension | undefined {
  const { status, headers, body } = fixture.upstream;
  const { adapter } = prepared(fixture);
  const read = typeof body === "string" ? undefined : body;
  return adapter.toError({ where: "answer", status, headers: new Headers(headers), body: read })
    .suspends;
}

/** Errors without a status of HTTP's: what stands for it is the proof. */
const INSIDE: readonly (readonly [kind: string, body: unknown, Suspension | undefined])[] = [
  ["openai", { error: { message: "No", code: "invalid_api_key" } }, {
    scope: "key",
    code: "invalid_api_key",
  }],
  ["openai", { error: { message: "Slow", type: "rate_limit_error" } }, {
    scope: "model",
    code: "rate_limit_error",
  }],
  ["openai", { error: { message: "invalid_api_key", type: "server_error" } }, undefined],
  ["openrouter", { error: { message: "No", code: 401 } }, { scope: "key", code: "401" }],
  ["anthropic", { type: "error", error: { type: "authentication_error", message: "No" } }, {
    scope: "key",
    code: "authentication_error",
  }],
  ["anthropic", { type: "error", error: { type: "permission_error", message: "No" } }, undefined],
  ["gemini", { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Slow" } }, {
    scope: "model",
    code: "RESOURCE_EXHAUSTED",
  }],
  ["bedrock", { __type: "throttlingException", message: "Slow" }, {
    scope: "model",
    code: "throttlingException",
  }],
  ["cohere", { message: "invalid api token" }, undefined],
  ["ollama", { error: "unauthorized" }, undefined],
];

for (const [kind, body, wanted] of INSIDE) {
  const what = wanted === undefined ? "nothing" : WORDS[wanted.scope];
  Deno.test(`${kind}: an error inside a 200 suspends ${what}: ${JSON.stringify(body)}`, () => {
    assertEquals(adapters.get(kind)?.toError({ where: "stream", body }).suspends, wanted);
  });
}

Deno.test("the name of Google's quota decides between one model and all", () => {
  const toError = (quotaId: string) => {
    const details = [{
      "@type": "type.googleapis.com/google.rpc.QuotaFailure",
      violations: [{ quotaId }],
    }];
    const body = { error: { code: 429, status: "RESOURCE_EXHAUSTED", message: "Quota", details } };
    return adapters.get("gemini")
      ?.toError({ where: "answer", status: 429, headers: new Headers(), body });
  };
  const ofModel = "GenerateRequestsPerDayPerProjectPerModel-FreeTier";
  assertEquals(toError(ofModel)?.suspends, { scope: "model", code: ofModel });
  assertEquals(toError("RequestsPerDayPerProject")?.suspends?.scope, "key");
  assertEquals(toError("RequestsPerMinutePerProject")?.suspends, { scope: "model" });
});
