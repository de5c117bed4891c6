/** What requests take has not grown, and growth is found. */

import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import type { Counts } from "./counting.ts";
import { judgeCounts, judgeFigures, judgePath } from "./judging.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const COUNTS: Counts = {
  ...{ promises: 70, bytes: 50_000, calls: 800, functions: 400, runtime_calls: 600 },
};
const PATH = { files: ["a.ts"], functions: 9, classes: ["a.ts A"], async_functions: ["a.ts run"] };
const FIGURES = { cpu_ratio: 10, modules: 500, resident_mib: 100, system_calls: 20, kept_bytes: 0 };

const judge = (members: Partial<Counts>) =>
  judgeCounts(new Map([["chat", { ...COUNTS, ...members }]]), { chat: COUNTS });

Deno.test("no request takes more than was committed", async () => {
  // V8 reads its flags at the start of a process.
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "guard"],
    cwd: ROOT,
    env: { DENO_NO_UPDATE_CHECK: "1" },
  }).output();
  const text = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
  assertEquals(code, 0, text);
});

Deno.test("a count may fall, and grow by two percent, but not by one promise", () => {
  assertEquals(judge({ promises: 60, calls: 816, functions: 408, bytes: 51_500 }), []);
  assertEquals(judge({ promises: 71 }), ["chat: 71 promises, 70 committed (+1.4 %)"]);
  assertEquals(judge({ calls: 817 }), ["chat: 817 calls, 800 committed (+2.1 %)"]);
  assertEquals(judge({ bytes: 51_501 }), ["chat: 51501 bytes, 50000 committed (+3.0 %)"]);
  assertEquals(judge({ functions: 409 }).length, 1);
  assertEquals(judge({ runtime_calls: 613 }).length, 1);
});

Deno.test("each case is committed, and each committed one counted", () => {
  assertEquals(judgeCounts(new Map([["one", COUNTS]]), { other: COUNTS }), [
    "one: not committed",
    "other: committed, but not counted",
  ]);
});

Deno.test("a path may become shorter, but no longer, and no class may be added", () => {
  assertEquals(judgePath({ files: [], functions: 1, classes: [], async_functions: [] }, PATH), []);
  assertEquals(judgePath({ ...PATH, files: ["a.ts", "b.ts"] }, PATH), [
    "path: 2 files, 1 committed; new: b.ts",
  ]);
  assertEquals(judgePath({ ...PATH, files: ["b.ts"] }, PATH), []);
  assertEquals(judgePath({ ...PATH, functions: 10 }, PATH), ["path: 10 functions, 9 committed"]);
  assertEquals(judgePath({ ...PATH, async_functions: ["a.ts run", "a.ts stop"] }, PATH), [
    "path: 2 async_functions, 1 committed; new: a.ts stop",
  ]);
  assertEquals(judgePath({ ...PATH, classes: ["b.ts B"] }, PATH), [
    "path: instantiates b.ts B, not committed",
  ]);
});

Deno.test("a figure that a machine cannot measure is not compared", () => {
  assertEquals(judgeFigures({ ...FIGURES, system_calls: null, resident_mib: null }, FIGURES), []);
  assertEquals(judgeFigures({ ...FIGURES, kept_bytes: 100 }, FIGURES), [
    "full: 100 kept_bytes, 0 committed",
  ]);
  assertEquals(judgeFigures({ ...FIGURES, modules: 520 }, FIGURES).length, 1);
});
