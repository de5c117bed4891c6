/** Long lists of a YAML text are parsed in pieces, with the same result as the whole text. */

import { assert, assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import { parsePieces } from "../../src/config/yaml.ts";
import type { Steps } from "../../src/core/steps.ts";

const parseText = (text: string) => parse(text, { schema: "core" });

function run<Value>(steps: Steps<Value>) {
  for (let count = 1;; count++) {
    const { done, value } = steps.next();
    if (done) return { value, count };
  }
}

const many = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n");

const KEYS = many(
  500,
  (index) =>
    `    - name: key-${index} # the key's name\n\n      key: "sk-#${index}"\n      models: ["a*", 'b@c']`,
);

const SPLIT: Readonly<Record<string, string>> = {
  "a list of objects": `server:\n  port: 1\n  keys:\n${KEYS}\n  host: x\nproviders: {}\n`,
  "a list without its own indentation": `x:\n  models:\n${many(300, (i) => `  - m${i}`)}\n  y: 1`,
  "a mapping": `aliases:\n${many(900, (i) => `  a${i}: [m${i}, "n"]`)}\npins:\n  a: b\n`,
  "two lists with CRLF": `a:\n${many(300, (i) => `  - ${i}`)}\nb:\n${many(300, () => ` - ~`)}\n`
    .replaceAll("\n", "\r\n"),
  "plain values over two lines": `a:\n${many(300, (i) => `  - one\n    two ${i}`)}`,
  "a list in an item of a short list": `p:\n  - models:\n${
    many(300, (i) => `      - m${i}`)
  }\n    b: 1`,
  "names of object members": `a:\n${
    many(250, (i) => `  n${i}: 1`)
  }\n  __proto__: 2\n  constructor: 3`,
};

for (const [what, text] of Object.entries(SPLIT)) {
  Deno.test(`parsePieces() parses ${what} in pieces`, () => {
    let longest = 0;
    const { value, count } = run(parsePieces(text, (part) => {
      longest = Math.max(longest, part.length);
      return parseText(part);
    }));
    assertEquals(value?.value, parseText(text));
    assert(count > 3, `${count} steps`);
    assert(longest < Math.max(20_000, text.length / 2), `${longest} of ${text.length}`);
  });
}

const list = many(300, (i) => `  - m${i}`);
const WHOLE: Readonly<Record<string, string>> = {
  "an anchor": `b: &b 1\na:\n${list}\n  - *b`,
  "a tag": `b: !!str 1\na:\n${list}`,
  "a second document": `a:\n${list}\n---\n`,
  "text over several lines": `b: |\n  a:\n${list}\na:\n${list}`,
  "a quoted text over two lines": `b: "x\n  y"\na:\n${list}`,
  "a bracket over two lines": `b: [1,\n  2]\na:\n${list}`,
  "a tab": `b:\t1\na:\n${list}`,
  "a name twice": `a:\n${many(300, (i) => `  n${i % 299}: 1`)}`,
  "an invalid entry": `a:\n${list}\n  - a: b: c`,
  "a list with another indentation": `a:\n${list}\n  b: 1`,
  "only short lists": `a:\n  - b\n`,
  "its own mark": `a:\n${list}\n  - "%piece% 0"`,
};

for (const [what, text] of Object.entries(WHOLE)) {
  Deno.test(`parsePieces() leaves a text with ${what} to the parser`, () => {
    assertEquals(run(parsePieces(text, parseText)).value, undefined);
  });
}
