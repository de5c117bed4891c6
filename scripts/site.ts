/**
 * Writes the source of the static site into dist/site, or into the folder of the first argument:
 * all Markdown documents of the repository with links between them, `llms.txt`, `openapi.json`, and
 * the configuration of VitePress, which then builds it and refuses dead links:
 *
 *     deno task site && cd dist/site && npm install && npm run build
 *
 * `GITHUB_REPOSITORY` is where links to files of the source lead, `SITE_BASE` the path of the site.
 * `SITE_ROOT` is the address of the latest version, and `SITE_VERSIONS` are the versions that have
 * a folder below it, for the menu of versions. `.ci/site` builds all of them.
 */

import { dirname, join, normalize, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";
import manifest from "../deno.json" with { type: "json" };
import { type RouteContext, serveAllParts } from "../src/http/routes/route.ts";
import { createRoutes, type RouteServices } from "../src/http/routes/table.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The version of the generator. */
const VITEPRESS = "1.6.4";

/** A page of the site. */
export interface Page {
  /** Its document in the repository. */
  readonly source: string;
  /** Its Markdown file in the site. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** A part of the sidebar, and the documents in it by the beginning of their paths. */
const SECTIONS: readonly (readonly [title: string, starts: readonly string[]])[] = [
  ["Start", ["README.md", "docs/README.md"]],
  ["Guides", ["docs/guides/"]],
  ["Features", ["docs/features/"]],
  ["Operations", ["docs/operations/", "deploy/"]],
  ["Reference", ["docs/reference/"]],
  ["Formats of requests", ["docs/formats/"]],
  ["Vendors", ["docs/vendors/"]],
  ["Project", ["docs/", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"]],
  ["Source code", ["src/", "tests/"]],
];

/** Folders without documents for readers. */
const SKIPPED = /^(?:\.git|\.github|node_modules|dist|fixtures)$/;

/** All documents of the repository. */
export function readPages(): Page[] {
  return documentsBelow("").map((source) => {
    const text = Deno.readTextFileSync(`${ROOT}${source}`);
    const [, title = source] = /^# (.+)$/m.exec(text) ?? [];
    return { source, path: toPath(source), title, text };
  });
}

function documentsBelow(folder: string): string[] {
  return [...Deno.readDirSync(`${ROOT}${folder}`)]
    .sort((one, other) => one.name < other.name ? -1 : 1)
    .flatMap(({ name, isDirectory }) => {
      if (isDirectory) return SKIPPED.test(name) ? [] : documentsBelow(`${folder}${name}/`);
      return name.endsWith(".md") ? [`${folder}${name}`] : [];
    });
}

/** The file of a document in the site: without dots, and READMEs as the index of their folder. */
function toPath(source: string): string {
  return source.replace(/^\./, "").replace(/(^|\/)README\.md$/, "$1index.md");
}

/** The pages of each section, each page in the first that it fits. */
export function toSections(pages: readonly Page[]): Map<string, Page[]> {
  const sections = new Map<string, Page[]>(SECTIONS.map(([title]) => [title, []]));
  for (const page of pages) {
    const length = (starts: readonly string[]) =>
      Math.max(-1, ...starts.filter((start) => page.source.startsWith(start)).map((s) => s.length));
    const [best] = [...SECTIONS].sort(([, one], [, other]) => length(other) - length(one));
    if (best !== undefined && length(best[1]) >= 0) sections.get(best[0])?.push(page);
  }
  const order = readingOrder(pages);
  const place = ({ source }: Page) => order.get(source) ?? order.size;
  for (const group of sections.values()) group.sort((one, other) => place(one) - place(other));
  return sections;
}

/** The place of each document in the order in which the lists of documents link to them. */
function readingOrder(pages: readonly Page[]): ReadonlyMap<string, number> {
  const lists = pages.filter(({ source }) =>
    /^(?:README|docs\/(?:\w+\/)*README)\.md$/.test(source)
  );
  const linked = lists.flatMap(({ source, text }) => [
    source,
    ...[...text.matchAll(/\]\(([^)#\s]+\.md)/g)].map(([, link = ""]) =>
      normalize(join(dirname(source), link))
    ),
  ]);
  return new Map([...new Set(linked)].map((source, index) => [source, index]));
}

/**
 * The text of a page with links to other pages, and to files of the repository.
 *
 * @param repository `OWNER/NAME` on GitHub
 */
export function withLinks(
  page: Page,
  pages: readonly Page[],
  repository: string,
): string {
  const known = new Map(pages.map((other) => [other.source, other.path]));
  const convert = (link: string): string => {
    if (/^(?:[a-z]+:|#)/.test(link)) return link;
    const [file = "", anchor] = link.split("#");
    const target = normalize(join(dirname(page.source), file));
    const hash = anchor === undefined ? "" : `#${anchor}`;
    const path = known.get(target);
    if (path !== undefined) return `${toRelative(page.path, path)}${hash}`;
    if (/\.png$/.test(target)) return toRelative(page.path, toPath(target));
    return `https://github.com/${repository}/blob/v${manifest.version}/${target}${hash}`;
  };
  return page.text.split(/(^ *```[^]*?^ *```$)/m).map((part, index) =>
    index % 2 === 1 ? part : part
      .replaceAll(
        /(\]\()([^)\s]+)(\))/g,
        (_, open, link, close) => `${open}${convert(link)}${close}`,
      )
      .replaceAll(/^(\[[^\]]+\]: +)(\S+)$/gm, (_, open, link) => `${open}${convert(link)}`)
  ).join("");
}

function toRelative(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

/** The list of pages for language models: https://llmstxt.org (2026-11). */
export function toLlmsText(pages: readonly Page[], base: string): string {
  const lines = [...toSections(pages)].flatMap(([title, group]) => [
    `## ${title}`,
    "",
    ...group.map((page) => `- [${page.title}](${base}${page.path}): ${firstSentence(page)}`),
    "",
  ]);
  return [
    "# Sluice",
    "",
    "> A model gateway: one executable between your clients and the model vendors.",
    "",
    `The API is described in [openapi.json](${base}openapi.json).`,
    "",
    ...lines,
  ].join("\n");
}

/** The first sentence of a page, without links. */
function firstSentence({ text }: Page): string {
  const [paragraph = ""] = text.split(/\n{2,}/).filter((part) => /^[A-Z`[]/.test(part));
  const plain = paragraph.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll(/\s+/g, " ").trim();
  return /^.*?\.(?= |$)/.exec(plain)?.[0] ?? plain;
}

/** Where the versions of the site are. */
export interface Versions {
  /** The address of the latest version, with a slash at its end. */
  readonly root: string;
  /** Those that have a folder below it, such as `v0.1.0`. */
  readonly names: readonly string[];
}

/** The menu of versions: the latest, the others, and the list of releases. */
function toVersionMenu(versions: Versions | undefined, repository: string): unknown {
  const releases = { text: "Releases", link: `https://github.com/${repository}/releases` };
  // The router of the generator does not follow links with a target: each version is a separate site.
  const linkTo = (text: string, folder: string) => ({
    text,
    link: `${versions?.root}${folder}`,
    target: "_self",
  });
  const others = versions === undefined
    ? []
    : [linkTo("Latest", ""), ...versions.names.map((name) => linkTo(name, `${name}/`))];
  return { text: `v${manifest.version}`, items: [...others, releases] };
}

/** The configuration of VitePress, as a module. */
function toConfig(
  pages: readonly Page[],
  base: string,
  repository: string,
  versions: Versions | undefined,
): string {
  const link = ({ path }: Page) =>
    `/${path.replace(/(^|\/)index\.md$/, "$1").replace(/\.md$/, "")}`;
  const sidebar = [...toSections(pages)].map(([text, group]) => ({
    text,
    collapsed: text !== "Start" && text !== "Guides",
    items: group.map((page) => ({ text: page.title, link: link(page) })),
  }));
  const config = {
    title: "Sluice",
    description: "A model gateway",
    base,
    head: [["link", { rel: "icon", type: "image/svg+xml", href: `${base}icon.svg` }]],
    cleanUrls: true,
    srcExclude: ["public/**"],
    lastUpdated: false,
    ignoreDeadLinks: false,
    themeConfig: {
      search: { provider: "local" },
      sidebar,
      nav: [
        { text: "Guides", link: "/docs/" },
        { text: "OpenAPI", link: "/openapi.json", target: "_blank" },
        toVersionMenu(versions, repository),
      ],
      socialLinks: [{ icon: "github", link: `https://github.com/${repository}` }],
    },
  };
  return `export default ${JSON.stringify(config, null, 2)};\n`;
}

/** Writes the source of the site into a folder. */
export async function writeSite(
  folder: string,
  base: string,
  repository: string,
  versions?: Versions,
): Promise<void> {
  const pages = readPages();
  const write = async (name: string, text: string) => {
    await Deno.mkdir(dirname(`${folder}/${name}`), { recursive: true });
    await Deno.writeTextFile(`${folder}/${name}`, text);
  };
  for (const page of pages) {
    const text = withLinks(page, pages, repository);
    await write(page.path, text);
    // The links of llms.txt lead to the Markdown.
    await write(`public/${page.path}`, text);
  }
  const pictures = ".github/console";
  for await (const { name } of Deno.readDir(`${ROOT}${pictures}`)) {
    await Deno.mkdir(`${folder}/${toPath(pictures)}`, { recursive: true });
    await Deno.copyFile(`${ROOT}${pictures}/${name}`, `${folder}/${toPath(pictures)}/${name}`);
  }
  await write("public/icon.svg", await Deno.readTextFile(`${ROOT}src/console/assets/icon.svg`));
  await write(".vitepress/config.mjs", toConfig(pages, base, repository, versions));
  await write("public/llms.txt", toLlmsText(pages, base));
  await write("public/openapi.json", await describeApi());
  const scripts = { build: "vitepress build .", preview: "vitepress preview ." };
  const dependencies = { vitepress: VITEPRESS };
  await write("package.json", JSON.stringify({ private: true, scripts, dependencies }, null, 2));
}

/** The body of `GET /openapi.json` of a listener that serves everything. */
async function describeApi(): Promise<string> {
  const route = createRoutes({} as RouteServices).find(({ path }) => path === "/openapi.json");
  const context = { listener: serveAllParts(false) } as RouteContext;
  const response = await route?.handle?.(new Request("http://localhost/openapi.json"), context);
  return String(response?.body);
}

if (import.meta.main) {
  const root = Deno.env.get("SITE_ROOT");
  const names = (Deno.env.get("SITE_VERSIONS") ?? "").split(" ").filter((name) => name !== "");
  await writeSite(
    Deno.args[0] ?? `${ROOT}dist/site`,
    Deno.env.get("SITE_BASE") ?? "/",
    Deno.env.get("GITHUB_REPOSITORY") ?? "OWNER/REPOSITORY",
    root === undefined ? undefined : { root, names },
  );
}
