/**
 * `deno task test`: the tests that need no program, and one path through a whole gateway. With
 * arguments, only the files and folders that they name.
 *
 * The runtime gives each test file a separate isolate, in which the sources take longer to load
 * than most files take to run. Several files are therefore imported by one.
 */

import { fileURLToPath, pathToFileURL } from "node:url";
import { createRunFolder } from "./run_folder.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/**
 * How many isolates run at a time: one more than there are processors, since some tests wait. Each
 * loads the sources once, for its group of files.
 */
const JOBS = Number(Deno.env.get("DENO_JOBS")) || navigator.hardwareConcurrency + 1;
/** How many random inputs are tried, as a share of the usual ones; `test:all` tries more of them. */
const FUZZ_SCALE = Deno.env.get("SLUICE_FUZZ_SCALE") ?? "0.5";

function findFiles(path: string): string[] {
  if (!Deno.statSync(ROOT + path).isDirectory) return [path];
  return [...Deno.readDirSync(ROOT + path)].flatMap(({ name, isDirectory }) => {
    if (isDirectory) return name === "fixtures" ? [] : findFiles(`${path}/${name}`);
    return name.endsWith("_test.ts") && !name.endsWith("_program_test.ts")
      ? [`${path}/${name}`]
      : [];
  });
}

/**
 * What a test imports or calls that measures the heap or the pauses of its isolate, or serves
 * connections, where an uncaught error would end all tests of the isolate.
 */
const ALONE =
  /support\/(?:thread_cpu|held_loop)\.ts|\bDeno\.memoryUsage\(|src\/process\/listener\//;

/**
 * Deals files to groups: the largest first, each to the group with the least text. Some files are
 * alone in their isolate.
 */
function toGroups(all: readonly string[]): string[][] {
  const alone = all.filter((file) => ALONE.test(Deno.readTextFileSync(ROOT + file)));
  const files = all.filter((file) => !alone.includes(file));
  const count = Math.min(JOBS, files.length);
  const groups = Array.from({ length: count }, () => ({ size: 0, files: [] as string[] }));
  const sized = files.map((file) => ({ file, size: Deno.statSync(ROOT + file).size }));
  for (const { file, size } of sized.sort((one, other) => other.size - one.size)) {
    const smallest = groups.reduce((least, group) => group.size < least.size ? group : least);
    smallest.files.push(file);
    smallest.size += size;
  }
  return [...groups.map((group) => group.files.sort()), ...alone.map((file) => [file])];
}

/** Runs test files. @returns the exit code of the runtime */
export async function runTests(paths: readonly string[]): Promise<number> {
  const files = paths.flatMap((path) => findFiles(path.replace(/\/$/, "")));
  await using run = await createRunFolder();
  const names = toGroups([...new Set(files)]).map((group, index) => {
    const text = group.map((file) => `import "${pathToFileURL(ROOT + file)}";\n`).join("");
    const name = `${run.path}/group_${index + 1}_test.ts`;
    Deno.writeTextFileSync(name, text);
    return name;
  });
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "--config", "tests/deno.json", "--no-check", "--parallel"],
      ...["--preload", "tests/support/deadlines.ts"],
      ...["--sanitize-ops", "--sanitize-resources", "--allow-net", "--allow-env", "--allow-read"],
      ...["--allow-run", "--allow-write", "--allow-sys=hostname,uid", ...names],
    ],
    cwd: ROOT,
    env: { TMPDIR: run.path, DENO_JOBS: String(JOBS), SLUICE_FUZZ_SCALE: FUZZ_SCALE },
    stdin: "null",
  }).spawn().status;
  return code;
}

if (import.meta.main) Deno.exit(await runTests(Deno.args.length > 0 ? Deno.args : ["tests"]));
