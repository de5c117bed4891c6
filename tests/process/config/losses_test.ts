/** Reloads that would lock out clients keep the configuration that works. */

import { assertEquals, assertMatch } from "@std/assert";
import { loadConfig } from "../../../src/config/config.ts";
import {
  findPublicFault,
  findReloadFaults,
  LiveConfig,
} from "../../../src/process/config/reload.ts";
import { adapters } from "../../../src/providers/registry.ts";

/** Everything that a secret may be missing for. */
const TEXT = `
server:
  keys: [{ name: app, key: "\${APP_KEY}" }, { name: batch, key: "\${BATCH_KEY}" }]
  admin_keys: [{ name: ops, key: "\${OPS_KEY}" }]
providers:
  one: { kind: openai, api_key: "\${ONE_KEY}", models: [m] }
  pool: { kind: openai, api_key: ["\${ONE_KEY}", "\${POOL_KEY}"], models: [n] }
  aws:
    kind: bedrock
    region: us-east-1
    access_key_id: "\${AWS_ID}"
    secret_access_key: "\${AWS_SECRET}"
    session_token: "\${AWS_TOKEN}"
    models: [c]
`;

const SECRETS = {
  APP_KEY: "sk-app",
  BATCH_KEY: "sk-batch",
  OPS_KEY: "sk-ops",
  ONE_KEY: "sk-one",
  POOL_KEY: "sk-pool",
  AWS_ID: "AKIA",
  AWS_SECRET: "secret",
  AWS_TOKEN: "token",
};

function configOf(text: string, secrets: Record<string, string | undefined>) {
  return loadConfig(text, {
    source: "test",
    adapters,
    env: (name) => secrets[name],
    readFile: () => "",
    now: () => 0,
    newKey: () => "sk-made",
  });
}

const HINT = "Set what is missing, remove from the file what is no longer needed, or start with " +
  "'--allow-losses' to reload nevertheless";

const LOSSES: readonly (readonly [string, readonly string[]])[] = [
  ["APP_KEY", ["The key 'app' in server.keys would be disabled: APP_KEY is not set"]],
  ["OPS_KEY", ["The key 'ops' in server.admin_keys would be disabled: OPS_KEY is not set"]],
  ["POOL_KEY", ["providers.pool would lose credentials: POOL_KEY is not set"]],
  ["ONE_KEY", [
    "providers.one would be disabled: ONE_KEY is not set",
    "providers.pool would lose credentials: ONE_KEY is not set",
  ]],
  ["AWS_SECRET", ["providers.aws would be disabled: AWS_SECRET is not set"]],
  ["AWS_TOKEN", ["providers.aws would lose credentials: AWS_TOKEN is not set"]],
];

for (const [name, faults] of LOSSES) {
  Deno.test(`a reload without ${name} is refused, unless losses are allowed`, () => {
    const current = configOf(TEXT, SECRETS);
    const next = configOf(TEXT, { ...SECRETS, [name]: undefined });
    const host = "127.0.0.1";
    assertEquals(findReloadFaults(current, next, { host }), [...faults, HINT]);
    assertEquals(findReloadFaults(current, next, { host, allowsLosses: true }), []);
    // What did not work before is no loss.
    assertEquals(findReloadFaults(next, next, { host }), []);
    assertEquals(findReloadFaults(next, current, { host }), []);
  });
}

Deno.test("what is removed from the file is no loss, and neither is a new provider without a key", () => {
  const current = configOf(TEXT, SECRETS);
  const text = TEXT.replace(
    / {2}pool:.*\n/,
    '  other: { kind: groq, api_key: "${NEW}", models: [x] }\n',
  )
    .replace(', { name: batch, key: "${BATCH_KEY}" }', "").replace(/ {2}admin_keys.*\n/, "");
  const next = configOf(text, { ...SECRETS, POOL_KEY: undefined, OPS_KEY: undefined });
  assertEquals([...next.providers.keys()], ["one", "aws"]);
  assertEquals(findReloadFaults(current, next, { host: "127.0.0.1" }), []);
});

Deno.test("a generated key is refused where other machines can connect, also at a reload", () => {
  const withKeys = (server: string) =>
    configOf(`server: ${server}\nproviders: { mock: { kind: mock, models: [m] } }`, {});
  const none = withKeys("{}");
  const fault = (where: string, cure: string) =>
    `No service key is set, and other machines can connect to ${where}: set ${cure}, ` +
    "or listen on 127.0.0.1";
  const inFile = "SLUICE_API_KEY or 'server.keys' in config.yaml";
  assertEquals(findPublicFault(none, "::1"), undefined);
  assertEquals(findPublicFault(none, "0.0.0.0"), fault("0.0.0.0", inFile));
  const named = withKeys('{ keys: [{ name: a, key: "${SVC_KEY}" }] }');
  assertEquals(findPublicFault(named, "gate.example"), fault("gate.example", "SVC_KEY"));
  const other = withKeys("{ listeners: [{ host: 10.0.0.1, port: 1 }] }");
  assertEquals(findPublicFault(other, "127.0.0.1"), fault("10.0.0.1", inFile));
  const admin = withKeys("{ serves: [admin], listeners: [{ path: /x.sock }] }");
  assertEquals(findPublicFault(admin, "0.0.0.0"), undefined);
  const set = withKeys("{ keys: [{ name: a, key: sk-a }] }");
  assertEquals(findPublicFault(set, "0.0.0.0"), undefined);
  const options = { host: "0.0.0.0", allowsLosses: true };
  assertEquals(findReloadFaults(set, none, options), [fault("0.0.0.0", inFile)]);
});

Deno.test("a refused reload is reported until another one is used", async () => {
  let secrets: Record<string, string | undefined> = SECRETS;
  const logged: string[] = [];
  const live = new LiveConfig(configOf(TEXT, secrets), {
    load: () => configOf(TEXT, secrets),
    faultsOf: (current, next) => findReloadFaults(current, next, { host: "127.0.0.1" }),
    log: (text) => logged.push(text),
    onSwap: () => {},
  });
  const first = live.current;
  secrets = { ...SECRETS, APP_KEY: undefined };
  await live.reload();
  assertEquals(live.current, first);
  assertEquals(live.stale, {
    reason: "Secrets of providers or keys that work are missing; see the log",
    faults: [...LOSSES[0]?.[1] ?? [], HINT],
  });
  assertMatch(logged.join(), /^Cannot use test:\n {2}The key 'app'.*stays in use$/s);
  secrets = SECRETS;
  await live.reload();
  assertEquals([live.stale, live.current === first], [undefined, false]);
});
