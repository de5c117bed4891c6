/**
 * The npm package: it is the bundle with a launcher, and works where npm has put it and Deno beside
 * each other. `.ci/npm` installs it from a tarball, which needs the registry.
 */

import { assertEquals, assertMatch } from "@std/assert";
import manifest from "../../deno.json" with { type: "json" };
import { NAME, writePackage } from "../../.build/npm_package.ts";
import { type Program, runSluice } from "../support/process.ts";
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
