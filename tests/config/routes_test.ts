/** The groups and the policy of a name. */

import { assertEquals } from "@std/assert";
import { toReport } from "../../src/tools/banner.ts";
import type { Config } from "../../src/config/config.ts";
import { loadTestConfig } from "../support/gateway.ts";

const PROVIDERS = {
  p: { kind: "openai", api_key: "k", models: ["a", "b"] },
  q: { kind: "openai", api_key: "k", models: ["a", "c"] },
  off: { kind: "openai", models: ["gone"] },
  mock: { kind: "mock", models: ["echo"] },
};

function configOf(aliases: Record<string, unknown>, others: Record<string, unknown> = {}): Config {
  return loadTestConfig({ providers: PROVIDERS, aliases, ...others });
}

/** The groups of a name, each as its balance and its targets. */
function groupsOf(config: Config, name: string): string[] {
  return (config.route(name)?.groups ?? []).map(({ balance, targets }) =>
    [
      balance,
      ...targets.map(({ target: { model, provider } }) => `${model.id}@${provider.settings.id}`),
    ].join(" ")
  );
}

Deno.test("a chain has a group for each target, unless it is balanced as a whole", () => {
  const config = configOf({
    text: "a",
    list: ["b", "a@q"],
    shares: [{ model: "b", weight: 2 }, "c"],
    object: { targets: ["b", "c"] },
    fair: { targets: ["b", "c"], balance: "weighted" },
    strict: { targets: [{ model: "b", weight: 2 }, "c"], balance: "in_order" },
  });
  assertEquals(groupsOf(config, "text"), ["in_order a@p"]);
  assertEquals(groupsOf(config, "list"), ["in_order b@p", "in_order a@q"]);
  assertEquals(groupsOf(config, "shares"), ["weighted b@p c@q"]);
  assertEquals(groupsOf(config, "object"), ["in_order b@p", "in_order c@q"]);
  assertEquals(groupsOf(config, "fair"), ["weighted b@p c@q"]);
  assertEquals(groupsOf(config, "strict"), ["in_order b@p c@q"]);
});

Deno.test("a nested list is a group of equals, and each other entry a separate group", () => {
  const targets = [["a@p", { model: "a@q", when: ["timeout"] }], "b", ["c"]];
  const config = configOf({ mix: { targets, balance: "weighted" }, plain: { targets } });
  assertEquals(groupsOf(config, "mix"), ["weighted a@p a@q", "in_order b@p", "in_order c@q"]);
  assertEquals(groupsOf(config, "plain"), ["in_order a@p a@q", "in_order b@p", "in_order c@q"]);
  assertEquals([...config.route("mix")?.groups[0]?.targets[1]?.onFailures ?? []], ["timeout"]);
  assertEquals(config.resolve("mix")?.length, 4);
  assertEquals(config.find("mix")?.root, "a");
});

Deno.test("disabled models, and the mock after a vendor, are omitted from groups", () => {
  const config = configOf({
    some: { targets: [["gone", "a"], ["gone"], ["echo"], "b"] },
    none: { targets: [["gone"]] },
    mock: { targets: [["echo", "echo@mock"]] },
  });
  assertEquals(groupsOf(config, "some"), ["in_order a@p", "in_order b@p"]);
  assertEquals(config.route("none"), undefined);
  assertEquals(config.disabledAliases.map(({ id }) => id), ["none"]);
  assertEquals(groupsOf(config, "mock"), ["in_order echo@mock echo@mock"]);
});

Deno.test("routing holds the defaults of every policy, and an alias overrides them", () => {
  const config = configOf({
    own: { targets: [["a@p", "a@q"]], balance: "in_order" },
    "any-*": { targets: [["a@p", "a@q"]] },
    list: ["b", "c"],
  }, { routing: { balance: "weighted" } });
  assertEquals(config.route("own")?.policy.balance, "in_order");
  assertEquals(groupsOf(config, "own"), ["in_order a@p a@q"]);
  assertEquals(groupsOf(config, "any-thing"), ["weighted a@p a@q"]);
  assertEquals(config.route("list")?.policy.balance, "weighted");
  assertEquals(
    groupsOf(config, "list"),
    ["in_order b@p", "in_order c@q"],
    "a list remains a chain",
  );
  assertEquals(config.route("a@q")?.policy, config.route("b")?.policy);
});

Deno.test("a plain ID of several providers is balanced unless it is pinned", () => {
  const routing = { balance: "weighted" };
  assertEquals(groupsOf(configOf({}, { routing }), "a"), ["weighted a@p a@q"]);
  assertEquals(groupsOf(configOf({}, { routing, pins: { a: "q" } }), "a"), ["weighted a@q"]);
  assertEquals(groupsOf(configOf({}, { routing, pins: { a: "q" } }), "a@p"), ["weighted a@p"]);
  assertEquals(groupsOf(configOf({}, { routing: { balance: "in_order" } }), "a"), ["in_order a@p"]);
  assertEquals(groupsOf(configOf({}), "a"), ["in_order a@p"]);
});

Deno.test("a step of an alias with a plain ID goes to all of its balanced providers", () => {
  const aliases = {
    text: "a",
    list: ["b", { model: "a", when: ["timeout"] }],
    group: { targets: [["a", "c"]] },
    pinned: ["a@q"],
    strict: { targets: ["a", "b"], balance: "in_order" },
  };
  const config = configOf(aliases, { routing: { balance: "p2c" } });
  assertEquals(groupsOf(config, "text"), ["p2c a@p a@q"]);
  assertEquals(groupsOf(config, "list"), ["in_order b@p", "p2c a@p a@q"]);
  const [, group] = config.route("list")?.groups ?? [];
  assertEquals(group?.targets.map(({ onFailures }) => [...onFailures]), [["timeout"], ["timeout"]]);
  assertEquals(groupsOf(config, "group"), ["p2c a@p c@q"]);
  assertEquals(groupsOf(config, "pinned"), ["in_order a@q"]);
  assertEquals(groupsOf(config, "strict"), ["in_order a@p b@p"]);
  const pinned = configOf(aliases, { routing: { balance: "p2c" }, pins: { a: "q" } });
  assertEquals(groupsOf(pinned, "text"), ["in_order a@q"]);
});

Deno.test("check shows how groups are balanced", () => {
  const report = toReport(
    configOf({ mix: { targets: [["a@p", "a@q"], "b"], balance: "weighted" } }),
  );
  const [header, ...rows] = report.split("\n").filter((line) => /ORDER|mix/.test(line));
  assertEquals(header?.trim().split(/\s+/), ["MODEL", "PROVIDER", "UPSTREAM", "ORDER"]);
  assertEquals(rows[0]?.trim().split(/\s+/), ["mix", "p", "a", "1", "weighted"]);
  assertEquals(toReport(configOf({ list: ["a", "b"] })).includes("ORDER"), false);
});
