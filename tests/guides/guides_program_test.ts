/** Each guide that names its files works as it is written: its commands, and what comes out. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { needs } from "../support/needs.ts";
import { fits, readGuide, runGuide } from "./guide.ts";

const FOLDER = new URL("../../docs/guides/", import.meta.url);

const GUIDES = [...Deno.readDirSync(FOLDER)].map(({ name }) => ({
  name: name.replace(/\.md$/, ""),
  text: Deno.readTextFileSync(new URL(name, FOLDER)),
})).filter(({ text }) => readGuide(text).steps.some(({ type }) => type === "file"))
  .toSorted((one, other) => one.name < other.name ? -1 : 1);

/** Programs that guides use, besides `sluice`. */
const PROGRAMS = ["bash", "curl", "jq", "go", "java", "python3", "node", "valkey-server", "psql"];
const MISSING = PROGRAMS.filter((program) => !isInstalled(program));

function isInstalled(program: string): boolean {
  const { success } = new Deno.Command("sh", { args: ["-c", `command -v ${program}`] })
    .outputSync();
  return success;
}

/** The programs that a guide types and that are not here. */
function missingIn(text: string): string[] {
  const typed = readGuide(text).steps.map((step) => step.type === "file" ? "" : step.text).join();
  return ["bash", ...MISSING].filter((program) =>
    MISSING.includes(program) && (program === "bash" || new RegExp(`\\b${program}\\b`).test(typed))
  );
}

for (const { name, text } of GUIDES) {
  const missing = missingIn(text);
  Deno.test({
    ...needs(missing.join(" and "), missing.length === 0, `the guide '${name}' works as written`),
    async fn() {
      assertEquals(await runGuide(text), []);
    },
  });

  Deno.test(`the guide '${name}' says for whom it is, how long it takes, and what can go wrong`, () => {
    const [, introduction = ""] = text.split(/^# .+$/m);
    assert(
      /^ For .+?\. It takes .+? minutes?\b.*?\. In the end .+?\./.test(
        introduction.replaceAll(/\s+/g, " "),
      ),
      name,
    );
    assert(text.includes("\n## What can go wrong\n"), name);
  });
}

Deno.test("there are guides, and what they leave out has a reason", () => {
  assert(GUIDES.length >= 10);
  for (const { text } of GUIDES) {
    for (const { reason } of readGuide(text).leftOut) assert(reason.length > 10, reason);
  }
});

Deno.test("a guide whose output differs, or whose command fails, is found", async () => {
  const guide = "```sh\necho one\n```\n\n```text\ntwo\n```\n\n```sh\necho three\n```\n\n" +
    "```text\n…\n```\n";
  const found = await runGuide(guide);
  assertEquals(found, [{ commands: "echo one\n", expected: "two\n", output: "one\n" }]);
  const failure = await runGuide("```sh\nfalse\n```\n").catch((thrown) => String(thrown));
  assert(String(failure).includes("Exit code 1"));
  const silent = await runGuide("<!-- second terminal -->\n\n```sh\necho Broken\n```\n")
    .catch((thrown) => String(thrown));
  assertMatch(String(silent), /Nothing listens on port \d+\nBroken/);
});

Deno.test("fits() takes … for a part of a line, and for lines", () => {
  assert(fits("a 12 b\nc\nd\ne\n", "a … b\n…\ne\n"));
  assert(fits("a\n", "a\n…\n") && fits("a\nb\n", "a\n…\n"));
  assert(!fits("a 12 b\n", "a … c\n") && !fits("a\nb\n", "a\n"));
});
