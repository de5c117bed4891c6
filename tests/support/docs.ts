/** The documents that are generated from the code: `deno task docs`. */

import type { Adapter } from "../../src/providers/contract/adapter.ts";
import { adapters } from "../../src/providers/registry.ts";
import { OPERATIONS } from "../../src/operations/list.ts";
import { toMarkdown } from "../../src/providers/support_matrix.ts";
import { toSettingsMarkdown } from "./settings_table.ts";

/** A part of a Markdown file, between `<!-- NAME -->` and `<!-- /NAME -->`. */
export interface GeneratedPart {
  /** The path from the repository's root. */
  readonly file: string;
  readonly name: string;
  write(adapters: ReadonlyMap<string, Adapter>): string;
}

export const PARTS: readonly GeneratedPart[] = [
  ...OPERATIONS.map(({ support }) => ({
    file: "src/providers/README.md",
    name: support.group?.member ?? "matrix",
    write: (all: ReadonlyMap<string, Adapter>) => toMarkdown([...all.values()], support),
  })),
  { file: "src/config/README.md", name: "settings", write: toSettingsMarkdown },
];

export function partOf(text: string, name: string): string {
  const [, part = ""] = new RegExp(`<!-- ${name} -->([\\s\\S]*)<!-- /${name} -->`).exec(text) ?? [];
  return part;
}

if (import.meta.main) {
  for (const { file, name, write } of PARTS) {
    const path = new URL(`../../${file}`, import.meta.url);
    const text = Deno.readTextFileSync(path);
    const part = `<!-- ${name} -->\n\n${write(adapters)}\n\n<!-- /${name} -->`;
    const pattern = new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`);
    Deno.writeTextFileSync(path, text.replace(pattern, () => part));
  }
}
