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

/**
 * The names of source files and folders in a document that nothing in the repository has, and paths
 * below its folders that do not exist.
 */
function missingFiles(text: string, files: ReadonlySet<string>): string[] {
  const paths = [...files];
  const names = [...text.matchAll(/`\.?\/?([\w.-][\w./-]*)`/g)].map(([, name = ""]) => name);
  return names.filter((name) => {
    const isPath = files.has(`${name.split("/")[0]}/`);
    if (!isPath && !/(?:\.(?:ts|js|cjs|mjs|py)|\/)$/.test(name)) return false;
    return !files.has(name) && !files.has(`${name}/`) &&
      !paths.some((path) => path.endsWith(`/${name}`));
  });
}

/** All files of the repository, and its folders with a slash at the end, by path. */
function allFiles(folder = ""): string[] {
  return [...Deno.readDirSync(new URL(`./${folder}`, ROOT))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}${name}`;
    if (!isDirectory) return [path];
    return /^(?:\.git|node_modules|dist)$/.test(name) ? [] : [`${path}/`, ...allFiles(`${path}/`)];
  });
}

/** What a function finds in the documents, with their paths. */
function findInDocuments(find: (text: string) => readonly string[]): string[] {
  return documents().filter((file) => file !== "CHANGELOG.md").flatMap((file) =>
    find(Deno.readTextFileSync(new URL(file, ROOT))).map((found) => `${file}: ${found}`)
  );
}

Deno.test("documents name only source files and folders that exist", () => {
  const files = new Set(allFiles());
  assertEquals(findInDocuments((text) => missingFiles(text, files)), []);
});

Deno.test("missingFiles() finds names without a file or folder", () => {
  const files = new Set(["src/", "src/a/", "src/a/b.ts", "scripts/", "scripts/c.js"]);
  const text = "`b.ts` `a/b.ts` `./c.js` `d.ts` `x/b.ts` b.py `a/` `src/a` `scripts/` `e/f` " +
    "`x/` `src/c` `src/a/<kind>`";
  assertEquals(missingFiles(text, files), ["d.ts", "x/b.ts", "x/", "src/c"]);
});

Deno.test("documents name only tasks that deno.json has", () => {
  const { tasks } = JSON.parse(Deno.readTextFileSync(new URL("deno.json", ROOT)));
  const tasksOf = (text: string) =>
    [...text.matchAll(/\bdeno(?:@[\d.]+)? task (?:--quiet )?([\w:]+)/g)].map(([, task = ""]) =>
      task
    );
  assertEquals(findInDocuments((text) => tasksOf(text).filter((task) => !(task in tasks))), []);
  assertEquals(tasksOf("`npx -y deno@2.9.6 task test:all x`, deno task --quiet start"), [
    "test:all",
    "start",
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
