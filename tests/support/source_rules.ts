/** Rules on the text of source files: unused exports, circles of imports, and names of vendors. */

/** The text of each file by path; some rules ignore comments. */
export type Sources = ReadonlyMap<string, string>;

/** Removes comments, but not what follows `:` as in `https://`. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[^]*?\*\/|(?<!:)\/\/ .*/g, "");
}

const IMPORTS =
  /\b(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*\s+as\s+\w+|\w+)\s+from\s+"(\.[^"]+)"/g;
const LAZY_IMPORTS = /\bconst\s+(\{[^}]*\})\s*=\s*await\s+import\(\s*"(\.[^"]+)"\s*\)/g;
const LATER_IMPORTS = /\bimport\(\s*"(\.[^"]+)"\s*,?\s*\)\s*\.then\(\((\{[^}]*\})\)/g;
const DECLARATIONS =
  /^export\s+(?:abstract\s+)?(?:async\s+)?(const|let|function\*?|class|interface|type|enum)\s+(\w+)/gm;
const REEXPORTS = /^export\s+(?:type\s+)?(\{[^}]*\})\s+from/gm;
/** The sentence that marks an export for something outside the product. */
const MARKER = /Exported\s+(?:\*\s+)?for\s+(?:\*\s+)?(?:tests|`deno task docs`)\./;

/** The names in `{ a, type b as c }`: as they are called inside (a, b) or outside (a, c). */
function namesIn(list: string, side: "inside" | "outside"): string[] {
  return list.replace(/[{}]/g, "").split(",").map((entry) => {
    const names = entry.trim().replace(/^type\s+/, "").split(/\s+as\s+/);
    return (side === "inside" ? names[0] : names.at(-1)) ?? "";
  }).filter((name) => name !== "");
}

/** What files import from others, each as `path name`; `path *` for a whole module. */
function importsOf(sources: Sources): Set<string> {
  const used = new Set<string>();
  for (const [file, text] of sources) {
    const code = withoutComments(text);
    const later = code.matchAll(LATER_IMPORTS).map(([, from, names]) => ["", names, from]);
    for (
      const [, names = "", from = ""] of [
        ...code.matchAll(IMPORTS),
        ...code.matchAll(LAZY_IMPORTS),
        ...later,
      ]
    ) {
      const to = new URL(from, `file:///${file}`).pathname.slice(1);
      const list = names.startsWith("{") ? namesIn(names, "inside") : ["*"];
      for (const name of list) used.add(`${to} ${name}`);
    }
  }
  return used;
}

/** The documentation comment directly above a position. */
function commentAbove(text: string, position: number): string {
  return /\/\*\*(?:(?!\*\/)[^])*\*\/\s*$/.exec(text.slice(0, position))?.[0] ?? "";
}

/**
 * Exports that no other file of the product imports, each as `path name`.
 *
 * A type may also be exported because the file's other declarations name it. An export for tests or
 * tools must be marked in its comment, and must be used by them.
 *
 * @param product the files whose exports are checked, which are also their users
 * @param others the files that may use only what is marked
 */
export function unusedExports(product: Sources, others: Sources): string[] {
  const [used, usedByOthers] = [importsOf(product), importsOf(others)];
  const unused: string[] = [];
  for (const [file, text] of product) {
    const isUsed = (name: string) => used.has(`${file} ${name}`) || used.has(`${file} *`);
    for (const declaration of text.matchAll(DECLARATIONS)) {
      const [, form = "", name = ""] = declaration;
      const isMarked = MARKER.test(commentAbove(text, declaration.index));
      const isType = form === "interface" || form === "type";
      const mentions = withoutComments(text).split(new RegExp(`\\b${name}\\b`)).length - 1;
      const hasUser = isMarked
        ? usedByOthers.has(`${file} ${name}`)
        : isUsed(name) || (isType && mentions > 1);
      if (!hasUser) unused.push(`${file} ${name}`);
    }
    for (const [, names = ""] of text.matchAll(REEXPORTS)) {
      for (const name of namesIn(names, "outside")) {
        if (!isUsed(name)) unused.push(`${file} ${name}`);
      }
    }
  }
  return unused;
}

/** The files that each file imports, by path: types and imports on use included. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Groups of files that import each other, directly or through others: the strongly connected
 * components of more than one file (Tarjan, 1972). Paths are sorted.
 */
export function circles(imports: Imports): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    let low = order.size;
    order.set(file, low);
    lowest.set(file, low);
    open.push(file);
    for (const next of imports.get(file) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (lowest.has(next)) low = Math.min(low, order.get(next) ?? low);
    }
    lowest.set(file, low);
    if (low === order.get(file)) {
      const group = open.splice(open.indexOf(file));
      for (const member of group) lowest.delete(member);
      if (group.length > 1 || imports.get(file)?.has(file)) found.push(group.sort());
    }
    return low;
  };
  for (const file of imports.keys()) if (!order.has(file)) visit(file);
  return found;
}

/** A vendor's name in the code of one file. */
export interface NamedVendor {
  readonly file: string;
  /** In lower case. */
  readonly vendor: string;
}

/**
 * Names of vendors in code, also as parts of identifiers; comments are left out.
 *
 * @param vendors names in lower case, as words: `llama_cpp` is also found as `llamaCpp`
 */
export function vendorNames(sources: Sources, vendors: Iterable<string>): NamedVendor[] {
  const patterns = [...vendors].map((vendor) => [vendor, patternOf(vendor)] as const);
  return [...sources].flatMap(([file, text]) => {
    const code = withoutComments(text);
    return patterns.filter(([, pattern]) => pattern.test(code)).map(([vendor]) => ({
      file,
      vendor,
    }));
  });
}

/** Names that are also English words, and so count only as a whole string. */
const ENGLISH = new Set(["together", "mock"]);
/** Shorter names count only as a word, since they are parts of others: `aws` of `draws`. */
const MIN_PART_LENGTH = 5;

function patternOf(vendor: string): RegExp {
  const name = vendor.replaceAll("_", "[_-]?");
  if (ENGLISH.has(vendor)) return new RegExp(`["'\`]${name}["'\`]`);
  if (vendor.length >= MIN_PART_LENGTH) return new RegExp(name, "i");
  const [lower, upper] = [name, name.toUpperCase()];
  const capitalized = upper.charAt(0) + lower.slice(1);
  return new RegExp(
    `(?<![A-Za-z])${lower}(?![a-z])|(?<![A-Z])${capitalized}(?![a-z])|(?<![A-Z])${upper}(?![A-Z])`,
  );
}

/** Companies and models that no kind of provider is named after. */
export const OTHER_VENDORS: readonly string[] = [
  "alibaba",
  "amazon",
  "aws",
  "claude",
  "google",
  "gpt",
  "microsoft",
  "openai",
];

/**
 * Where vendors are named outside src/providers: only as authors of a format or an authentication
 * scheme, not to treat their targets differently.
 */
export const NAMED_VENDORS: readonly (readonly [file: string, vendor: string])[] = [
  // "OpenAI-compatible" describes the format to users.
  ["src/tools/help.ts", "openai"],
  // Settings and protocols of vendors that an adapter names as data.
  ["src/contract/vendor_request.ts", "azure"],
  ["src/contract/vendor_request.ts", "google"],
  ["src/contract/native.ts", "gemini"],
  ["src/contract/native.ts", "ollama"],
  ["src/contract/adapter.ts", "aws"],
  ["src/contract/adapter.ts", "azure"],
  ["src/contract/adapter.ts", "google"],
  ["src/contract/stream_decoder.ts", "aws"],
  // Tokenizers are those of vendors' models.
  ["src/apis/token_families.ts", "claude"],
  ["src/apis/token_families.ts", "gemini"],
  ["src/apis/token_families.ts", "gpt"],
  // Names and settings of clients.
  ["src/clients/", "anthropic"],
  ["src/clients/", "claude"],
  ["src/clients/", "gemini"],
  ["src/clients/", "google"],
  ["src/clients/", "openai"],
  ["src/config/schema.ts", "openai"],
  ["src/http/routes/other_paths.ts", "openai"],
  ["src/http/routes/other_paths.ts", "openai"],
  // Clients of this API receive a hint.
  ["src/http/routes/other_paths.ts", "gemini"],
  // The Messages API has no other name, and its clients send headers with this one.
  ["src/apis/messages/", "anthropic"],
  ["src/gateway/execute/messages/", "anthropic"],
  ["src/http/routes/table.ts", "anthropic"],
  // A header of a client, which has this name.
  ["src/features/affinity/session.ts", "claude"],
  // Gemini's API has no other name, and its members have that of its author.
  ["src/apis/gemini/", "gemini"],
  ["src/apis/gemini/", "google"],
  ["src/gateway/execute/gemini/", "gemini"],
  ["src/gateway/execute/member_names.ts", "gemini"],
  ["src/tools/help.ts", "gemini"],
  ["src/tools/explained_formats.ts", "gemini"],
  ["src/http/routes/gemini.ts", "gemini"],
  ["src/http/routes/models.ts", "gemini"],
  ["src/http/routes/table.ts", "gemini"],
  // Ollama's API has no other name.
  ["src/apis/ollama/", "ollama"],
  ["src/gateway/execute/ollama/", "ollama"],
  ["src/gateway/execute/member_names.ts", "ollama"],
  ["src/tools/explained_formats.ts", "ollama"],
  ["src/http/routes/ollama.ts", "ollama"],
  // Its clients return calls without ids.
  ["src/features/reasoning_state/call_id_writer.ts", "ollama"],
  // The description names the authors of formats.
  ["src/apis/openapi.ts", "anthropic"],
  ["src/apis/openapi.ts", "gemini"],
  ["src/apis/openapi.ts", "ollama"],
  ["src/apis/openapi.ts", "openai"],
  ["src/http/openapi/", "gemini"],
  ["src/http/openapi/", "ollama"],
  ["src/http/routes/table.ts", "ollama"],
  // Authentication schemes: adapters choose them by data.
  ["src/upstream/credentials/", "amazon"],
  ["src/upstream/credentials/", "aws"],
  ["src/upstream/credentials/", "azure"],
  ["src/upstream/credentials/", "google"],
  ["src/upstream/credentials/", "microsoft"],
  // A framing that adapters choose by data.
  ["src/upstream/object_storage/", "aws"],
  ["src/streaming/frame_readers.ts", "aws"],
];
