/** All that the playground has saved as one file: pure modules. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  merged,
  readLibraryFile,
  toLibraryFile,
} from "../../src/console/assets/views/playground/library_file.js";

const SETTINGS = JSON.stringify({
  ...{ sluice_playground: 1, models: ["a"], system: "Be kind", parameters: {}, tools: "" },
  ...{ stream: true, stream_usage: false },
});
const OTHERS = SETTINGS.replace("kind", "brief");

function entry(name: string, text = SETTINGS, time = 5) {
  return { name, time, text };
}

function file(change: (whole: { entries: Record<string, unknown>[] }) => void): string {
  const whole = JSON.parse(toLibraryFile([entry("a"), entry("b")]));
  change(whole);
  return JSON.stringify(whole);
}

Deno.test("all entries are read as they were written", () => {
  const entries = [entry("a"), entry("\u{1f600} <b>", OTHERS, 7)];
  assertEquals(readLibraryFile(toLibraryFile(entries)), { entries });
  assertEquals(readLibraryFile(toLibraryFile([])), { entries: [] });
  for (const text of [SETTINGS, "{", "[]", "null", "x".repeat(32_000_001)]) {
    assertEquals(readLibraryFile(text), undefined);
  }
});

Deno.test("a file with one wrong entry is refused as a whole, with its place", () => {
  const faults: [string, RegExp][] = [
    [file((whole) => Object.assign(whole, { sluice_playground_library: 2 })), /another version/],
    [file((whole) => Object.assign(whole, { entries: {} })), /'entries' must be a list/],
    [file((whole) => whole.entries = Array(101).fill(whole.entries[0])), /more than 100/],
    [file(({ entries }) => entries[1] = [] as never), /^entries\[1\]: must be an object/],
    [file(({ entries }) => Object.assign(entries[1] ?? {}, { name: " " })), /'name' must have/],
    [file(({ entries }) => Object.assign(entries[1] ?? {}, { name: "x".repeat(81) })), /'name'/],
    [file(({ entries }) => Object.assign(entries[1] ?? {}, { time: "now" })), /'time' must be/],
    [file(({ entries }) => Object.assign(entries[1] ?? {}, { saved: undefined })), /^entries\[1\]/],
    [
      file(({ entries }) => Object.assign(entries[1]?.saved ?? {}, { models: [1] })),
      /^entries\[1\]: 'models' must be a text/,
    ],
  ];
  for (const [text, fault] of faults) {
    const read = readLibraryFile(text);
    assertMatch(String(read?.error), fault);
  }
});

Deno.test("entries of a file are added once, and replace none", () => {
  const saved = [entry("a", SETTINGS, 9)];
  const first = merged(saved, [entry("a", OTHERS, 10), entry("b", SETTINGS, 1)]);
  assertEquals(first.count, 2);
  assertEquals(first.entries.map(({ name, text }) => [name, text]), [
    ["a (2)", OTHERS],
    ["a", SETTINGS],
    ["b", SETTINGS],
  ]);
  const again = merged(first.entries, [entry("a", OTHERS, 10), entry("b", SETTINGS, 1)]);
  assertEquals([again.count, again.entries], [0, first.entries]);
  const long = "x".repeat(80);
  const { entries } = merged([entry(long)], [entry(long, OTHERS)]);
  assert(entries.every(({ name }) => name.length <= 80));
  assertEquals(entries.length, 2);
});
