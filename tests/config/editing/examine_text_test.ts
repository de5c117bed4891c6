/** The check of a text: problems with lines, changes by names, and nothing about secrets. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { configSchema } from "../../../src/config/config.ts";
import { changesBetween } from "../../../src/config/editing/changes.ts";
import { examineText } from "../../../src/config/editing/examine_text.ts";
import { SecretMembers } from "../../../src/config/editing/secret_members.ts";
import { maskText } from "../../../src/config/editing/masked_text.ts";
import { loadConfigWithSnapshot } from "../../../src/config/snapshot.ts";
import { adapters } from "../../../src/providers/registry.ts";

const RUNNING = `# Ours
server:
  keys:
    - { name: web, key: "\${WEB_KEY}" }
    - { name: batch, key: sk-literal-0123456789 }
limits: { requests_per_minute: 100 }
providers:
  east: { kind: openai, api_key: "\${EAST_KEY}", models: [gpt-5.4, gpt-5.4-nano] }
aliases: { fast: gpt-5.4-nano }
`;

const VARIABLES: Readonly<Record<string, string>> = {
  WEB_KEY: "sk-web-0123456789",
  EAST_KEY: "sk-east-0123456789",
  HOME_SECRET: "gpt-5.4-secret",
};

/** The files and variables that were read. */
const read: string[] = [];

const { snapshot } = loadConfigWithSnapshot(RUNNING, {
  source: "config.yaml",
  adapters,
  env: (name) => VARIABLES[name],
  readFile: (path) => {
    read.push(path);
    return "gpt-5.4-secret";
  },
  now: () => 0,
  newKey: () => "sk-new",
});
const key = new Uint8Array(32);
const members = new SecretMembers(configSchema(adapters));
const { text: maskedText } = maskText(RUNNING, { key, members, comments: true });
const examine = (text: string) => examineText({ text, snapshot, maskedText, adapters });

Deno.test("the text in use has no problems and changes nothing", async () => {
  assertEquals(await examine(maskedText), {
    ...{ problems: [], more_problems: 0, changes: [], more_changes: 0, unread: [] },
  });
});

Deno.test("problems have their lines and columns", async () => {
  const { problems } = await examine(
    maskedText.replace("requests_per_minute: 100", "requests_per_minut: 100")
      .replace("fast: gpt-5.4-nano", "fast: gpt-5.4-nan"),
  );
  assertEquals(problems.map(({ path, line, column }) => [path, line, column]), [
    ["limits.requests_per_minut", 6, 11],
    ["aliases.fast", 9, 18],
  ]);
  assertStringIncludes(problems[0]?.message ?? "", "did you mean 'requests_per_minute'?");
  const [broken] = (await examine("a: [1\nb: 2\n")).problems;
  assertStringIncludes(broken?.message ?? "", "Invalid YAML");
  assertEquals([broken?.line, broken?.column], [1, 4]);
});

Deno.test("changes are named by what they change", async () => {
  const { changes, problems } = await examine(
    maskedText
      .replace("requests_per_minute: 100", "requests_per_minute: 200")
      .replace(", gpt-5.4-nano]", ", { id: gpt-5.4-nano, retries: 1 }, gpt-5.5], retries: 3")
      .replace("fast: gpt-5.4-nano", "fast: gpt-5.5, smart: gpt-5.4")
      .replace("name: batch", "name: jobs") + "keep: 30d\npins: { gpt-5.4: east }\n",
  );
  assertEquals(problems, []);
  assertEquals(changes.map(({ section, name, change }) => `${change} ${section} ${name}`), [
    "changed providers east",
    "changed models gpt-5.4-nano@east",
    "added models gpt-5.5@east",
    "changed aliases fast",
    "added aliases smart",
    "added pins gpt-5.4",
    "changed limits requests_per_minute",
    "removed keys batch",
    "added keys jobs",
    "added settings keep",
  ]);
  const [limit] = changes.filter(({ section }) => section === "limits");
  assertEquals([limit?.before, limit?.after], ["100", "200"]);
  assert(!JSON.stringify(changes).includes("sk-literal"));
});

Deno.test("a change of an object is its members that differ, as the file writes them", () => {
  const key = (members: object) => ({ server: { keys: [{ name: "a", ...members }] } });
  const textOf = (before: object, after: object) => {
    const [change] = changesBetween(key(before), key(after));
    return [change?.before, change?.after];
  };
  assertEquals(textOf({ note: "x", limits: { concurrent: 5 } }, { note: "x", limits: {} }), [
    "limits: { concurrent: 5 }",
    "limits: {}",
  ]);
  assertEquals(textOf({}, { models: ["gpt-*", "1.5"], note: "a: b" }), [
    undefined,
    'models: [gpt-*, "1.5"], note: "a: b"',
  ]);
  const [added] = changesBetween({}, { aliases: { "__proto__x": ["a", { model: "b" }] } });
  assertEquals(added, {
    ...{ section: "aliases", name: "__proto__x", change: "added" },
    after: "[a, { model: b }]",
  });
});

Deno.test("references that the configuration in use does not have at that place are not read", async () => {
  const before = read.length;
  const { problems, changes, unread } = await examine(
    maskedText.replace("fast:", 'leak: "${HOME_SECRET}", file: "${file:/etc/passwd}", fast:') +
      'catalogue: /etc/shadow\nkeep: "${EAST_KEY}"\n',
  );
  assertEquals(read.length, before);
  // Neither a suggestion nor a comparison is near to the secret.
  assertEquals(problems, []);
  assertEquals(unread, ["aliases.leak", "aliases.file", "keep", "catalogue"].sort(order(unread)));
  for (const secret of [...Object.values(VARIABLES), "gpt-5.4-secret"]) {
    assert(!JSON.stringify([problems, changes]).includes(secret));
  }
});

/** The order of the list itself: it is of no interest. */
function order(list: readonly string[]) {
  return (one: string, other: string) => list.indexOf(one) - list.indexOf(other);
}

Deno.test("the values of references at the same path are used, and are not shown", async () => {
  // The same key twice is an error, which needs the values.
  const { problems } = await examine(
    maskedText.replace(/sk-literal-0123456789|hidden-\w+/, VARIABLES.WEB_KEY ?? ""),
  );
  assertEquals(problems.map(({ message }) => message), [
    "another entry has the same key",
  ]);
});

Deno.test("a document whose aliases expand to very many values is refused at once", async () => {
  const names = [..."abcdefgh"];
  const lines = names.map((name, index) => {
    const earlier = names[index - 1];
    return `${name}: &${name} [${Array(9).fill(earlier === undefined ? "x" : `*${earlier}`)}]`;
  });
  const { problems, changes } = await examine(`${lines.join("\n")}\n`);
  assertStringIncludes(problems[0]?.message ?? "", "more than 200000 values");
  assertEquals(changes, []);
});

Deno.test("a document that contains itself is a problem", async () => {
  const { problems } = await examine("aliases: &a { fast: *a }\n");
  assert(problems.some(({ message }) => message.includes("must not contain itself")));
});
