/** Which test files are for `deno task test`, which for `deno task test:all` only, and which use real time. */

import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { testsOf, testsThatImport } from "../scripts/tests_of.ts";
import { withoutComments } from "./support/source_rules.ts";

const TESTS = new URL("./", import.meta.url);
const PROGRAM_TEST = /_program_test\.ts$/;
/** Starts a program or a browser. */
const STARTS = /\bnew Deno\.Command\(|^import puppeteer\b/m;
const IMPORTS = /^(?:import|export) (?!type\b)[^"';]*?"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;
/** The path through a whole gateway that `deno task test` has, too. */
const THIN_PATH = "end_to_end/one_process_test.ts";
/** Counts in a process with flags of V8, which every commit is compared by. */
const GUARD = "guard/guard_test.ts";
/** Each file beyond needs a better reason than one that a test in the process could not have. */
const MAX_PROGRAM_TESTS = 100;

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, TESTS))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${folder}${name}/`) : [`${folder}${name}`]
  );
}

/** The code of the TypeScript files below tests, by path. */
function readSources(): ReadonlyMap<string, string> {
  const files = filesBelow("./").map((file) => file.slice("./".length))
    .filter((file) => file.endsWith(".ts") && !file.startsWith("fixtures/"));
  return new Map(
    files.map((file) => [file, withoutComments(Deno.readTextFileSync(new URL(file, TESTS)))]),
  );
}

/** Whether a file starts a program, or imports a file that does. */
function needsProgram(
  file: string,
  sources: ReadonlyMap<string, string>,
  seen = new Set<string>(),
): boolean {
  seen.add(file);
  const text = sources.get(file) ?? "";
  if (STARTS.test(text)) return true;
  return [...text.matchAll(IMPORTS)].some(([, from = "", later = ""]) => {
    const to = new URL(from || later, new URL(file, "file:///")).pathname.slice(1);
    return !seen.has(to) && needsProgram(to, sources, seen);
  });
}

const sources = readSources();
const testFiles = [...sources.keys()].filter((file) => file.endsWith("_test.ts"));

Deno.test("a test file has the suffix _program_test.ts if it starts a program, and only then", () => {
  const wrong = testFiles.filter((file) =>
    file !== THIN_PATH && file !== GUARD &&
    PROGRAM_TEST.test(file) !== needsProgram(file, sources)
  );
  assertEquals(wrong, []);
});

Deno.test("few test files need a program", () => {
  const programTests = testFiles.filter((file) => PROGRAM_TEST.test(file));
  assert(programTests.length <= MAX_PROGRAM_TESTS, `${programTests.length} files`);
});

/** Not as one word, since this file starts nothing. */
const COMMAND = ["new Deno", "Command(path).output()"].join(".");

Deno.test("a started program is found through imports, but for those of types", () => {
  const find = (text: string) =>
    needsProgram(
      "a/one_test.ts",
      new Map([
        ["a/one_test.ts", text],
        ["b/middle.ts", 'import { run } from "./process.ts";'],
        ["b/process.ts", `export const run = () => ${COMMAND};`],
      ]),
    );
  assertEquals(find(`await ${COMMAND};`), true);
  assertEquals(find('import puppeteer, { type Page } from "puppeteer-core";'), true);
  assertEquals(find('import {\n  middle,\n} from "../b/middle.ts";'), true);
  assertEquals(find('await import("../b/middle.ts");'), true);
  assertEquals(find('import type { Running } from "../b/process.ts";'), false);
  assertEquals(find('import { other } from "../b/other.ts";'), false);
});

Deno.test("each folder of src has tests, that of its name or those that import it", () => {
  const root = fileURLToPath(new URL("../", TESTS));
  const without = filesBelow("../src/").map((file) => file.slice("../".length))
    .filter((file) => /^src\/.+\/[^/]+\.ts$/.test(file) && testsOf([file], root).length === 0);
  assertEquals(without, []);
  assertEquals(testsOf(["src/core/ids.ts", "tests/core/ids_test.ts"], root), ["tests/core"]);
  assert(testsOf(["src/clients/edits.ts"], root).includes("tests/http/clients_test.ts"));
  assertEquals(testsOf(["src/main.ts", "README.md"], root), []);
  assertEquals(testsOf(["src/providers/anthropic/errors.ts"], root), [
    "tests/providers/anthropic",
    "tests/providers/fixtures_test.ts",
  ]);
  assertEquals(testsThatImport("src/core/collections.ts", root), [
    "tests/providers/shared/turns_test.ts",
    "tests/core/linked_list_test.ts",
    "tests/core/bounded_map_test.ts",
  ]);
});

/** Files that use real time, by the reason. */
const REAL_TIME: Readonly<Record<string, readonly string[]>> = {
  "how long something takes is what is tested": [
    "apis/responses/expansion_test.ts",
    "console/many_names_program_test.ts",
    "console/models_program_test.ts",
    "console/tasks_program_test.ts",
    "core/clock_test.ts",
    "core/redactor_test.ts",
    "core/top_level_members_test.ts",
    "embeddings/event_loop_test.ts",
    "end_to_end/replicas_program_test.ts",
    "governance/counters_test.ts",
    "process/config/config_files_program_test.ts",
    "process/drain_program_test.ts",
    "process/listener/listener_kinds_test.ts",
    "process/warm_up/warm_up_test.ts",
    "process/workers/workers_program_test.ts",
    "providers/mock/mock_test.ts",
    "providers/mock/schema_test.ts",
    "memory/shared_store/cluster_program_test.ts",
    "streaming/stream_test.ts",
  ],
  "asks a process, a browser or a server until it is as expected, or is done with it": [
    "build/caddy_program_test.ts",
    "build/nginx_program_test.ts",
    "build/restart_program_test.ts",
    "console/playground_kept_program_test.ts",
    "end_to_end/shared_breakers_program_test.ts",
    "end_to_end/shared_state_program_test.ts",
    "governance/keys/key_store_program_test.ts",
    "governance/limits_scripts_program_test.ts",
    "governance/postgres_program_test.ts",
    "main_program_test.ts",
    "memory/store_entries_program_test.ts",
    "process/console_program_test.ts",
    "process/listener/connection_limits_program_test.ts",
    "process/listener/tls_process_program_test.ts",
    "process/log_program_test.ts",
    "process/stores/export_objects_program_test.ts",
    "process/system/stalled_output_program_test.ts",
    "upstream/http1/tls_connection_program_test.ts",
    "upstream/http1/tls_program_test.ts",
  ],
  "waits for the operating system, or shows that nothing happens": [
    "memory/shared_source_test.ts",
    "process/listener/listener_test.ts",
    "process/stores/store_thread_test.ts",
    "upstream/http1/client_test.ts",
    "upstream/http1/dial_test.ts",
    "upstream/http1/surplus_test.ts",
  ],
};

Deno.test("tests use the injected clock or a condition, but for those with a reason", () => {
  const found = testFiles.filter((file) =>
    /\b(?:setTimeout|performance\.now)\(/.test(sources.get(file) ?? "")
  )
    .filter((file) => !file.startsWith("guard/"));
  // Conditions: turn(), until() and untilReply() of support/elapse.ts.
  assertEquals(found.sort(), Object.values(REAL_TIME).flat().sort());
});
