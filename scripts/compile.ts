/**
 * Builds the executable for this machine, with `--target=NAME` for another one, or with `--all` for
 * all targets: a bundle of src/main.ts, embedded in Deno's runtime with only the permissions of
 * `deno task start`. With `--otel` the executable always exports traces and metrics, because Deno
 * fixes that at build time and then ignores OTEL_DENO.
 *
 * Without a bundle, `deno compile` would embed whole packages. A failure prints a one-line error,
 * and the exit code is 1. An executable for this machine is run once, and removed if it does not
 * work.
 */

import { fileURLToPath, pathToFileURL as toFileUrl } from "node:url";
import manifest from "../deno.json" with { type: "json" };
import { type SourceMap, toLineMap } from "./line_map.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The maximum size of the embedded files, in bytes. */
export const BUDGET = 4_200_000;

/** The targets of `--all`: the suffix of the executable's name, and Deno's name of the target. */
export const TARGETS: ReadonlyMap<string, string> = new Map([
  ["linux-x64", "x86_64-unknown-linux-gnu"],
  ["linux-arm64", "aarch64-unknown-linux-gnu"],
  ["macos-x64", "x86_64-apple-darwin"],
  ["macos-arm64", "aarch64-apple-darwin"],
  ["windows-x64", "x86_64-pc-windows-msvc"],
]);

const START = manifest.tasks.start.command.split(" ");

/** The permissions of the start task. */
export const PERMISSIONS: readonly string[] = START.filter((word) => word.startsWith("--allow-"));

/**
 * The V8 flags of the start task (measured 2026-11-23):
 *
 * - The old generation grows by 100 % at most, which saves a quarter of the memory under load.
 * - The young generation is larger, so that it is collected less often: less CPU time.
 * - Without pretenuring: an object that V8 allocates as old keeps all that it refers to, so that a
 *   whole request stays in memory until the next full collection.
 * - The gateway itself asks for a full collection when it is idle after load, which gives a third
 *   of its memory back.
 * - The engine does not: it would do so after eight seconds, which is a usual pause in the traffic,
 *   and compiled code is lost with it. CPU time of a request after such pauses: 365 us, without them
 *   237 us.
 * - The memory of the compiler Maglev is freed in the thread that the code is for. By default
 *   another thread frees it, and then about 20 MB for each worker stay in the process.
 */
export const ENGINE: readonly string[] = START.filter((word) => word.startsWith("--v8-flags="));

/** The unstable features that deno.json enables, for runs without it. */
export const UNSTABLE: readonly string[] = manifest.unstable.map((name) => `--unstable-${name}`);

/** A build failure that the user can fix. */
class BuildError extends Error {
  override readonly name = "BuildError";
}

/** Defines what packages for Node load its modules with: the bundler's own substitute throws. */
const REQUIRE = `import { createRequire } from "node:module"; ` +
  `const require = createRequire(import.meta.url);\n`;

/** The name of the file that a bundle begins with. */
export const ENTRY = "main.js";

/**
 * Writes src/main.ts and all of its imports into a folder: {@linkcode ENTRY}, and files for what is
 * loaded on demand. The runtime reads and compiles a file when it is first imported; in a single
 * file, what few gateways use takes a third of the start and a tenth of the memory (measured
 * 2026-11-29). Beside each `FILE` is `FILE.map`, from which the runtime takes the source lines of a
 * stack when it is first read.
 *
 * The files are minified, because the engine keeps their text in memory; and in ASCII, because with
 * one other character a text takes twice as much. Names of functions and classes stay.
 *
 * @throws {BuildError}
 */
export async function bundle(folder: string): Promise<void> {
  const { ok, words } = await deno(
    [
      ...["bundle", "--quiet", "--platform=deno", "--minify", "--keep-names", "--code-splitting"],
      ...["--sourcemap=external", `--outdir=${folder}`, `${ROOT}src/main.ts`],
    ],
    // Otherwise the runtime edits the text, and the map no longer fits it.
    { NO_DENO_BUNDLE_HACK: "1" },
  );
  if (!ok) {
    const cure = isOfRegistry(words) ? ONLINE_ONCE : "";
    throw new BuildError(`Cannot bundle src/main.ts: ${reasonIn(words)}${cure}`);
  }
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name)
    .filter((name) => name.endsWith(".js"));
  const sizes = await Promise.all(names.map((name) => finishFile(folder, name)));
  const size = sizes.reduce((sum, one) => sum + one, 0);
  if (size > BUDGET) throw new BuildError(`The bundle has ${size} bytes, over ${BUDGET}`);
}

/** Checks a file of the bundle and reduces its map. Returns the size of both in bytes. */
async function finishFile(folder: string, name: string): Promise<number> {
  const file = `${folder}/${name}`;
  const bundled = await Deno.readTextFile(file);
  const [foreign] = /[^\0-\x7f]/.exec(bundled) ?? [];
  if (foreign !== undefined) {
    throw new BuildError(`The bundle has '${foreign}', which is not ASCII: write it as an escape`);
  }
  const full: SourceMap = JSON.parse(await Deno.readTextFile(`${file}.map`));
  const lines = toLineMap(full, (source) => nameOf(new URL(source, toFileUrl(file))));
  const [before, mappings] = bundled.includes("typeof require")
    ? [REQUIRE, `;${lines.mappings}`]
    : ["", lines.mappings];
  // A file that only passes on what others export has no lines of a source.
  const hasMap = lines.sources.length > 0;
  const end = hasMap ? `//# sourceMappingURL=${name}.map\n` : "";
  const code = `${before}${bundled.trimEnd()}\n${end}`;
  await Deno.writeTextFile(file, code);
  if (!hasMap) {
    await Deno.remove(`${file}.map`);
    return code.length;
  }
  const map = JSON.stringify({ ...lines, mappings });
  await Deno.writeTextFile(`${file}.map`, map);
  return code.length + map.length;
}

/** The name of a source in stacks: without the paths of this machine, which differ between builds. */
function nameOf({ href }: URL): string {
  const root = toFileUrl(ROOT).href;
  if (href.startsWith(root)) return href.slice(root.length);
  return href.replace(/^.*?\/npm\/[^/]+\//, "npm:");
}

/** Embeds a folder with a bundle in the runtime of a target, and prints the embedded files. */
async function compile(
  bundled: string,
  output: string,
  target: string,
  otel: boolean,
): Promise<void> {
  const isForThisMachine = target === Deno.build.target;
  if (isForThisMachine) await refuseProgram(Deno.env.get("DENORT_BIN"));
  const { ok, words } = await deno(
    [
      ...["compile", "--no-config", "--no-lock", "--no-remote", "--no-npm", "--no-check"],
      // Code from a cache folder that others can write to would be executed.
      "--no-code-cache",
      ...UNSTABLE,
      ...ENGINE,
      ...PERMISSIONS,
      // Other permissions are denied without a prompt, and no other module is loaded.
      ...["--no-prompt", "--deny-import"],
      ...[`--target=${target}`, `--output=${output}`, `--include=${bundled}`],
      `${bundled}/${ENTRY}`,
    ],
    {
      // A runtime that `DENORT_BIN` names is for this machine.
      ...(!isForThisMachine && { DENORT_BIN: "" }),
      ...(otel && { OTEL_DENO: "true" }),
    },
  );
  if (!ok) throw isOfRuntime(words) ? withoutRuntime(target) : new BuildError(reasonIn(words));
  if (isForThisMachine) await checkExecutable(output);
  write(Deno.stdout, words.trim());
}

/**
 * Rejects Deno itself as the runtime. A runtime for executables fails without an embedded program;
 * Deno would start as Deno, which prompts for permissions.
 *
 * @throws {BuildError}
 */
async function refuseProgram(named: string | undefined): Promise<void> {
  if (!named) return;
  const version = await versionOf(named);
  if (version === undefined) return;
  const printed = `'--version' prints '${firstLine(version)}'`;
  throw new BuildError(
    `DENORT_BIN is '${named}', which is a complete program (${printed}): ` +
      "name Deno's runtime for executables, denort",
  );
}

/**
 * Runs the executable, and removes it if it does not print its version.
 *
 * @throws {BuildError}
 */
export async function checkExecutable(path: string): Promise<void> {
  const version = await versionOf(path);
  if (version === `sluice ${manifest.version}\n`) return;
  await Deno.remove(path);
  const told = version === undefined ? "fails" : `prints '${firstLine(version)}'`;
  throw new BuildError(`What was built is not Sluice, and was removed: its '--version' ${told}`);
}

/** The time limit for a program to print its version, in milliseconds. */
const MAX_VERSION_MS = 30_000;

/** The version that a program prints; undefined when it cannot be run or fails. */
async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { success, stdout } = await new Deno.Command(path, {
      args: ["--version"],
      stdin: "null",
      stderr: "null",
      signal: AbortSignal.timeout(MAX_VERSION_MS),
    }).output();
    return success ? new TextDecoder().decode(stdout) : undefined;
  } catch (thrown) {
    if (thrown instanceof Error) return undefined;
    throw thrown;
  }
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

/** Runs Deno with additional variables. Returns its output and whether it succeeded. */
async function deno(
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ ok: boolean; words: string }> {
  // Telemetry that is enabled during the build would be enabled permanently in the executable.
  const inherited = Object.entries(Deno.env.toObject())
    .filter(([name]) => !name.startsWith("OTEL_"));
  const wanted = { ...Object.fromEntries(inherited), ...variables };
  // An empty variable counts as unset.
  const known = Object.entries(wanted).filter(([, value]) => value !== "");
  const env = { ...Object.fromEntries(known), NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" };
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    clearEnv: true,
    env,
  }).output();
  const decoder = new TextDecoder();
  return { ok: success, words: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** `deno bundle` downloads esbuild from the npm registry on the first run. */
function isOfRegistry(words: string): boolean {
  return /^error: Failed (?:loading|caching) .*package/m.test(words);
}

const ONLINE_ONCE = "; packages and esbuild are fetched from the npm registry once: " +
  "be online for the first build, or copy DENO_DIR from a machine that was";

function isOfRuntime(words: string): boolean {
  return /Setting up base binary|denort/.test(words);
}

function withoutRuntime(target: string): BuildError {
  const { deno: version } = Deno.version;
  const named = Deno.env.get("DENORT_BIN");
  if (named && target === Deno.build.target) {
    return new BuildError(`DENORT_BIN is '${named}', which is no runtime of Deno ${version}`);
  }
  const archive =
    `denort-${target}.zip of https://github.com/denoland/deno/releases/tag/v${version}`;
  const cure = target === Deno.build.target
    ? `set DENORT_BIN to the denort in ${archive}`
    : `put ${archive} into the folder dl/release/v${version} of DENO_DIR`;
  return new BuildError(`Deno's runtime for ${target} cannot be fetched; be online, or ${cure}`);
}

/** The first line of the output that describes the error. */
function reasonIn(words: string): string {
  const lines = words.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return (lines.find((line) => line.startsWith("error: ")) ?? lines[0] ?? "Deno gives no reason")
    .replace(/^error: /, "");
}

function write(to: typeof Deno.stdout | typeof Deno.stderr, text: string): void {
  to.writeSync(new TextEncoder().encode(`${text}\n`));
}

async function build(
  targets: readonly string[],
  directory: string,
  otel: boolean,
): Promise<void> {
  const scratch = await Deno.makeTempDir({ prefix: "sluice-" });
  try {
    const bundled = `${scratch}/sluice`;
    await bundle(bundled);
    await Deno.mkdir(directory, { recursive: true });
    if (targets.length === 0) {
      const suffix = Deno.build.os === "windows" ? ".exe" : "";
      await compile(bundled, `${directory}/sluice${suffix}`, Deno.build.target, otel);
    }
    for (const name of targets) {
      const target = TARGETS.get(name);
      if (target === undefined) throw new BuildError(`There is no target '${name}'`);
      const suffix = name.startsWith("windows") ? ".exe" : "";
      await compile(bundled, `${directory}/sluice-${name}${suffix}`, target, otel);
    }
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

/** The targets of the arguments; empty for only this machine. */
function targetsIn(options: readonly string[]): readonly string[] {
  return options.flatMap((option) => {
    if (option === "--all") return [...TARGETS.keys()];
    const [, target] = /^--target=(.+)$/.exec(option) ?? [];
    if (target === undefined) throw new BuildError(`Unknown option '${option}'`);
    return target;
  });
}

if (import.meta.main) {
  const [directory = `${ROOT}dist`] = Deno.args.filter((arg) => !arg.startsWith("-"));
  const options = Deno.args.filter((arg) => arg.startsWith("-"));
  const targeting = options.filter((option) => option !== "--otel");
  try {
    await build(targetsIn(targeting), directory, targeting.length < options.length);
  } catch (thrown) {
    if (!(thrown instanceof BuildError)) throw thrown;
    write(Deno.stderr, `compile: ${thrown.message}`);
    Deno.exit(1);
  }
}
