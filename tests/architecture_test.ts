/** The rules between the folders of src, checked on the real import graph. */

import { assert, assertEquals } from "@std/assert";
import { adapters } from "../src/providers/registry.ts";
import {
  circles,
  NAMED_VENDORS,
  OTHER_VENDORS,
  type Sources,
  unusedExports,
  vendorNames,
} from "./support/source_rules.ts";

const ROOT = new URL("../", import.meta.url);

/**
 * Folders from the top to the bottom: a file imports only from its own folder and from those
 * below. The longest path that matches names a file's folder.
 */
const LAYERS: readonly string[] = [
  "src/main.ts",
  "src/tools/",
  "src/process/",
  "src/http/",
  "src/alerts/",
  "src/console/",
  "src/telemetry/",
  "src/clients/",
  "src/features/",
  "src/gateway/execute/",
  "src/gateway/",
  "src/identity/",
  "src/governance/",
  "src/streaming/",
  "src/upstream/",
  "src/config/",
  "src/memory/",
  "src/providers/registry.ts",
  "src/providers/kinds.ts",
  "src/providers/",
  "src/providers/openai_compatible/vendors/",
  "src/providers/openai_compatible/",
  "src/providers/shared/",
  "src/apis/",
  "src/contract/",
  "src/core/",
];

/** Adapters that are made of other adapters. Otherwise no vendor's folder imports another one. */
const BETWEEN_VENDORS: readonly string[] = [
  "azure -> openai",
  "vertex -> anthropic",
  "vertex -> gemini",
];

/** Folders that know nothing of each other, though one is above the other in {@linkcode LAYERS}. */
const STRANGERS: readonly (readonly [string, string])[] = [
  ["src/http/", "src/telemetry/"],
];

/** What only some folders may use; everything else gets it as an argument. */
const RESTRICTED: readonly (readonly [string, RegExp, readonly string[]])[] = [
  [
    "the network",
    /(?<![.\w]|\.\.\.)fetch\(|\bglobalThis\.fetch\b|\bDeno\.connect|\bDeno\.startTls|"node:(?:https?|net|tls|dns)/,
    ["src/upstream/", "src/tools/health.ts", "src/tools/admin_client.ts", "src/process/listener/"],
  ],
  ["Deno's own interface", /\bDeno\.(?!Serve|Signal|Net|TcpConn)\w/, [
    "src/main.ts",
    "src/process/",
    "src/tools/",
    "src/upstream/http1/dial.ts",
  ]],
  ["the time", /\b(?:Date\.now|performance\.now|setTimeout|setInterval)\b|new Date\(\)/, [
    "src/core/clock.ts",
  ]],
  ["chance", /\bMath\.random\b|\bcrypto\.(?:getRandom|random)/, ["src/core/ids.ts"]],
  ["the console", /\bconsole\./, []],
];

interface Edge {
  readonly from: string;
  readonly to: string;
}

/** The files that a text imports: in statements, in types, and when it is needed. */
const IMPORTS = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/** Every import between files of src, type-only imports included, and every file reached. */
function readGraph(): { files: Set<string>; edges: Edge[] } {
  const files = new Set(["src/main.ts"]);
  const edges: Edge[] = [];
  // A set is also iterated over what is added meanwhile.
  for (const from of files) {
    if (!from.endsWith(".ts")) continue;
    for (const [, specifier = ""] of codeOf(from).matchAll(IMPORTS)) {
      const to = pathOf(new URL(specifier, new URL(from, ROOT)).href);
      if (to === undefined) continue;
      edges.push({ from, to });
      files.add(to);
    }
  }
  return { files, edges };
}

/** A file's path from the repository's root, or undefined for what is not below src. */
function pathOf(specifier: string): string | undefined {
  if (!specifier.startsWith(`${ROOT.href}src/`)) return undefined;
  return decodeURIComponent(specifier.slice(ROOT.href.length));
}

/** The position of a file's folder in {@linkcode LAYERS}, or -1. */
function layerOf(file: string): number {
  let found = -1;
  for (const [index, layer] of LAYERS.entries()) {
    const longest = found === -1 || layer.length > (LAYERS[found]?.length ?? 0);
    if (file.startsWith(layer) && longest) found = index;
  }
  return found;
}

/** Imports that go up, or from one vendor's folder to another one. */
function violations(edges: readonly Edge[]): string[] {
  return edges.filter(({ from, to }) => {
    if (layerOf(from) === -1 || layerOf(to) === -1) return true;
    if (layerOf(to) < layerOf(from)) return true;
    if (STRANGERS.some(([one, other]) => from.startsWith(one) && to.startsWith(other))) return true;
    const [one, other] = [vendorOf(from), vendorOf(to)];
    return one !== undefined && other !== undefined && one !== other &&
      !BETWEEN_VENDORS.includes(`${one} -> ${other}`);
  }).map(({ from, to }) => `${from} -> ${to}`);
}

/** The vendor that a file belongs to, or undefined for a file that several vendors share. */
function vendorOf(file: string): string | undefined {
  const rows = /^src\/providers\/openai_compatible\/vendors\/([a-z]+)/.exec(file);
  if (rows !== null) return rows[1];
  const folder = /^src\/providers\/(\w+)\//.exec(file)?.[1];
  return folder === undefined || SHARED.has(folder) ? undefined : folder;
}

const SHARED = new Set(["shared", "openai_compatible"]);

/** Whether a file of this code may stand there. */
function isAllowed(file: string, code: string, [, pattern, allowed]: typeof RESTRICTED[number]) {
  return allowed.some((place) => file.startsWith(place)) || !pattern.test(code);
}

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${folder}${name}/`) : [`${folder}${name}`]
  );
}

/** A file's text without its comments. */
function codeOf(file: string): string {
  return Deno.readTextFileSync(new URL(file, ROOT)).replace(/\/\*[^]*?\*\/|(?<!:)\/\/ .*/g, "");
}

const { files, edges } = readGraph();

Deno.test("folders import only from folders below them", () => {
  assert(edges.length > 300);
  assertEquals(violations(edges), []);
});

Deno.test("an upward import, or one of another vendor, is detected", () => {
  for (
    const [from, to] of [
      ["src/core/errors.ts", "src/contract/chat.ts"],
      ["src/gateway/attempt.ts", "src/telemetry/metrics.ts"],
      ["src/gateway/attempt.ts", "src/features/list.ts"],
      ["src/gateway/execute/list.ts", "src/features/list.ts"],
      ["src/telemetry/observers.ts", "src/console/health/health_board.ts"],
      ["src/memory/store.ts", "src/config/config.ts"],
      ["src/telemetry/metrics.ts", "src/http/router.ts"],
      ["src/console/page.ts", "src/http/routes/route.ts"],
      ["src/apis/chat_completions/envelope.ts", "src/gateway/attempt.ts"],
      ["src/providers/openai_compatible/dialect.ts", "src/providers/openai/models.ts"],
      ["src/providers/cohere/cohere_adapter.ts", "src/providers/mistral/mistral_adapter.ts"],
      [
        "src/providers/openai_compatible/vendors/groq.ts",
        "src/providers/openai_compatible/vendors/xai.ts",
      ],
      ["src/providers/gemini/gemini_adapter.ts", "src/providers/registry.ts"],
      ["src/unknown_folder/file.ts", "src/core/errors.ts"],
    ] as const
  ) {
    assertEquals(violations([{ from, to }]), [`${from} -> ${to}`]);
  }
  assertEquals(violations([{ from: "src/http/app.ts", to: "src/core/errors.ts" }]), []);
});

/** The imports by file. */
function byFile(edges: readonly Edge[]): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const { from, to } of edges) imports.set(from, (imports.get(from) ?? new Set()).add(to));
  return imports;
}

Deno.test("no files import each other, not even their types", () => {
  assertEquals(circles(byFile(edges)), []);
});

Deno.test("a circle of imports is detected, through types and through other files", () => {
  // The opposite of an import that exists, as a type or not, closes a circle.
  const { from, to } = edges.find(({ from }) => from === "src/gateway/attempt.ts") as Edge;
  const planted = circles(byFile([...edges, { from: to, to: from }]));
  assert(planted.some((group) => group.includes(from) && group.includes(to)));
  const find = (...pairs: readonly string[]) =>
    circles(byFile(pairs.map(([from = "", to = ""]) => ({ from, to }))));
  assertEquals(find("ab", "bc", "ac", "cd"), []);
  assertEquals(find("ab", "bc", "ca", "cd", "dd"), [["d"], ["a", "b", "c"]]);
  assertEquals(find("ab", "ba", "cd", "dc", "ac"), [["c", "d"], ["a", "b"]]);
});

Deno.test("main.ts imports every TypeScript file in src", () => {
  const all = filesBelow("src/").filter((file) => file.endsWith(".ts"));
  assertEquals(all.filter((file) => !files.has(file)).sort(), []);
});

Deno.test("adapters are imported on use, outside of src/providers", () => {
  const users = [...sourcesBelow("src/")].filter(([file, text]) =>
    !file.startsWith("src/providers/") && /^import [^;]*(?:registry|_adapter)\.ts";/m.test(text)
  );
  // This file is imported on use itself.
  assertEquals(users.map(([file]) => file), ["src/process/config/editing/text_calls.ts"]);
});

/** The most lines of a file; what a vendor's API needs may be longer. */
const maxLines = (file: string) => file.startsWith("src/providers/") ? 500 : 400;

Deno.test("no file is longer than a topic", () => {
  const long = [...sourcesBelow("src/")].map(([file, text]) =>
    [file, text.split("\n").length - 1] as const
  ).filter(([file, lines]) => lines > maxLines(file));
  assertEquals(long, []);
});

for (const rule of RESTRICTED) {
  const [what, , allowed] = rule;
  Deno.test(`only ${allowed.join(" and ") || "no file"} may use ${what}`, () => {
    const users = [...files].filter((file) => file.endsWith(".ts"))
      .filter((file) => !isAllowed(file, codeOf(file), rule));
    assertEquals(users, []);
  });
}

Deno.test("uses of the network, the time, random numbers and the console are detected", () => {
  for (
    const code of [
      "const answer = await fetch(url);",
      "const send = globalThis.fetch;",
      "await Deno.connect({ port });",
      'import http from "node:http";',
      "const now = Date.now();",
      "const chance = Math.random();",
      "console.log(1);",
      "Deno.exit(1);",
    ]
  ) {
    const broken = RESTRICTED.filter((rule) => !isAllowed("src/gateway/attempt.ts", code, rule));
    assert(broken.length > 0, code);
  }
});

/** The text of all TypeScript files below some folders. */
function sourcesBelow(...folders: readonly string[]): Sources {
  const paths = folders.flatMap(filesBelow).filter((file) => file.endsWith(".ts"));
  return new Map(paths.map((file) => [file, Deno.readTextFileSync(new URL(file, ROOT))]));
}

Deno.test("every export has a user, and exports for tests are marked and used by tests", () => {
  assertEquals(
    unusedExports(sourcesBelow("src/"), sourcesBelow("tests/", "scripts/")),
    [],
  );
});

Deno.test("an export without a user is detected", () => {
  const user =
    'import { used, type Shape } from "./a.ts";\nconst { lazy } = await import("./a.ts");' +
    '\nconst load = () => import("./a.ts").then(({ later }) => later);';
  const find = (text: string, test = "") =>
    unusedExports(
      new Map([["src/a.ts", text], ["src/b.ts", user]]),
      new Map([["tests/a_test.ts", test]]),
    );
  const test = 'import { other } from "../src/a.ts";';
  assertEquals(find("export const used = 1;\nexport function lazy() {}"), []);
  assertEquals(find("export const later = 1;"), []);
  assertEquals(find("export const other = 1;"), ["src/a.ts other"]);
  assertEquals(find("export async function other() {}"), ["src/a.ts other"]);
  assertEquals(find("export class other {}"), ["src/a.ts other"]);
  assertEquals(find('export { other } from "./c.ts";'), ["src/a.ts other"]);
  assertEquals(find("export const other = 1;", test), ["src/a.ts other"]);
  assertEquals(find("/** Text. Exported for tests. */\nexport const other = 1;", test), []);
  assertEquals(find("/** Exported for tests. */\nexport const other = 1;"), ["src/a.ts other"]);
  assertEquals(
    find("/** Exported for tests. */\nconst one = 1;\nexport const other = one;", test),
    [
      "src/a.ts other",
    ],
  );
  assertEquals(find("// Other\nexport interface Other {}"), ["src/a.ts Other"]);
  assertEquals(find("export interface Other {}\nexport const used = (_: Other) => {};"), []);
});

Deno.test("no vendor is named outside of src/providers", () => {
  const sources = new Map(
    [...sourcesBelow("src/")].filter(([file]) => !file.startsWith("src/providers/")),
  );
  const kinds = [...adapters.keys()].filter((kind) => kind !== "openai_compatible");
  const named = vendorNames(sources, new Set([...kinds, ...OTHER_VENDORS]));
  const others = named.filter(({ file, vendor }) =>
    !NAMED_VENDORS.some(([place, name]) => file.startsWith(place) && name === vendor)
  );
  assertEquals(others.map(({ file, vendor }) => `${file}: ${vendor}`), []);
  const unused = NAMED_VENDORS.filter(([place, name]) =>
    !named.some(({ file, vendor }) => file.startsWith(place) && name === vendor)
  );
  assertEquals(unused, []);
});

Deno.test("the name of a vendor in code is detected", () => {
  const find = (text: string) =>
    vendorNames(new Map([["src/a.ts", text]]), ["openai", "llama_cpp", "aws", "together"])
      .map(({ vendor }) => vendor);
  assertEquals(find('if (provider.kind === "openai") return;'), ["openai"]);
  assertEquals(find("function toOpenAiError() {}"), ["openai"]);
  assertEquals(find("const url = `https://api.openai.com`;"), ["openai"]);
  assertEquals(find("const llamaCpp = 1;"), ["llama_cpp"]);
  assertEquals(find("signAws(awsKeys);"), ["aws"]);
  assertEquals(find('kind === "together"'), ["together"]);
  assertEquals(find("// As OpenAI does.\n/* AWS */ const together = draws;"), []);
});
