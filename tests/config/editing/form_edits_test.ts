/** Edits of forms change one object of a text; everything else stays byte-equal. */

import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import type { FormEdit } from "../../../src/config/editing/changes.ts";
import { applyEdits } from "../../../src/config/editing/form_edits.ts";
import { FormError, listFormObjects } from "../../../src/config/editing/form_objects.ts";
import { readYaml } from "../../../src/config/yaml.ts";

const SHIPPED = Deno.readTextFileSync(new URL("../../../config.yaml", import.meta.url));
const LONG = "a long text ".repeat(200);

interface Example {
  readonly text: string;
  readonly edits: readonly FormEdit[];
  /** The replaced characters, and those that replace them; the rest must stay. */
  readonly from: string;
  readonly to: string;
}

const set = (path: string, value: unknown): FormEdit => ({ path: stepsOf(path), value });
const arrange = (path: string, ...items: (string | number)[]): FormEdit => ({
  path: stepsOf(path),
  items,
});
const remove = (path: string): FormEdit => ({ path: stepsOf(path), remove: true });

function stepsOf(path: string): (string | number)[] {
  return path.split("/").map((step) => /^\d+$/.test(step) ? Number(step) : step);
}

const EXAMPLES: Readonly<Record<string, Example>> = {
  "a plain value with a comment": {
    text: "providers:\n  a:\n    kind: openai # one\n    base_url: http://x/v1 # two\n",
    edits: [set("providers/a/base_url", "https://y.test/v1")],
    from: "http://x/v1",
    to: "https://y.test/v1",
  },
  "double quotes": {
    text: 'providers:\n  a: # "b"\n    api_key: "${A}"  # key\n',
    edits: [set("providers/a/api_key", "${B}")],
    from: '"${A}"',
    to: '"${B}"',
  },
  "single quotes": {
    text: "providers:\n  a:\n    api_key: '${A}'\n",
    edits: [set("providers/a/api_key", "it's ${B}")],
    from: "'${A}'",
    to: "'it''s ${B}'",
  },
  "flow style": {
    text: "# x\nproviders: { a: { kind: openai, models: [m] }, b: { kind: mock } } # end\n",
    edits: [set("providers/a/base_url", "https://y.test/v1")],
    from: "[m]",
    to: "[m], base_url: https://y.test/v1",
  },
  "flow style over several lines with comments": {
    text:
      "providers: {\n  a: { kind: openai }, # first\n  # between\n  b: { kind: mock }, # last\n}\n",
    edits: [set("providers/b/retries", 1)],
    from: "kind: mock",
    to: "kind: mock, retries: 1",
  },
  "comments everywhere": {
    text: "# 1\naliases: # 2\n  # 3\n  fast: # 4\n    # 5\n    - a # 6\n    # 7\n    - b # 8\n" +
      "    # 9\n  # 10\n  slow: c # 11\n# 12\n",
    edits: [arrange("aliases/fast", 1, 0)],
    from: "    # 5\n    - a # 6\n    # 7\n    - b # 8\n",
    to: "    # 7\n    - b # 8\n    # 5\n    - a # 6\n",
  },
  "CRLF": {
    text: "providers:\r\n  a:\r\n    kind: mock\r\n    models:\r\n      - m\r\n  b: {}\r\n",
    edits: [arrange("providers/a/models", "new", 0)],
    from: "      - m\r\n",
    to: "      - new\r\n      - m\r\n",
  },
  "a new member in CRLF": {
    text: "providers:\r\n  a:\r\n    kind: mock # x\r\n    models: [m]\r\n\r\nkeep: 1d\r\n",
    edits: [set("providers/a/retries", 0)],
    from: "models: [m]\r\n",
    to: "models: [m]\r\n    retries: 0\r\n",
  },
  "tabs in comments": {
    text: "aliases:\n  a: x\t# tab\there\n\t# a line\n  b: y #\tz\n",
    edits: [set("aliases/b", "q")],
    from: "y #",
    to: "q #",
  },
  "quoted names": {
    text: "aliases:\n  \"a: b\": x # \"a: b\": x\n  'a''b': y\n",
    edits: [set("aliases/a: b", "z"), set("aliases/a'b", "w")],
    from: "x # \"a: b\": x\n  'a''b': y",
    to: "z # \"a: b\": x\n  'a''b': w",
  },
  "an empty section": {
    text: "aliases:   # none yet\nkeep: 1d\n",
    edits: [set("aliases/fast", ["a", "b"])],
    from: "# none yet",
    to: "# none yet\n  fast: [a, b]",
  },
  "an empty section at the end": {
    text: "keep: 1d\naliases:",
    edits: [set("aliases/fast", "a")],
    from: "aliases:",
    to: "aliases:\n  fast: a",
  },
  "an empty object": {
    text: "aliases: {}\nkeep: 1d\n",
    edits: [set("aliases/fast", "a")],
    from: "{}",
    to: "{ fast: a }",
  },
  "a missing section": {
    text: "keep: 1d # x\n",
    edits: [set("limits/requests_per_minute", 60)],
    from: "1d # x\n",
    to: "1d # x\nlimits:\n  requests_per_minute: 60\n",
  },
  "names that are nearly the same": {
    text: "aliases:\n  gpt: a\n  gpt-5: a\n  gpt-5.4: a\n  GPT-5: a\nproviders:\n  gpt-5: {}\n",
    edits: [set("aliases/gpt-5", "b")],
    from: "gpt-5: a\n  gpt-5.4",
    to: "gpt-5: b\n  gpt-5.4",
  },
  "a name that is a number": {
    text: "aliases:\n  4: a\n  5: b\n",
    edits: [{ path: ["aliases", "5"], value: "c" }],
    from: "b",
    to: "c",
  },
  "long texts": {
    text: `server:\n  keys:\n    - name: a\n      note: "${LONG}"\n      team: x\n`,
    edits: [set("server/keys/0/team", "search")],
    from: "team: x",
    to: "team: search",
  },
  "a block scalar before a new member": {
    text:
      "providers:\n  v:\n    kind: vertex\n    credentials: |\n      {\n        # no comment\n      }\n" +
      "  w: {}\n",
    edits: [set("providers/v/location", "eu")],
    from: "      }\n  w",
    to: "      }\n    location: eu\n  w",
  },
  "anchors elsewhere": {
    text: "limits: &l\n  requests_per_minute: 6\naliases:\n  a: &a [x, y]\n  b: *a\n  c: z\n",
    edits: [set("aliases/c", ["x", "z"])],
    from: "c: z",
    to: "c: [x, z]",
  },
  "a list over several lines": {
    text: "aliases:\n  a: [\n    x,\n    y,\n    z,\n  ] # end\n",
    edits: [arrange("aliases/a", 2, 0, 1)],
    from: "x,\n    y,\n    z",
    to: "z,\n    x,\n    y",
  },
  "entries with members move whole": {
    text: "providers:\n  a:\n    models:\n    - id: x # 1\n      upstream: z\n    # 2\n    - y\n",
    edits: [arrange("providers/a/models", 1, 0)],
    from: "    - id: x # 1\n      upstream: z\n    # 2\n    - y\n",
    to: "    # 2\n    - y\n    - id: x # 1\n      upstream: z\n",
  },
  "no line break at the end": {
    text: "aliases:\n  a:\n    - x\n    - y",
    edits: [arrange("aliases/a", 1, 0)],
    from: "    - x\n    - y",
    to: "    - y\n    - x",
  },
  "a budget in an entry of a list": {
    text:
      "server:\n  keys:\n    - { name: a, key: k } # 1\n    # 2\n    - name: b # 3\n      key: k\n",
    edits: [set("server/keys/1/budget", { usd: 5, per: "month" })],
    from: "      key: k\n",
    to: "      key: k\n      budget:\n        usd: 5\n        per: month\n",
  },
  "a member is removed with its comment": {
    text: "server:\n  keys:\n    - name: a\n      team: x # why\n      key: k # y\n",
    edits: [remove("server/keys/0/team")],
    from: "      team: x # why\n",
    to: "",
  },
  "a member of a flow is removed": {
    text: "limits: { concurrent: 5, models: {} } # x\n",
    edits: [remove("limits/concurrent")],
    from: "concurrent: 5, ",
    to: "",
  },
  "the only member is removed": {
    text: "limits: # 1\n  concurrent: 5 # 2\naliases:\n  a: b\n",
    edits: [remove("limits/concurrent")],
    from: "concurrent: 5",
    to: "{}",
  },
  "text that YAML would read as something else": {
    text: "aliases:\n  a: x\n",
    edits: [arrange("aliases/a", "true", "1.5", "a: b", "#x", "@cf/x", "it")],
    from: "x",
    to: '["true", "1.5", "a: b", "#x", "@cf/x", it]',
  },
  "a byte order mark, and no line break at the end": {
    text: "\uFEFF# x\r\naliases:\r\n  a: x # y",
    edits: [set("aliases/a", "z")],
    from: "x # y",
    to: "z # y",
  },
  "merge keys elsewhere": {
    text:
      "limits:\n  models:\n    a: &a { concurrent: 5 }\n    b: { <<: *a, requests_per_day: 2 }\n" +
      "aliases:\n  c: d\n",
    edits: [set("aliases/c", "e"), set("limits/models/b/requests_per_day", 3)],
    from: "requests_per_day: 2 }\naliases:\n  c: d",
    to: "requests_per_day: 3 }\naliases:\n  c: e",
  },
  "document marks and a directive": {
    text: "%YAML 1.2\n---\naliases:\n  a: x\n...\n",
    edits: [set("aliases/a", "q")],
    from: "a: x",
    to: "a: q",
  },
  "names of built-in members": {
    text: "aliases:\n  constructor: a\n  __proto__: b\n  toString: c\n",
    edits: [set("aliases/constructor", "x"), set("aliases/__proto__", "q")],
    from: "a\n  __proto__: b",
    to: "x\n  __proto__: q",
  },
  "an entry of a chain gets a weight": {
    text: "aliases:\n  a:\n    # 1\n    - x # 2\n    - { model: y } # 3\n",
    edits: [
      set("aliases/a/0", { model: "x", weight: 2 }),
      set("aliases/a/1/when", ["timeout"]),
    ],
    from: "x # 2\n    - { model: y }",
    to: "{ model: x, weight: 2 } # 2\n    - { model: y, when: [timeout] }",
  },
  "a long plain text over several lines stays beside a change": {
    text: `server:\n  keys:\n    - name: a\n      note: ${LONG}\n        ${LONG}\n      team: x\n`,
    edits: [remove("server/keys/0/team")],
    from: "      team: x\n",
    to: "",
  },
  "the only member of an entry, a text over several lines": {
    text: "server:\n  keys:\n    - note: |\n        x\nlimits:\n  concurrent: 1\n",
    edits: [remove("server/keys/0/note")],
    from: "note: |\n        x\n",
    to: "{}\n",
  },
  "the providers of the shipped file": {
    text: SHIPPED,
    edits: [arrange("providers/openai/models", 0, 2, 1, 3, 4, 5)],
    from: "      - gpt-5.6-luna # OpenAI's Agents SDKs ask for it by default\n      - gpt-5.5\n",
    to: "      - gpt-5.5\n      - gpt-5.6-luna # OpenAI's Agents SDKs ask for it by default\n",
  },
  "a new provider in the shipped file": {
    text: SHIPPED,
    edits: [set("providers/openai/base_url", "https://eu.example/v1")],
    from: '"${OPENAI_API_KEY}" # or a list of keys, used as a pool\n',
    to: '"${OPENAI_API_KEY}" # or a list of keys, used as a pool\n' +
      "    base_url: https://eu.example/v1\n",
  },
};

for (const [name, { text, edits, from, to }] of Object.entries(EXAMPLES)) {
  Deno.test(`an edit changes only its object: ${name}`, () => {
    assertEquals(text.split(from).length, 2, "the example says once what changes");
    const next = applyEdits(text, edits);
    assertEquals(next, text.split(from).join(to));
    assertEquals(readYaml(next).errors, []);
  });
}

const REFUSED: Readonly<Record<string, readonly [string, FormEdit]>> = {
  "a value with an anchor": ["aliases:\n  a: &a x\n  b: *a\n", set("aliases/a", "y")],
  "a value within an anchor": [
    "providers:\n  a: &a\n    kind: mock\n  b: *a\n",
    set("providers/a/kind", "openai"),
  ],
  "an alias": ["aliases:\n  a: &a x\n  b: *a\n", set("aliases/b", "y")],
  "a member behind an alias": ["x: &x { a: b }\naliases: *x\n", set("aliases/a", "y")],
  "a block scalar": ["aliases:\n  a: |\n    x\n", set("aliases/a", "y")],
  "a tag": ["aliases:\n  a: !!str x\n", set("aliases/a", "y")],
  "a flow list with comments": ["aliases:\n  a: [x, # 1\n    y]\n", arrange("aliases/a", 1, 0)],
  "several documents": ["aliases:\n  a: x\n---\nb: c\n", set("aliases/a", "y")],
  "text that is not YAML": ["aliases: [\n", set("aliases/a", "y")],
  "a text with a name twice": ["aliases:\n  a: x\n  a: y\n", set("aliases/a", "z")],
  "the merge key of an object": ["x: &x { a: b }\naliases:\n  <<: *x\n", set("aliases/<<", "y")],
  "tabs as indentation": ["aliases:\n\ta: x\n", set("aliases/a", "y")],
  "an explicit name": ["aliases:\n  ? a\n  : x\n", remove("aliases/a")],
  "a member of a list": ["aliases:\n  a: [x, y]\n", set("aliases/a/b", "y")],
  "an entry that a list does not have": ["aliases:\n  a: [x]\n", set("aliases/a/3", "y")],
  "a member of a text": ["aliases:\n  a: x\n", set("aliases/a/b", "y")],
  "the place of an entry that is not there": ["aliases:\n  a: [x]\n", arrange("aliases/a", 4)],
  "the last entry of a list": ["aliases:\n  a:\n    - x\n", arrange("aliases/a")],
};

for (const [name, [text, edit]] of Object.entries(REFUSED)) {
  Deno.test(`a form refuses to change ${name}`, () => {
    assertThrows(() => applyEdits(text, [edit]), FormError);
  });
}

Deno.test("an alias with too many values is refused soon", () => {
  const lines = Array.from(
    { length: 30 },
    (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index}, `.repeat(9)}*a${index}]\n`,
  );
  const text = `a0: &a0 [x]\n${lines.join("")}aliases:\n  a: x\n`;
  assertThrows(() => applyEdits(text, [set("aliases/a", "y")]), FormError);
});

Deno.test("each provider, alias and key of the shipped file has a form with all of its members", () => {
  const objects = listFormObjects(SHIPPED);
  const { providers = {}, aliases = {} } = readYaml(SHIPPED).value as Record<string, object>;
  const namesOf = (section: string) =>
    objects.filter(({ path }) => path[0] === section).map(({ name }) => name);
  assertEquals(namesOf("providers"), Object.keys(providers));
  assertEquals(namesOf("aliases"), Object.keys(aliases));
  assertEquals(namesOf("server"), ["default"]);
  const lines = SHIPPED.split("\n");
  for (const { name, first_line, last_line } of objects) {
    assertStringIncludes(lines[first_line - 1] ?? "", name);
    assert((lines[last_line - 1] ?? "").trim() !== "" && last_line >= first_line);
  }
});

Deno.test("a form names the values that can only be edited as text", () => {
  const text = "providers:\n  a:\n    kind: mock\n    headers: { x: { y: z } }\n" +
    "    api_key: |\n      k\n    models: [m, { id: n, upstream: o }]\n" +
    "aliases:\n  b:\n    targets: [m]\n    hedge: { after: 1s }\n";
  const [provider, alias] = listFormObjects(text);
  assertEquals(provider, {
    path: ["providers", "a"],
    name: "a",
    first_line: 2,
    last_line: 7,
    fields: [
      { path: ["kind"], value: "mock" },
      {
        path: ["models"],
        items: [{ name: "m", is_text: false }, {
          ...{ name: "n", is_text: true },
          fields: [{ path: ["id"], value: "n" }, { path: ["upstream"], value: "o" }],
        }],
      },
    ],
    kept: ["headers.x.…", "api_key"],
  });
  assertEquals(alias?.fields, [
    { path: ["targets"], items: [{ name: "m", is_text: false }] },
    { path: ["hedge", "after"], value: "1s" },
  ]);
});

for (const lineEnd of ["\n", "\r\n"]) {
  const name = JSON.stringify(lineEnd);
  Deno.test(`edits of all values of the shipped file change only their lines, with ${name}`, () => {
    const text = SHIPPED.replaceAll("\n", lineEnd);
    const lines = text.split("\n");
    let edited = 0;
    for (const { path, fields, first_line, last_line } of listFormObjects(text)) {
      const before = lines.slice(0, first_line - 1).join("\n");
      const after = lines.slice(last_line).join("\n");
      for (const field of fields) {
        const at = [...path, ...field.path];
        const order = field.items?.map((_, index) => index) ?? [];
        const edits: FormEdit[] = field.items === undefined
          ? [{ path: at, value: "a: # b" }, { path: at, remove: true }]
          : [{ path: at, items: [...order.toReversed(), "new: x"] }];
        for (const edit of edits) {
          const next = applyEdits(text, [edit]);
          assert(next !== text, `${at.join(".")} has not changed`);
          edited++;
          assert(next.startsWith(before) && next.endsWith(after), at.join("."));
          assertEquals(next.replaceAll(lineEnd, "").includes("\n"), false);
        }
        if (order.length > 0) assertEquals(applyEdits(text, [{ path: at, items: order }]), text);
      }
    }
    assert(edited > 100, `${edited} edits`);
  });
}
