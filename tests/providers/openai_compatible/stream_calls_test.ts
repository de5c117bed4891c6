/** Which piece of a stream belongs to which call, although vendors identify calls in many ways. */

import { assertEquals } from "@std/assert";
import type { ChatRequest, JsonObject } from "../../../src/contract/chat.ts";
import { StreamedCalls } from "../../../src/providers/openai_compatible/stream_calls.ts";
import { countedIds } from "../../support/gateway.ts";
import type { Call } from "../../../src/contract/vendor_request.ts";

type Piece = readonly [
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  text?: string,
];

function collect(pieces: readonly Piece[], tools: readonly string[] = ["f", "g"]): string[] {
  const request = {
    messages: [],
    tools: tools.map((name) => ({ type: "function", function: { name } })),
  } as unknown as ChatRequest;
  const calls = new StreamedCalls({ request, newId: countedIds() } as unknown as Call);
  const toPiece = ([index, id, name, text = ""]: Piece): JsonObject => ({
    index,
    id,
    function: { name, arguments: text },
  });
  const seen: { name: string; text: string; id: string | undefined }[] = [];
  for (const piece of [...pieces.flatMap((one) => calls.add(toPiece(one))), ...calls.flush()]) {
    const call = seen[piece.index] ??= { name: "", text: "", id: piece.id };
    call.name += piece.function?.name ?? "";
    call.text += piece.function?.arguments ?? "";
  }
  return seen.map(({ id, name, text }) => `${id} ${name}${text}`);
}

const CASES: Readonly<Record<string, readonly [readonly Piece[], readonly string[]]>> = {
  "one id at two indexes": [
    [[0, "f", "f", '{"q":1}'], [1, "f", "f", '{"q":2}']],
    ['f f{"q":1}', 'f f{"q":2}'],
  ],
  "one id at two indexes, with pieces in turns": [
    [
      [0, "f", "f", '{"q"'],
      [1, "f", "f", '{"q"'],
      [0, "f", undefined, ":1}"],
      [1, undefined, undefined, ":2"],
      [1, "f", undefined, "}"],
    ],
    ['f f{"q":1}', 'f f{"q":2}'],
  ],
  "one id and one index": [
    [[0, "f", "f", '{"q":1}'], [0, "f", "f", ' {"q":2}']],
    ['f f{"q":1}', 'f f {"q":2}'],
  ],
  "one id and no index": [
    [[undefined, "f", "f", "{}"], [undefined, "f", "f", "{}"], [undefined, "f", "f", "{}"]],
    ["f f{}", "f f{}", "f f{}"],
  ],
  "one index and no id": [
    [[0, undefined, "f", '{"q":1}'], [0, "", "g", '{"q":2}']],
    ['call_1 f{"q":1}', 'call_2 g{"q":2}'],
  ],
  "one id and one index, with pieces without a name": [
    [
      [0, "f", "f", '{"q"'],
      [0, undefined, undefined, ":1}"],
      [0, "f", "f", '{"q"'],
      [0, "f", undefined, ":2}"],
    ],
    ['f f{"q":1}', 'f f{"q":2}'],
  ],
  "a name with each piece": [
    [[0, "c", "f", ""], [0, "c", "f", '{"q":'], [0, "c", "f", '{"r":1}'], [0, "c", "f", "}"]],
    ['c f{"q":{"r":1}}'],
  ],
  "a new id with each piece": [
    [[0, "c", "f", '{"q"'], [0, "d", undefined, ":1}"]],
    ['c f{"q":1}'],
  ],
  "an index of each piece": [
    [[0, "c", "f", '{"q"'], [1, "c", undefined, ":1}"]],
    ['c f{"q":1}'],
  ],
};

for (const [how, [pieces, calls]] of Object.entries(CASES)) {
  Deno.test(`streamed calls: ${how}`, () => assertEquals(collect(pieces), calls));
}

Deno.test("streamed calls: a name in pieces is added up while no arguments have come", () => {
  const tools = ["edit", "edit_existing_file", "edit_file"];
  const cut = "edit_existing_file";
  for (let at = 1; at < cut.length; at++) {
    const rest: Piece = [0, undefined, cut.slice(at)];
    const text: Piece = [0, undefined, undefined, '{"q":1}'];
    const want = ['c edit_existing_file{"q":1}'];
    assertEquals(collect([[0, "c", cut.slice(0, at)], rest, text], tools), want);
    assertEquals(
      collect([[0, "c", cut.slice(0, at)], [0, undefined, cut.slice(at), '{"q":1}']], tools),
      want,
    );
    // The name so far, again and again.
    assertEquals(collect([[0, "c", cut.slice(0, at)], [0, "c", cut], text], tools), want);
  }
});

Deno.test("streamed calls: a name that may grow is passed on with the next call or at the end", () => {
  const tools = ["edit", "edit_file"];
  assertEquals(collect([[0, "a", "edit"], [1, "b", "edit_file"]], tools), [
    "a edit",
    "b edit_file",
  ]);
  assertEquals(collect([[0, "a", "edit"]], tools), ["a edit"]);
  assertEquals(collect([[0, "a", "edit", "{}"], [0, "b", "edit", "{}"]], tools), [
    "a edit{}",
    "b edit{}",
  ]);
});

Deno.test("streamed calls: a complete name of a tool is passed on at once", () => {
  const request = { messages: [], tools: [{ type: "function", function: { name: "f" } }] };
  const calls = new StreamedCalls({ request, newId: countedIds() } as unknown as Call);
  assertEquals(calls.add({ index: 0, id: "c", function: { name: "f", arguments: "" } }).length, 1);
});
