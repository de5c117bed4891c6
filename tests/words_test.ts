/** Phrases that no engineer would write, in the text of the project: code, tests and documents. */

import { assertEquals } from "@std/assert";

const ROOT = new URL("../", import.meta.url);

/** Folders of the top level that had a dot in version 0.2, and what they are called now. */
const FORMER_FOLDERS = /(?<![\w.)\]])\.(docs|deploy|build)(?=[\/"'`\s])/g;

/** A phrase, and what to write instead. */
const PHRASES: readonly (readonly [phrase: RegExp, instead: string])[] = [
  [/\bthat was asked\b/i, "name the target, the model or the request"],
  [/\bgets? to know\b/i, "is notified of; is charged for; learns of"],
  [/\bsomeone who\b/i, "name the actor"],
  [/\bwho(?:so)?ever\b/i, "name the actor"],
  [/\bthe way (?:in|out)\b/i, "in requests; in answers"],
  [/\bin all[;.,)]/i, "in total"],
  [/\bas well[;.,)]/i, "also; too"],
  [/\b(?:for|up to|with|there are|than|of) so many\b/i, "this many"],
  [/\bcounts? nothing\b/i, "is not charged"],
  [/\bwhat became of\b/i, "the result of; how … was handled"],
  [/\b(?:has|have) [\d.]+ [kMG]B\b/i, "is … MB"],
  [/\b(?:goes|went|go) on (?:with|after|until|while)\b/i, "continues"],
  [/\b(?:is|are) told\b(?! apart)/i, "is sent; is shown; learns"],
  [/\basks? (?:no|a|which) model\b/i, "calls a model; is sent to a model"],
  [/\bdearer\b(?! (?:=|than|fallback))/i, "more expensive"],
  [/\bdoes not read its\b/i, "stopped reading"],
  [/\bis gone\b(?=[:;.,])/i, "is unavailable; was removed; has disconnected"],
  [/\ball else\b/i, "everything else"],
  [/\bsomewhere else\b/i, "name the place"],
  [/\bof (?:its|their|our|your|one's) own\b(?: kind\b|(?! \w))/i, "its own …; a separate …"],
  [/\bany client\b.{0,20}\bevery (?:model )?vendor/i, "between your clients and the model vendors"],
  [/\b(?:answers?|bod(?:y|ies)) of JSON\b/i, "a JSON answer; a JSON body"],
  [/\bany more[.;,)]/i, "no longer …"],
  [/\bwhat (?:a|the) vendors? said\b/i, "the vendor's message"],
  [/\b(?:after|at|of) (?:its|their) begin\b/i, "after it begins; when it began"],
  [/\bthe like\b(?= if|[;.])/i, "and similar …"],
  [/\bor nobody\b/i, "only; or no one"],
  [/\bwin where\b/i, "take precedence"],
  [/\bnone of it goes\b/i, "name what stops"],
  [/\bin vain\b/i, "failed; timed out"],
  [/\bslices of time\b/i, "time slices"],
  [/\bunless told\b/i, "by default"],
  [/\basked by chat\b/i, "called by chat"],
  [/\b(?:still asked|targets? (?:is|are|was|were) asked)\b/i, "called; pending"],
  [/\bcaller did not get\b/i, "that does not belong to the caller"],
  [/\bas it came\b/i, "unchanged"],
  [/\bends the start\b/i, "prevents the start; the gateway does not start"],
  [/\bwithout a word\b/i, "silently"],
];

interface Place {
  readonly file: string;
  readonly line: number;
  readonly phrase: string;
  readonly instead: string;
}

/** The places of the phrases in a text. A phrase may be wrapped in a comment or a paragraph. */
function placesIn(file: string, text: string): Place[] {
  // Line breaks within comments and paragraphs become spaces of the same length.
  const joined = text.replaceAll(
    /\n[ \t]*(?:\*(?!\/)|\/\/|#)?[ \t]*(?=[^\s])/g,
    (gap) => " ".repeat(gap.length),
  );
  return PHRASES.flatMap(([phrase, instead]) => {
    const found = [
      ...joined.matchAll(new RegExp(phrase.source.replaceAll(" ", " +"), `${phrase.flags}g`)),
    ];
    return found.map(({ 0: words, index }) => ({
      file,
      line: text.slice(0, index).split("\n").length,
      phrase: words.replaceAll(/\s+/g, " "),
      instead,
    }));
  });
}

const FOLDERS = ["src/", "tests/", "scripts/", "deploy/", "docs/", ".ci/", ".github/"];
const KINDS = /\.(?:ts|js|md|ya?ml|conf|service|css|html)$/;
/** Recorded or written data, and this list itself. */
const EXCLUDED =
  /^tests\/(?:fixtures|words_test\.ts|core\/tokens\/samples|.*\.json)|\/cases\/|catalogue/;

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}${name}`;
    if (EXCLUDED.test(path)) return [];
    return isDirectory ? filesBelow(`${path}/`) : KINDS.test(name) ? [path] : [];
  });
}

function documents(): string[] {
  return [...Deno.readDirSync(ROOT)].map(({ name }) => name).filter((name) => KINDS.test(name));
}

Deno.test("no file has a phrase of the list", () => {
  const places = [...documents(), ...FOLDERS.flatMap(filesBelow)].flatMap((file) =>
    placesIn(file, Deno.readTextFileSync(new URL(file, ROOT)))
  );
  const lines = places.map(({ file, line, phrase, instead }) =>
    `${file}:${line}: "${phrase}"; write: ${instead}`
  );
  assertEquals(lines, []);
});

Deno.test("a planted phrase is found with its line, also where it is wrapped", () => {
  const text =
    "/** Ends it. */\n/**\n * The target that\n * was asked.\n */\n// It fails as well.\n";
  assertEquals(
    placesIn("a.ts", text).map(({ file, line, phrase }) => [file, line, phrase]),
    [["a.ts", 3, "that was asked"], ["a.ts", 6, "as well."]],
  );
  assertEquals(placesIn("a.md", "A has 334 MB of\nrows, and is as well-known as B."), [
    { file: "a.md", line: 1, phrase: "has 334 MB", instead: "is … MB" },
  ]);
  assertEquals(placesIn("a.ts", "/** The target that was tried. */"), []);
  assertEquals(placesIn("a.ts", "// A price of its own.\n// Limits of its own model.\n").length, 1);
});

Deno.test("no file names a folder as version 0.2 did", () => {
  const files = [...documents().filter((name) => name !== "CHANGELOG.md"), "Dockerfile"]
    .concat("deno.json", ".dockerignore", ".ci/run", FOLDERS.flatMap(filesBelow));
  const found = files.flatMap((file) =>
    [...Deno.readTextFileSync(new URL(file, ROOT)).matchAll(FORMER_FOLDERS)]
      .map(([name]) => `${file}: ${name}`)
  );
  assertEquals(found, []);
});
