/** AWS's default chain against imitations of its services on loopback ports. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { createHash } from "node:crypto";
import { GatewayError } from "../../../src/core/errors.ts";
import { describeAws, fetchAwsCredentials } from "../../../src/upstream/credentials/aws/ambient.ts";
import {
  depsFor,
  envOf as envWith,
  imitateService,
  type ServiceCall,
} from "../../support/imitated_service.ts";
import { AMBIENT_VARIABLES } from "../../../src/upstream/credentials/find_ambient.ts";
import { ManualClock } from "../../support/manual_clock.ts";

/** Only declared variables reach the exchange in another thread. */
const envOf = (variables: Readonly<Record<string, string>>) =>
  envWith(variables, AMBIENT_VARIABLES.aws);

const HOUR = 3_600_000;
const ENDS = new ManualClock().wallTime() + HOUR;
const EXPIRATION = new Date(ENDS).toISOString();
const KEYS = {
  accessKeyId: "ASIAEXAMPLE",
  secretAccessKey: "secret/of/the/session",
  sessionToken: "session/token==",
};
const ROLE = "arn:aws:iam::123456789012:role/team/reader";
const OPTIONS = { region: "eu-west-1" };

/** The answer of the token service. */
function stsAnswer(action: string): Response {
  return new Response(
    `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result>` +
      `<AssumedRoleUser><Arn>arn</Arn></AssumedRoleUser><Credentials>` +
      `<AccessKeyId>${KEYS.accessKeyId}</AccessKeyId>` +
      `<SecretAccessKey>${KEYS.secretAccessKey}</SecretAccessKey>\n` +
      `<SessionToken>${KEYS.sessionToken}</SessionToken><Expiration>${EXPIRATION}</Expiration>` +
      `</Credentials></${action}Result></${action}Response>`,
  );
}

const LOCAL_ANSWER = {
  Code: "Success",
  AccessKeyId: KEYS.accessKeyId,
  SecretAccessKey: KEYS.secretAccessKey,
  Token: KEYS.sessionToken,
  Expiration: EXPIRATION,
};

function answerAll({ path, form }: ServiceCall): Response {
  if (path === "/") return stsAnswer(form.get("Action") ?? "");
  if (path === "/latest/api/token") return new Response("imds-session");
  if (path.endsWith("/security-credentials/")) return new Response("reader-role\n");
  if (path === "/federation/credentials") {
    return Response.json({ roleCredentials: { ...KEYS, expiration: ENDS } });
  }
  return Response.json(LOCAL_ANSWER);
}

interface Case {
  readonly variables?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Gets credentials from a service, which all variables for addresses name. */
async function obtain(
  { variables = {}, files = {}, options = OPTIONS }: Case,
  answer: (call: ServiceCall) => Response | undefined = answerAll,
) {
  await using service = imitateService(answer);
  const clock = new ManualClock();
  const env = envOf({
    HOME: "/home/me",
    AWS_ENDPOINT_URL_STS: `${service.origin}/`,
    AWS_ENDPOINT_URL_SSO: service.origin,
    AWS_EC2_METADATA_SERVICE_ENDPOINT: `${service.origin}/`,
    ...variables,
  });
  const deps = depsFor(service, clock, files);
  const label = describeAws(options, { env, readFile: deps.readFile })?.label;
  const { endsAt, ...keys } = await fetchAwsCredentials({ options, env }, deps);
  assertEquals(clock.pending, 0);
  return { calls: service.calls, keys, left: endsAt - clock.now(), label };
}

async function faultOf(one: Case, answer = answerAll): Promise<GatewayError> {
  return await assertRejects(() => obtain(one, answer), GatewayError);
}

const ENV_KEYS = { AWS_ACCESS_KEY_ID: "AKIAENV", AWS_SECRET_ACCESS_KEY: "env-secret" };
const CONFIG = "/home/me/.aws/config";
const CREDENTIALS = "/home/me/.aws/credentials";

Deno.test("keys in the environment are used without a request, and a profile before them", async () => {
  const own = await obtain({ variables: { ...ENV_KEYS, AWS_SESSION_TOKEN: "t" } });
  assertEquals(own.keys, {
    accessKeyId: "AKIAENV",
    secretAccessKey: "env-secret",
    sessionToken: "t",
  });
  assertEquals([own.calls.length, own.label], [0, "AWS keys in the environment"]);
  const files = {
    [CREDENTIALS]: "[dev]\naws_access_key_id = AKIADEV\naws_secret_access_key=s # note\n",
  };
  const dev = await obtain({ variables: { ...ENV_KEYS, AWS_PROFILE: "dev" }, files });
  assertEquals(dev.keys.accessKeyId, "AKIADEV");
  assertEquals(dev.keys.secretAccessKey, "s");
  assertEquals(dev.label, "AWS profile 'dev'");
});

Deno.test("a provider's own profile comes before AWS_PROFILE and the keys of the environment", async () => {
  const profile = (name: string, id: string) =>
    `[profile ${name}]\naws_access_key_id = ${id}\naws_secret_access_key = s\n`;
  const files = { [CONFIG]: profile("one", "AKIAONE") + profile("two", "AKIATWO") };
  const variables = { ...ENV_KEYS, AWS_PROFILE: "one" };
  const found = await obtain({ variables, files, options: { ...OPTIONS, profile: "two" } });
  assertEquals([found.keys.accessKeyId, found.label], ["AKIATWO", "AWS profile 'two'"]);
  const fault = await faultOf({ variables, files, options: { ...OPTIONS, profile: "three" } });
  assertMatch(fault.message, /there is no AWS profile 'three'/);
});

Deno.test("a web identity token is exchanged without a signature", async () => {
  const variables = {
    AWS_WEB_IDENTITY_TOKEN_FILE: "/token",
    AWS_ROLE_ARN: ROLE,
    AWS_ROLE_SESSION_NAME: "pod-1",
  };
  const { calls, keys, left, label } = await obtain({
    variables,
    files: { "/token": "jwt.a.b\n" },
  });
  assertEquals([keys, left, label], [KEYS, HOUR, "AWS web identity, role reader"]);
  const [call] = calls;
  assertEquals(Object.fromEntries(call?.form ?? []), {
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: ROLE,
    RoleSessionName: "pod-1",
    WebIdentityToken: "jwt.a.b",
  });
  assertEquals(call?.headers.get("authorization"), null);
});

Deno.test("a profile's role is assumed with the keys of its source profile", async () => {
  const files = {
    [CONFIG]: `
[default]
region = us-east-2
[profile ops]
role_arn = ${ROLE}
source_profile = base
external_id = ticket-7
duration_seconds = 900
s3 =
  max_concurrent_requests = 20
`,
    [CREDENTIALS]: "[base]\naws_access_key_id=AKIABASE\naws_secret_access_key=s\n",
  };
  const { calls, keys, label } = await obtain({ variables: { AWS_PROFILE: "ops" }, files });
  assertEquals([keys, label], [KEYS, "AWS profile 'ops', role reader"]);
  const [call] = calls;
  assertEquals(Object.fromEntries(call?.form ?? []), {
    Action: "AssumeRole",
    Version: "2011-06-15",
    RoleArn: ROLE,
    RoleSessionName: "sluice",
    DurationSeconds: "900",
    ExternalId: "ticket-7",
  });
  assertMatch(
    call?.headers.get("authorization") ?? "",
    /^AWS4-HMAC-SHA256 Credential=AKIABASE\/20231114\/eu-west-1\/sts\/aws4_request, /,
  );
});

Deno.test("a provider's role is assumed with the machine's credentials, in its region", async () => {
  const assume_role = {
    role_arn: ROLE,
    external_id: "x-1",
    region: "ap-south-1",
    session_name: "gateway",
  };
  const { calls, keys, label } = await obtain({
    options: { ...OPTIONS, assume_role },
    variables: ENV_KEYS,
  });
  assertEquals([keys, label], [KEYS, "AWS keys in the environment, then role reader"]);
  const [call] = calls;
  assertEquals(call?.form.get("ExternalId"), "x-1");
  assertEquals(call?.form.get("RoleSessionName"), "gateway");
  assertMatch(call?.headers.get("authorization") ?? "", /AKIAENV\/20231114\/ap-south-1\/sts\//);
});

Deno.test("the token service's host depends on the region and its partition", async () => {
  const urls: string[] = [];
  for (const region of ["us-east-1", "cn-north-1"]) {
    const fetch = (url: string) => {
      urls.push(url);
      return Promise.resolve(stsAnswer("AssumeRoleWithWebIdentity"));
    };
    const env = envOf({ AWS_WEB_IDENTITY_TOKEN_FILE: "/t", AWS_ROLE_ARN: ROLE });
    const deps = depsFor({ fetch }, new ManualClock(), { "/t": "jwt" });
    await fetchAwsCredentials({ options: { region }, env }, deps);
  }
  assertEquals(urls, [
    "https://sts.us-east-1.amazonaws.com/",
    "https://sts.cn-north-1.amazonaws.com.cn/",
  ]);
});

Deno.test("a container's role is requested with the token of its file", async () => {
  await using service = imitateService(answerAll);
  const clock = new ManualClock();
  const env = envOf({
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${service.origin}/v1/credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "/pod/token",
    AWS_CONTAINER_AUTHORIZATION_TOKEN: "not this one",
  });
  const deps = depsFor(service, clock, { "/pod/token": "eks-pod-token\r\n" });
  const { endsAt, ...keys } = await fetchAwsCredentials({ options: OPTIONS, env }, deps);
  assertEquals([keys, endsAt - clock.now()], [KEYS, HOUR]);
  const [call] = service.calls;
  assertEquals([call?.path, call?.headers.get("authorization")], [
    "/v1/credentials",
    "eks-pod-token",
  ]);
});

Deno.test("a relative URI names the host of ECS, and other hosts need https", async () => {
  const urls: string[] = [];
  const fetch = (url: string) => {
    urls.push(url);
    return Promise.resolve(Response.json(LOCAL_ANSWER));
  };
  const get = (variables: Record<string, string>) =>
    fetchAwsCredentials(
      { options: OPTIONS, env: envOf(variables) },
      depsFor({ fetch }, new ManualClock()),
    );
  await get({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: "/v2/credentials/id" });
  const full = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
  for (const url of ["http://169.254.170.23/v1", "http://[fd00:ec2::23]/v1", "https://a.test/v1"]) {
    await get({ [full]: url });
  }
  for (const url of ["http://a.test/", "http://169.254.170.23.evil.test/", "ftp://127.0.0.1/"]) {
    await assertRejects(() => get({ [full]: url }), GatewayError, "container host");
  }
  assertEquals(urls, [
    "http://169.254.170.2/v2/credentials/id",
    "http://169.254.170.23/v1",
    "http://[fd00:ec2::23]/v1",
    "https://a.test/v1",
  ]);
});

Deno.test("an instance's role is requested in a session of IMDSv2", async () => {
  const { calls, keys, left, label } = await obtain({});
  assertEquals([keys, left, label], [KEYS, HOUR, "AWS instance metadata"]);
  assertEquals(calls.map(({ method, path }) => `${method} ${path}`), [
    "PUT /latest/api/token",
    "GET /latest/meta-data/iam/security-credentials/",
    "GET /latest/meta-data/iam/security-credentials/reader-role",
  ]);
  assertEquals(calls[0]?.headers.get("x-aws-ec2-metadata-token-ttl-seconds"), "60");
  assertEquals(
    calls.slice(1).map(({ headers }) => headers.get("x-aws-ec2-metadata-token")),
    ["imds-session", "imds-session"],
  );
});

const SSO_CONFIG = `
[profile corp]
sso_session = main
sso_account_id = 123456789012
sso_role_name = Reader
[sso-session main]
sso_region = eu-central-1
sso_start_url = https://corp.awsapps.com/start
`;

function ssoFiles(expiresAt: number, config = SSO_CONFIG, name = "main") {
  const file = createHash("sha1").update(name).digest("hex");
  return {
    [CONFIG]: config,
    [`/home/me/.aws/sso/cache/${file}.json`]: JSON.stringify({
      accessToken: "sso-access-token",
      expiresAt: new Date(expiresAt).toISOString(),
    }),
  };
}

Deno.test("the token of an SSO sign-in gets the credentials of its role", async () => {
  const variables = { AWS_PROFILE: "corp" };
  const old = SSO_CONFIG.replace("sso_session = main", "").replace("[sso-session main]", "");
  const start = "https://corp.awsapps.com/start";
  for (const files of [ssoFiles(ENDS), ssoFiles(ENDS, old, start)]) {
    const { calls, keys, left, label } = await obtain({ variables, files });
    assertEquals([keys, left, label], [KEYS, HOUR, "AWS profile 'corp', SSO"]);
    const [call] = calls;
    assertEquals(call?.headers.get("x-amz-sso_bearer_token"), "sso-access-token");
    assertEquals(Object.fromEntries(call?.query ?? []), {
      role_name: "Reader",
      account_id: "123456789012",
    });
  }
});

Deno.test("an SSO sign-in that has expired or is missing names the command to run", async () => {
  const variables = { AWS_PROFILE: "corp" };
  const expired = ssoFiles(ENDS - 2 * HOUR);
  const missing = { [CONFIG]: SSO_CONFIG };
  for (const files of [expired, missing]) {
    const { kind, message } = await faultOf({ variables, files });
    assertEquals(kind, "upstream_auth");
    assertMatch(message, /aws sso login --profile corp/);
  }
  const refused = await faultOf(
    { variables, files: ssoFiles(ENDS) },
    () => new Response("{}", { status: 401 }),
  );
  assertMatch(refused.message, /rejected: run 'aws sso login/);
});

for (
  const [what, config, message] of [
    ["no such profile", "[profile other]\nregion=x", /there is no AWS profile 'p'/],
    ["a program", "[profile p]\ncredential_process = /bin/x", /runs no programs/],
    ["an MFA device", `[profile p]\nrole_arn=${ROLE}\nmfa_serial=x\nsource_profile=q`, /MFA/],
    ["a role without source", `[profile p]\nrole_arn=${ROLE}`, /without source_profile/],
    ["a circle", `[profile p]\nrole_arn=${ROLE}\nsource_profile=p`, /refers to itself/],
    [
      "a longer circle",
      `[profile p]\nrole_arn=${ROLE}\nsource_profile=q
[profile q]\nrole_arn=${ROLE}\nsource_profile=p`,
      /refers to itself/,
    ],
    ["an unknown source", `[profile p]\nrole_arn=${ROLE}\ncredential_source=toString`, /toString/],
    ["SSO without session", "[profile p]\nsso_account_id=1\nsso_session=s", /incomplete/],
    ["nothing", "[profile p]\nregion = eu-west-1", /has no credentials/],
  ] as const
) {
  Deno.test(`a profile with ${what} ends the chain with a reason`, async () => {
    const { kind, message: text } = await faultOf({
      variables: { AWS_PROFILE: "p" },
      files: { [CONFIG]: config },
    });
    assertEquals(kind, "upstream_auth");
    assertMatch(text, message);
  });
}

Deno.test("a role may be assumed with the credentials of the environment or the container", async () => {
  const config = (source: string) =>
    `[profile p]\nrole_arn=${ROLE}\ncredential_source = ${source}\n`;
  const run = (source: string) =>
    obtain({
      variables: { AWS_PROFILE: "p", ...ENV_KEYS },
      files: { [CONFIG]: config(source) },
    });
  const env = await run("Environment");
  assertMatch(env.calls[0]?.headers.get("authorization") ?? "", /Credential=AKIAENV\//);
  const instance = await run("Ec2InstanceMetadata");
  assertEquals(instance.calls.length, 4);
  const sts = instance.calls[3];
  assertMatch(sts?.headers.get("authorization") ?? "", /Credential=ASIAEXAMPLE\//);
  assertEquals(sts?.headers.get("x-amz-security-token"), KEYS.sessionToken);
});

Deno.test("a default profile without credentials is passed over", async () => {
  const files = { [CONFIG]: "[default]\nregion = eu-west-1\n" };
  assertEquals((await obtain({ files })).label, "AWS instance metadata");
  const off = await faultOf({ files, variables: { AWS_EC2_METADATA_DISABLED: "true" } });
  assertMatch(off.message, /there are no AWS credentials/);
});

const STS_ERROR = `<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>
<Message>User: arn:aws:iam::123456789012:user/x is not authorized</Message></Error></ErrorResponse>`;

for (
  const [what, answer, kind, message] of [
    [
      "a refusal",
      () => new Response(STS_ERROR, { status: 403 }),
      "upstream_auth",
      /403, AccessDenied\)/,
    ],
    ["a 5xx", () => new Response("oops", { status: 503 }), "upstream_unavailable", /status 503/],
    ["a 429", () => new Response("", { status: 429 }), "rate_limited", /status 429/],
    ["garbage", () => new Response("<html>"), "upstream_error", /without them/],
    ["nothing", () => new Response(""), "upstream_error", /without them/],
    [
      "keys that no header can hold",
      () => Response.json({ ...LOCAL_ANSWER, Token: "a\nb" }),
      "upstream_error",
      /without them/,
    ],
    [
      "no end",
      () => Response.json({ ...LOCAL_ANSWER, Expiration: "soon" }),
      "upstream_error",
      /without them/,
    ],
  ] as const
) {
  for (const source of ["token service", "container", "instance", "SSO portal"] as const) {
    Deno.test(`${what} from the ${source} is an error without its text`, async () => {
      await using service = imitateService(answer);
      const variables = {
        "token service": {
          AWS_WEB_IDENTITY_TOKEN_FILE: "/t",
          AWS_ROLE_ARN: ROLE,
          AWS_ENDPOINT_URL_STS: service.origin,
        },
        container: { AWS_CONTAINER_CREDENTIALS_FULL_URI: service.origin },
        instance: { AWS_EC2_METADATA_SERVICE_ENDPOINT: service.origin },
        "SSO portal": {
          ...{ AWS_PROFILE: "corp", HOME: "/home/me" },
          AWS_ENDPOINT_URL_SSO: service.origin,
        },
      }[source];
      const clock = new ManualClock();
      const deps = depsFor(service, clock, { "/t": "jwt.secret.part", ...ssoFiles(ENDS) });
      const error = await assertRejects(
        () => fetchAwsCredentials({ options: OPTIONS, env: envOf(variables) }, deps),
        GatewayError,
      );
      assertEquals(error.kind, kind);
      if (what !== "a refusal" || source === "token service") assertMatch(error.message, message);
      assert(!/127\.0|jwt|arn:|oops|html/.test(error.message), error.message);
      assertEquals(clock.pending, 0);
    });
  }
}

Deno.test("a service that does not answer is given up after three seconds", async () => {
  await using service = imitateService(() => undefined);
  const clock = new ManualClock();
  const env = envOf({ AWS_EC2_METADATA_SERVICE_ENDPOINT: service.origin });
  const waiting = assertRejects(
    () => fetchAwsCredentials({ options: OPTIONS, env }, depsFor(service, clock)),
    GatewayError,
  );
  await service.arrived(1);
  clock.advance(3000);
  assertEquals((await waiting).kind, "upstream_timeout");
});

Deno.test("a token file that is missing, empty or no token is an error", async () => {
  const variables = { AWS_WEB_IDENTITY_TOKEN_FILE: "/t", AWS_ROLE_ARN: ROLE };
  for (const files of [{}, { "/t": " \n" }, { "/t": "two words" }]) {
    const { kind, message } = await faultOf({ variables, files });
    assertEquals(kind, "upstream_auth");
    assertMatch(message, /web identity token/);
  }
});
