/** The documents that are generated from the code: `deno task docs`. */

import manifest from "../../deno.json" with { type: "json" };
import type { Adapter } from "../../src/contract/adapter.ts";
import { adapters } from "../../src/providers/registry.ts";
import { OPERATIONS } from "../../src/gateway/execute/list.ts";
import { toMarkdown } from "../../src/providers/support_matrix.ts";
import { toCommandsMarkdown } from "./commands.ts";
import { toEndpointsMarkdown, toHeadersMarkdown } from "./endpoints.ts";
import { toEnvironmentMarkdown } from "./environment.ts";
import { toErrorsMarkdown } from "./errors.ts";
import { REQUEST_HEADERS } from "../../src/http/openapi/headers.ts";
import { ANSWER_HEADERS } from "../../src/http/response.ts";
import { toLedgerMarkdown } from "./ledger.ts";
import { toLogMarkdown } from "./log.ts";
import { toMessagesMarkdown } from "./messages.ts";
import { type Since, toConfigMarkdown } from "./config_pages.ts";
import { CONFIG_PARTS, type ConfigPart, listSettings } from "./settings.ts";
import { toSpeedMarkdown } from "./speed.ts";
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
  { file: "docs/speed.md", name: "speed", write: toSpeedMarkdown },
  ...[...adapters.values()].map((adapter) => ({
    file: vendorPage(adapter.kind),
    name: "support",
    write: (all: ReadonlyMap<string, Adapter>) => toVendorMarkdown(adapter, all),
  })),
  ...(Object.keys(CONFIG_PARTS) as ConfigPart[]).map((part) => ({
    file: `docs/reference/config/${part}.md`,
    name: "settings",
    write: (all: ReadonlyMap<string, Adapter>) => toConfigMarkdown(all, part, readSince()),
  })),
  ...([
    ["endpoints", "endpoints", toEndpointsMarkdown],
    ["headers", "request_headers", () => toHeadersMarkdown(REQUEST_HEADERS)],
    ["headers", "answer_headers", () => toHeadersMarkdown(ANSWER_HEADERS)],
    ["errors", "errors", toErrorsMarkdown],
    ["commands", "commands", toCommandsMarkdown],
    ["environment", "environment", toEnvironmentMarkdown],
    ["log", "lines", toLogMarkdown],
    ["log", "messages", toMessagesMarkdown],
    ["ledger", "columns", toLedgerMarkdown],
  ] satisfies [string, string, () => string][]).map(([page, name, write]) => ({
    file: `docs/reference/${page}.md`,
    name,
    write,
  })),
];

const SINCE = new URL("since.json", import.meta.url);

/** The version that first had each setting. */
export function readSince(): Since {
  return JSON.parse(Deno.readTextFileSync(SINCE));
}

/** Adds the settings that no version has yet to those of this version. */
function recordNewSettings(): void {
  const since = readSince();
  const known = new Set(Object.values(since).flat());
  const added = listSettings(adapters).map(({ path }) => path).filter((path) => !known.has(path));
  const paths = [...since[manifest.version] ?? [], ...added];
  const text = JSON.stringify({ ...since, [manifest.version]: paths }, null, 2);
  Deno.writeTextFileSync(SINCE, `${text}\n`);
}

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
  recordNewSettings();
  for (const { file, name, write } of PARTS) {
    const path = new URL(`../../${file}`, import.meta.url);
    const text = readOrBegin(path, file, name);
    const part = `<!-- ${name} -->\n\n${write(adapters)}\n\n<!-- /${name} -->`;
    const pattern = new RegExp(`<!-- ${name} -->[\\s\\S]*<!-- /${name} -->`);
    Deno.writeTextFileSync(path, text.replace(pattern, () => part));
  }
}
