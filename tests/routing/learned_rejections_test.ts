import { assert, assertEquals } from "@std/assert";
import type { Target } from "../../src/config/config.ts";
import type { Repair } from "../../src/providers/contract/adapter.ts";
import { Receipt } from "../../src/providers/contract/support.ts";
import { RepairBook } from "../../src/routing/learned_rejections.ts";

const targetOf = (id: string, upstream = "m") =>
  ({ provider: { settings: { id } }, model: { upstream } }) as Target;
const TARGET = targetOf("p");

type Json = Record<string, unknown>;

/** What is left of a body after a repair, and what the receipt says of it. */
function mend(repair: Repair, body: Json, asked: Json = body) {
  const book = new RepairBook();
  const learned = book.learn(TARGET, repair, body);
  const receipt = new Receipt();
  const mended = book.apply(TARGET, body, asked, receipt);
  return { learned, mended, ignored: [...receipt.ignored], converted: [...receipt.converted] };
}

Deno.test("a repair reaches into objects and lists, keeps their neighbours, and leaves none empty", () => {
  const rows: readonly (readonly [without: string, body: Json, mended: Json])[] = [
    ["a.b", { a: { b: 1, c: 2 }, d: 3 }, { a: { c: 2 }, d: 3 }],
    ["a.b", { a: { b: 1 }, d: 3 }, { d: 3 }],
    ["a.b.c", { a: { b: { c: 1 } }, d: 3 }, { d: 3 }],
    ["a.b", { a: [{ b: 1, c: 2 }, "text", { c: 3 }], d: 4 }, {
      a: [{ c: 2 }, "text", { c: 3 }],
      d: 4,
    }],
  ];
  for (const [without, body, mended] of rows) {
    const before = structuredClone(body);
    assertEquals(mend({ without }, body), { learned: true, mended, ignored: [], converted: [] });
    assertEquals(body, before);
  }
});

Deno.test("a repair that would change nothing is not learned", () => {
  for (const body of [{}, { a: 1 }, { a: ["b"] }, { a: { c: 1 } }]) {
    assert(!mend({ without: "a.b" }, body).learned, JSON.stringify(body));
  }
});

Deno.test("a repair that renames keeps the value, but for one that is there already", () => {
  const repair = { without: "max_tokens", as: "max_completion_tokens" };
  const { mended, converted } = mend(repair, { max_tokens: 5 });
  assertEquals(mended, { max_completion_tokens: 5 });
  assertEquals(converted, ["max_tokens->max_completion_tokens"]);
  assertEquals(mend(repair, { max_tokens: 5, max_completion_tokens: 6 }).mended, {
    max_completion_tokens: 6,
  });
});

Deno.test("a repair is told of in the caller's words, and only where the caller's wish is lost", () => {
  const penalty = { without: "options.penalty", parameters: ["frequency_penalty"] };
  const options = { penalty: 1, other: 2 };
  assertEquals(mend(penalty, { options }, { frequency_penalty: 1 }).ignored, ["frequency_penalty"]);
  assertEquals(mend(penalty, { options }, {}).ignored, []);
  // The gateway asks for usage itself, and counts it itself where the vendor does not.
  const usage = { without: "stream_options" };
  const body = { stream_options: { include_usage: true } };
  assertEquals(mend(usage, body).ignored, []);
  const format = { response_format: { type: "json_object" } };
  assertEquals(mend({ without: "response_format" }, format).ignored, ["response_format"]);
  assertEquals(mend({ without: "seed" }, { seed: 1 }).ignored, ["seed"]);
});

Deno.test("what was learned is of one target, adds up, and is silent where it changes nothing", () => {
  const book = new RepairBook();
  const receipt = new Receipt();
  book.learn(TARGET, { without: "seed" }, { seed: 1 });
  book.learn(TARGET, { without: ["a", "b"], parameters: ["ab"] }, { b: 1 });
  const body = { a: 1, seed: 2, ab: 3 };
  assertEquals(book.apply(TARGET, body, body, receipt), { ab: 3 });
  assertEquals([...receipt.ignored], ["seed", "ab"]);
  const plain = { ab: 3 };
  const silent = new Receipt();
  assert(book.apply(TARGET, plain, plain, silent) === plain);
  assertEquals([...silent.ignored], []);
  for (const other of [targetOf("q"), targetOf("p", "n")]) {
    assert(book.apply(other, body, body, silent) === body);
  }
});

Deno.test("targets that are no longer configured are forgotten, and no others", () => {
  const book = new RepairBook();
  const gone = targetOf("q");
  const body = { seed: 1 };
  for (const target of [TARGET, gone]) book.learn(target, { without: "seed" }, body);
  book.keep(new Set(["p\nm"]));
  assertEquals(book.apply(TARGET, body, body, new Receipt()), {});
  assertEquals(book.apply(gone, body, body, new Receipt()), body);
});
