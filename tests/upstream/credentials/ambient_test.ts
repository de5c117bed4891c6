/** Providers without keys: when they are enabled, and how their requests get credentials. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { setImmediate } from "node:timers/promises";
import { toBanner, toReport } from "../../../src/tools/banner.ts";
import type { Config } from "../../../src/config/config.ts";
import { loadConfigWithSnapshot, loadSnapshot } from "../../../src/config/snapshot.ts";
import { adapters } from "../../../src/providers/registry.ts";
import { findAmbient, type HasMetadata } from "../../../src/upstream/credentials/find_ambient.ts";
import { createTestGateway, loadTestConfig, type TestOptions } from "../../support/gateway.ts";

const BEDROCK = { kind: "bedrock", region: "eu-west-1", models: ["m"] };
const VERTEX = { kind: "vertex", project: "p", models: ["gemini-3-flash"] };
const GEMINI = { kind: "gemini", models: ["gemini-3-flash"] };
const AZURE = { kind: "azure", base_url: "https://r.openai.azure.com", models: ["gpt-5.5"] };
const CHAT = { messages: [{ role: "user", content: "Hi" }] };
const FLAVOR = { "metadata-flavor": "Google" };
const ENV_KEYS = { AWS_ACCESS_KEY_ID: "AKIAENV", AWS_SECRET_ACCESS_KEY: "env-secret" };

function load(
  provider: Record<string, unknown>,
  env: Record<string, string> = {},
  hasMetadata: HasMetadata = () => undefined,
): Config {
  return loadTestConfig({ providers: { p: provider } }, env, hasMetadata);
}

/** The source of the provider's credentials, or why it is disabled. */
function stateOf(...given: Parameters<typeof load>): string {
  const { disabled: [off], providers } = load(...given);
  return off === undefined ? `on: ${providers.get("p")?.ambient?.source}` : `off: ${off.reason}`;
}

for (
  const [what, provider, env, source] of [
    ["bedrock", BEDROCK, ENV_KEYS, "AWS keys in the environment"],
    [
      "bedrock with a role",
      {
        ...BEDROCK,
        assume_role: { role_arn: "arn:aws:iam::123456789012:role/x", external_id: "e-1" },
      },
      ENV_KEYS,
      "AWS keys in the environment, then role x",
    ],
    ["bedrock", BEDROCK, {}, "AWS instance metadata, if available"],
    ["vertex", VERTEX, {}, "Google metadata server, if available"],
    ["gemini", GEMINI, {}, "Google metadata server, if available"],
    [
      "azure",
      AZURE,
      { AZURE_TENANT_ID: "t", AZURE_CLIENT_ID: "c", AZURE_FEDERATED_TOKEN_FILE: "/x" },
      "Azure workload identity",
    ],
    ["azure", AZURE, {}, "Azure managed identity of the machine, if available"],
  ] as const
) {
  Deno.test(`${what} without keys is enabled by: ${source}`, () => {
    assertEquals(stateOf(provider, env), `on: ${source}`);
  });
}

Deno.test("a metadata service that exists enables a provider, and a missing one disables it", () => {
  for (const provider of [BEDROCK, VERTEX, GEMINI, AZURE]) {
    assertMatch(stateOf(provider, {}, () => true), /^on: (?!.*if there is any)/);
    assertMatch(
      stateOf(provider, {}, () => false),
      /^off: no .*; no \w+ credentials on the machine$/,
    );
  }
});

Deno.test("a metadata service is looked for only where nothing else is configured", () => {
  const asked: string[] = [];
  const hasMetadata: HasMetadata = ({ cloud }) => void asked.push(cloud);
  load({ ...BEDROCK, api_key: "k" }, {}, hasMetadata);
  load({ ...BEDROCK, access_key_id: "i", secret_access_key: "s" }, {}, hasMetadata);
  load({ ...BEDROCK, api_key: "${UNSET}" }, {}, hasMetadata);
  load(BEDROCK, ENV_KEYS, hasMetadata);
  load(BEDROCK, { AWS_EC2_METADATA_DISABLED: "true" }, hasMetadata);
  load({ ...VERTEX, credentials: "/x.json" }, {}, hasMetadata);
  load({ ...VERTEX, api_key: "k" }, {}, hasMetadata);
  load(GEMINI, { NO_GCE_CHECK: "true" }, hasMetadata);
  load({ ...AZURE, tenant_id: "t", client_id: "c", client_secret: "s" }, {}, hasMetadata);
  load({ kind: "openai", models: ["gpt-5.5"] }, {}, hasMetadata);
  assertEquals(asked, []);
  load(BEDROCK, {}, hasMetadata);
  assertEquals(asked, ["aws"]);
});

Deno.test("a provider whose named key is unset stays disabled", () => {
  assertEquals(stateOf({ ...GEMINI, api_key: "${K}" }, {}, () => true), "off: K is not set");
});

Deno.test("a provider whose named keys are unset uses credentials that the platform gives it", () => {
  const keys = { api_key: "${B}", access_key_id: "${ID}", secret_access_key: "${S}" };
  const pod = { AWS_WEB_IDENTITY_TOKEN_FILE: "/t", AWS_ROLE_ARN: "arn:aws:iam::1:role/pod" };
  const app = { IDENTITY_ENDPOINT: "http://127.0.0.1/msi", IDENTITY_HEADER: "h" };
  assertEquals(stateOf({ ...BEDROCK, ...keys }, pod), "on: AWS web identity, role pod");
  assertEquals(
    stateOf({ ...AZURE, api_key: "${K}" }, app),
    "on: Azure managed identity of the app",
  );
  // Its own key comes first, and other unset members disable it.
  assertEquals(stateOf({ ...BEDROCK, ...keys }, { ...pod, B: "b" }), "on: undefined");
  assertEquals(
    stateOf({ ...BEDROCK, ...keys, base_url: "${URL}" }, pod),
    "off: B is not set, ID is not set, S is not set, URL is not set",
  );
  // Credentials of a user or a machine need an entry without keys.
  const user = { HOME: "/home/me", GOOGLE_APPLICATION_CREDENTIALS: "/x.json" };
  assertEquals(
    stateOf({ ...BEDROCK, ...keys }, user, () => true),
    "off: B is not set, ID is not set, S is not set",
  );
  assertEquals(stateOf({ ...GEMINI, api_key: "${K}" }, user, () => true), "off: K is not set");
});

Deno.test("a failed renewal is logged, and the credentials stay in use until they end", async () => {
  let isFailing = false;
  const gateway = createTestGateway({
    config: { providers: { p: GEMINI } },
    hasMetadata: () => true,
    fetch: (url) => {
      if (!url.includes("169.254")) {
        return Promise.resolve(Response.json({ candidates: [] }, { status: 400 }));
      }
      if (isFailing) return Promise.resolve(new Response("", { status: 503, headers: FLAVOR }));
      const body = { access_token: "token-1", expires_in: 3600 };
      return Promise.resolve(Response.json(body, { headers: FLAVOR }));
    },
  });
  const call = async () =>
    (await gateway.call("/v1/chat/completions", { model: "gemini-3-flash", ...CHAT })).status;
  assertEquals(await call(), 400);
  isFailing = true;
  gateway.clock.advance(56 * 60_000);
  assertEquals([await call(), await call()], [400, 400]);
  while (gateway.logged.length < 1) await setImmediate();
  assertEquals([await call(), gateway.logged.length], [400, 1]);
  assertMatch(
    gateway.logged[0] ?? "",
    /^The credentials for provider 'p' cannot be renewed: .*status 503\); those in use are valid for 240 s$/,
  );
  gateway.clock.advance(10_000);
  assertEquals(await call(), 400);
  while (gateway.logged.length < 2) await setImmediate();
  gateway.clock.advance(4 * 60_000);
  assertEquals(await call(), 503);
  isFailing = false;
  assertEquals(await call(), 400);
});

Deno.test("a source that cannot be used disables the provider, with the reason for operators", () => {
  const { disabled: [off] } = load(BEDROCK, { AWS_PROFILE: "gone", HOME: "/nowhere" });
  assertStringIncludes(off?.reason ?? "", "; there is no AWS profile 'gone'");
  assertStringIncludes(off?.publicReason ?? "", "; the AWS credentials are unusable");
  const google = stateOf(GEMINI, { GOOGLE_APPLICATION_CREDENTIALS: "/nowhere.json" });
  assertMatch(google, /^off: .*GOOGLE_APPLICATION_CREDENTIALS names cannot be read$/);
});

Deno.test("the start-up text and the report name the sources, without keys", () => {
  const config = load(BEDROCK, ENV_KEYS);
  const start = {
    ...{ hostname: "127.0.0.1", port: 1, isKeyInShell: false, isBuiltIn: false },
    workers: { first: 1, max: 1 },
  };
  for (const text of [toBanner(config, start), toReport(config)]) {
    assertMatch(text, /PROVIDER +CREDENTIALS\n +p +AWS keys in the environment\n/);
    assert(!/AKIAENV|env-secret/.test(text));
  }
  assert(!toReport(load({ ...BEDROCK, api_key: "k" }, ENV_KEYS)).includes("CREDENTIALS"));
});

Deno.test("admins see the source of each provider's credentials", async () => {
  const gateway = createTestGateway({
    config: {
      server: { admin_keys: [{ name: "ops", key: "admin-secret" }] },
      providers: { p: BEDROCK, own: { ...GEMINI, api_key: "k" } },
    },
    env: ENV_KEYS,
    hasMetadata: () => true,
  });
  const admin = { authorization: "Bearer admin-secret" };
  const { data } = await (await gateway.call("/v1/admin/providers", undefined, admin)).json();
  assertEquals(
    data.map(({ id, credentials }: Record<string, unknown>) => [id, credentials]),
    [["p", "AWS keys in the environment"], ["own", undefined]],
  );
});

Deno.test("a worker loads the same credentials from the snapshot", () => {
  const text = JSON.stringify({
    server: { keys: [{ name: "k", key: "sk-1" }] },
    providers: { p: BEDROCK, off: { ...VERTEX, models: ["gemini-2.5-pro"] } },
  });
  const env = (name: string) => new Map(Object.entries(ENV_KEYS)).get(name);
  const readFile = () => {
    throw new TypeError("There are no files");
  };
  const { config, snapshot } = loadConfigWithSnapshot(text, {
    ...{ env, readFile, adapters, source: "test", now: () => 0, newKey: () => "" },
    findAmbient: (search) => findAmbient(search, { env, readFile }, () => false),
  });
  const copy = loadSnapshot(structuredClone(snapshot), adapters);
  assertEquals(copy.providers.get("p")?.ambient, config.providers.get("p")?.ambient);
  assertEquals(copy.disabled, config.disabled);
  assertEquals(config.disabled.map(({ id }) => id), ["off"]);
});

Deno.test("wrong settings of roles and identities are errors with their paths", () => {
  const faults = (provider: Record<string, unknown>): string[] => {
    try {
      load(provider);
      return [];
    } catch (thrown) {
      const { errors } = thrown as { errors: { path: string; message: string }[] };
      return errors.map(({ path }) => path);
    }
  };
  const assume_role = { role_arn: "arn:aws:iam::1:role/x", external_id: "a b", session_name: "" };
  assertEquals(faults({ ...BEDROCK, assume_role }), [
    "providers.p.assume_role.role_arn",
    "providers.p.assume_role.external_id",
    "providers.p.assume_role.session_name",
  ]);
  assertEquals(faults({ ...AZURE, client_secret: "s" }), ["providers.p.client_secret"]);
});

/** A gateway whose token service gives out credentials 1, 2, … with this lifetime. */
function gatewayWith(
  { lifetime, answer, ...options }: Omit<TestOptions, "config" | "fetch"> & {
    readonly config?: TestOptions["config"];
    readonly lifetime: number;
    /** The vendor's answer to its nth request. */
    readonly answer: (count: number, authorization: string) => Response;
  },
) {
  const tokens: string[] = [];
  const sent: string[] = [];
  let now = () => 0;
  const gateway = createTestGateway({
    env: { ...ENV_KEYS },
    hasMetadata: () => undefined,
    ...options,
    config: options.config ?? {
      providers: {
        p: { ...BEDROCK, assume_role: { role_arn: "arn:aws:iam::123456789012:role/x" } },
      },
    },
    fetch: (url, { headers }) => {
      if (!url.startsWith("https://sts.")) {
        const { authorization = "" } = headers;
        sent.push(authorization);
        return Promise.resolve(answer(sent.length, authorization));
      }
      const id = `ASIAROLE${tokens.length + 1}`;
      tokens.push(id);
      const ends = new Date(now() + lifetime).toISOString();
      return Promise.resolve(
        new Response(
          `<Credentials><AccessKeyId>${id}</AccessKeyId><SecretAccessKey>secret-${id}` +
            `</SecretAccessKey><SessionToken>session-${id}</SessionToken>` +
            `<Expiration>${ends}</Expiration></Credentials>`,
        ),
      );
    },
  });
  now = () => gateway.clock.wallTime();
  const call = () => gateway.call("/v1/chat/completions", { model: "m", ...CHAT });
  const keysOf = () => sent.map((text) => /Credential=(\w+)\//.exec(text)?.[1]);
  return { gateway, call, keysOf, tokens };
}

const CONVERSED = {
  output: { message: { role: "assistant", content: [{ text: "Hello." }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
};

Deno.test("requests are signed with the role's credentials, which are renewed before they end", async () => {
  const { gateway, call, keysOf, tokens } = gatewayWith({
    lifetime: 3_600_000,
    answer: () => Response.json(CONVERSED),
  });
  for (const response of await Promise.all([call(), call(), call()])) {
    assertEquals(response.status, 200);
    await response.body?.cancel();
  }
  assertEquals(tokens.length, 1);
  gateway.clock.advance(56 * 60_000);
  await (await call()).body?.cancel();
  assertEquals(keysOf(), Array(4).fill("ASIAROLE1"));
  // Requests use the old credentials until the new ones are there.
  while (keysOf().at(-1) !== "ASIAROLE2") {
    await setImmediate();
    await (await call()).body?.cancel();
  }
  assertEquals(tokens.length, 2);
});

Deno.test("credentials that end every second are replaced for each later request", async () => {
  const { gateway, call, keysOf } = gatewayWith({
    lifetime: 1000,
    answer: () => Response.json(CONVERSED),
  });
  for (let count = 0; count < 3; count++) {
    const response = await call();
    assertEquals(response.status, 200);
    await response.body?.cancel();
    gateway.clock.advance(1000);
  }
  assertEquals(keysOf(), ["ASIAROLE1", "ASIAROLE2", "ASIAROLE3"]);
});

Deno.test("credentials that the vendor calls expired are replaced once, and never shown", async () => {
  const refused = (count: number, authorization: string) =>
    Response.json({ message: `Expired: ${authorization} secret-ASIAROLE${count}` }, {
      status: 403,
      headers: { "x-amzn-errortype": "ExpiredTokenException:http://internal.amazon.com/" },
    });
  const once = gatewayWith({
    lifetime: 3_600_000,
    answer: (count, text) => count === 1 ? refused(count, text) : Response.json(CONVERSED),
  });
  const response = await once.call();
  assertEquals([response.status, once.keysOf()], [200, ["ASIAROLE1", "ASIAROLE2"]]);
  await response.body?.cancel();
  const always = gatewayWith({ lifetime: 3_600_000, answer: refused });
  const failed = await always.call();
  const text = await failed.text();
  assertEquals([failed.status, always.keysOf().length], [502, 2]);
  assert(!/ASIAROLE/.test(text + JSON.stringify(always.gateway.lines)), text);
});

Deno.test("the role's credentials are redacted where the vendor echoes them", async () => {
  const { call, gateway } = gatewayWith({
    lifetime: 3_600_000,
    answer: (_, authorization) =>
      Response.json({
        message: `Bad: ${authorization}, secret-ASIAROLE1, session-ASIAROLE1`,
      }, { status: 400, headers: { "x-amzn-errortype": "ValidationException" } }),
  });
  const text = await (await call()).text();
  assertStringIncludes(text, "Credential=[redacted]/");
  assertStringIncludes(text, ", [redacted], [redacted]");
  assert(!/ASIAROLE/.test(text + JSON.stringify(gateway.lines)), text);
});

Deno.test("other refusals do not replace credentials", async () => {
  const { call, keysOf } = gatewayWith({
    lifetime: 3_600_000,
    answer: () =>
      Response.json({ message: "no" }, {
        status: 403,
        headers: { "x-amzn-errortype": "AccessDeniedException" },
      }),
  });
  await (await call()).body?.cancel();
  assertEquals(keysOf(), ["ASIAROLE1"]);
});

Deno.test("access tokens of Google and Azure reach their headers; keys take precedence", async () => {
  const sent: Record<string, string>[] = [];
  const run = async (provider: Record<string, unknown>, env: Record<string, string>) => {
    const gateway = createTestGateway({
      config: { providers: { p: provider } },
      env,
      hasMetadata: () => true,
      fetch: (url, { headers }) => {
        if (/169\.254|microsoftonline/.test(url)) {
          const body = { access_token: `token-of-${new URL(url).hostname}`, expires_in: 3600 };
          return Promise.resolve(
            Response.json(body, { headers: { "metadata-flavor": "Google" } }),
          );
        }
        sent.push({ ...headers });
        return Promise.resolve(Response.json({}, { status: 400 }));
      },
    });
    const [model] = provider.models as string[];
    await (await gateway.call("/v1/chat/completions", { model, ...CHAT })).body?.cancel();
    const { authorization, "x-goog-api-key": google, "api-key": azure } = sent.at(-1) ?? {};
    return authorization ?? google ?? azure;
  };
  const app = { AZURE_TENANT_ID: "t", AZURE_CLIENT_ID: "c", AZURE_CLIENT_SECRET: "s" };
  assertEquals(await run(VERTEX, {}), "Bearer token-of-169.254.169.254");
  assertEquals(await run(GEMINI, {}), "Bearer token-of-169.254.169.254");
  assertEquals(await run(AZURE, app), "Bearer token-of-login.microsoftonline.com");
  assertEquals(await run({ ...VERTEX, api_key: "k-1" }, {}), "k-1");
  assertEquals(await run({ ...GEMINI, api_key: "k-2" }, {}), "k-2");
  assertEquals(await run({ ...AZURE, api_key: "k-3" }, app), "k-3");
});

Deno.test("an explanation shows where the credentials go, without them", async () => {
  const headersOf = async (provider: Record<string, unknown>) => {
    const gateway = createTestGateway({
      config: { providers: { p: provider } },
      hasMetadata: () => true,
    });
    const [model] = provider.models as string[];
    const response = await gateway.call("/v1/chat/completions", { model, ...CHAT }, {
      "x-sluice-explain": "true",
    });
    const { targets: [target] } = await response.json();
    return Object.entries(target.request.headers).filter(([, value]) => value === "[redacted]");
  };
  assertEquals(await headersOf(AZURE), [["authorization", "[redacted]"]]);
  assertEquals(await headersOf({ ...AZURE, api_key: "k" }), [["api-key", "[redacted]"]]);
});
