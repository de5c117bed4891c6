/** The source of the static site: every document is in it, and no link leads nowhere. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, join } from "node:path/posix";
import { readPages, toLlmsText, toSections, withLinks, writeSite } from "../../scripts/site.ts";
import { readRoot } from "../support/read_root.ts";

import manifest from "../../deno.json" with { type: "json" };

const pages = readPages();
const folder = Deno.makeTempDirSync({ prefix: "sluice-site-" });
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
await writeSite(folder, "/docs/", "owner/name", {
  root: "https://owner.test/docs/",
  names: ["v0.1.4", "v0.0.9"],
});

const exists = (path: string) => {
  try {
    return Deno.statSync(join(folder, path)).isFile;
  } catch {
    return false;
  }
};

Deno.test("each document is a page, in exactly one section", () => {
  assert(pages.length > 40);
  for (const source of ["README.md", "SECURITY.md", "src/providers/README.md", "docs/README.md"]) {
    assert(pages.some((page) => page.source === source), source);
  }
  const listed = [...toSections(pages).values()].flat().map(({ source }) => source);
  assertEquals(listed.sort(), pages.map(({ source }) => source).sort());
  for (const { path } of pages) assert(exists(path), path);
  assertEquals(new Set(pages.map(({ path }) => path)).size, pages.length);
});

Deno.test("the guides are in the order of the list of documents", () => {
  const guides = toSections(pages).get("Guides")?.map(({ source }) => source) ?? [];
  assertEquals(guides.slice(0, 3), [
    "docs/guides/clients.md",
    "docs/guides/first_vendor.md",
    "docs/guides/coding_agents.md",
  ]);
});

Deno.test("links between pages and to pictures lead to files of the site, others to the repository", () => {
  let links = 0;
  for (const page of pages) {
    const text = Deno.readTextFileSync(`${folder}/${page.path}`).replaceAll(
      /^ *```[^]*?^ *```/gm,
      "",
    )
      .replaceAll(/`[^`\n]*`/g, "");
    for (const [, link = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(?:[a-z]+:|#)/.test(link)) continue;
      links++;
      assert(exists(join(dirname(page.path), link.split("#")[0] ?? "")), `${page.path}: ${link}`);
    }
  }
  assert(links > 100);
});

Deno.test("withLinks() converts links, and leaves code alone", () => {
  const page = {
    source: "src/http/README.md",
    path: "src/http/index.md",
    title: "HTTP",
    text: "[a](../../README.md#start) [b](router.ts) [c](https://example.com) [d](#e)\n\n" +
      "```md\n[f](router.ts)\n```\n",
  };
  const readme = { source: "README.md", path: "index.md", title: "Sluice", text: "" };
  const [first = "", ...rest] = withLinks(page, [page, readme], "owner/name").split("\n");
  assertEquals(
    first.replace(/\/v[\d.]+\//, "/vX/"),
    [
      "[a](../../index.md#start)",
      "[b](https://github.com/owner/name/blob/vX/src/http/router.ts)",
      "[c](https://example.com)",
      "[d](#e)",
    ].join(" "),
  );
  assertStringIncludes(rest.join("\n"), "[f](router.ts)");
});

Deno.test("llms.txt names each page with a sentence", () => {
  const text = Deno.readTextFileSync(`${folder}/public/llms.txt`);
  assertEquals(text, toLlmsText(pages, "/docs/"));
  assert(text.startsWith("# Sluice\n\n> "));
  for (const { path, title } of pages) {
    const line = text.split("\n").find((one) => one.startsWith(`- [${title}](/docs/${path}): `));
    assert(((line ?? "").split("): ")[1]?.length ?? 0) > 10, path);
  }
});

Deno.test("each link of llms.txt leads to a file that is published as it is", () => {
  const text = Deno.readTextFileSync(`${folder}/public/llms.txt`);
  const links = [...text.matchAll(/\]\(\/docs\/([^)]+)\)/g)].map(([, link = ""]) => link);
  assertEquals(links.length, pages.length + 1);
  assertEquals(links.filter((link) => !exists(`public/${link}`)), []);
});

Deno.test("the site has a search, refuses dead links, and has the description of the API", async () => {
  const { default: config } = await import(`${folder}/.vitepress/config.mjs`);
  assertEquals([config.themeConfig.search.provider, config.ignoreDeadLinks], ["local", false]);
  const items = config.themeConfig.sidebar.flatMap(({ items }: { items: unknown[] }) => items);
  assertEquals(items.length, pages.length);
  const { openapi, paths } = JSON.parse(Deno.readTextFileSync(`${folder}/public/openapi.json`));
  assert(openapi.startsWith("3.1") && "/v1/admin/keys" in paths);
});

Deno.test("the menu of versions leads to each of them, past the router of the generator", async () => {
  const { default: config } = await import(`${folder}/.vitepress/config.mjs`);
  const { text, items } = config.themeConfig.nav.at(-1);
  assertEquals(text, `v${manifest.version}`);
  const of = (text: string, path: string) => ({
    text,
    link: `https://owner.test/docs/${path}`,
    target: "_self",
  });
  assertEquals(items, [
    ...[of("Latest", ""), of("v0.1.4", "v0.1.4/"), of("v0.0.9", "v0.0.9/")],
    { text: "Releases", link: "https://github.com/owner/name/releases" },
  ]);
});

Deno.test("the workflow builds the site of all versions with the task", () => {
  const workflow = readRoot(".github/workflows/site.yml");
  assertStringIncludes(workflow, "bash .ci/site");
  assertStringIncludes(workflow, "fetch-depth: 0");
  const script = readRoot(".ci/site");
  assertStringIncludes(script, "npx -y deno@2.9.6 task site");
  assertStringIncludes(script, "npm run build");
});

Deno.test("the pages have the icon of the console, which is a file of the site", () => {
  const config = Deno.readTextFileSync(`${folder}/.vitepress/config.mjs`);
  assertStringIncludes(config, '"href": "/docs/icon.svg"');
  assertEquals(
    Deno.readTextFileSync(`${folder}/public/icon.svg`),
    readRoot("src/console/assets/icon.svg"),
  );
});
