/**
 * The settings file of each client before and after `sluice connect`. With UPDATE_GOLDENS=1 the
 * files afterwards are written instead, to be read before they are committed.
 */

import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { parse as parseToml } from "@std/toml";
import { parse as parseYaml } from "@std/yaml";
import { parseEnv } from "node:util";
import { fileURLToPath } from "node:url";
import type { ClientFile } from "../../../src/clients/client.ts";
import { CLIENTS } from "../../../src/clients/printed.ts";
import { applySettings, restoreSettings } from "../../../src/clients/settings_text.ts";
import { SettingsError } from "../../../src/clients/edits.ts";
import { placesOn, TARGET } from "./support.ts";

const FOLDER = fileURLToPath(new URL("goldens/", import.meta.url));

/** All files of all clients, with their golden. */
const FILES = [...CLIENTS.values()].flatMap((client) => {
  const files = client.files(TARGET, placesOn("linux"));
  return files.map((file, index) => ({
    file,
    golden: FOLDER + (files.length === 1 ? client.id : `${client.id}.${index}`),
    id: `${client.id} ${file.format}`,
  }));
});

/** Reads a text, where possible with another parser than that of the product. */
// deno-lint-ignore no-explicit-any
function parse(text: string, format: ClientFile["format"]): any {
  switch (format) {
    case "json":
      // Comments do not occur in strings of the goldens, but `//` does in URLs.
      return JSON.parse(
        text.replace(/(^|[\s,{[])\/\/.*/g, "$1").replace(/\/\*[^]*?\*\//g, "").replace(
          /,(\s*[}\]])/g,
          "$1",
        ),
      );
    case "yaml":
      return (parseYaml(text) ?? {});
    case "toml":
      return parseToml(text);
    case "dotenv":
      return { ...parseEnv(text) };
  }
}

/** A value without what the settings name. */
function withoutOurs(value: unknown, settings: ClientFile["settings"]): unknown {
  const copy = structuredClone(value);
  for (const setting of settings) {
    const last = setting.path.at(-1);
    // deno-lint-ignore no-explicit-any
    const at = (path: readonly string[]) => path.reduce<any>((one, name) => one?.[name], copy);
    if ("entries" in setting) {
      const list = at(setting.path);
      if (Array.isArray(list)) {
        list.splice(0, list.length, ...list.filter((entry) => !setting.isOurs(entry)));
      }
      if (list?.length === 0 && last !== undefined) delete at(setting.path.slice(0, -1))[last];
    } else if (last !== undefined) delete at(setting.path.slice(0, -1))?.[last];
    // Objects that held nothing else.
    for (let length = setting.path.length - 1; length > 0; length--) {
      const [parent, name] = [at(setting.path.slice(0, length - 1)), setting.path[length - 1]];
      if (parent?.[name ?? ""] && Object.keys(parent[name ?? ""]).length === 0) {
        delete parent[name ?? ""];
      }
    }
  }
  return copy;
}

/** The comments of a text, in their order. */
function commentsIn(text: string, format: ClientFile["format"]): string[] {
  const pattern = format === "json"
    ? /(?<=^|[\s,{[])(?:\/\/.*|\/\*[^]*?\*\/)/g
    : /(?<=^|\n|[\s,{[]{1,9})#(?! not a).*/g;
  return (text.match(pattern) ?? []).map((comment) => comment.trimEnd());
}

for (const { file: { format, settings }, golden, id } of FILES) {
  const before = Deno.readTextFileSync(`${golden}.before.txt`);
  const after = applySettings(before, format, settings);

  Deno.test(`connect ${id}: the file is the golden`, () => {
    if (Deno.env.get("UPDATE_GOLDENS") === "1") {
      Deno.writeTextFileSync(`${golden}.after.txt`, after);
    }
    assertEquals(after, Deno.readTextFileSync(`${golden}.after.txt`));
    assertNotEquals(after, before);
  });

  Deno.test(`connect ${id}: other settings, their order and comments stay`, () => {
    const [old, young] = [before, after].map((text) => withoutOurs(parse(text, format), settings));
    assertEquals(young, old);
    assertEquals(JSON.stringify(young), JSON.stringify(old));
    assertEquals(commentsIn(after, format), commentsIn(before, format));
  });

  Deno.test(`connect ${id}: the settings have their values`, () => {
    for (const setting of settings) {
      // deno-lint-ignore no-explicit-any
      const value = setting.path.reduce<any>((one, name) => one[name], parse(after, format));
      if ("entries" in setting) {
        const ours = value.filter(setting.isOurs);
        assertEquals(ours.length, setting.entries.length);
        for (const entry of setting.entries) {
          const found = ours.find((one: Record<string, unknown>) =>
            one[setting.identity] === entry[setting.identity]
          );
          assertEquals({ ...found, ...entry }, found);
        }
      } else if (setting.isDefault !== true) assertEquals(value, setting.value);
      else assert(value !== undefined);
    }
  });

  Deno.test(`connect ${id}: a second run changes nothing`, () => {
    assertEquals(applySettings(after, format, settings), after);
  });

  Deno.test(`connect ${id}: --undo restores the text`, () => {
    assertEquals(restoreSettings(after, before, format, settings), before);
  });

  Deno.test(`connect ${id}: --undo keeps settings that were added since`, () => {
    const added = { path: ["added_by_hand"], value: "kept" };
    const other = { path: [], entries: [{ name: "mine" }], identity: "name", isOurs: () => false };
    const isList = Array.isArray(parse(before, format));
    const changed = applySettings(after, format, [isList ? other : added]);
    const restored = restoreSettings(changed, before, format, settings);
    const value = parse(restored, format);
    if (isList) assertEquals(value.at(-1), { name: "mine" });
    else assertEquals(value.added_by_hand, "kept");
    const expected = parse(applySettings(before, format, [isList ? other : added]), format);
    // Entries that were removed return at the end of their list.
    for (const { path } of settings.filter((setting) => "entries" in setting)) {
      for (const one of [value, expected]) {
        // deno-lint-ignore no-explicit-any
        const list = path.reduce<any>((inner, name) => inner?.[name], one);
        list?.sort((left: unknown, right: unknown) =>
          JSON.stringify(left) < JSON.stringify(right) ? -1 : 1
        );
      }
    }
    assertEquals(value, expected);
    assertEquals(commentsIn(restored, format), commentsIn(before, format));
  });

  Deno.test(`connect ${id}: a new file has the settings only, and --undo leaves nothing`, () => {
    const created = applySettings("", format, settings);
    assert(created.endsWith("\n") && !created.startsWith("\n"));
    const rest = withoutOurs(parse(created, format), settings);
    assertEquals(Array.isArray(rest) ? rest : Object.keys(rest as object), []);
    assertEquals(restoreSettings(created, "", format, settings), "");
  });

  Deno.test(`connect ${id}: line ends and a byte order mark stay`, () => {
    const windows = (text: string) => text.replaceAll("\n", "\r\n");
    assertEquals(applySettings(windows(before), format, settings), windows(after));
    assertEquals(applySettings("\uFEFF" + before, format, settings), "\uFEFF" + after);
  });

  Deno.test(`connect ${id}: no file contains a key`, () => {
    assert(!/sk-|service key/.test(after));
  });
}

Deno.test("connect has a golden for each file", () => {
  const goldens = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).sort();
  const expected = FILES.flatMap(({ golden }) =>
    ["after", "before"].map((time) => `${golden.slice(FOLDER.length)}.${time}.txt`)
  );
  assertEquals(goldens, expected.sort());
});

/** Texts that are not valid, with the error. */
const MALFORMED: readonly (readonly [ClientFile["format"], string, RegExp])[] = [
  ["json", '{\n  "a": 1,\n  "b": }\n', /not valid JSON: \w+ in line 3/],
  ["json", '{ "a": 1', /not valid JSON/],
  ["json", "[1]", /its content is not an object/],
  ["json", '{ "env": "x" }', /'env' is not an object/],
  ["yaml", "a: [1\nb: 2\n", /not valid YAML/],
  ["yaml", "a: 1\n---\nb: 2\n", /more than one YAML document/],
  ["yaml", "- 1\n", /its content is not an object/],
  ["yaml", "a: 1\na: 2\n", /not valid YAML/],
  ["toml", "a = \n", /not valid TOML/],
  ["toml", "env = 1\n", /'env' is not an object/],
];

for (const [format, text, error] of MALFORMED) {
  Deno.test(`connect refuses ${format} ${JSON.stringify(text)}`, () => {
    const settings = [{ path: ["env", "NAME"], value: "x" }];
    const thrown = assertThrows(() => applySettings(text, format, settings), SettingsError);
    assert(error.test(thrown.message), thrown.message);
  });
}
