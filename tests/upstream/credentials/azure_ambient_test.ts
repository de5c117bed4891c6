/** Azure's identities against imitations of its services. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { GatewayError } from "../../../src/core/errors.ts";
import { fetchAzureToken, modelResource } from "../../../src/upstream/credentials/azure/ambient.ts";
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
  envWith(variables, AMBIENT_VARIABLES.azure);

const TOKEN = "eyJ.azure.token";
const BASE_URL = "https://r.openai.azure.com";
const APP = { AZURE_TENANT_ID: "tenant-1", AZURE_CLIENT_ID: "client-1" };

interface Case {
  readonly variables?: Readonly<Record<string, string>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly secret?: string;
  readonly baseUrl?: string;
}

/** Values are text, as managed identities send them. */
const answerAll = () =>
  Response.json({ access_token: TOKEN, expires_in: "86399", expires_on: "1" });

async function obtain(
  { variables = {}, options = {}, secret, baseUrl = BASE_URL }: Case,
  answer: (call: ServiceCall) => Response | undefined = answerAll,
) {
  await using service = imitateService(answer);
  const clock = new ManualClock();
  const urls: string[] = [];
  const fetch: typeof service.fetch = (url, init) => {
    urls.push(url);
    return service.fetch(url, init);
  };
  const deps = depsFor({ fetch }, clock, { "/federated": "k8s.federated.token\n" });
  const env = envOf({
    AZURE_POD_IDENTITY_AUTHORITY_HOST: service.origin,
    ...Object.fromEntries(
      Object.entries(variables).map((
        [name, value],
      ) => [name, value.replace("{origin}", service.origin)]),
    ),
  });
  const token = await fetchAzureToken(
    { secret, options, resource: modelResource(baseUrl), env },
    deps,
  );
  assertEquals([token.text, clock.pending], [TOKEN, 0]);
  return { call: service.calls[0], left: token.endsAt - clock.now(), url: urls[0] ?? "" };
}

async function faultOf(one: Case, answer: Parameters<typeof obtain>[1] = answerAll) {
  return await assertRejects(() => obtain(one, answer), GatewayError);
}

Deno.test("a client secret gets a token, from the environment or config.yaml", async () => {
  const { call, left, url } = await obtain({
    variables: { ...APP, AZURE_CLIENT_SECRET: "env-secret" },
  });
  assertEquals(url, "https://login.microsoftonline.com/tenant-1/oauth2/v2.0/token");
  assertEquals(left, 86_399_000);
  assertEquals(Object.fromEntries(call?.form ?? []), {
    grant_type: "client_credentials",
    scope: "https://cognitiveservices.azure.com/.default",
    client_id: "client-1",
    client_secret: "env-secret",
  });
  const own = await obtain({
    variables: { ...APP, AZURE_CLIENT_SECRET: "env-secret" },
    options: { tenant_id: "tenant-2", client_id: "client-2" },
    secret: "own-secret",
  });
  assertMatch(own.url, /tenant-2/);
  assertEquals(own.call?.form.get("client_secret"), "own-secret");
});

Deno.test("a workload identity's token is exchanged at the sign-in service of the cluster", async () => {
  const { call, url } = await obtain({
    variables: {
      ...APP,
      AZURE_FEDERATED_TOKEN_FILE: "/federated",
      AZURE_AUTHORITY_HOST: "https://login.microsoftonline.us/",
    },
  });
  assertEquals(url, "https://login.microsoftonline.us/tenant-1/oauth2/v2.0/token");
  assertEquals(call?.form.get("client_assertion"), "k8s.federated.token");
  assertEquals(
    call?.form.get("client_assertion_type"),
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
  );
  const fault = await faultOf({
    variables: {
      ...APP,
      AZURE_FEDERATED_TOKEN_FILE: "/federated",
      AZURE_AUTHORITY_HOST: "http://login.test/",
    },
  });
  assertMatch(fault.message, /not an https URL/);
});

Deno.test("tokens for sovereign clouds are for their resource, from their sign-in service", async () => {
  const variables = { ...APP, AZURE_CLIENT_SECRET: "s" };
  const { call, url } = await obtain({ variables, baseUrl: "https://r.openai.azure.us/openai/v1" });
  assertMatch(url, /^https:\/\/login\.microsoftonline\.us\//);
  assertEquals(call?.form.get("scope"), "https://cognitiveservices.azure.us/.default");
});

Deno.test("an app's managed identity is requested with the header of its variables", async () => {
  const { call, left } = await obtain({
    variables: {
      IDENTITY_ENDPOINT: "{origin}/msi/token",
      IDENTITY_HEADER: "identity-header",
      AZURE_CLIENT_ID: "user-assigned",
    },
  });
  assertEquals([call?.path, left], ["/msi/token", 86_399_000]);
  assertEquals(call?.headers.get("x-identity-header"), "identity-header");
  assertEquals(Object.fromEntries(call?.query ?? []), {
    "api-version": "2019-08-01",
    resource: "https://cognitiveservices.azure.com",
    client_id: "user-assigned",
  });
});

Deno.test("an app's token without a lifetime ends at its time", async () => {
  const variables = { IDENTITY_ENDPOINT: "{origin}/msi/token", IDENTITY_HEADER: "h" };
  const ends = new ManualClock().wallTime() / 1000 + 7200;
  for (const [expires_on, left] of [[String(ends), 7_200_000], ["soon", 300_000]] as const) {
    const answer = () => Response.json({ access_token: TOKEN, expires_on });
    assertEquals((await obtain({ variables }, answer)).left, left);
  }
});

Deno.test("a machine's managed identity is requested from the metadata service", async () => {
  const { call } = await obtain({ options: { client_id: "chosen" } });
  assertEquals(call?.path, "/metadata/identity/oauth2/token");
  assertEquals(call?.headers.get("metadata"), "true");
  assertEquals(Object.fromEntries(call?.query ?? []), {
    "api-version": "2018-02-01",
    resource: "https://cognitiveservices.azure.com",
    client_id: "chosen",
  });
  assertEquals((await obtain({})).call?.query.get("client_id"), null);
});

const AAD_ERROR = {
  error: "invalid_client",
  error_description: "AADSTS7000215: Invalid client secret provided. Trace ID: 1 secret-words",
};

for (
  const [what, answer, kind, message] of [
    [
      "a refusal",
      () => Response.json(AAD_ERROR, { status: 401 }),
      "upstream_auth",
      /status 401, AADSTS7000215\)/,
    ],
    [
      "an unknown identity",
      () => Response.json({ error: "invalid_request" }, { status: 400 }),
      "upstream_auth",
      /status 400, invalid_request\)/,
    ],
    ["a 5xx", () => new Response("oops", { status: 503 }), "upstream_unavailable", /status 503/],
    ["a 429", () => new Response("oops", { status: 429 }), "rate_limited", /status 429/],
    ["garbage", () => new Response("<html>"), "upstream_error", /without them/],
    ["an empty token", () => Response.json({ access_token: "" }), "upstream_error", /without them/],
  ] as const
) {
  for (const source of ["sign-in service", "machine", "app"] as const) {
    Deno.test(`${what} from the ${source} is an error without its text`, async () => {
      const variables = {
        "sign-in service": { ...APP, AZURE_CLIENT_SECRET: "env-secret" },
        machine: {},
        app: { IDENTITY_ENDPOINT: "{origin}/msi", IDENTITY_HEADER: "env-secret" },
      }[source];
      const error = await faultOf({ variables }, answer);
      assertEquals(error.kind, kind);
      assertMatch(error.message, message);
      assert(!/127\.0|env-secret|words|oops|html/.test(error.message), error.message);
    });
  }
}

Deno.test("a metadata service that does not answer is given up after three seconds", async () => {
  await using service = imitateService(() => undefined);
  const clock = new ManualClock();
  const env = envOf({ AZURE_POD_IDENTITY_AUTHORITY_HOST: service.origin });
  const settings = { options: {}, resource: modelResource(BASE_URL), env };
  const waiting = assertRejects(
    () => fetchAzureToken(settings, depsFor(service, clock)),
    GatewayError,
  );
  await service.arrived(1);
  clock.advance(3000);
  assertEquals((await waiting).kind, "upstream_timeout");
});
