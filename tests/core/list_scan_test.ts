/** Lists of long values in JSON that passes as bytes. */

import { threadCpuMs } from "../support/thread_cpu.ts";
import { assert, assertEquals } from "@std/assert";
import { ListScan } from "../../src/core/json/list_scan.ts";

const NAMES = { list: "data", long: "embedding" };
const encoder = new TextEncoder();

/** Scans a text in packets of a size. */
function scan(text: string, size: number) {
  const bytes = encoder.encode(text);
  const list = new ListScan(NAMES);
  let passed = 0;
  for (let at = 0; at < bytes.length; at += size) {
    passed += list.push(bytes.subarray(at, at + size));
  }
  return { list, passed: new TextDecoder().decode(bytes.subarray(0, passed)), end: list.end() };
}

const SIZES = [1, 2, 3, 7, 16, 100, 10_000];

Deno.test("ListScan finds the list, its entries and the members around it, in packets of any size", () => {
  const list = '[ {"object":"embedding","index":0,"embedding":[0.1, -2]} ,' +
    '\n{"embedding":[3e-5],"meta":{"a":"}]"},"index":1}, {"embedding" : [ ]}]';
  const head = '{"object":"list","note":"[ü]","x":["data"],"data":';
  const tail = ',"model":"ü","usage":{"prompt_tokens":[3]}, "object":"last" }\n';
  for (const size of SIZES) {
    const { list: scanned, passed, end } = scan(head + list + tail, size);
    assertEquals(passed, head + list);
    assertEquals(scanned.head, { object: "list", note: "[ü]", x: ["data"] });
    assertEquals(end, { model: "ü", usage: { prompt_tokens: [3] }, object: "last" });
    assertEquals([scanned.count, scanned.opening, scanned.isReordered], [3, "[", false]);
  }
});

Deno.test("ListScan follows strings, and sees another order", () => {
  for (const size of SIZES) {
    const strings = '{"data":[{"index":0,"embedding":"AAAA"},{"index":1,"embedding":"BBBB"}]}';
    const { list, end } = scan(strings, size);
    assertEquals([list.count, list.opening, list.isReordered, end], [2, '"', false, {}]);
    for (
      const other of [
        '{"data":[{"index":1,"embedding":[1]},{"index":0,"embedding":[1]}]}',
        '{"data":[{"embedding":[1],"index":1}]}',
      ]
    ) assert(scan(other, size).list.isReordered);
  }
});

/** Documents of other forms. */
const OTHERS: Readonly<Record<string, string>> = {
  "no list": '{"error":{"message":"no"}}',
  "a list of no objects": '{"data":[1,2]}',
  "lists in lists": '{"data":[{"embedding":[[1]]}]}',
  "numbers, then strings": '{"data":[{"embedding":[1]},{"embedding":"A"}]}',
  "no comma": '{"data":[{"embedding":[1]}{"embedding":[1]}]}',
  "two commas": '{"data":[{"embedding":[1]},,{"embedding":[1]}]}',
  "an end that is missing": '{"data":[{"embedding":[1]}]',
  "an end that is cut": '{"data":[{"embedding":[1]}],"usage":{"a":',
  "more than an end": '{"data":[{"embedding":[1]}]}}',
  "entries with a long text": `{"data":[{"a":"${"x".repeat(5000)}","embedding":[1]}]}`,
  "a long head": `{"a":"${"x".repeat(5000)}","data":[{"embedding":[1]}]}`,
  "a long tail": `{"data":[{"embedding":[1]}],"a":"${"x".repeat(5000)}"}`,
  "many marks": `{"a":[${"[],".repeat(100)}1],"data":[{"embedding":[1]}]}`,
  "no comma before the tail": '{"data":[{"embedding":[1]}]"a":1}',
  "no member in the tail": '{"data":[{"embedding":[1]}],}',
  "an empty list": '{"data":[],"model":"m"}',
};

for (const [name, text] of Object.entries(OTHERS)) {
  Deno.test(`ListScan takes no document with ${name}`, () => {
    for (const size of SIZES) {
      const { list, end } = scan(text, size);
      const isTaken = list.hasBegun && !list.isUnknown && end !== undefined;
      assertEquals(isTaken, false, `${size}`);
    }
  });
}

Deno.test("ListScan takes linear time, however a vendor writes", () => {
  const marks = `{"data":[{"embedding":[1],"a":"${"}".repeat(100_000)}`;
  const began = threadCpuMs();
  for (const text of [marks, `{"a":"${"[".repeat(100_000)}`, " ".repeat(1_000_000)]) {
    for (const size of [1, 100_000]) assert(scan(text, size).list.end() === undefined);
  }
  const took = threadCpuMs() - began;
  assert(took < 5000, `${took}`);
});
