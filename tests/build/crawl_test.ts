/** The crawler of the built site finds links that lead nowhere, and the rehearsal runs as the workflow. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { crawl } from "../../scripts/release/crawl.ts";
import { readRoot } from "../support/read_root.ts";

Deno.test("crawl() follows links between pages, and finds those that lead nowhere", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-crawl-" });
  try {
    await Deno.mkdir(`${folder}/guides`);
    await Deno.writeTextFile(
      `${folder}/index.html`,
      '<a href="/guides/one">1</a> <a href="https://example.com">2</a> <a href="#a">3</a>',
    );
    await Deno.writeTextFile(
      `${folder}/guides/one.html`,
      '<a class="x" href="../index.html#b">1</a> <a href="./two">2</a>',
    );
    assertEquals(crawl(folder), { pages: 2, links: 3, dead: ["guides/one.html -> ./two"] });
    await Deno.writeTextFile(`${folder}/llms.txt`, "- [1](/guides/one.html)\n- [2](/two.md): 2\n");
    const { dead, links } = crawl(folder);
    assertEquals([links, dead], [5, ["guides/one.html -> ./two", "llms.txt -> /two.md"]]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the rehearsal runs the commands of the release workflow that need no GitHub", () => {
  const rehearsal = readRoot("scripts/release/rehearse.ts");
  const workflow = readRoot(".github/workflows/release.yml");
  for (const command of [".ci/npm", "sbom", "sha256sum -- sluice*"]) {
    assertStringIncludes(workflow, command);
    assertStringIncludes(rehearsal, command);
  }
  const { tasks } = JSON.parse(readRoot("deno.json")) as { tasks: Record<string, unknown> };
  assert("release:rehearse" in tasks);
});
