/** The list of the console's files names each file in its folder, with its own text. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ASSET_FILES, loadPage } from "../../src/console/asset_files.ts";
import { LIST, writeAssetFiles } from "../support/write_asset_files.ts";

Deno.test("the list of the console's files is what the folder holds", () => {
  assertEquals(Deno.readTextFileSync(LIST), writeAssetFiles(), "run: deno task assets");
});

Deno.test("each file of the list loads the text at its path", async () => {
  assert(ASSET_FILES.size > 60);
  assertStringIncludes((await loadPage()).default, "<!DOCTYPE html>");
  for (const [path, load] of ASSET_FILES) {
    const { default: text } = await load();
    assert(text.length > 0, path);
    if (path.startsWith("vendor/")) continue;
    const file = new URL(`../../src/console/assets/${path}`, import.meta.url);
    assertEquals(text, Deno.readTextFileSync(file), path);
  }
});
