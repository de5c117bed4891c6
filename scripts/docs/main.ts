/** The documents that are generated from the code: `deno task docs`. */

import type { Adapter } from "../../src/providers/contract/adapter.ts";
import { adapters } from "../../src/providers/registry.ts";
import { OPERATIONS } from "../../src/operations/list.ts";
import { toMarkdown } from "../../src/providers/support_matrix.ts";
import { toMessagesMarkdown } from "./messages.ts";
import { toSettingsMarkdown } from "./kind_settings.ts";
import { toVendorMarkdown, vendorPage } from "./vendor_pages.ts";

/** A part of a Markdown file, between `<!-- NAME -->` and `<!-- /NAME -->`. */
export interface GeneratedPart {
  /** The path from the repository's root. */
  readonly file: string;
  readonly name: string;
  write(adapters: ReadonlyMap<string, Adapter>): string;
}

export const PARTS: readonly GeneratedPart[] = [
  ...OPERATIONS.map(({ support }) => ({
    file: support.group === undefined
      ? "docs/vendors/README.md"
      : `docs/formats/${support.group.member}.md`,
    name: support.group?.member ?? "matrix",
    write: (all: ReadonlyMap<string, Adapter>) => {
      const markdown = toMarkdown([...all.values()], support);
      // The pages of vendors have the notes about chats.
      return support.group === undefined ? markdown.split(/\n\n(?=- \*\*)/)[0] ?? "" : markdown;
    },
  })),
  { file: "docs/vendors/README.md", name: "pages", write: toPageList },
  ...[...adapters.values()].map((adapter) => ({
    file: vendorPage(adapter.kind),
    name: "support",
    write: (all: ReadonlyMap<string, Adapter>) => toVendorMarkdown(adapter, all),
  })),
  { file: "src/config/README.md", name: "settings", write: toSettingsMarkdown },
  { file: "docs/operations/telemetry.md", name: "messages", write: toMessagesMarkdown },
];

/** The list of the pages of vendors. */
function toPageList(all: ReadonlyMap<string, Adapter>): string {
  return [...all.keys()].map((kind) =>
    `- [${kind}](${vendorPage(kind).replace("docs/vendors/", "")})`
  ).join("\n");
}

export function partOf(text: string, name: string): string {
  const [, part = ""] = new RegExp(`<!-- ${name} -->([\\s\\S]*)<!-- /${name} -->`).exec(text) ?? [];
  return part;
}

/** A document, or the beginning of the page of a vendor that has none. */
function readOrBegin(path: URL, file: string, name: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    const [, kind = ""] = /([^/]+)\.md$/.exec(file) ?? [];
    return `# ${kind}\n\n<!-- ${name} -->\n<!-- /${name} -->\n`;
  }
}

if (import.meta.main) {
  for (const { file, name, write } of PARTS) {
    const path = new URL(`../../${file}`, import.meta.url);
    const text = readOrBegin(path, file, name);
    const part = `<!-- ${name} -->\n\n${write(adapters)}\n\n<!-- /${name} -->`;
    const pattern = new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`);
    Deno.writeTextFileSync(path, text.replace(pattern, () => part));
  }
}
