/**
 * The npm package: it is the bundle with a launcher, and works where npm has put it and Deno beside
 * each other. `.ci/npm` installs it from a tarball, which needs the registry.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { NAME, OPTIONS, toPackageJson, writePackage } from "../../.build/npm_package.ts";
import manifest from "../../deno.json" with { type: "json" };
import { type Program, runSluice } from "../support/process.ts";
import { readRoot } from "../support/read_root.ts";
import { createEmptiness, smokeCommands, smokeServer } from "../support/smoke.ts";

/** Whether Node is installed. */
function hasNode(): boolean {
  try {
    return new Deno.Command("node", { args: ["--version"], stdout: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

const ignore = !hasNode();
const skipped = ignore ? " (skipped: needs node)" : "";

/** A folder of modules as npm would leave it, with the Deno that runs the tests. */
const modules = Deno.makeTempDirSync({ prefix: "sluice-npm-" });
globalThis.addEventListener("unload", () => Deno.removeSync(modules, { recursive: true }));
const folder = `${modules}/node_modules/${NAME}`;
await writePackage(folder);
Deno.mkdirSync(`${modules}/node_modules/deno`);
Deno.writeTextFileSync(
  `${modules}/node_modules/deno/install_api.cjs`,
  `module.exports = { runInstall: () => ${JSON.stringify(Deno.execPath())} };\n`,
);

const program: Program = { path: "node", args: [`${folder}/bin.cjs`] };

Deno.test("the npm package lists all of its files, and depends on this Deno only", () => {
  const written = JSON.parse(Deno.readTextFileSync(`${folder}/package.json`));
  assertEquals(written, toPackageJson());
  assertEquals(written.version, manifest.version);
  assertEquals(written.dependencies, { deno: Deno.version.deno });
  const present = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  // npm always packs these three.
  const packed = [...written.files, "LICENSE", "README.md", "package.json"].sort();
  assertEquals(present, packed);
  assert(written.files.includes(written.bin[NAME]));
  assertMatch(Deno.readTextFileSync(`${folder}/bin.cjs`), /^#!\/usr\/bin\/env node\n/);
});

Deno.test("the npm package runs with the permissions and flags of deno task start", () => {
  const start = manifest.tasks.start.command.split(" ");
  for (const option of start.filter((word) => word.startsWith("--"))) {
    assert(OPTIONS.includes(option), option);
  }
  for (const forbidden of ["--allow-all", "-A", "--allow-run"]) {
    assert(!OPTIONS.includes(forbidden));
  }
});

Deno.test("the npm package is in the pages and in the workflows", () => {
  for (const file of ["README.md", ".deploy/README.md"]) {
    assertMatch(readRoot(file), new RegExp(`^npx .*\\b${NAME}\\b`, "m"), file);
  }
  for (const file of ["ci.yml", "release.yml"]) {
    assertMatch(readRoot(`.github/workflows/${file}`), /bash \.ci\/npm/, file);
  }
  assertMatch(readRoot(".ci/npm"), new RegExp(`npx ${NAME} --version`));
});

Deno.test({
  name: `smoke test of the npm package: starts, answers, streams, ends at SIGTERM${skipped}`,
  ignore,
  async fn() {
    await using nothing = createEmptiness();
    await smokeServer(program, nothing.env);
    await smokeCommands(program, nothing.env);
  },
});

Deno.test({
  name: `the launcher passes on arguments and exit codes${skipped}`,
  ignore,
  async fn() {
    const version = await runSluice(["--version"], { program });
    assertEquals(version, { code: 0, stdout: `sluice ${manifest.version}\n`, stderr: "" });
    const unknown = await runSluice(["serv"], { program });
    assertEquals([unknown.code, unknown.stdout], [2, ""]);
    assertMatch(unknown.stderr, /serv/);
  },
});
