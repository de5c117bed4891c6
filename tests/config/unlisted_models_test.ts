import { assert, assertEquals } from "@std/assert";
import { State } from "../../src/gateway/state.ts";
import { ModelLabels } from "../../src/telemetry/metric_values.ts";
import { loadListed } from "../support/model_lists.ts";

const HOME = { kind: "openai_compatible", base_url: "http://127.0.0.1:1/v1", models: ["known"] };
const KEY = { name: "k", key: "sk-k" };

/** A name and where it leads, as `upstream@provider`. */
function targetsOf(providers: Record<string, unknown>, others = {}) {
  const config = loadListed(providers, () => undefined, others);
  return (name: string) =>
    config.resolve(name)?.map(({ target: { model, provider } }) =>
      `${model.upstream}@${provider.settings.id}`
    );
}

Deno.test("a name that is not listed goes to the first provider that takes it, or to the named one", () => {
  const of = targetsOf({
    closed: HOME,
    one: { ...HOME, models: ["known", "gpt-*", "!*-audio"], allow_unlisted: true },
    two: { ...HOME, allow_unlisted: true },
    dark: { kind: "openai", api_key: "${UNSET}", models: ["dark-1"] },
  }, { aliases: { mine: ["gpt-77@one", "x@two"], "claude-*": "known" } });
  assertEquals(of("known"), ["known@closed"]);
  assertEquals(of("gpt-9"), ["gpt-9@one"]);
  assertEquals(of("gpt-9-audio"), ["gpt-9-audio@two"]);
  assertEquals(of("gpt-9@two"), ["gpt-9@two"]);
  assertEquals(of("o3@one"), undefined);
  assertEquals(of("a@b@two"), ["a@b@two"]);
  assertEquals(of("new@closed"), undefined);
  assertEquals(of("new@dark"), undefined);
  assertEquals(of("new@elsewhere"), ["new@elsewhere@two"]);
  assertEquals(of("mine"), ["gpt-77@one", "x@two"]);
  assertEquals(of("claude-5"), ["known@closed"]);
  assertEquals(of("dark-1"), undefined);
  for (const name of ["", "a b", "a\nb", "a\u202eb", "x".repeat(257)]) {
    assertEquals(of(name), undefined, name);
  }
});

Deno.test("such a name has the facts of the catalog and is in no list", () => {
  const config = loadListed({
    cloud: { kind: "openai", api_key: "sk-1", models: ["gpt-5.5"], allow_unlisted: true },
  });
  const entry = config.find("gpt-5.4");
  assertEquals([entry?.id, entry?.target.origin], ["gpt-5.4", "caller"]);
  assertEquals(entry?.target.model.facts.max_output_tokens, 128_000);
  assertEquals(config.models.map(({ id }) => id), ["gpt-5.5"]);
  assertEquals(config.find("gpt-5.4@cloud")?.id, "gpt-5.4@cloud");
});

Deno.test("a key with 'models' may use such a name if it fits", () => {
  const config = loadListed({ home: { ...HOME, allow_unlisted: true } }, () => undefined, {
    server: { keys: [{ ...KEY, models: ["gpt-*"] }] },
  });
  const [key] = config.serviceKeys;
  if (key === undefined) throw new TypeError("There is no key");
  assertEquals(["gpt-1", "o3", "known"].map((name) => config.isAllowed(key, name)), [
    ...[true, false, false],
  ]);
});

Deno.test("names that clients choose leave bounded state and labels", () => {
  const { providers } = loadListed({ home: { ...HOME, allow_unlisted: true } });
  const provider = providers.get("home");
  if (provider === undefined) throw new TypeError("There is no provider");
  const state = new State();
  const [known] = provider.models;
  if (known === undefined) throw new TypeError("There is no model");
  const breaker = state.breakerOf({ provider, model: known });
  for (let count = 0; count < 5000; count++) {
    state.breakerOf({ provider, model: { ...known, id: `m${count}`, upstream: `m${count}` } });
  }
  assert(state.targets(0).length <= 1001);
  assert(state.breakerOf({ provider, model: known }) === breaker);
  const labels = new ModelLabels();
  const used = new Set(Array.from({ length: 5000 }, (_, count) => labels.of("p", `m${count}`)));
  assertEquals(used.size, 1001);
  assertEquals([labels.of("p", "m1"), labels.of("p", "m4999")], ["m1", "other"]);
});
