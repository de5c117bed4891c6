/**
 * `deno task mutate src/FOLDER/FILE.ts`: changes the code of a file in one place at a time, and
 * runs the tests that import it or have its name, then those of its folder. Prints the changes that
 * no test finds. The file itself stays as it is: the tests run in a copy of the checkout. `--at
 * 120` tries the lines from 120; `--most 60` tries at most so many changes, spread evenly; `--tests
 * FILE` names the tests.
 */

import { parseArgs } from "@std/cli/parse-args";
import { fileURLToPath } from "node:url";
import { testsOf, testsThatImport } from "./tests_of.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
/** The longest run without a change. */
const MAX_FIRST_RUN_MS = 900_000;
/** A change that makes the tests so many times slower is found: it may have made a loop endless. */
const MAX_SLOWDOWN = 5;
/** The least limit of a run: other programs may need the processors. */
const MIN_LIMIT_MS = 60_000;
const DEFAULT_MOST = 40;

/** What is replaced by what, in code without comments and texts. */
const MUTATIONS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/===/g, "!=="],
  [/!==/g, "==="],
  [/ < /g, " <= "],
  [/ <= /g, " < "],
  [/ > /g, " >= "],
  [/ >= /g, " > "],
  [/ \+ /g, " - "],
  [/ - /g, " + "],
  [/&&/g, "||"],
  [/\|\|/g, "&&"],
  [/\?\? /g, "&& "],
  [/\btrue\b/g, "false"],
  [/\bfalse\b/g, "true"],
  [/(?<=\breturn )(?=[^;\n]+;)(?!undefined|false|null)/g, "undefined as never && "],
  [/(?<=\bif \()(?=.*\) (?:return|continue|break|throw))/g, "false && "],
];

/** One changed place. */
interface Mutant {
  readonly line: number;
  readonly before: string;
  readonly after: string;
  readonly text: string;
}

/** The code with comments, texts and types of the same length that no pattern matches. */
function blank(text: string): string {
  const hidden = (part: string) => part.replace(/[^\n]/g, "·");
  return text.replace(/\/\*[^]*?\*\/|(?<!:)\/\/.*/g, hidden)
    .replace(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\$]|\\.|\$(?!\{))*`/g, hidden)
    .replace(
      /^(?:import|export) (?:type )?[^;(]*? from [^;]*;|^(?:export )?interface [^]*?^\}|^(?:export )?type [^;]*;/gm,
      hidden,
    );
}

function mutantsOf(text: string): Mutant[] {
  const code = blank(text);
  return MUTATIONS.flatMap(([pattern, replacement]) =>
    [...code.matchAll(pattern)].map((match): Mutant => {
      const changed = text.slice(0, match.index) + replacement +
        text.slice(match.index + match[0].length);
      const line = text.slice(0, match.index).split("\n").length;
      const lineOf = (whole: string) => whole.split("\n")[line - 1]?.trim() ?? "";
      return { line, before: lineOf(text), after: lineOf(changed), text: changed };
    })
  ).sort((one, other) => one.line - other.line);
}

async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  maxMs = MAX_FIRST_RUN_MS,
): Promise<boolean> {
  const { success } = await new Deno.Command(program, {
    args: [...args],
    cwd,
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "null",
    signal: AbortSignal.timeout(maxMs),
  }).output();
  return success;
}

const { _: [file], at = 1, most = DEFAULT_MOST, tests: named } = parseArgs(Deno.args, {
  string: ["_", "tests"],
}) as { _: string[]; at?: number; most?: number; tests?: string };
if (file === undefined) throw new TypeError("Name a file of src");
const tests = named?.split(",") ?? testsThatImport(file, ROOT);
const folder = named === undefined ? testsOf([file], ROOT) : [];
const text = Deno.readTextFileSync(ROOT + file);
const copy = Deno.makeTempDirSync({ prefix: "sluice-mutate-" });
const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
const end = () => Deno.removeSync(copy, { recursive: true });
for (const signal of Deno.build.os === "windows" ? [] : ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    end();
    Deno.exit(130);
  });
}
try {
  for (const { name } of Deno.readDirSync(ROOT)) {
    if (name !== ".git") await run("cp", ["-r", ROOT + name, `${copy}/${name}`], ROOT);
  }
  const args = ["test", "--config", "tests/deno.json", "--no-check", "--allow-all", "--fail-fast"];
  const passes = async (tests: readonly string[], maxMs?: number) =>
    tests.length === 0 ||
    await run(Deno.execPath(), [...args, ...tests], copy, maxMs).catch(() => false);
  /** Runs tests without a change. Returns how long they may take with one; undefined if they fail. */
  const limitOf = async (tests: readonly string[]) => {
    const begin = performance.now();
    if (!await passes(tests)) return undefined;
    return Math.max(MIN_LIMIT_MS, MAX_SLOWDOWN * (performance.now() - begin));
  };
  const limit = await limitOf(tests);
  if (limit === undefined) throw new Error(`The tests fail as they are: ${tests.join(" ")}`);
  const folderLimit = await limitOf(folder);
  if (folderLimit === undefined) {
    say(`The tests of ${folder.join(" ")} fail as they are, and are left out`);
    folder.length = 0;
  }
  const all = mutantsOf(text).filter(({ line }) => line >= at);
  const step = Math.max(1, all.length / most);
  const chosen = all.filter((_, index) => Math.floor(index % step) === 0).slice(0, most);
  let survivors = 0;
  for (const { line, before, after, text } of chosen) {
    Deno.writeTextFileSync(`${copy}/${file}`, text);
    // The whole folder takes longer, so it comes last.
    if (!await passes(tests, limit) || !await passes(folder, folderLimit)) continue;
    survivors++;
    say(`${file}:${line}\n  - ${before}\n  + ${after}`);
  }
  say(
    `${chosen.length} of ${all.length} changes tried, ${survivors} not found`,
  );
  Deno.exitCode = survivors > 0 ? 1 : 0;
} finally {
  end();
}
