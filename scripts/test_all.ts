/**
 * `deno task test:all`: the tests that need a program, a browser or a second process, which are the
 * files with the suffix `_program_test.ts`. Each runs once, in a separate process; servers and the
 * browser are started once and shared. Random inputs run for longer. With arguments, runs only
 * files whose path contains one of them. The last line has the counts. Exit code 1 if a test failed
 * or a file did not finish.
 */

import { fileURLToPath } from "node:url";
import { createRunFolder, type RunFolder } from "./run_folder.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const SUFFIX = "_program_test.ts";
/** Random inputs, which `deno task test` tries fewer of. */
const FUZZ = "fuzz_test.ts";
/** How many times more of them. */
const FUZZ_SCALE = Deno.env.get("SLUICE_FUZZ_SCALE") ?? "2";
/** Most tests wait for programs that they start: with fewer jobs, cores are idle. */
const JOBS = Number(Deno.env.get("DENO_JOBS")) || navigator.hardwareConcurrency + 6;
/** A file that takes longer is ended, and has failed. */
const MAX_FILE_MS = 10 * 60_000;
/** Files that take minutes on a busy machine, whatever their size. They begin first. */
const LONG = [
  ...["guides/guides", "tests/growth", "build/compile", "workers/workers", "streaming/fuzz"],
  ...["shared_store/cluster", "end_to_end/reasoning_clients", "governance/postgres_contract"],
];
/** Gives each test a deadline. */
const DEADLINES = "tests/support/deadlines.ts";
/** The closing line of the runtime: "ok | 12 passed (3 steps) | 0 failed | 1 ignored (3s)". */
const CLOSING = /^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed.*?(?: \| (\d+) ignored.*?)?$/m;
const SKIPPED = /\((?:skipped|needs)[^)]*\)(?= \.\.\. ignored)/g;
// deno-lint-ignore no-control-regex -- the codes of colors
const COLORS = /\x1b\[[\d;]*m/g;

/** What a file came to. */
interface Result {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Why tests were skipped, once for each of them. */
  readonly reasons: readonly string[];
  readonly seconds: number;
  /** What the file printed. */
  readonly output: string;
}

function findFiles(folder: string): string[] {
  return [...Deno.readDirSync(`${ROOT}${folder}`)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return findFiles(path);
    return name.endsWith(SUFFIX) || name === FUZZ ? [path] : [];
  });
}

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name);
}

/** 1 for a file that begins before others, else 0. */
function rankOf(file: string): number {
  return Number(LONG.some((part) => file.includes(part)));
}

/** Ends a process and those that it started, which are in its group. */
function endGroup(pid: number): void {
  try {
    Deno.kill(Deno.build.os === "windows" ? pid : -pid, "SIGKILL");
  } catch {
    // All have ended.
  }
}

const running = new Set<number>();
let folders = 0;

/** Starts a program of the tests in a folder of the run, in a group of processes. */
function start(run: RunFolder, args: readonly string[], env: Readonly<Record<string, string>>) {
  const folder = `${run.path}/${++folders}`;
  Deno.mkdirSync(folder);
  if (Deno.build.os !== "windows") Deno.chmodSync(folder, 0o755);
  const child = new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    env: {
      ...env,
      TMPDIR: folder,
      SLUICE_FUZZ_SCALE: FUZZ_SCALE,
      NO_COLOR: "1",
      DENO_NO_UPDATE_CHECK: "1",
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    detached: true,
  }).spawn();
  running.add(child.pid);
  return { child, folder };
}

/** Runs the tests of a file. What they leave behind is ended and removed; files are a failure. */
async function runFile(
  file: string,
  run: RunFolder,
  env: Readonly<Record<string, string>>,
): Promise<Result> {
  const begin = performance.now();
  const args = ["test", "--config", "tests/deno.json", "--no-check", "--allow-all"];
  const { child, folder } = start(
    run,
    [...args, "--sanitize-ops", "--sanitize-resources", "--preload", DEADLINES, file],
    env,
  );
  const timer = setTimeout(() => endGroup(child.pid), MAX_FILE_MS);
  const { code, stdout, stderr } = await child.output();
  clearTimeout(timer);
  endGroup(child.pid);
  running.delete(child.pid);
  const decoder = new TextDecoder();
  let output = `${decoder.decode(stdout)}${decoder.decode(stderr)}`.replace(COLORS, "");
  const left = run.isEnding ? "" : namesIn(folder).join(", ");
  if (left !== "") output += `Left behind in the folder for temporary files: ${left}\n`;
  await run.clear(folder);
  const [, passed = "0", failed = "0", skipped = "0"] = CLOSING.exec(output) ?? [];
  return {
    ...{ file, output, passed: Number(passed), skipped: Number(skipped) },
    // A file that did not finish, left files behind, or whose sanitizers failed after its tests, has
    // failed.
    failed: Number(failed) || (code === 0 && left === "" ? 0 : 1),
    reasons: output.match(SKIPPED) ?? [],
    seconds: (performance.now() - begin) / 1000,
  };
}

/** Starts what files share. It ends with the run. @returns the variables that name it */
async function startServers(run: RunFolder): Promise<Record<string, string>> {
  const args = ["run", "--config", "tests/deno.json", "--allow-all"];
  const { child } = start(run, [...args, "tests/support/shared_servers.ts"], {});
  // With its group, PostgreSQL would be killed while it starts, and leave shared memory behind. On
  // Linux, the folder of the run finds its processes.
  if (Deno.build.os === "linux") running.delete(child.pid);
  let text = "";
  for await (
    const part of child.stdout.pipeThrough(new TextDecoderStream()).values({
      preventCancel: true,
    })
  ) {
    text += part;
    if (text.endsWith("\n")) return JSON.parse(text);
  }
  throw new Error(`The servers did not start: ${await new Response(child.stderr).text()}`);
}

function print(result: Result): void {
  const { file, passed, failed, skipped, seconds, output } = result;
  const counts = `${passed} passed, ${failed} failed, ${skipped} skipped`;
  if (failed > 0) say(`${output.trimEnd()}\n`);
  say(`${failed > 0 ? "FAILED" : "ok"} ${file}: ${counts} (${seconds.toFixed(1)} s)\n`);
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(text));
}

/** Prints how many tests were skipped for each reason, and the sums. */
function printSums(results: readonly Result[]): void {
  const reasons = new Map<string, number>();
  for (const reason of results.flatMap((result) => result.reasons)) {
    reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  }
  for (const [reason, count] of reasons) say(`${String(count).padStart(4)} ${reason}\n`);
  const sum = (member: "passed" | "failed" | "skipped") =>
    results.reduce((total, result) => total + result[member], 0);
  say(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped\n`);
}

async function main(): Promise<void> {
  const files = findFiles("tests")
    .filter((file) =>
      Deno.args.every((part) => part.startsWith("-")) ||
      Deno.args.some((part) => file.includes(part))
    )
    // Of the others, the largest are likely to take the longest.
    .sort((one, other) =>
      rankOf(other) - rankOf(one) ||
      Deno.statSync(ROOT + other).size - Deno.statSync(ROOT + one).size
    );
  await using run = await createRunFolder(() => running.forEach(endGroup));
  const variables = await startServers(run);
  const results: Result[] = [];
  const waiting = files.values();
  const job = async () => {
    for (const file of waiting) {
      if (run.isEnding) return;
      const result = await runFile(file, run, variables);
      if (run.isEnding) return;
      results.push(result);
      print(result);
    }
  };
  await Promise.all(Array.from({ length: JOBS }, job));
  // A signal ends the process by itself.
  if (run.isEnding) return;
  printSums(results);
  Deno.exitCode = results.some(({ failed }) => failed > 0) ? 1 : 0;
}

await main();
Deno.exit();
