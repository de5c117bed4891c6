/**
 * `deno task ok`: the gate for a commit. Checks the format, the lint and the types, and runs the
 * tests of the folders that changed files belong to. What has changed is compared with `main`, or
 * with the commit before on `main` itself. `deno task ok --all` checks and runs everything that
 * needs no program.
 */

import { fileURLToPath } from "node:url";
import { runTests } from "./test.ts";
import { testsOf } from "./tests_of.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** What these check does not belong to one folder, and takes seconds. */
const RULES = ["architecture", "test_files", "words", "docs", "links", "readme"]
  .map((name) => `tests/${name}_test.ts`);

async function read(command: string, ...args: readonly string[]): Promise<string[]> {
  const { success, stdout } = await new Deno.Command(command, { args: [...args], cwd: ROOT })
    .output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed`);
  return new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
}

/** The files that are there and have changed since the branch began, committed or not. */
async function readChanges(): Promise<string[]> {
  const [base = ""] = await read("git", "merge-base", "HEAD", "main").catch(() => ["HEAD"]);
  const [head = ""] = await read("git", "rev-parse", "HEAD");
  const since = base === head ? "HEAD" : base;
  const changed = await read("git", "diff", "--name-only", "--diff-filter=d", since);
  return [...changed, ...await read("git", "ls-files", "--others", "--exclude-standard")];
}

async function run(what: string, check: () => Promise<number>): Promise<boolean> {
  const begin = performance.now();
  const isOk = await check() === 0;
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const text = `${isOk ? "ok" : "FAILED"}: ${what} (${seconds} s)\n`;
  Deno.stderr.writeSync(new TextEncoder().encode(text));
  return isOk;
}

async function deno(...args: readonly string[]): Promise<number> {
  const { code } = await new Deno.Command(Deno.execPath(), { args: [...args], cwd: ROOT }).spawn()
    .status;
  return code;
}

const all = Deno.args.includes("--all");
const changes = await readChanges();
const texts = all ? ["."] : changes.filter((file) => /\.(?:ts|js|json|md|ya?ml|css)$/.test(file));
const code = all ? ["."] : changes.filter((file) => /\.(?:ts|js)$/.test(file));
const tests = all ? ["tests"] : [...testsOf(changes, ROOT), ...RULES];
let isOk = texts.length === 0 || await run("format", () => deno("fmt", "--check", ...texts));
if (code.length > 0) isOk = await run("lint", () => deno("lint", ...code)) && isOk;
const types = async () =>
  await deno("check", "--quiet", "src", "scripts") ||
  await deno("check", "--quiet", "--config", "tests/deno.json", "tests");
isOk = await run("types", types) && isOk;
isOk = await run("tests", () => runTests(tests)) && isOk;
Deno.exit(isOk ? 0 : 1);
