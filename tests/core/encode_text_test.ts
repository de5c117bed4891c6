import { assertEquals } from "@std/assert";
import { encodePieces } from "../../src/core/bytes.ts";

/** Long enough for several pieces, with characters of one to four bytes and lone surrogates. */
const TEXT = "aé文😀\ud800b".repeat(200_000) + "😀".repeat(200_000);

Deno.test("encodePieces() does not split characters", () => {
  for (const text of [TEXT, `x${TEXT}`, "", "short"]) {
    const decoder = new TextDecoder("utf-8");
    let decoded = "";
    // Each piece is decoded as if nothing followed.
    for (const piece of encodePieces(text)) decoded += decoder.decode(piece);
    assertEquals(decoded, text.toWellFormed());
  }
});
