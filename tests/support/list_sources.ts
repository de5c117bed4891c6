/**
 * Prints where the facts in the code of vendors come from, the oldest first, for those who check
 * them again: `deno task sources`, or `deno task sources 2026-08` for those before a date.
 */

import { readCitations } from "./citations.ts";

const [before = "9999"] = Deno.args;
const old = readCitations()
  .filter(({ checked }) => Date.parse(checked) < Date.parse(before))
  .sort((one, other) => one.checked < other.checked ? -1 : 1);
const lines = old.map(({ checked, vendor, file, source }) =>
  [checked, vendor, file, source].join("\t") + "\n"
);
await new Response(lines.join("")).body?.pipeTo(Deno.stdout.writable);
