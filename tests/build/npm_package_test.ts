/**
 * The npm package: it is the bundle with a launcher, and works where npm has put it and Deno beside
 * each other. `.ci/npm` installs it from a tarball, which needs the registry.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { NAME, OPTIONS, toPackageJson, writePackage } from "../../scripts/npm_package.ts";
import { readRoot } from "../support/read_root.ts";

import manifest from "../../deno.json" with { type: "json" };

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
  for (const file of ["docs/installing.md", "deploy/README.md"]) {
    assertMatch(readRoot(file), new RegExp(`^npx .*\\b${NAME}\\b`, "m"), file);
  }
  for (const file of ["ci.yml", "release.yml"]) {
    assertMatch(readRoot(`.github/workflows/${file}`), /bash \.ci\/npm/, file);
  }
  assertMatch(readRoot(".ci/npm"), new RegExp(`npx ${NAME} --version`));
});
