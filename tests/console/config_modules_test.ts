/** The modules of the view of the configuration that need no browser: completion and the diff. */

import { assertEquals } from "@std/assert";
import { placeOf, suggestionsAt } from "../../src/console/assets/views/config/completion.js";
import { lineDiff } from "../../src/console/assets/views/config/line_diff.js";
import { configSchema } from "../../src/config/config.ts";
import { adapters } from "../../src/providers/registry.ts";

const schema = configSchema(adapters);

/** The place and the suggestions at the mark `|` of a text. */
function at(text: string) {
  const caret = text.indexOf("|");
  const place = placeOf(text.replace("|", ""), caret);
  return { place, names: suggestionsAt(schema, place).map(({ text }) => text) };
}

/** Texts with a caret, and the path, whether it is a name, and some of the suggestions. */
const PLACES: readonly (readonly [text: string, path: string, isKey: boolean, names: string[]])[] =
  [
    ["ser|", "", true, ["server"]],
    ["server:\n  po|", "server", true, ["port"]],
    ["server:\n  port: 1\n\n  # Comment\n  cons|", "server", true, ["console"]],
    ["server:\n  console: |", "server.console", false, ["on", "off"]],
    ["server: { console: o|", "server.console", false, ["on", "off"]],
    ["server: { port: 1, cons|", "server", true, ["console"]],
    ["server:\n  keys:\n    - name: a\n      pri|", "server.keys.[]", true, ["priority"]],
    ["server:\n  keys:\n  - name: a\n    pri|", "server.keys.[]", true, ["priority"]],
    ["server:\n  keys:\n    - na|", "server.keys.[]", true, ["name"]],
    ["server:\n  keys:\n    - { name: a, priority: b|", "server.keys.[].priority", false, [
      "batch",
    ]],
    ["server:\n  keys:\n    - name: a\n      priority: |", "server.keys.[].priority", false, [
      "interactive",
      "batch",
    ]],
    ["server:\n  serves: [api, me|", "server.serves.[]", false, ["metrics"]],
    ["server:\n  serves:\n    - me|", "server.serves.[]", true, []],
    ["limits:\n  requests_per_m|", "limits", true, ["requests_per_minute"]],
    ["providers:\n  a:\n    kind: azu|", "providers.a.kind", false, ["azure"]],
    ["providers:\n  a: { kind: azu|", "providers.a.kind", false, ["azure"]],
    ["providers:\n  a:\n    kind: azure\n    api_v|", "providers.a", true, ["api_version"]],
    ["providers:\n  a: { kind: azure, api_v|", "providers.a", true, ["api_version"]],
    ["providers:\n  a: { kind: openai, api_v|", "providers.a", true, []],
    ["providers:\n  a:\n    api_v|\n    kind: azure\n", "providers.a", true, ["api_version"]],
    [
      "providers:\n  o: { kind: openai }\n  a:\n    kind: azure\n    models:\n      - id: x\n        ups|",
      "providers.a.models.[]",
      true,
      ["upstream"],
    ],
    ["log:\n  level: |", "log.level", false, ["debug", "info", "warn"]],
  ];

for (const [text, path, isKey, names] of PLACES) {
  Deno.test(`suggestions at ${JSON.stringify(text)}`, () => {
    const found = at(text);
    assertEquals([found.place?.path.join("."), found.place?.isKey], [path, isKey]);
    assertEquals(found.names.filter((name) => names.includes(name)).sort(), [...names].sort());
    if (names.length === 0) assertEquals(found.names, []);
  });
}

Deno.test("members that are there are not suggested again, and comments have no suggestions", () => {
  const { names } = at("server:\n  port: 1\n  |\n  host: a\nlog:\n  level: info\n");
  assertEquals(["port", "host", "keys"].map((name) => names.includes(name)), [false, false, true]);
  assertEquals(at("server: # con|").place, undefined);
  assertEquals(at("server: { port: 1, host: a, |").names.includes("port"), false);
});

Deno.test("the names that begin with the text are first", () => {
  const { names } = at("limits:\n  tokens|");
  assertEquals(names.slice(0, 3).every((name) => name.startsWith("tokens")), true);
});

/** A diff as text. */
function diff(before: string, after: string): string[] {
  return lineDiff(before, after).map((rows) =>
    rows.map(({ sign, text, line }) => `${sign}${line} ${text}`).join("|")
  );
}

Deno.test("lineDiff() shows the lines that differ, with three lines around them", () => {
  const lines = Array.from({ length: 20 }, (_, index) => `l${index + 1}`);
  const text = lines.join("\n");
  assertEquals(diff(text, text), []);
  assertEquals(diff(text, lines.with(9, "new").join("\n")), [
    " 7 l7| 8 l8| 9 l9|-10 l10|+10 new| 11 l11| 12 l12| 13 l13",
  ]);
  assertEquals(diff(text, ["first", ...lines.toSpliced(16, 1)].join("\n")), [
    "+1 first| 2 l1| 3 l2| 4 l3",
    " 15 l14| 16 l15| 17 l16|-17 l17| 18 l18| 19 l19| 20 l20",
  ]);
});

Deno.test("applying a diff to the text before gives the text after", () => {
  const words = ["a", "b", "c", "d"];
  for (let seed = 1; seed < 200; seed++) {
    const make = (factor: number) =>
      Array.from(
        { length: seed % 9 + 1 },
        (_, index) => words[(seed * factor + index * index) % 4],
      );
    const [before, after] = [make(3), make(7)];
    const rows = lineDiff(before.join("\n"), after.join("\n")).flat();
    const kept = after.flatMap((text, index) =>
      rows.some(({ sign, line }) => sign === "+" && line === index + 1) ? [] : [text]
    );
    const rest = before.flatMap((text, index) =>
      rows.some(({ sign, line }) => sign === "-" && line === index + 1) ? [] : [text]
    );
    assertEquals(kept, rest);
  }
});

Deno.test("two very long texts are compared in time", () => {
  const long = (prefix: string) =>
    Array.from({ length: 20_000 }, (_, index) => `${prefix}${index}`).join("\n");
  assertEquals(lineDiff(long("a"), long("b")).flat().length, 40_000);
});
