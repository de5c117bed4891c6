/**
 * Two sets of packages: deno.json and deno.lock hold what the product needs, so
 * that starting it downloads nothing else; tests/deno.json and tests/deno.lock
 * also hold what the tests need.
 */

import { assert, assertEquals } from "@std/assert";
import { readGraph } from "../../scripts/sbom.ts";
import { readRoot } from "../support/read_root.ts";

interface Manifest {
  readonly imports: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

interface Lock {
  readonly npm: Readonly<Record<string, { readonly integrity: string }>>;
}

const product = JSON.parse(readRoot("deno.json")) as Manifest;
const tests = JSON.parse(readRoot("tests/deno.json")) as Manifest;
const productLock = JSON.parse(readRoot("deno.lock")) as Lock;
const testsLock = JSON.parse(readRoot("tests/deno.lock")) as Lock;

Deno.test("deno.lock contains exactly the packages that the product uses", async () => {
  // `deno task` downloads all of its lock file before it runs the command.
  const { packages } = await readGraph();
  const reached = packages.map(({ id }) => id);
  assert(reached.length > 0);
  assertEquals(Object.keys(productLock.npm).sort(), reached.sort());
});

Deno.test("tests/deno.json includes the packages of deno.json at the same versions", () => {
  const shared = Object.entries(product.imports);
  assertEquals(shared.filter(([name, at]) => tests.imports[name] !== at), []);
  assert(Object.keys(tests.imports).length > shared.length);
  for (const [id, { integrity }] of Object.entries(productLock.npm)) {
    assertEquals(testsLock.npm[id]?.integrity, integrity, id);
  }
});

Deno.test("tests/deno.json has the compiler, formatter and linter settings of deno.json", () => {
  for (const setting of ["unstable", "compilerOptions", "lint"]) {
    assertEquals(tests[setting], product[setting], setting);
  }
  const { lineWidth } = product.fmt as { lineWidth: number };
  assertEquals((tests.fmt as { lineWidth: number }).lineWidth, lineWidth);
});
