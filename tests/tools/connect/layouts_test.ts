/** Edits of settings files in many layouts: what is before, the settings, and what is after. */

import { assertEquals, assertThrows } from "@std/assert";
import { parse as parseToml } from "@std/toml";
import type { Setting, SettingsFormat } from "../../../src/clients/client.ts";
import { SettingsError } from "../../../src/clients/edits.ts";
import { applySettings, restoreSettings } from "../../../src/clients/settings_text.ts";

const B: readonly Setting[] = [{ path: ["b"], value: 2 }];
const TEXT: readonly Setting[] = [{ path: ["b"], value: "2" }];
const IN_T: readonly Setting[] = [{ path: ["t", "b"], value: 2 }];
const TABLE: readonly Setting[] = [{ path: ["p", "x y"], value: { name: "n", last: true } }];
const LIST: readonly Setting[] = [{
  path: ["l"],
  entries: [{ id: "o1", v: 1 }, { id: "o2" }],
  identity: "id",
  isOurs: ({ id }) => String(id).startsWith("o"),
}];

/** The format, the text before, the settings, and the text after. */
const CASES: readonly (readonly [SettingsFormat, string, readonly Setting[], string])[] = [
  ["json", "{}", B, '{\n  "b": 2\n}'],
  ["json", "{}\n", IN_T, '{\n  "t": {\n    "b": 2\n  }\n}\n'],
  ["json", '{"a":1}', B, '{"a":1, "b": 2}'],
  ["json", '{ "a": 1, }', B, '{ "a": 1, "b": 2, }'],
  ["json", '{\n\t"a": 1\n}', B, '{\n\t"a": 1,\n\t"b": 2\n}'],
  ["json", '{\n  "a": 1, // one\n}', B, '{\n  "a": 1, // one\n  "b": 2,\n}'],
  ["json", '{\n  "a": 1 /* , */\n}', B, '{\n  "a": 1, /* , */\n  "b": 2\n}'],
  ["json", '{\n  "a": 1 // {"b": 3}\n}', B, '{\n  "a": 1, // {"b": 3}\n  "b": 2\n}'],
  ["json", "{\n  // nothing yet\n}\n", B, '{\n  // nothing yet\n  "b": 2\n}\n'],
  ["json", "// nothing yet\n", B, '// nothing yet\n{\n  "b": 2\n}\n'],
  ["json", '{ "b": 1, "b": [3] /* old */ }', B, '{ "b": 1, "b": 2 /* old */ }'],
  ["json", '{ "t": null }', IN_T, '{ "t": {\n  "b": 2\n} }'],
  ["json", '{ "\\u0062": 1 }', B, '{ "\\u0062": 2 }'],
  [
    "json",
    '{ "l": [] }',
    LIST,
    '{ "l": [\n  {\n    "id": "o1",\n    "v": 1\n  },\n  {\n    "id": "o2"\n  }\n] }',
  ],
  [
    "json",
    '{\n  "l": [\n    { "id": "o9" }, // gone\n    { "id": "o1", "kept": true },\n    { "id": "x" }\n  ]\n}',
    LIST,
    '{\n  "l": [\n    // gone\n    { "id": "o1", "kept": true, "v": 1 },\n    { "id": "x" },\n    {\n      "id": "o2"\n    }\n  ]\n}',
  ],
  ["toml", "a = 1", B, "a = 1\nb = 2\n"],
  ["toml", "# note\n[t]\na = 1\n", B, "b = 2\n\n# note\n[t]\na = 1\n"],
  ["toml", "a = 1 # b = 3\n\n[t]\n", B, "a = 1 # b = 3\nb = 2\n\n[t]\n"],
  ["toml", 'a = """\nb = 1\n""" # end\n', B, 'a = """\nb = 1\n""" # end\nb = 2\n'],
  ["toml", "a = '''\nb = 1'''\n'b' = 3\n", B, "a = '''\nb = 1'''\n'b' = 2\n"],
  [
    "toml",
    "a = [ # ]\n  1,\n  [2],\n] # end\nb = 1\n",
    B,
    "a = [ # ]\n  1,\n  [2],\n] # end\nb = 2\n",
  ],
  ["toml", "b = {x = 1} # old\n", B, "b = 2 # old\n"],
  ["toml", "[t]\na = 1\n# last\n\n[u]\n", IN_T, "[t]\na = 1\nb = 2\n# last\n\n[u]\n"],
  ["toml", "[ t ]\n[t.u]\nb = 1\n", IN_T, "[ t ]\nb = 2\n[t.u]\nb = 1\n"],
  ["toml", "t.b = 1\n", IN_T, "t.b = 2\n"],
  ["toml", "[[t]]\n", B, "b = 2\n\n[[t]]\n"],
  ["toml", "a = 1\n\n\n", TABLE, 'a = 1\n\n[p."x y"]\nname = "n"\nlast = true\n'],
  [
    "toml",
    '[p."x y"] # mine\nold = 1\nname = "o" # n\n[q]\n',
    TABLE,
    '[p."x y"] # mine\nname = "n" # n\nlast = true\n[q]\n',
  ],
  ["yaml", "a: 1\n", B, "a: 1\nb: 2\n"],
  ["yaml", "# nothing yet\n", B, "# nothing yet\n\nb: 2\n"],
  ["yaml", "t:\n", IN_T, "t:\n  b: 2\n"],
  ["yaml", "t: {a: 1}\n", IN_T, "t: { a: 1, b: 2 }\n"],
  ["yaml", "l: []\n", LIST, "l: [ { id: o1, v: 1 }, { id: o2 } ]\n"],
  ["yaml", "l:\n- id: x # n\n", LIST, "l:\n- id: x # n\n- id: o1\n  v: 1\n- id: o2\n"],
  ["yaml", "x: &x {a: 1}\ny: *x\n", B, "x: &x { a: 1 }\ny: *x\nb: 2\n"],
  ["dotenv", "A=1", TEXT, "A=1\nb=2\n"],
  ["dotenv", "export b = 'x'\nA=1\n", TEXT, "export b=2\nA=1\n"],
  ["dotenv", "b=1\nb=3\n", TEXT, "b=1\nb=2\n"],
];

for (const [format, before, settings, after] of CASES) {
  Deno.test(`${format} ${JSON.stringify(before)} is edited in place`, () => {
    assertEquals(applySettings(before, format, settings), after);
  });

  // Removed entries return at the end, and inline tables are not written.
  if (before.includes("o9") || before.includes("b = {x")) continue;

  Deno.test(`${format} ${JSON.stringify(before)} is restored after another change`, () => {
    const other: readonly Setting[] = [{ path: ["zz"], value: "z" }];
    const changed = applySettings(after, format, other);
    const restored = restoreSettings(changed, before, format, settings);
    // The values are those before, and the other change.
    const again = restoreSettings(restored, before, format, other);
    assertEquals(again, before);
  });
}

/** Layouts that are refused rather than changed in another way. */
const REFUSED: readonly (readonly [SettingsFormat, string, readonly Setting[]])[] = [
  ["toml", "t = { a = 1 }\n", IN_T],
  ["toml", "p = { z = 1 }\n", TABLE],
  ["toml", "[[t]]\na = 1\n[[t]]\n", IN_T],
  ["dotenv", 'A="\nb=1"\n', TEXT],
  ["yaml", "x: &x {a: 1}\nt: *x\n", IN_T],
];

for (const [format, before, settings] of REFUSED) {
  Deno.test(`${format} ${JSON.stringify(before)} is refused`, () => {
    assertThrows(() => applySettings(before, format, settings), SettingsError);
  });
}

Deno.test("a removed table leaves the others", () => {
  const before = "a = 1\n\n[p]\nx = 1\n\n[q]\ny = 2\n";
  const changed = applySettings(before, "toml", TABLE).replace("y = 2", "y = 3");
  const restored = restoreSettings(changed, before, "toml", TABLE);
  assertEquals(restored, before.replace("y = 2", "y = 3"));
  assertEquals(parseToml(restored), { a: 1, p: { x: 1 }, q: { y: 3 } });
});
