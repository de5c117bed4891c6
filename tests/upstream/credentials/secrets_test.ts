/** Secrets of secret managers against imitations of their services. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { GatewayError } from "../../../src/core/errors.ts";
import {
  isSecretReference,
  readSecret,
} from "../../../src/upstream/credentials/secrets/read_secret.ts";
import {
  depsFor,
  envOf,
  imitateService,
  type ServiceCall,
} from "../../support/imitated_service.ts";
import { VaultLogins } from "../../../src/upstream/credentials/secrets/vault_login.ts";
import type { Fetch } from "../../../src/upstream/transport.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const VARIABLES = {
  HOME: "/home/me",
  AWS_REGION: "eu-west-1",
  AWS_ACCESS_KEY_ID: "AKIAENV",
  AWS_SECRET_ACCESS_KEY: "env-secret",
  AZURE_TENANT_ID: "t",
  AZURE_CLIENT_ID: "c",
  AZURE_CLIENT_SECRET: "azure-secret",
  GOOGLE_CLOUD_PROJECT: "our-project",
};

/** Gives out tokens, and these answers for secrets. */
function service(answer: (call: ServiceCall) => Response) {
  return imitateService((call) =>
    /token/.test(call.path)
      ? Response.json({ access_token: "access-token", expires_in: 3600 }, {
        headers: { "metadata-flavor": "Google" },
      })
      : answer(call)
  );
}

async function read(
  reference: string,
  answer: (call: ServiceCall) => Response,
  variables: Record<string, string> = {},
  files: Record<string, string> = {},
) {
  await using imitation = service(answer);
  const urls: string[] = [];
  const fetch: typeof imitation.fetch = (url, init) => {
    urls.push(url);
    return imitation.fetch(url, init);
  };
  const env = envOf({
    ...VARIABLES,
    GCE_METADATA_HOST: imitation.host,
    VAULT_ADDR: `${imitation.origin}/`,
    ...variables,
  });
  const clock = new ManualClock();
  const value = await readSecret(reference, env, depsFor({ fetch }, clock, files));
  assertEquals(clock.pending, 0);
  return { value, call: imitation.calls.at(-1), url: urls.at(-1) };
}

Deno.test("a reference names a known secret manager and a secret", () => {
  for (const one of ["aws-sm:a", "gcp-sm:a", "azure-kv:v/a", "vault:secret/data/a#b"]) {
    assert(isSecretReference(one), one);
  }
  for (const one of ["file:/x", "vault:", "vault:#b", "toString:a", "constructor:a", "x"]) {
    assert(!isSecretReference(one), one);
  }
});

Deno.test("a secret of AWS is read by its name or its ARN, in its region", async () => {
  const answer = () => Response.json({ SecretString: "sk-aws\n" });
  const { value, call, url } = await read("aws-sm:prod/openai", answer);
  assertEquals([value, url], ["sk-aws", "https://secretsmanager.eu-west-1.amazonaws.com/"]);
  assertEquals(call?.headers.get("x-amz-target"), "secretsmanager.GetSecretValue");
  assertEquals(call?.text, '{"SecretId":"prod/openai"}');
  assertMatch(
    call?.headers.get("authorization") ?? "",
    /AKIAENV\/20231114\/eu-west-1\/secretsmanager\//,
  );
  const arn = "arn:aws:secretsmanager:us-east-2:123456789012:secret:prod-AbCdEf";
  const other = await read(`aws-sm:${arn}`, answer);
  assertEquals(other.url, "https://secretsmanager.us-east-2.amazonaws.com/");
  const binary = await read("aws-sm:x", () => Response.json({ SecretBinary: btoa("bytes") }));
  assertEquals(binary.value, "bytes");
});

Deno.test("a secret of Google is read in its project and version", async () => {
  const answer = () => Response.json({ payload: { data: btoa("sk-google") } });
  const { value, call, url } = await read("gcp-sm:openai", answer);
  const root = "https://secretmanager.googleapis.com/v1/projects";
  assertEquals(
    [value, url],
    ["sk-google", `${root}/our-project/secrets/openai/versions/latest:access`],
  );
  assertEquals(call?.headers.get("authorization"), "Bearer access-token");
  const full = await read("gcp-sm:projects/p-2/secrets/openai/versions/7", answer);
  assertEquals(full.url, `${root}/p-2/secrets/openai/versions/7:access`);
});

Deno.test("a secret of Azure is read from a vault of Azure only", async () => {
  const answer = () => Response.json({ value: "sk-azure" });
  const { value, call, url } = await read("azure-kv:our-vault/openai", answer);
  assertEquals(
    [value, url],
    ["sk-azure", "https://our-vault.vault.azure.net/secrets/openai?api-version=7.4"],
  );
  assertEquals(call?.headers.get("authorization"), "Bearer access-token");
  const full = await read("azure-kv:https://v.vault.azure.cn/secrets/a/1f", answer);
  assertEquals(full.url, "https://v.vault.azure.cn/secrets/a/1f?api-version=7.4");
  for (
    const bad of [
      "https://evil.test/secrets/a",
      "http://v.vault.azure.net/secrets/a",
      "https://v.vault.azure.net.evil.test/secrets/a",
      "a",
    ]
  ) {
    await assertRejects(() => read(`azure-kv:${bad}`, answer), GatewayError, "write VAULT/SECRET");
  }
});

Deno.test("a member of a secret of Vault is read, in both versions of its store", async () => {
  const second = { data: { data: { api_key: "sk-vault" }, metadata: { version: 3 } } };
  const variables = { VAULT_TOKEN: "hvs.token", VAULT_NAMESPACE: "team" };
  const { value, call } = await read(
    "vault:secret/data/openai#api_key",
    () => Response.json(second),
    variables,
  );
  assertEquals([value, call?.path], ["sk-vault", "/v1/secret/data/openai"]);
  assertEquals(call?.headers.get("x-vault-token"), "hvs.token");
  assertEquals(call?.headers.get("x-vault-namespace"), "team");
  const first = await read(
    "vault:kv/openai#api_key",
    () => Response.json({ data: { api_key: "sk-1" } }),
    {},
    { "/home/me/.vault-token": "hvs.file\n" },
  );
  assertEquals([first.value, first.call?.headers.get("x-vault-token")], ["sk-1", "hvs.file"]);
  const agent = await read("vault:kv/a#b", () => Response.json({ data: { b: "c" } }));
  assertEquals(agent.call?.headers.get("x-vault-token"), null);
});

/** Vault with a login, which counts its requests. */
function imitateVault(lifeS: number) {
  let logins = 0;
  const refused = new Set<string>();
  const service = imitateService(({ path, text, headers }) => {
    if (path.endsWith("/login")) {
      const { secret_id, jwt } = JSON.parse(text);
      if (secret_id === "wrong") return Response.json({ errors: ["words"] }, { status: 400 });
      logins++;
      const client_token = `hvs.${jwt ?? "approle"}-${logins}`;
      return Response.json({ auth: { client_token, lease_duration: lifeS } });
    }
    const token = headers.get("x-vault-token") ?? "";
    if (refused.has(token)) return Response.json({ errors: ["words"] }, { status: 403 });
    return Response.json({ data: { token } });
  });
  const clock = new ManualClock();
  const vault = new VaultLogins();
  const readAs = (variables: Record<string, string>, files: Record<string, string> = {}) => {
    const env = envOf({ VAULT_ADDR: `${service.origin}/`, ...variables });
    const deps = { ...depsFor({ fetch: service.fetch }, clock, files), logins: vault };
    return readSecret("vault:kv/a#token", env, deps);
  };
  return { service, clock, readAs, refused };
}

Deno.test("secrets of Vault share the token of one login, until two thirds of its life", async () => {
  const { service, clock, readAs, refused } = imitateVault(300);
  await using _ = service;
  const approle = { VAULT_ROLE_ID: "role", VAULT_SECRET_ID_FILE: "/secret-id" };
  const files = { "/secret-id": "secret\n" };
  const read = () => readAs(approle, files);
  assertEquals(await Promise.all([read(), read()]), ["hvs.approle-1", "hvs.approle-1"]);
  const [login] = service.calls;
  assertEquals(login?.path, "/v1/auth/approle/login");
  assertEquals(JSON.parse(login?.text ?? ""), { role_id: "role", secret_id: "secret" });
  clock.advance(199_000);
  assertEquals(await read(), "hvs.approle-1");
  clock.advance(2000);
  assertEquals(await read(), "hvs.approle-2");
  // A token that was revoked is replaced once.
  refused.add("hvs.approle-2");
  assertEquals(await read(), "hvs.approle-3");
  refused.add("hvs.approle-3").add("hvs.approle-4");
  await assertRejects(read, GatewayError, "cannot be read (status 403)");
});

Deno.test("a token of Vault is used to its end if the login fails", async () => {
  const { service, clock, readAs, refused } = imitateVault(300);
  await using _ = service;
  const files = { "/secret-id": "secret" };
  const read = () => readAs({ VAULT_ROLE_ID: "role", VAULT_SECRET_ID_FILE: "/secret-id" }, files);
  const logins = () => service.calls.filter(({ path }) => path.endsWith("/login")).length;
  assertEquals(await read(), "hvs.approle-1");
  files["/secret-id"] = "wrong";
  clock.advance(201_000);
  assertEquals(await Promise.all([read(), read()]), ["hvs.approle-1", "hvs.approle-1"]);
  assertEquals(await read(), "hvs.approle-1");
  assertEquals(logins(), 2, "tried again after a while");
  clock.advance(98_000);
  assertEquals(await read(), "hvs.approle-1");
  assertEquals(logins(), 3);
  clock.advance(1000);
  await assertRejects(read, GatewayError, "auth/approle was rejected");
  files["/secret-id"] = "secret";
  assertEquals(await read(), "hvs.approle-2");
  // One that Vault refuses is not used on.
  refused.add("hvs.approle-2");
  files["/secret-id"] = "wrong";
  await assertRejects(read, GatewayError, "auth/approle was rejected");
});

Deno.test("Vault is logged in to with the token of a pod, or a token of another issuer", async () => {
  const { service, readAs } = imitateVault(0);
  await using _ = service;
  const pod = "/var/run/secrets/kubernetes.io/serviceaccount/token";
  assertEquals(await readAs({ VAULT_ROLE: "gate" }, { [pod]: "pod-jwt" }), "hvs.pod-jwt-1");
  assertEquals(service.calls[0]?.path, "/v1/auth/kubernetes/login");
  assertEquals(JSON.parse(service.calls[0]?.text ?? ""), { role: "gate", jwt: "pod-jwt" });
  const other = { VAULT_ROLE: "ci", VAULT_AUTH_MOUNT: "/jwt/ci/", VAULT_JWT_FILE: "/jwt" };
  assertEquals(await readAs(other, { "/jwt": "own-jwt" }), "hvs.own-jwt-2");
  assertEquals(service.calls[2]?.path, "/v1/auth/jwt/ci/login");
  await assertRejects(
    () => readAs({ VAULT_ROLE: "x" }),
    GatewayError,
    `cannot be read from ${pod}`,
  );
  const mount = { VAULT_ROLE: "y", VAULT_AUTH_MOUNT: "../x", VAULT_JWT_FILE: "/jwt" };
  await assertRejects(() => readAs(mount, { "/jwt": "j" }), GatewayError, "VAULT_AUTH_MOUNT");
});

Deno.test("a refused login to Vault has no words of it, and is tried again", async () => {
  const { service, readAs } = imitateVault(60);
  await using _ = service;
  const wrong = { VAULT_ROLE_ID: "role", VAULT_SECRET_ID: "wrong" };
  const error = await assertRejects(() => readAs(wrong), GatewayError, "auth/approle was rejected");
  assert(!/words|wrong/.test(error.message), error.message);
  assertEquals(await readAs({ ...wrong, VAULT_SECRET_ID: "right" }), "hvs.approle-1");
});

Deno.test("Vault is trusted by the certificates of VAULT_CACERT, also at the login", async () => {
  const { service } = imitateVault(60);
  await using _ = service;
  const trusted: unknown[] = [];
  const fetch: Fetch = (url, init) => {
    trusted.push(init.connection?.route);
    return service.fetch(url, init);
  };
  const variables = { VAULT_ROLE_ID: "role", VAULT_SECRET_ID: "secret" };
  const readWith = (file: string | undefined) => {
    const own = file === undefined ? {} : { VAULT_CACERT: file };
    const env = envOf({ VAULT_ADDR: service.origin, ...variables, ...own });
    return readSecret(
      "vault:kv/a#token",
      env,
      depsFor({ fetch }, new ManualClock(), { "/ca.pem": "PEM" }),
    );
  };
  assertEquals(await readWith("/ca.pem"), "hvs.approle-1");
  assertEquals(trusted, [{ ca: "PEM" }, { ca: "PEM" }]);
  await readWith(undefined);
  assertEquals(trusted.slice(2), [undefined, undefined]);
  await assertRejects(
    () => readWith("/gone.pem"),
    GatewayError,
    "the certificates in VAULT_CACERT cannot be read from /gone.pem",
  );
});

Deno.test("a token for Vault comes from the file that VAULT_TOKEN_FILE names", async () => {
  const { service, readAs } = imitateVault(60);
  await using _ = service;
  const file = { VAULT_TOKEN_FILE: "/vault/token", VAULT_ROLE: "unused" };
  assertEquals(await readAs(file, { "/vault/token": "hvs.agent\n" }), "hvs.agent");
  await assertRejects(() => readAs(file), GatewayError, "from /vault/token");
  assertEquals(service.calls.map(({ path }) => path), ["/v1/kv/a"]);
});

Deno.test("a member of a JSON secret is read, and no member of its prototype", async () => {
  const answer = () => Response.json({ SecretString: '{"openai":"sk-1","n":5}' });
  assertEquals((await read("aws-sm:all#openai", answer)).value, "sk-1");
  for (const name of ["none", "n", "constructor", "toString"]) {
    await assertRejects(
      () => read(`aws-sm:all#${name}`, answer),
      GatewayError,
      `no text '${name}'`,
    );
  }
  const text = () => Response.json({ SecretString: "plain" });
  await assertRejects(() => read("aws-sm:all#a", text), GatewayError, "is not JSON");
});

for (const reference of ["aws-sm:a", "gcp-sm:a", "azure-kv:v/a", "vault:kv/a#b"]) {
  Deno.test(`failures of ${reference} are errors without the answer's text`, async () => {
    const refusal = {
      __type: "com.amazonaws#ResourceNotFoundException",
      message: "secret words",
      error: { status: "NOT_FOUND", code: "SecretNotFound", message: "secret words" },
      errors: ["secret words"],
    };
    const rows = [
      [
        () => Response.json(refusal, { status: 404 }),
        "upstream_auth",
        /cannot be read \(status 404/,
      ],
      [() => new Response("words", { status: 503 }), "upstream_unavailable", /status 503/],
      [() => new Response("<html>words"), "upstream_error", /without them/],
      [() => Response.json({}), "upstream_error", /without them/],
    ] as const;
    for (const [answer, kind, message] of rows) {
      const error = await assertRejects(() => read(reference, answer), GatewayError);
      assertEquals(error.kind, kind);
      assertMatch(error.message, message);
      assert(!/words|127\.0|access-token|env-secret/.test(error.message), error.message);
    }
  });
}

Deno.test("what is missing in the environment is named", async () => {
  const answer = () => Response.json({});
  for (
    const [reference, variables, message] of [
      ["aws-sm:a", { AWS_REGION: "" }, "AWS"],
      ["gcp-sm:a/b", {}, "write projects/PROJECT/secrets/NAME"],
      ["vault:kv/a#b", { VAULT_ADDR: "none" }, "VAULT_ADDR is not set"],
      ["vault:kv/../sys#b", {}, "path is not valid"],
      ["vault:kv/a#b", { VAULT_TOKEN: "a b" }, "token for Vault is not valid"],
    ] as const
  ) {
    await assertRejects(() => read(reference, answer, variables), GatewayError, message);
  }
});
