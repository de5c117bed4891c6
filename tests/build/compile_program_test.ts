/**
 * The executable, up to the one step that needs the internet: the bundle holds
 * what it must and runs by itself, and embedding it works. Where there is a
 * runtime to embed it in, the executable itself takes the same smoke test.
 */

import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { fileURLToPath } from "node:url";
import {
  BUDGET,
  bundle,
  checkExecutable,
  ENGINE,
  ENTRY,
  PERMISSIONS,
  TARGETS,
  UNSTABLE,
} from "../../scripts/compile.ts";
import type { SourceMap } from "../../scripts/line_map.ts";
import { readGraph, toSbom } from "../../scripts/sbom.ts";
import manifest from "../../deno.json" with { type: "json" };
import testsManifest from "../deno.json" with { type: "json" };
import { CAN_FAKE_RUNTIME, writeFakeRuntime } from "../support/fake_runtime.ts";
import { needs } from "../support/needs.ts";
import { addressOf, type Program, startSluice } from "../support/process.ts";
import { readRoot } from "../support/read_root.ts";
import { createEmptiness, smokeCommands, smokeServer, smokeWorkers } from "../support/smoke.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** A folder of this file's own; it goes when the tests have run. */
const folder = Deno.makeTempDirSync({ prefix: "sluice-compile-" });
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

const parts = `${folder}/bundle`;
await bundle(parts);
const bundled = `${parts}/${ENTRY}`;

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs Deno in the checkout, with these variables beside its own. */
async function deno(args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1", ...env },
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** The names of the bundle's files: code and source maps. */
function listParts(...suffixes: readonly string[]): string[] {
  return [...Deno.readDirSync(parts)].map(({ name }) => name)
    .filter((name) => suffixes.some((suffix) => name.endsWith(suffix)));
}

function readParts(suffix: ".js" | ".map"): string[] {
  return listParts(suffix).map((name) => Deno.readTextFileSync(`${parts}/${name}`));
}

/** The sources of the bundle. */
function readSources(): readonly string[] {
  return readParts(".map").flatMap((map) => (JSON.parse(map) as SourceMap).sources);
}

Deno.test("the bundle contains exactly what main.ts imports", async () => {
  const graph = await readGraph();
  const { files } = graph;
  const packages = new Set(graph.packages.map(({ name, version }) => `${name}/${version}`));
  const heads = readSources();
  const foreign = heads.filter((head) => head.startsWith("npm:")).map((head) =>
    /^npm:((?:@[^/]+\/)?[^/]+\/[^/]+)\//.exec(head)?.[1] ?? head
  );
  const own = heads.filter((head) => !head.startsWith("npm:"));
  assertEquals(own.filter((head) => !files.has(head)), []);
  assertEquals([...new Set(foreign)].filter((name) => !packages.has(name)), []);
  for (const needed of ["src/main.ts", "config.yaml", "deno.json"]) assert(own.includes(needed));
  assert(foreign.some((name) => name.startsWith("zod/")));
  const used = new Set([...Object.values(manifest.imports).map(toPackage), ...dependencies()]);
  const ofTests = Object.entries(testsManifest.imports)
    .filter(([name]) => !(name in manifest.imports))
    .map(([, specifier]) => toPackage(specifier))
    .filter((name) => !used.has(name));
  assert(ofTests.length > 0);
  assertEquals(ofTests.filter((name) => packages.has(name)), []);
});

/** The packages that others of the lock file need, as `name/version`. */
function dependencies(): string[] {
  const { npm } = JSON.parse(readRoot("deno.lock")) as {
    readonly npm: Readonly<Record<string, { readonly dependencies?: readonly string[] }>>;
  };
  const needed = new Set(Object.values(npm).flatMap(({ dependencies = [] }) => dependencies));
  return Object.keys(npm).filter((id) => needed.has(id) || needed.has(id.replace(/(?<=.)@.*/, "")))
    .map((id) => toPackage(`npm:${id}`));
}

/** The package of an import, as `name/version`. */
function toPackage(specifier: string): string {
  return specifier.replace(/^npm:\/?(.+)@([^@/]+).*$/, "$1/$2");
}

Deno.test("the bundle is small, in ASCII, and contains no path of the build machine", () => {
  const text = readParts(".js").join("");
  const map = readParts(".map").join("");
  const size = text.length + map.length;
  assert(size <= BUDGET);
  const [, reported = ""] = /a bundle of ([\d.]+) MB/.exec(readRoot("deploy/README.md")) ?? [];
  assert(
    Math.abs(Number(reported) - size / 1e6) < 0.2,
    `deploy/README.md says ${reported} MB, it is ${size}`,
  );
  assertEquals(/[^\0-\x7f]/.exec(text), null);
  for (const path of [Deno.env.get("HOME") ?? ROOT, ROOT, "/registry.npmjs.org/", folder]) {
    assertEquals([text.includes(path), map.includes(path)], [false, false], path);
  }
});

Deno.test("a bug in the bundle is logged with the function, the file and the line of the source", async () => {
  const path = fileURLToPath(new URL("../support/failing_responses.ts", import.meta.url));
  const args = asBundle.args.flatMap((arg) => arg === bundled ? ["--preload", path, arg] : [arg]);
  await using nothing = createEmptiness();
  await using running = startSluice(["--port", "0"], {
    env: { ...nothing.env, SLUICE_API_KEY: "sk-own" },
    program: { path: asBundle.path, args },
  });
  const base = await addressOf(running);
  const answer = await fetch(`${base}/v1/models/fast`, {
    headers: { authorization: "Bearer sk-own" },
  });
  assertEquals([answer.status, await answer.text()], [500, ""]);
  await running.logged("A planted bug");
  const [, name = "", file = "", line] =
    /at (\w+) \(file:\S*\/(src\/[\w/]+\.ts):(\d+):\d+\)/.exec(running.stderr()) ?? [];
  const source = readRoot(file).split("\n");
  assertMatch(source[Number(line) - 1] ?? "", /new Response\(/, running.stderr());
  const before = source.slice(0, Number(line)).reverse().find((text) => /^\w.*function/.test(text));
  assertMatch(before ?? "", new RegExp(`function ${name}\\(`));
});

/** Where the tests below build for want of Deno's runtime. */
const runtime = `${folder}/denort`;
if (CAN_FAKE_RUNTIME) writeFakeRuntime(runtime, `sluice ${manifest.version}\n`);

Deno.test("deno task compile embeds the bundle and only the required permissions", {
  ignore: !CAN_FAKE_RUNTIME,
}, async () => {
  const { code, stdout, stderr } = await deno(["task", "compile", folder], {
    DENORT_BIN: runtime,
    OTEL_DENO: "true",
  });
  assertEquals(code, 0, stderr);
  const [, list = "", size] = /Embedded Files\n\n([^]*)\n\nFiles: (.*)\n/.exec(stdout) ?? [];
  const [head, ...files] = list.split("\n");
  const embedded = files.map((line) => /^[├└]── (\S+) \([\d.]+[KM]?B\)$/.exec(line)?.[1] ?? line);
  assertEquals([head, ...embedded.sort()], ["sluice", ...listParts(".js", ".map").sort()]);
  assertMatch(size ?? "", /^[0-4]\.\d+MB$/);
  const tail = embeddedIn(`${folder}/sluice`);
  const [, permissions = "{}"] = /"permissions":(\{[^}]*\})/.exec(tail) ?? [];
  const granted = Object.entries(JSON.parse(permissions)).filter(([, value]) => value !== null)
    .filter(([name]) => name !== "allow_import");
  assertEquals(Object.fromEntries(granted), {
    allow_env: [],
    allow_net: [],
    allow_read: [],
    allow_write: [],
    deny_import: [],
    prompt: false,
  });
  assert(tail.includes('"otel_config":{"tracing_enabled":false'));
  for (const feature of manifest.unstable) assert(tail.includes(`"${feature}"`));
  const [, flags = ""] = /"v8_flags":\[([^\]]*)\]/.exec(tail) ?? [];
  assert(ENGINE.length > 0);
  for (const flag of ENGINE.flatMap((option) => option.slice("--v8-flags=".length).split(","))) {
    assert(flags.includes(`"${flag}"`), flags);
  }
  for (const text of readParts(".js")) assert(tail.includes(text));
});

Deno.test("the development task starts the gateway as the start task does", () => {
  const { dev, start } = manifest.tasks;
  assertEquals(dev.command, start.command.replace("deno run ", "deno run --watch "));
});

/** What follows the runtime in an executable. */
function embeddedIn(path: string): string {
  return new TextDecoder().decode(Deno.readFileSync(path).subarray(-BUDGET));
}

Deno.test("deno task compile --otel enables the runtime's exporter permanently", {
  ignore: !CAN_FAKE_RUNTIME,
}, async () => {
  const to = `${folder}/traced`;
  const { code, stderr } = await deno(["task", "compile", "--otel", to], { DENORT_BIN: runtime });
  assertEquals(code, 0, stderr);
  const enabled = '"otel_config":{"tracing_enabled":true,"metrics_enabled":true,';
  assert(embeddedIn(`${to}/sluice`).includes(enabled));
});

Deno.test("deno task compile refuses Deno itself as its runtime, and writes no executable", async () => {
  const to = `${folder}/of-deno`;
  const { code, stdout, stderr } = await deno(["task", "--quiet", "compile", to], {
    DENORT_BIN: Deno.execPath(),
  });
  assertEquals([code, stdout], [1, ""]);
  assertMatch(
    stderr.replace(/^Task compile .*\n/, ""),
    /^compile: DENORT_BIN is '.*', which is a complete program \('--version' prints 'deno [\d.]+ .*'\): .*denort\n$/,
  );
  assertEquals([...Deno.readDirSync(to)], []);
});

Deno.test("deno task compile removes an executable that does not run as Sluice", {
  ignore: !CAN_FAKE_RUNTIME,
}, async () => {
  const to = `${folder}/of-another`;
  const other = `${folder}/another-runtime-bin`;
  writeFakeRuntime(other, "sluice 0.0.1\n");
  const { code, stdout, stderr } = await deno(["task", "--quiet", "compile", to], {
    DENORT_BIN: other,
  });
  assertEquals([code, stdout], [1, ""]);
  assertEquals(
    stderr.replace(/^Task compile .*\n/, ""),
    "compile: What was built is not Sluice, and was removed: its '--version' prints 'sluice 0.0.1'\n",
  );
  assertEquals([...Deno.readDirSync(to)], []);
});

Deno.test(
  needs(
    "another system than Windows",
    Deno.build.os !== "windows",
    "checkExecutable() removes executables that fail, and keeps those that print the version",
  ),
  async () => {
    const path = `${folder}/script`;
    const write = (text: string) => Deno.writeTextFileSync(path, text, { mode: 0o755 });
    write(`#!/bin/sh\n[ "$*" = --version ] && echo "sluice ${manifest.version}"\n`);
    await checkExecutable(path);
    assert(Deno.statSync(path).isFile);
    for (const text of [`#!/bin/sh\necho "sluice ${manifest.version}"\nexit 1\n`, "no program"]) {
      write(text);
      const { message } = await assertRejects(() => checkExecutable(path), Error);
      assertEquals(
        message,
        "What was built is not Sluice, and was removed: its '--version' fails",
      );
      assertThrows(() => Deno.statSync(path), Deno.errors.NotFound);
    }
  },
);

Deno.test("a build without files and network prints a one-line error", async () => {
  // Without `deno task`, which fetches every package before it begins.
  const [, ...args] = manifest.tasks.compile.command.split(" ");
  const { code, stdout, stderr } = await deno([...args, folder], {
    DENO_DIR: `${folder}/nothing`,
    HTTPS_PROXY: "http://127.0.0.1:1",
  });
  assertEquals([code, stdout], [1, ""]);
  assertMatch(
    stderr,
    /^compile: Cannot bundle src\/main\.ts: .*; .* npm registry once: be online .*\n$/,
  );
});

Deno.test("deno task compile prints a one-line hint if the runtime is missing", async () => {
  const { code, stdout, stderr } = await deno(["task", "--quiet", "compile", folder], {
    DENORT_BIN: `${folder}/nowhere`,
  });
  assertEquals([code, stdout], [1, ""]);
  assertEquals(
    stderr.replace(/^Task compile .*\n/, ""),
    `compile: DENORT_BIN is '${folder}/nowhere', which is no runtime of Deno ${Deno.version.deno}\n`,
  );
});

Deno.test("the bill of materials lists every package of the bundle with its digest", async () => {
  const { code, stdout } = await deno(["task", "--quiet", "sbom"]);
  assertEquals(code, 0);
  const printed = JSON.parse(stdout);
  assertEquals(printed, await toSbom());
  const { components } = printed as { components: Record<string, unknown>[] };
  const [runtime, ...packages] = components;
  assertEquals(runtime?.name, "deno");
  assert(packages.length > 0);
  for (const { name, version, purl, hashes } of packages) {
    assertEquals(purl, `pkg:npm/${String(name).replace("@", "%40")}@${version}`);
    const [hash] = hashes as { content: string }[];
    assertMatch(hash?.content ?? "", /^[0-9a-f]{128}$/);
  }
});

Deno.test("the targets are those of the page about deployment", () => {
  const readme = readRoot("deploy/README.md");
  for (const name of TARGETS.keys()) {
    assert(readme.includes(`\`sluice-${name}`), `deploy/README.md does not name ${name}`);
  }
});

/** The bundle as the executable would run it: no checkout, no packages, no other permission. */
const asBundle: Program = {
  path: Deno.execPath(),
  args: [
    ...["run", "--no-config", "--cached-only", "--no-remote", "--no-npm", "--no-prompt"],
    ...[...UNSTABLE, ...PERMISSIONS, bundled],
  ],
};

function testSmoke(what: string, program: () => Promise<Program>): void {
  Deno.test(`smoke test of ${what}: starts, answers, streams, is healthy, ends at SIGTERM`, async () => {
    await using nothing = createEmptiness();
    await smokeServer(await program(), nothing.env);
  });

  const name = `smoke test of ${what}: two workers answer, /metrics adds up, SIGTERM ends both`;
  // Elsewhere one worker is all that there is.
  Deno.test(needs("Linux", Deno.build.os === "linux", name), async () => {
    await using nothing = createEmptiness();
    await smokeWorkers(await program(), nothing.env);
  });

  Deno.test(`smoke test of ${what}: check and init, with and without files`, async () => {
    await using nothing = createEmptiness();
    await smokeCommands(await program(), nothing.env);
  });
}

/** Whether there is a runtime to embed in: one that is named, or that was fetched before. */
async function hasRuntime(): Promise<boolean> {
  if (Deno.env.get("DENORT_BIN")) return true;
  const { denoDir } = JSON.parse((await deno(["info", "--json"])).stdout) as { denoDir: string };
  const { deno: version } = Deno.version;
  try {
    Deno.statSync(`${denoDir}/dl/release/v${version}/denort-${Deno.build.target}.zip`);
    return true;
  } catch {
    return false;
  }
}

let built: Promise<Program> | undefined;

/** Compiles once, for both tests of the executable. */
function asExecutable(): Promise<Program> {
  return built ??= deno(["task", "compile", `${folder}/real`]).then(({ code, stderr }) => {
    assertEquals(code, 0, stderr);
    const name = Deno.build.os === "windows" ? "sluice.exe" : "sluice";
    return { path: `${folder}/real/${name}`, args: [] };
  });
}

if (await hasRuntime()) {
  testSmoke("the bundle", () => Promise.resolve(asBundle));
  testSmoke("the executable", asExecutable);
} else {
  for (const task of ["compile", "compile:all"]) {
    Deno.test(`deno task ${task} prints a one-line error and a hint if it cannot fetch the runtime`, async () => {
      // No runtime was fetched before, and this proxy fetches none.
      const { code, stdout, stderr } = await deno(["task", "--quiet", task, folder], {
        HTTPS_PROXY: "http://127.0.0.1:1",
        // Empty is not set, whatever the tests are run with.
        DENORT_BIN: "",
      });
      assertEquals([code, stdout], [1, ""]);
      assertMatch(
        stderr.replace(/^Task compile.*\n/, ""),
        /^compile: Deno's runtime for \S+ cannot be fetched; be online, or set DENORT_BIN to .*\n$/,
      );
    });
  }

  testSmoke("only the bundle, if Deno's runtime is missing", () => Promise.resolve(asBundle));
}
