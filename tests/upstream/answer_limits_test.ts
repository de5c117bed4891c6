/** Vendors' answers that would take long to read are not read to their end. */

import { assertEquals, assertThrows } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { readFailure, type VendorResponse } from "../../src/upstream/transport.ts";
import { parseAnswer } from "../../src/upstream/upstream_errors.ts";

const MIB = 1024 * 1024;

function nested(levels: number, length: number): string {
  const open = "[".repeat(levels);
  const close = "]".repeat(levels);
  return `${open}"${"a".repeat(Math.max(0, length - 2 * levels))}"${close}`;
}

function toFailure(text: string): Promise<unknown> {
  const response: VendorResponse = new Response(text, { status: 400 });
  const { signal } = new AbortController();
  return readFailure(response, signal).then((failure) =>
    failure.where === "answer" ? [failure.status, typeof failure.body] : failure
  );
}

Deno.test("a large answer of too many levels is refused before it is parsed", () => {
  parseAnswer(nested(512, MIB));
  const error = assertThrows(() => parseAnswer(nested(513, MIB)), GatewayError);
  assertEquals(error.kind, "upstream_error");
});

Deno.test("a small answer may have any depth that the parser reads", () => {
  parseAnswer(nested(5000, 0));
});

Deno.test("of an error that is too long or too deep the status alone counts", async () => {
  const text = (length: number) => JSON.stringify({ error: "x".repeat(length) });
  assertEquals(await toFailure(text(MIB / 2)), [400, "object"]);
  assertEquals(await toFailure(text(MIB)), [400, "undefined"]);
  assertEquals(await toFailure(nested(513, MIB / 2)), [400, "undefined"]);
});
