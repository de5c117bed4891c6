/** Each guide that names its files works as it is written: its commands, and what comes out. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { SERVICE_KEY } from "../support/gateway.ts";
import { needs } from "../support/needs.ts";
import { serveGateway } from "../support/server.ts";
import { fits, readGuide, runGuide } from "./guide.ts";

const FOLDER = new URL("../../docs/guides/", import.meta.url);

const GUIDES = [...Deno.readDirSync(FOLDER)].map(({ name }) => ({
  name: name.replace(/\.md$/, ""),
  text: Deno.readTextFileSync(new URL(name, FOLDER)),
})).filter(({ text }) => readGuide(text).steps.some(({ type }) => type === "file"))
  .toSorted((one, other) => one.name < other.name ? -1 : 1);

/** The lines that may not be run: fewer are better. */
const MAX_LEFT_OUT = 40;

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
  return MISSING.filter((program) =>
    program === "bash" || new RegExp(`\\b${program}\\b`).test(typed)
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
      /^ For .+?\. It takes .+? minutes?\b.*?\. By the end, .+?\./.test(
        introduction.replaceAll(/\s+/g, " "),
      ),
      name,
    );
    assert(text.includes("\n## What can go wrong\n"), name);
  });
}

const COMPARISON = Deno.readTextFileSync(new URL("../comparison.md", FOLDER));
const missingForComparison = missingIn(COMPARISON);

Deno.test({
  ...needs(
    missingForComparison.join(" and "),
    missingForComparison.length === 0,
    "the commands behind the comparison print what the page says",
  ),
  async fn() {
    assertEquals(await runGuide(COMPARISON), []);
  },
});

const LEFT_OUT = GUIDES.flatMap(({ text }) => readGuide(text).leftOut);
const LINES = LEFT_OUT.map(({ text }) => text.trimEnd().split("\n").length)
  .reduce((sum, count) => sum + count, 0);

Deno.test(`the ${LINES} lines of guides that are not run have a reason`, () => {
  assert(GUIDES.length >= 10);
  assert(LINES <= MAX_LEFT_OUT, `${LINES} lines are not run`);
  for (const { reason } of LEFT_OUT) assert(reason.length > 10, reason);
});

/** The program in Rust, which is a project, and so cannot be typed as one file. */
const RUST = LEFT_OUT.filter(({ reason }) => reason.includes("cargo")).map(({ text }) => text);

/** Writes the project of the program in Rust into a folder. */
async function writeProject(folder: string): Promise<void> {
  const [dependencies = "", program = ""] = RUST;
  await Deno.mkdir(`${folder}/src`);
  const head = '[package]\nname = "hello"\nversion = "0.1.0"\nedition = "2021"\n\n';
  await Deno.writeTextFile(`${folder}/Cargo.toml`, head + dependencies);
  await Deno.writeTextFile(`${folder}/src/main.rs`, program);
}

/** Compiling the crates takes minutes on a busy machine. They stay beside their sources. */
const COMPILED = `${
  Deno.env.get("CARGO_HOME") ?? `${Deno.env.get("HOME") ?? ""}/.cargo`
}/sluice-guides`;

async function cargo(folder: string, args: readonly string[], env: Record<string, string> = {}) {
  const { success, stdout, stderr } = await new Deno.Command("cargo", {
    ...{ args: [...args], cwd: folder, env },
  }).output();
  const [printed, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { success, printed, errors };
}

const hasCrates = await (async () => {
  if (!isInstalled("cargo")) return false;
  const folder = await Deno.makeTempDir({ prefix: "sluice-rust-" });
  try {
    await writeProject(folder);
    return (await cargo(folder, ["fetch", "--offline"])).success;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
})();

Deno.test({
  ...needs("cargo with the crates", hasCrates, "the program in Rust prints the answer"),
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "sluice-rust-" });
    await using gateway = serveGateway({
      config: {
        providers: { mock: { kind: "mock", models: ["mock-echo"] } },
        aliases: { fast: "mock-echo" },
      },
    });
    try {
      await writeProject(folder);
      const main = `${folder}/src/main.rs`;
      const text = (await Deno.readTextFile(main)).replace("http://127.0.0.1:8787", gateway.url);
      await Deno.writeTextFile(main, text);
      const env = {
        SLUICE_API_KEY: SERVICE_KEY,
        CARGO_PROFILE_DEV_DEBUG: "0",
        CARGO_TARGET_DIR: COMPILED,
      };
      const { errors, printed } = await cargo(folder, ["run", "--quiet", "--offline"], env);
      assertEquals(printed, '"You said: Hello"\n', errors);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
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
