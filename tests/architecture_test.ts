/** The rules between the folders of src, checked on the real import graph. */

import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../", import.meta.url);

/**
 * Folders from the top to the bottom: a file imports only from its own folder and from those
 * below. The longest path that matches names a file's folder.
 */
const LAYERS: readonly string[] = [
  "src/main.ts",
  "src/cli/",
  "src/process/",
  "src/telemetry/",
  "src/http/",
  "src/formats/",
  "src/routing/",
  "src/streaming/",
  "src/upstream/",
  "src/config/",
  "src/providers/registry.ts",
  "src/providers/",
  "src/providers/openai_compatible/vendors/",
  "src/providers/openai_compatible/",
  "src/providers/shared/",
  "src/providers/contract/",
  "src/chat/",
  "src/core/",
];

/** Adapters that are made of other adapters. Otherwise no vendor's folder imports another one. */
const BETWEEN_VENDORS: readonly string[] = [
  "azure -> openai",
  "vertex -> anthropic",
  "vertex -> gemini",
];

/** What only some folders may use; everything else gets it as an argument. */
const RESTRICTED: readonly (readonly [string, RegExp, readonly string[]])[] = [
  [
    "the network",
    /(?<![.\w]|\.\.\.)fetch\(|\bglobalThis\.fetch\b|\bDeno\.connect|\bDeno\.startTls|"node:(?:https?|net|tls|dns)/,
    ["src/upstream/", "src/cli/health.ts"],
  ],
  ["Deno's own interface", /\bDeno\.(?!Serve|Signal|Net|TcpConn)\w/, [
    "src/main.ts",
    "src/process/",
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

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier: string };
    readonly type?: { readonly specifier: string };
  }[];
}

/** Every import between files of src, type-only imports included, and every file reached. */
async function readGraph(): Promise<{ files: Set<string>; edges: Edge[] }> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", fileURLToPath(new URL("src/main.ts", ROOT))],
    stderr: "inherit",
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: Module[] };
  const files = new Set<string>();
  const edges: Edge[] = [];
  for (const { specifier, dependencies = [] } of modules) {
    const from = pathOf(specifier);
    if (from === undefined) continue;
    files.add(from);
    for (const { code, type } of dependencies) {
      const to = pathOf(code?.specifier ?? type?.specifier ?? "");
      if (to !== undefined) edges.push({ from, to });
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

const SHARED = new Set(["contract", "shared", "openai_compatible"]);

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

const { files, edges } = await readGraph();

Deno.test("imports between folders go down", () => {
  assert(edges.length > 300);
  assertEquals(violations(edges), []);
});

Deno.test("a planted import that goes up, or to another vendor, is found", () => {
  for (
    const [from, to] of [
      ["src/core/errors.ts", "src/chat/chat.ts"],
      ["src/routing/attempt.ts", "src/telemetry/metrics.ts"],
      ["src/routing/attempt.ts", "src/formats/chat_completions/envelope.ts"],
      ["src/providers/openai_compatible/dialect.ts", "src/providers/openai/models.ts"],
      ["src/providers/cohere/adapter.ts", "src/providers/mistral/adapter.ts"],
      [
        "src/providers/openai_compatible/vendors/groq.ts",
        "src/providers/openai_compatible/vendors/xai.ts",
      ],
      ["src/providers/gemini/adapter.ts", "src/providers/registry.ts"],
      ["src/unknown_folder/file.ts", "src/core/errors.ts"],
    ] as const
  ) {
    assertEquals(violations([{ from, to }]), [`${from} -> ${to}`]);
  }
  assertEquals(violations([{ from: "src/http/app.ts", to: "src/core/errors.ts" }]), []);
});

Deno.test("every TypeScript file below src is reached from main.ts", () => {
  const all = filesBelow("src/").filter((file) => file.endsWith(".ts"));
  assertEquals(all.filter((file) => !files.has(file)).sort(), []);
});

for (const rule of RESTRICTED) {
  const [what, , allowed] = rule;
  Deno.test(`only ${allowed.join(" and ") || "no file"} may use ${what}`, () => {
    const users = [...files].filter((file) => file.endsWith(".ts"))
      .filter((file) => !isAllowed(file, codeOf(file), rule));
    assertEquals(users, []);
  });
}

Deno.test("planted uses of the network, the time, chance and the console are found", () => {
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
    const broken = RESTRICTED.filter((rule) => !isAllowed("src/routing/attempt.ts", code, rule));
    assert(broken.length > 0, code);
  }
});
