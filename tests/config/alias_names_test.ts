/** What a name is: an alias, a pattern, a model, a model at one provider, or nothing. */

import { assertEquals } from "@std/assert";
import { ModelPatterns } from "../../src/config/model_patterns.ts";
import { loadListed } from "../support/model_lists.ts";

const CONFIG = loadListed(
  {
    one: { kind: "mock", models: ["m", "other"] },
    two: { kind: "mock", models: ["m"] },
  },
  undefined,
  {
    aliases: { fast: "m", "any-*": "m" },
    server: {
      keys: [
        { name: "all", key: "sk-all-12345678" },
        { name: "plain", key: "sk-plain-12345678", models: ["m"] },
        { name: "pinned", key: "sk-pinned-12345678", models: ["m@one"] },
      ],
    },
  },
);

Deno.test("names and what they stand for", () => {
  const names = ["fast", "any-thing", "m", "m@one", "m@nobody", "other@two", "nothing"];
  const table = names.map((name) => [name, CONFIG.aliasOf(name), CONFIG.patternOf(name)]);
  assertEquals(table, [
    ["fast", "fast", undefined],
    ["any-thing", "any-*", "any-*"],
    ...names.slice(2).map((name) => [name, undefined, undefined]),
  ]);
  assertEquals(CONFIG.aliasOf("any-thing@one"), undefined, "a provider's name is no pattern");
  assertEquals(CONFIG.readPinned("any-thing@one")?.provider, "one");
  assertEquals(CONFIG.readPinned("fast"), undefined);
  assertEquals(CONFIG.readPinned("m@one")?.model, "m");
  const hidden = loadListed({ one: { kind: "mock", models: ["m"] } }, undefined, {
    aliases: { "x@one": "m" },
  });
  assertEquals(hidden.readPinned("x@one"), undefined, "an alias is not a model at a provider");
  assertEquals(hidden.readPinned("y@one")?.model, "y");
});

Deno.test("has() knows names that are configured exactly", () => {
  const names = ["fast", "m", "m@one", "any-thing", "other@two", "nothing"];
  assertEquals(names.filter((name) => CONFIG.has(name)), ["fast", "m", "m@one"]);
});

Deno.test("an alias may move to the other providers of its models", () => {
  assertEquals(CONFIG.route("fast")?.movable, ["m"]);
  assertEquals(CONFIG.route("m@one")?.movable ?? [], []);
});

Deno.test("a key may use a model at a provider by the plain name, or by the pinned form", () => {
  const mayUse = (key: string) =>
    [["m", "one"], ["m", "two"], ["other", "one"]].map(([model = "", provider = ""]) => {
      const found = CONFIG.authenticate(key);
      return found !== undefined && CONFIG.isAllowedAt(found, model, provider);
    });
  assertEquals(mayUse("sk-all-12345678"), [true, true, true]);
  assertEquals(mayUse("sk-plain-12345678"), [true, true, false]);
  assertEquals(mayUse("sk-pinned-12345678"), [true, false, false]);
});

Deno.test("a key for a plain name may use its pinned forms, but no alias of it", () => {
  const mayUse = (key: string) =>
    ["m", "m@one", "m@two", "fast", "other", "other@one", "any-thing"].filter((name) => {
      const found = CONFIG.authenticate(key);
      return found !== undefined && CONFIG.isAllowed(found, name);
    });
  assertEquals(mayUse("sk-plain-12345678"), ["m", "m@one", "m@two"]);
  assertEquals(mayUse("sk-pinned-12345678"), ["m@one"]);
});

Deno.test("allowedBy() yields configured names that patterns match, with the shortest too", () => {
  const allowed = (...patterns: string[]) =>
    [...CONFIG.allowedBy(new ModelPatterns(patterns))].sort();
  assertEquals(allowed("m*"), ["m", "m@one", "m@two"]);
  assertEquals(allowed("fast*"), ["fast"]);
  assertEquals(allowed("*one"), ["m@one", "other@one"]);
  assertEquals(allowed("z*", "a*"), []);
  assertEquals(allowed("*").length, CONFIG.models.length + 1, "other@one is in no list");
  assertEquals(allowed("m", "nothing", "any-thing"), ["m"]);
});

Deno.test("names of disabled aliases and of pins to no target are not those of a pattern", () => {
  const config = loadListed(
    {
      one: { kind: "mock", models: ["a", "x-pinned"] },
      dark: { kind: "openai", api_key: "${UNSET}", models: ["d", "x-pinned"] },
    },
    undefined,
    { aliases: { "x-gone": "d", "x-*": "a" } },
  );
  assertEquals(config.resolve("x-gone"), undefined);
  assertEquals(config.patternOf("x-gone"), undefined);
  assertEquals(config.patternOf("x-other"), "x-*");
  assertEquals(config.patternOf("x-other@dark"), undefined, "a disabled provider");
});
