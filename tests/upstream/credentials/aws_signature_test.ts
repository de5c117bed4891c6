import { assert, assertEquals } from "@std/assert";
import { signAws } from "../../../src/upstream/credentials/aws_signature.ts";
import { createSigv4Scheme } from "../../../src/upstream/credentials/sigv4.ts";
import type { Provider } from "../../../src/config/config.ts";
import { loadTestConfig } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const sigv4 = createSigv4Scheme({ readFile: () => "" });

const NOW = Date.UTC(2026, 10, 20, 12);
const KEYS = {
  accessKeyId: "AKIAEXAMPLEEXAMPLE00",
  secretAccessKey: "exampleSecretKey/For+Tests0123456789abcd",
};
const BODY =
  '{"messages":[{"role":"user","content":[{"text":"hi"}]}],"inferenceConfig":{"maxTokens":16}}';
const JSON_HEADERS = { "content-type": "application/json" };
const HAIKU = "us.anthropic.claude-haiku-4-5-20251001-v1%3A0";
const PROFILE =
  "arn%3Aaws%3Abedrock%3Aeu-west-1%3A123456789012%3Aapplication-inference-profile%2Fabc123xyz";

function converse(region: string, model: string, headers: Record<string, string> = JSON_HEADERS) {
  const url = `https://bedrock-runtime.${region}.amazonaws.com/model/${model}/converse`;
  return { url, headers, body: BODY };
}

/** Computed with another implementation, which agrees with botocore's. */
const VECTORS = [
  [
    "a model's id",
    "us-east-1",
    HAIKU,
    undefined,
    "8be915689c31e3a0207954ffd55376b07236b0c0cb5f12bcc2051aca1faab7ac",
  ],
  [
    "a session token",
    "us-east-1",
    HAIKU,
    "SESSIONTOKEN/EXAMPLE==",
    "d7db864a2c6cc784fd33e3bd17077982a642c904edfdbe110dacfbea3e772439",
  ],
  [
    "an ARN",
    "eu-west-1",
    PROFILE,
    undefined,
    "c23a072ccf1e15446d6b412de9736d6da9f6e6a5c5490c973464ef21113358af",
  ],
] as const;

for (const [what, region, model, sessionToken, signature] of VECTORS) {
  Deno.test(`signAws() gives the known signature with ${what}`, async () => {
    const scope = { service: "bedrock", region };
    const signed = await signAws(converse(region, model), { ...KEYS, sessionToken }, scope, NOW);
    const names = ["content-type", "host", "x-amz-date"];
    if (sessionToken !== undefined) names.push("x-amz-security-token");
    assertEquals(signed, {
      ...converse(region, model),
      headers: {
        ...JSON_HEADERS,
        "x-amz-date": "20261120T120000Z",
        ...(sessionToken && { "x-amz-security-token": sessionToken }),
        authorization:
          `AWS4-HMAC-SHA256 Credential=${KEYS.accessKeyId}/20261120/${region}/bedrock/aws4_request, ` +
          `SignedHeaders=${names.join(";")}, Signature=${signature}`,
      },
    });
  });
}

Deno.test("signAws() signs the vendor's headers, and none that a proxy may change", async () => {
  const headers = { ...JSON_HEADERS, "user-agent": "a", "X-Amz-Trace": "b", "x-team": "c" };
  const scope = { service: "bedrock", region: "us-east-1" };
  const signed = await signAws(converse("us-east-1", HAIKU, headers), KEYS, scope, NOW);
  const { authorization = "" } = signed.headers;
  assert(authorization.includes("SignedHeaders=content-type;host;x-amz-date;x-amz-trace,"));
  assertEquals(signed.headers["user-agent"], "a");
  assertEquals(signed.headers["x-team"], "c");
});

function providerWith(members: Record<string, unknown>): Provider {
  const bedrock = { kind: "bedrock", region: "us-east-1", models: ["m"], ...members };
  const provider = loadTestConfig({ providers: { bedrock } }).providers.get("bedrock");
  if (provider === undefined) throw new TypeError("The provider is off");
  return provider;
}

async function authorizationOf(provider: Provider): Promise<string | undefined> {
  const request = {
    url: converse("us-east-1", HAIKU).url,
    headers: { "content-type": "application/json" },
    body: BODY,
  };
  const auth = { type: "sigv4", service: "bedrock", region: "us-east-1" } as const;
  const { signal } = new AbortController();
  const fetch = () => Promise.reject(new TypeError());
  const credential = { provider, key: provider.keys[0] };
  const deps = { clock: new ManualClock(), fetch, signal };
  const { headers } = await sigv4.apply(request, auth, credential, deps);
  return headers.authorization;
}

const AWS_KEYS = {
  access_key_id: KEYS.accessKeyId,
  secret_access_key: KEYS.secretAccessKey,
};

Deno.test("sigv4 uses an API key as a bearer token, even if there are AWS keys", async () => {
  assertEquals(await authorizationOf(providerWith({ api_key: "abc" })), "Bearer abc");
  assertEquals(await authorizationOf(providerWith({ api_key: "abc", ...AWS_KEYS })), "Bearer abc");
});

Deno.test("sigv4 signs with AWS keys, at the time of the clock", async () => {
  const authorization = await authorizationOf(providerWith({ ...AWS_KEYS, session_token: "" }));
  const scope = `${KEYS.accessKeyId}/20231114/us-east-1/bedrock/aws4_request`;
  assert(authorization?.startsWith(`AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=`));
  assert(!authorization?.includes("security-token"));
});

Deno.test("a provider's AWS keys are not in the adapter's settings", () => {
  const { settings, secrets } = providerWith({ ...AWS_KEYS, session_token: "t" });
  assertEquals(settings.options, { region: "us-east-1" });
  assertEquals(secrets, { ...AWS_KEYS, session_token: "t" });
});
