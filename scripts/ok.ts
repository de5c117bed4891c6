/**
 * `deno task ok`: the gate for a commit. Checks the format, the lint and the types, and runs the tests
 * of the folders that changed files belong to. What has changed is compared with `main`, or with
 * the commit before on `main` itself. `deno task ok --all` checks and runs everything that needs no
 * program.
 */

import { fileURLToPath } from "node:url";
import { testsOf } from "./tests_of.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const DENO = Deno.execPath();
const TEST = ["test", "--config", "tests/deno.json", "--no-check", "--allow-all", "--parallel"];
const SANITIZERS = ["--sanitize-ops", "--sanitize-resources"];
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

async function run(what: string, args: readonly string[]): Promise<boolean> {
  const begin = performance.now();
  const { success } = await new Deno.Command(DENO, { args: [...args], cwd: ROOT }).spawn().status;
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  Deno.stderr.writeSync(
    new TextEncoder().encode(`${success ? "ok" : "FAILED"}: ${what} (${seconds} s)\n`),
  );
  return success;
}

const all = Deno.args.includes("--all");
const changes = await readChanges();
const texts = changes.filter((file) => /\.(?:ts|js|json|md|ya?ml|css)$/.test(file));
const code = changes.filter((file) => /\.(?:ts|js)$/.test(file));
const tests = all ? ["--ignore=tests/**/*_program_test.ts", "tests/"] : [
  ...new Set([...testsOf(changes, ROOT), ...RULES]),
];
const steps: readonly (readonly [string, readonly string[]])[] = [
  ["format", ["fmt", "--check", ...all ? [] : texts]],
  ["lint", ["lint", ...all ? [] : code]],
  ["types of the product", ["check", "--quiet", "src", ".build", "scripts"]],
  ["types of the tests", ["check", "--quiet", "--config", "tests/deno.json", "tests"]],
  ["tests", [...TEST, ...SANITIZERS, ...tests]],
];
let isOk = true;
for (const [what, args] of steps) {
  const isEmpty = !all &&
    (what === "format" ? texts : what === "lint" ? code : ["types"]).length === 0;
  if (!isEmpty && !await run(what, args)) isOk = false;
}
Deno.exit(isOk ? 0 : 1);
