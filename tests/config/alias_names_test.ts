/** What a name is: an alias, a pattern, a model, a model at one provider, or nothing. */

import { assertEquals } from "@std/assert";
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
