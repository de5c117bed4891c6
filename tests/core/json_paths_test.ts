/** Paths to members of JSON values, which go through every entry of a list. */

import { assertEquals } from "@std/assert";
import { hasPath, withoutPath } from "../../src/core/json/values.ts";

const BODY = {
  model: "m",
  format: { type: "json", schema: { strict: true } },
  tools: [{ name: "a" }, "text", { name: "b", cache: { ttl: "1h" } }],
};

Deno.test("hasPath() finds members, also in one entry of a list", () => {
  const has = (path: string) => hasPath(BODY, path.split("."));
  assertEquals(["model", "format.type", "format.schema.strict"].filter((path) => !has(path)), []);
  assertEquals(["tools.cache", "tools.cache.ttl", "tools.name"].filter((path) => !has(path)), []);
  const missing = ["none", "none.type", "model.type", "format.none", "format.none.strict"];
  assertEquals(missing.filter(has), []);
  assertEquals(["tools.none", "tools.cache.none", "tools.name.none"].filter(has), []);
  assertEquals(hasPath("text", ["length"]), false);
  assertEquals(hasPath(null, ["a"]), false);
  assertEquals(hasPath([], ["a"]), false);
});

Deno.test("withoutPath() removes a member everywhere, with objects that become empty", () => {
  const { tools, format, ...rest } = BODY;
  assertEquals(withoutPath(BODY, ["model"]), { tools, format });
  assertEquals(withoutPath(BODY, ["format", "type"]), {
    ...{ ...rest, tools },
    format: { schema: { strict: true } },
  });
  assertEquals(withoutPath(BODY, ["format", "schema", "strict"]), {
    ...{ ...rest, tools },
    format: { type: "json" },
  });
  assertEquals(withoutPath(BODY, ["tools", "cache", "ttl"]), {
    ...{ ...rest, format },
    tools: [{ name: "a" }, "text", { name: "b" }],
  });
  assertEquals(withoutPath(BODY, ["model", "type"]), BODY);
  assertEquals(withoutPath({ a: { b: 1 } }, ["a", "b"]), {});
});

Deno.test("withoutPath() renames a member unless the object has one of that name", () => {
  assertEquals(withoutPath({ old: 1, x: 2 }, ["old"], "new"), { x: 2, new: 1 });
  assertEquals(withoutPath({ old: 1, new: 2 }, ["old"], "new"), { new: 2 });
  assertEquals(withoutPath({ list: [{ old: 1 }, { x: 1 }] }, ["list", "old"], "new"), {
    list: [{ new: 1 }, { x: 1 }],
  });
});
