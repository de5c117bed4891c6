/** The files of the console are written from its sources, and the list names each of them. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readDigests } from "../../scripts/console_files.ts";
import { ASSET_FILES, DIGESTS, loadPage } from "../../src/console/asset_files.ts";

Deno.test("the files of the console are those of its sources", () => {
  assertEquals({ ...DIGESTS }, readDigests(), "run: deno task assets");
});

Deno.test("each file of the list loads the text at its path, and no file is missing", async () => {
  const folder = new URL("../../src/console/files/", import.meta.url);
  assertStringIncludes((await loadPage()).default, "<!DOCTYPE html>");
  for (const [path, load] of ASSET_FILES) {
    const { default: text } = await load();
    assert(text.length > 0, path);
    assertEquals(text, Deno.readTextFileSync(new URL(path, folder)), path);
  }
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  assertEquals(names, ["index.html", ...ASSET_FILES.keys()].sort());
});
