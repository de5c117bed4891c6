import { assert, assertEquals } from "@std/assert";
import { type CallIdKind, isMarked, parseCallId, toHead } from "../../../src/apis/chat/call_ids.ts";

const ORIGINALS = [
  "toolu_01XFDUDYJgAACzvnptvVoYEL",
  "call_gw_abcdefghijklmnopqrstuvwx",
  "functions.get_weather:0",
  "chatcmpl-tool-0123456789abcdef0123456789abcdef",
  "übër id/with+all=kinds of \u0000 signs 🙂",
  "a-2db",
  "",
  "nested_sluice_sQUJD",
];

for (const kind of ["sealed", "stored", "none"] satisfies CallIdKind[]) {
  Deno.test(`parseCallId() gives back the vendor's id of a ${kind} one, in characters that clients accept`, () => {
    for (const original of ORIGINALS) {
      const id = `${toHead(original, kind)}AAAA`;
      assert(/^[A-Za-z0-9_-]+$/.test(id), id);
      assert(isMarked(id));
      assertEquals(parseCallId(id), {
        original,
        kind,
        head: toHead(original, kind),
        payload: "AAAA",
      });
    }
  });
}

Deno.test("an ID whose state is stored has at most 64 characters", () => {
  const reference = "0123456789abcdef";
  for (const original of ORIGINALS.slice(0, 3)) {
    assert((toHead(original, "stored") + reference).length <= 64, original);
  }
});

Deno.test("parseCallId() finds the vendor's ID in an ID that was truncated after the separator", () => {
  const id = `${toHead("call_1", "sealed")}0123456789`;
  for (let length = "call_1_sluice_".length; length < id.length; length++) {
    assertEquals(parseCallId(id.slice(0, length))?.original, "call_1");
  }
  assertEquals(parseCallId("call_1_sluice_")?.kind, undefined);
  assertEquals(parseCallId("call_1_sluice_zABC")?.kind, undefined);
});

Deno.test("parseCallId() ignores IDs without the separator", () => {
  for (const id of ["", "call_1", "call_1_sluice", "sluice_", "x".repeat(10_000)]) {
    assertEquals(parseCallId(id), undefined);
    assertEquals(isMarked(id), false);
  }
});
