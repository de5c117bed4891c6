/** The generated parts of the documents are what the code writes today. */

import { assertEquals } from "@std/assert";
import { adapters } from "../src/providers/registry.ts";
import { partOf, PARTS } from "./support/docs.ts";

/** Without what the formatter does: padded tables and folded lines. */
function plain(text: string): string {
  return text.replaceAll(/-{3,}/g, "-").split(/\s+/).filter(Boolean).join(" ");
}

for (const { file, name, write } of PARTS) {
  Deno.test(`${file}: the ${name} part is what the code writes`, () => {
    const text = Deno.readTextFileSync(new URL(`../${file}`, import.meta.url));
    assertEquals(plain(partOf(text, name)), plain(write(adapters)), "run: deno task docs");
  });
}
