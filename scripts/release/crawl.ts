/** Follows the links of a built site, and finds those that lead nowhere. */

import { dirname, join } from "node:path/posix";

export interface Crawl {
  readonly pages: number;
  /** The links between pages. */
  readonly links: number;
  /** Links to missing pages, as `PAGE -> LINK`. */
  readonly dead: readonly string[];
}

/** Crawls the pages of a folder from its index. */
export function crawl(folder: string): Crawl {
  const seen = new Set<string>(["index.html"]);
  const dead: string[] = [];
  let links = 0;
  for (const page of seen) {
    const text = Deno.readTextFileSync(join(folder, page));
    for (const [, link = ""] of text.matchAll(/<a [^>]*?href="([^"#?]+)[^"]*"/g)) {
      if (/^[a-z]+:|^\/\//.test(link)) continue;
      links++;
      const path = link.startsWith("/") ? link.slice(1) : join(dirname(page), link);
      const file = findFile(folder, path);
      if (file === undefined) dead.push(`${page} -> ${link}`);
      else if (file.endsWith(".html")) seen.add(file);
    }
  }
  for (const link of linksOfLlmsText(folder)) {
    links++;
    if (findFile(folder, link.slice(1)) === undefined) dead.push(`llms.txt -> ${link}`);
  }
  return { pages: seen.size, links, dead };
}

/** The links of the list of pages for language models, if the site has one. */
function linksOfLlmsText(folder: string): string[] {
  if (findFile(folder, "llms.txt") === undefined) return [];
  const text = Deno.readTextFileSync(join(folder, "llms.txt"));
  return [...text.matchAll(/\]\((\/[^)]+)\)/g)].map(([, link = ""]) => link);
}

/** The file that a path without an ending stands for. */
function findFile(folder: string, path: string): string | undefined {
  const names = [path, `${path}.html`, join(path, "index.html")];
  return names.find((name) => {
    try {
      return Deno.statSync(join(folder, name)).isFile;
    } catch {
      return false;
    }
  });
}
