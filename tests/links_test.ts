/** Every link within the documents leads to a file and a heading that exist. */

import { existsSync } from "node:fs";
import { assert, assertEquals } from "@std/assert";

const ROOT = new URL("../", import.meta.url);

/** The Markdown files of the repository, by path. */
function documents(folder = ""): string[] {
  return [...Deno.readDirSync(new URL(`./${folder}`, ROOT))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}${name}`;
    if (isDirectory) {
      return /^(?:\.git|node_modules|fixtures|dist)$/.test(name) ? [] : documents(`${path}/`);
    }
    return name.endsWith(".md") ? [path] : [];
  });
}

/** A document without its code: blocks, and code between backticks. */
function prose(text: string): string {
  return text.replaceAll(/^ *```[^]*?^ *```/gm, "").replaceAll(/`[^`\n]*`/g, (code) => {
    return "x".repeat(code.length);
  });
}

/** The targets of the links of a document. */
function linksOf(text: string): string[] {
  return [
    ...prose(text).matchAll(/\]\(<?([^)>\s]+)>?\)/g),
    ...prose(text).matchAll(/^\[[^\]]+\]: +(\S+)/gm),
  ].map(([, target = ""]) => target);
}

/** The anchors of a document: of its headings, as GitHub and VitePress make them, and others. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^ *```[^]*?^ *```/gm, "").matchAll(/^#{1,6} +(.+)$/gm);
  return new Set([
    ...[...headings].map(([, title = ""]) =>
      title.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-")
    ),
    ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = ""]) => id),
  ]);
}

/** The links of a document that lead nowhere. */
function deadLinks(file: string, text: string): string[] {
  return linksOf(text).filter((link) => {
    if (/^(?:https?|mailto):/.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const url = path === "" ? new URL(file, ROOT) : new URL(path, new URL(file, ROOT));
    if (path !== "" && !existsSync(url)) return true;
    if (anchor === undefined) return false;
    return !anchorsOf(path === "" ? text : Deno.readTextFileSync(url)).has(anchor);
  });
}

/** The names of source files in a document that no file of the repository has. */
function missingFiles(text: string, files: readonly string[]): string[] {
  const names = [...text.matchAll(/`([\w./-]+\.(?:ts|js|cjs|mjs|py))`/g)].map(([, name = ""]) =>
    name
  );
  return names.filter((name) => {
    const end = name.replace(/^\.?\//, "");
    return !files.some((file) => file === end || file.endsWith(`/${end}`));
  });
}

/** All files of the repository, by path. */
function allFiles(folder = ""): string[] {
  return [...Deno.readDirSync(new URL(`./${folder}`, ROOT))].flatMap(({ name, isDirectory }) => {
    if (!isDirectory) return [`${folder}${name}`];
    return /^(?:\.git|node_modules|dist)$/.test(name) ? [] : allFiles(`${folder}${name}/`);
  });
}

Deno.test("documents name only source files that exist", () => {
  const files = allFiles();
  const missing = documents().filter((file) => file !== "CHANGELOG.md").flatMap((file) =>
    missingFiles(Deno.readTextFileSync(new URL(file, ROOT)), files).map((name) =>
      `${file}: ${name}`
    )
  );
  assertEquals(missing, []);
});

Deno.test("missingFiles() finds names without a file", () => {
  const files = ["src/a/b.ts", "scripts/c.js"];
  assertEquals(missingFiles("`b.ts` `a/b.ts` `./c.js` `d.ts` `x/b.ts` b.py", files), [
    "d.ts",
    "x/b.ts",
  ]);
});

Deno.test("no document has a dead link", () => {
  const files = documents();
  assert(files.length > 20);
  const dead = files.flatMap((file) =>
    deadLinks(file, Deno.readTextFileSync(new URL(file, ROOT))).map((link) => `${file}: ${link}`)
  );
  assertEquals(dead, []);
});

Deno.test("deadLinks() finds missing files and headings, and skips code", () => {
  const text = "# One `two`\n\n[a](#one-two) [b](#none) [c](README.md#start) [d](none.md)\n" +
    "[e](README.md#none) `[f](g.md)` [h](https://example.com)\n\n[i]: none.ts\n";
  assertEquals(deadLinks("x.md", text), ["#none", "none.md", "README.md#none", "none.ts"]);
});
