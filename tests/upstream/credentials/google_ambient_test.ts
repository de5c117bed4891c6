/** Google's application default credentials against imitations of its services. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { GatewayError } from "../../../src/core/errors.ts";
import {
  fetchGoogleCredentials,
  findGoogleSource,
  labelOf,
} from "../../../src/upstream/credentials/google/ambient.ts";
import {
  depsFor,
  envOf as envWith,
  imitateService,
  type ServiceCall,
} from "../../support/imitated_service.ts";
import { AMBIENT_VARIABLES } from "../../../src/upstream/credentials/find_ambient.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { serviceAccount } from "../../support/service_account.ts";

/** Only declared variables reach the exchange in another thread. */
const envOf = (variables: Readonly<Record<string, string>>) =>
  envWith(variables, AMBIENT_VARIABLES.google);

const TOKEN = "ya29.google-token";
const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const FLAVOR = { "metadata-flavor": "Google" };
const HOUR = 3_600_000;

interface Case {
  readonly variables?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly credentials?: unknown;
}

function answerAll({ path }: ServiceCall): Response {
  if (path.includes(":generateAccessToken")) {
    const expireTime = new Date(new ManualClock().wallTime() + HOUR / 2).toISOString();
    return Response.json({ accessToken: "ya29.impersonated", expireTime });
  }
  if (path === "/subject") return Response.json({ value: "subject-of-url" });
  if (path === "/latest/api/token") return new Response("imds-session");
  if (path.endsWith("availability-zone")) return new Response("eu-west-1b");
  const headers = path.startsWith("/computeMetadata/") ? FLAVOR : {};
  return Response.json({ access_token: TOKEN, expires_in: 3600 }, { headers });
}

async function obtain(
  { variables = {}, files = {}, credentials }: Case,
  answer: (call: ServiceCall) => Response | undefined = answerAll,
) {
  await using service = imitateService(answer);
  const clock = new ManualClock();
  const env = envOf({ HOME: "/home/me", GCE_METADATA_HOST: service.host, ...variables });
  const withOrigin = Object.entries(files).map(([path, text]) => [
    path,
    text.replaceAll("{origin}", service.origin),
  ]);
  const deps = depsFor(service, clock, Object.fromEntries(withOrigin));
  const source = findGoogleSource(credentials, { env, ...deps });
  const label = source && labelOf(source, deps.readFile);
  const token = await fetchGoogleCredentials(credentials, env, deps);
  assertEquals(clock.pending, 0);
  const { text, quotaProject, endsAt } = token;
  return { calls: service.calls, text, quotaProject, left: endsAt - clock.now(), label };
}

async function faultOf(one: Case, answer = answerAll): Promise<GatewayError> {
  return await assertRejects(() => obtain(one, answer), GatewayError);
}

const ADC = { GOOGLE_APPLICATION_CREDENTIALS: "/adc.json" };

/** A file of credentials at the path that the variable names. */
function adc(content: object, files: Readonly<Record<string, string>> = {}): Case {
  return { variables: ADC, files: { ...files, "/adc.json": JSON.stringify(content) } };
}

const USER = {
  type: "authorized_user",
  client_id: "id.apps.googleusercontent.com",
  client_secret: "client-secret",
  refresh_token: "1//refresh",
  quota_project_id: "billed",
};

const EXTERNAL = {
  type: "external_account",
  audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
  token_url: "https://sts.googleapis.com/v1/token",
  credential_source: { file: "/var/run/token" },
};

const IMPERSONATION =
  "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a@b:generateAccessToken";

Deno.test("the metadata server gives a token, and must prove that it is Google's", async () => {
  const { calls, text, left, label } = await obtain({});
  assertEquals([text, left, label], [TOKEN, HOUR, "Google metadata server"]);
  const [call] = calls;
  assertEquals(call?.path, "/computeMetadata/v1/instance/service-accounts/default/token");
  assertEquals(call?.query.get("scopes"), SCOPE);
  assertEquals(call?.headers.get("metadata-flavor"), "Google");
  const other = await faultOf({}, () => Response.json({ access_token: TOKEN, expires_in: 60 }));
  assertEquals(other.kind, "upstream_error");
});

Deno.test("a user's sign-in gets a token, and the project that is billed", async () => {
  const files = {
    "/home/me/.config/gcloud/application_default_credentials.json": JSON.stringify(USER),
  };
  const { calls, text, quotaProject, label } = await obtain({ files });
  assertEquals([text, quotaProject], [TOKEN, "billed"]);
  assertEquals(label, "Google user (gcloud's application default credentials)");
  assertEquals(Object.fromEntries(calls[0]?.form ?? []), {
    grant_type: "refresh_token",
    client_id: "id.apps.googleusercontent.com",
    client_secret: "client-secret",
    refresh_token: "1//refresh",
  });
  const own = await obtain({ files, variables: { GOOGLE_CLOUD_QUOTA_PROJECT: "other" } });
  assertEquals(own.quotaProject, "other");
});

Deno.test("the variable takes precedence over gcloud's file, and config.yaml over both", async () => {
  const files = {
    "/gcloud/application_default_credentials.json": JSON.stringify(USER),
    "/adc.json": serviceAccount().json,
  };
  const variables = { ...ADC, CLOUDSDK_CONFIG: "/gcloud" };
  const { calls, label } = await obtain({ files, variables });
  assertEquals(calls[0]?.form.get("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
  assertEquals(label, "Google service account sluice@test-project.iam.gserviceaccount.com");
  const own = await obtain({ files, variables, credentials: JSON.stringify(USER) });
  assertEquals(own.calls[0]?.form.get("grant_type"), "refresh_token");
});

Deno.test("a workload identity's token from a file is exchanged", async () => {
  const one = adc(EXTERNAL, { "/var/run/token": "jwt.from.file\n" });
  const { calls, text, label } = await obtain(one);
  assertEquals(text, TOKEN);
  assertEquals(label, "Google workload identity federation (GOOGLE_APPLICATION_CREDENTIALS)");
  assertEquals([calls[0]?.path, Object.fromEntries(calls[0]?.form ?? [])], ["/v1/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    audience: EXTERNAL.audience,
    scope: SCOPE,
    requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
    subject_token: "jwt.from.file",
    subject_token_type: EXTERNAL.subject_token_type,
  }]);
});

Deno.test("a workload identity's token from a URL is exchanged, then for that of an account", async () => {
  const { calls, text, left } = await obtain(adc({
    ...EXTERNAL,
    service_account_impersonation_url: IMPERSONATION,
    service_account_impersonation: { token_lifetime_seconds: 1800 },
    credential_source: {
      url: "{origin}/subject",
      headers: { "X-Identity": "yes" },
      format: { type: "json", subject_token_field_name: "value" },
    },
  }));
  assertEquals([text, left], ["ya29.impersonated", HOUR / 2]);
  const [subject, exchange, impersonation] = calls;
  assertEquals(subject?.headers.get("x-identity"), "yes");
  assertEquals(exchange?.form.get("subject_token"), "subject-of-url");
  assertEquals(impersonation?.headers.get("authorization"), `Bearer ${TOKEN}`);
  assertEquals(JSON.parse(impersonation?.text ?? ""), { scope: [SCOPE], lifetime: "1800s" });
});

Deno.test("an AWS identity is proved by a signed request, which is not sent to AWS", async () => {
  const variables = { ...ADC, AWS_ACCESS_KEY_ID: "AKIAENV", AWS_SECRET_ACCESS_KEY: "s" };
  const content = {
    ...EXTERNAL,
    subject_token_type: "urn:ietf:params:aws:token-type:aws4_request",
    credential_source: {
      environment_id: "aws1",
      regional_cred_verification_url:
        "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15",
    },
  };
  const { files } = adc(content);
  const { calls } = await obtain({
    files: files ?? {},
    variables: { ...variables, AWS_REGION: "us-east-2" },
  });
  assertEquals(calls.length, 1);
  const subject = JSON.parse(decodeURIComponent(calls[0]?.form.get("subject_token") ?? ""));
  assertEquals(
    [subject.url, subject.method],
    ["https://sts.us-east-2.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15", "POST"],
  );
  const headers = new Map<string, string>(
    subject.headers.map(({ key, value }: { key: string; value: string }) => [key, value]),
  );
  assertEquals(headers.get("host"), "sts.us-east-2.amazonaws.com");
  assertEquals(headers.get("x-goog-cloud-target-resource"), EXTERNAL.audience);
  assertMatch(headers.get("authorization") ?? "", /Credential=AKIAENV\/20231114\/us-east-2\/sts\//);
  // Its identity is found as that of a provider of AWS is.
  const profile = await obtain({
    files: {
      ...files,
      "/home/me/.aws/config":
        "[profile work]\naws_access_key_id = AKIAWORK\naws_secret_access_key = s\n",
    },
    variables: { ...variables, AWS_PROFILE: "work", AWS_REGION: "us-east-2" },
  });
  assertMatch(
    decodeURIComponent(profile.calls[0]?.form.get("subject_token") ?? ""),
    /Credential=AKIAWORK\//,
  );
  const unknown = await faultOf({ files: files ?? {}, variables });
  assertMatch(unknown.message, /set AWS_REGION/);
  const evil = adc({
    ...content,
    credential_source: {
      environment_id: "aws1",
      regional_cred_verification_url: "https://sts.evil.test/",
    },
  });
  const fault = await faultOf({ ...evil, variables: { ...variables, AWS_REGION: "us-east-2" } });
  assertMatch(fault.message, /is not AWS's/);
});

Deno.test("a person of a workforce pool gets a token, and the project that is billed", async () => {
  const type = "external_account_authorized_user";
  const { calls, quotaProject, text, label } = await obtain(adc({ ...USER, type }));
  assertEquals([text, quotaProject], [TOKEN, "billed"]);
  assertEquals(label, "Google user (GOOGLE_APPLICATION_CREDENTIALS)");
  const [call] = calls;
  assertEquals(call?.path, "/v1/oauthtoken");
  assertEquals([...call?.form ?? []], [
    ["grant_type", "refresh_token"],
    ["refresh_token", "1//refresh"],
  ]);
  const basic = atob((call?.headers.get("authorization") ?? "").replace(/^Basic /, ""));
  assertEquals(basic, "id.apps.googleusercontent.com:client-secret");
  const foreign = await faultOf(adc({ ...USER, type, token_url: "https://evil.test/" }));
  assertMatch(foreign.message, /'token_url' of the external user is not Google's/);
  const incomplete = await faultOf(adc({ ...USER, type, client_secret: undefined }));
  assertMatch(incomplete.message, /external user's credentials lack/);
});

Deno.test("an account is impersonated with a user's or another account's credentials", async () => {
  const { calls, text } = await obtain(adc({
    type: "impersonated_service_account",
    service_account_impersonation_url: IMPERSONATION,
    delegates: ["d@e"],
    source_credentials: USER,
  }));
  assertEquals(text, "ya29.impersonated");
  assertEquals(JSON.parse(calls[1]?.text ?? "").delegates, ["d@e"]);
  for (
    const source of [
      { ...EXTERNAL, credential_source: { url: "{origin}/subject" } },
      { ...USER, type: "external_account_authorized_user" },
    ]
  ) {
    const found = await obtain(adc({
      type: "impersonated_service_account",
      service_account_impersonation_url: IMPERSONATION,
      source_credentials: source,
    }));
    const bearer = found.calls.at(-1)?.headers.get("authorization");
    assertEquals([found.text, bearer], ["ya29.impersonated", `Bearer ${TOKEN}`], source.type);
  }
  const external = await faultOf(adc({
    type: "impersonated_service_account",
    service_account_impersonation_url: IMPERSONATION,
    source_credentials: { type: "impersonated_service_account" },
  }));
  assertMatch(external.message, /neither a user's nor an account's/);
});

for (
  const [what, content, message] of [
    ["a foreign token URL", { ...EXTERNAL, token_url: "https://evil.test/token" }, /not Google's/],
    [
      "a token URL without TLS",
      { ...EXTERNAL, token_url: "http://sts.googleapis.com/" },
      /not Google's/,
    ],
    ["no audience", { ...EXTERNAL, audience: undefined }, /lacks 'audience'/],
    ["a program", { ...EXTERNAL, credential_source: { executable: {} } }, /Sluice runs none/],
    ["no source", { ...EXTERNAL, credential_source: {} }, /neither 'file' nor 'url'/],
    ["a missing file", EXTERNAL, /cannot be read from its file/],
    ["a user without token", { ...USER, refresh_token: "" }, /lack 'client_id'/],
    [
      "a foreign account URL",
      {
        ...EXTERNAL,
        credential_source: { url: "{origin}/x" },
        service_account_impersonation_url: "https://evil.test/",
      },
      /'service_account_impersonation_url' is not Google's/,
    ],
    ["an unknown type", { type: "toString" }, /known type/],
  ] as const
) {
  Deno.test(`a file with ${what} is an error`, async () => {
    const { kind, message: text } = await faultOf(adc(content));
    assertEquals(kind, "upstream_auth");
    assertMatch(text, message);
  });
}

for (
  const [what, answer, kind, message] of [
    [
      "a refusal",
      () =>
        Response.json({ error: "invalid_grant", error_description: "secret words" }, {
          status: 400,
          headers: FLAVOR,
        }),
      "upstream_auth",
      /status 400/,
    ],
    [
      "a 5xx",
      () => new Response("oops", { status: 503, headers: FLAVOR }),
      "upstream_unavailable",
      /503/,
    ],
    [
      "garbage",
      () => new Response("<html>", { headers: FLAVOR }),
      "upstream_error",
      /without them/,
    ],
    [
      "a token that no header can hold",
      () => Response.json({ access_token: "a b" }, { headers: FLAVOR }),
      "upstream_error",
      /without them/,
    ],
  ] as const
) {
  for (const source of ["metadata server", "token service"] as const) {
    Deno.test(`${what} from the ${source} is an error without its text`, async () => {
      const error = await faultOf(source === "metadata server" ? {} : adc(USER), answer);
      assertEquals(error.kind, kind);
      assertMatch(error.message, message);
      assert(!/127\.0|secret|oops|html|refresh_/.test(error.message), error.message);
    });
  }
}

Deno.test("a token without a lifetime from the metadata server is cached for a minute", async () => {
  const answer = () => Response.json({ access_token: TOKEN }, { headers: FLAVOR });
  assertEquals((await obtain({}, answer)).left, 60_000);
});

Deno.test("a metadata server that does not answer is given up after three seconds", async () => {
  await using service = imitateService(() => undefined);
  const clock = new ManualClock();
  const env = envOf({ GCE_METADATA_HOST: service.host });
  const waiting = assertRejects(
    () => fetchGoogleCredentials(undefined, env, depsFor(service, clock)),
    GatewayError,
  );
  await service.arrived(1);
  clock.advance(3000);
  assertEquals((await waiting).kind, "upstream_timeout");
});
