import { assertEquals, assertMatch } from "@std/assert";
import { ManagedSecrets } from "../../../src/process/config/secrets.ts";
import { LiveConfig } from "../../../src/process/config/reload.ts";
import { loadConfig } from "../../../src/config/config.ts";
import { adapters } from "../../../src/providers/registry.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const MINUTE = 60_000;
const env = () => undefined;

function configOf(reference: string): string {
  return JSON.stringify({
    server: { keys: [{ name: "own", key: "sk-own" }] },
    providers: { p: { kind: "openai", api_key: reference, models: ["m"] } },
  });
}

/** Secrets that are read from a map; an unknown one fails. */
function setUp() {
  const clock = new ManualClock();
  const values = new Map([["vault:kv/a#b", "sk-1"]]);
  const [logged, reads]: [string[], string[]] = [[], []];
  const readFile = () => {
    throw new TypeError("There are no files");
  };
  const secrets = new ManagedSecrets({
    clock,
    readFile,
    log: (text) => logged.push(text),
    isReference: (reference) => reference.startsWith("vault:"),
    read(reference) {
      reads.push(reference);
      const value = values.get(reference);
      return value === undefined ? Promise.reject(new Error("status 503")) : Promise.resolve(value);
    },
  });
  const load = (text: string) =>
    loadConfig(text, {
      ...{ env, readFile, adapters, source: "test", now: () => 0, newKey: () => "generated" },
      secret: secrets.lookUp,
    });
  return { clock, load, logged, reads, secrets, values };
}

const settle = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

const TEXT = configOf("${vault:kv/a#b}");

Deno.test("a configuration without such references is loaded without waiting or reading", () => {
  const { clock, reads, secrets } = setUp();
  const stop = secrets.start(() => {});
  for (const reference of ["sk-plain", "${file:/x}", "${NAME:-vault:kv/a}", "a:b"]) {
    assertEquals(secrets.prepare(configOf(reference), env), undefined);
  }
  assertEquals([reads, clock.pending], [[], 0]);
  stop();
});

Deno.test("a secret is a provider's key, and is redacted", async () => {
  const { load, secrets } = setUp();
  await secrets.prepare(TEXT, env);
  const provider = load(TEXT).providers.get("p");
  assertEquals(provider?.keys, ["sk-1"]);
  const long = setUp();
  long.values.set("vault:kv/a#b", "sk-a-long-secret");
  await long.secrets.prepare(TEXT, env);
  assertEquals(
    long.load(TEXT).providers.get("p")?.redactor.redact("was sk-a-long-secret"),
    "was [redacted]",
  );
});

Deno.test("refused credentials are read again at once, and rarely while nothing is new", async () => {
  const { clock, reads, secrets, values } = setUp();
  let changes = 0;
  secrets.refused();
  const stop = secrets.start(() => changes++);
  secrets.refused();
  await secrets.prepare(TEXT, env);
  assertEquals(reads.length, 1);
  values.set("vault:kv/a#b", "sk-2");
  secrets.refused();
  secrets.refused();
  await settle();
  assertEquals([reads.length, changes, clock.pending], [2, 1, 1]);
  assertEquals(secrets.lookUp("vault:kv/a#b"), { value: "sk-2" });
  const counts: number[] = [];
  for (let second = 0; second < 240; second++) {
    clock.advance(1000);
    secrets.refused();
    await settle();
    if (second % 60 === 59) counts.push(reads.length - 2);
  }
  assertEquals([counts, changes], [[3, 4, 5, 5], 1]);
  stop();
  secrets.refused();
  assertEquals(clock.pending, 0);
});

Deno.test("a secret that cannot be read disables its provider, and is read again soon", async () => {
  const { clock, load, logged, secrets, values } = setUp();
  values.clear();
  await secrets.prepare(TEXT, env);
  const { disabled: [off] } = load(TEXT);
  assertEquals(off?.reason, "cannot read vault:kv/a#b: status 503");
  assertEquals(off?.publicReason, "a secret of a secret manager cannot be read");
  let changes = 0;
  const stop = secrets.start(() => void changes++);
  clock.advance(10_000);
  await settle();
  assertEquals([changes, logged], [0, ["Cannot read vault:kv/a#b: status 503"]]);
  values.set("vault:kv/a#b", "sk-2");
  clock.advance(10_000);
  await settle();
  assertEquals([changes, load(TEXT).providers.get("p")?.keys], [1, ["sk-2"]]);
  stop();
  assertEquals(clock.pending, 0);
});

Deno.test("secrets are read again on a timer, and a changed one reloads the configuration", async () => {
  const { clock, load, reads, secrets, values } = setUp();
  await secrets.prepare(TEXT, env);
  const swapped: string[] = [];
  const live = new LiveConfig(load(TEXT), {
    prepare: () => secrets.prepare(TEXT, env),
    load: () => load(TEXT),
    log: () => {},
    onSwap: ({ providers }) => swapped.push(...providers.get("p")?.keys ?? []),
  });
  const stop = secrets.start(() => void live.reload());
  clock.advance(5 * MINUTE);
  await settle();
  assertEquals([reads.length, swapped], [2, []]);
  values.set("vault:kv/a#b", "sk-2");
  clock.advance(5 * MINUTE);
  await settle();
  // The reload uses what was just read.
  assertEquals([reads.length, swapped], [3, ["sk-2"]]);
  values.set("vault:kv/a#b", "sk-3");
  await live.reload();
  assertEquals([reads.length, swapped], [4, ["sk-2", "sk-3"]]);
  stop();
  assertEquals(clock.pending, 0);
});

Deno.test("a failure keeps the value that was read before, and is logged once", async () => {
  const { clock, load, logged, secrets, values } = setUp();
  await secrets.prepare(TEXT, env);
  const stop = secrets.start(() => {});
  values.clear();
  for (let count = 0; count < 3; count++) {
    clock.advance(5 * MINUTE);
    await settle();
  }
  assertEquals(load(TEXT).providers.get("p")?.keys, ["sk-1"]);
  assertEquals(logged, [
    "Cannot read vault:kv/a#b: status 503; the value that was read before stays in use",
  ]);
  stop();
});

Deno.test("an unknown secret manager is a malformed reference", () => {
  const { load } = setUp();
  let message = "";
  try {
    load(configOf("${other-sm:a}"));
  } catch (thrown) {
    const { errors: [first] } = thrown as { errors: { message: string }[] };
    message = first?.message ?? "";
  }
  assertMatch(message, /^Malformed reference/);
});
