/**
 * No conversion of a request and no reading of an answer takes longer than in proportion to its
 * input, whatever of it is large: a generator grows every list, map, depth, text and reference.
 * `GROWTH_FULL=1` tries each shape with each target, and larger, which takes many minutes.
 */

import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { GROUPS } from "./support/growth/cases.ts";
import type { Judged } from "./support/growth/main.ts";
import { PLANTED } from "./support/growth/planted.ts";

const MAIN = fileURLToPath(new URL("./support/growth/main.ts", import.meta.url));
/** Fewer cases than this in a group would mean that the generator has lost some. */
const MIN_CASES = 300;
/** The caller formats are measured without the vendors. */
const MIN_FORMAT_CASES = 120;
/** CPU time of the short form, in seconds: about 45 on an idle machine, on a slow and busy one more. */
const MAX_CPU_SECONDS = 240;

const full = Deno.env.get("GROWTH_FULL") === "1";
let judging: Promise<ReadonlyMap<string, Judged>> | undefined;

/** What each group came to; judged once. One thread, so that all that is measured is the work. */
function judge(): Promise<ReadonlyMap<string, Judged>> {
  return judging ??= run();
}

async function run(): Promise<ReadonlyMap<string, Judged>> {
  const groups = ["planted", ...Object.keys(GROUPS)];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-check", "--v8-flags=--single-threaded", "--allow-read", "--allow-env"],
      ...[MAIN, ...groups, ...(full ? ["--full"] : [])],
    ],
    stdout: "piped",
    stderr: "piped",
  }).output();
  const text = new TextDecoder();
  assertEquals(code, 0, text.decode(stderr));
  const judged = JSON.parse(text.decode(stdout)) as Judged[];
  return new Map(judged.map((one) => [one.group, one]));
}

Deno.test("only the planted cases of superlinear growth are found", async () => {
  const { found = [] } = (await judge()).get("planted") ?? {};
  const names = found.map((line) => line.split(": ", 2).join(": "));
  assertEquals(names, PLANTED.map(({ name }) => name).filter((name) => name.startsWith("fast")));
});

for (const group of Object.keys(GROUPS)) {
  Deno.test(`time and memory grow linearly with the input: ${group}`, async () => {
    const { found = ["not judged"], cases = 0 } = (await judge()).get(group) ?? {};
    assertEquals(found, []);
    assert(cases > (group === "formats" ? MIN_FORMAT_CASES : MIN_CASES), `${cases} cases`);
  });
}

Deno.test("growth is measured in bounded time", async () => {
  const all = [...(await judge()).values()];
  const seconds = all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  assert(full || seconds < MAX_CPU_SECONDS, `${seconds} s of CPU time`);
});
