import { deriveKey } from "../../../src/config/reasoning_state.ts";
import { assert, assertEquals } from "@std/assert";
import { deflateRawSync } from "node:zlib";
import { randomBytes } from "../../../src/core/ids.ts";
import {
  KEY_BYTES,
  MAX_STATE_LENGTH,
  pack,
  type ReasoningState,
  Sealer,
  unpack,
} from "../../../src/features/reasoning_state/packing.ts";

const STATE: ReasoningState = {
  provider: "claude",
  reasoning_content: "Zwei Städte, ein Werkzeug. 🙂",
  reasoning_details: [{ format: "anthropic", type: "thinking", thinking: "…", signature: "EqQ=" }],
  extra_content: { google: { thought_signature: "QUJD" } },
};

Deno.test("unpack() reverses pack(), with and without compression", () => {
  const long = { ...STATE, reasoning_content: "thought 🙂 ".repeat(40_000) };
  for (const state of [STATE, long]) {
    const bytes = pack(state);
    assert(bytes !== undefined);
    assertEquals(unpack(bytes ?? new Uint8Array(), 1e7)?.state, state);
  }
});

Deno.test("pack() refuses state that is too large", () => {
  const state = { provider: "x", reasoning_content: "x".repeat(MAX_STATE_LENGTH) };
  assertEquals(pack(state), undefined);
});

Deno.test("unpack() stops at the limit, and rejects other values", () => {
  const bomb = deflateRawSync(new Uint8Array(50_000_000));
  assertEquals(unpack(new Uint8Array([1, ...bomb]), 100_000), undefined);
  const bytes = pack(STATE) ?? new Uint8Array();
  const length = unpack(bytes, 1e6)?.length ?? 0;
  assertEquals(unpack(bytes, length - 1), undefined);
  assertEquals(unpack(bytes, 0), undefined);
  const encoder = new TextEncoder();
  for (const text of ["", "{", "7", "[]", "{}", '{"provider":7}']) {
    assertEquals(unpack(new Uint8Array([0, ...encoder.encode(text)]), 1000), undefined, text);
  }
  const wrong = '{"provider":"x","reasoning_details":"y"}';
  assertEquals(unpack(new Uint8Array([0, ...encoder.encode(wrong)]), 1000), undefined);
});

Deno.test("Sealer.open() requires the same key and binding", () => {
  const sealer = new Sealer(randomBytes(KEY_BYTES), randomBytes);
  const bytes = new TextEncoder().encode("state");
  const sealed = sealer.seal(bytes, "here");
  assertEquals(sealed.length, Sealer.lengthOf(bytes.length));
  assert(/^[A-Za-z0-9_-]+$/.test(sealed));
  assertEquals(new Uint8Array(sealer.open(sealed, "here") ?? []), bytes);
  assertEquals(sealer.open(sealed, "there"), undefined);
  const other = new Sealer(randomBytes(KEY_BYTES), randomBytes);
  assertEquals(other.open(sealed, "here"), undefined);
  assert(sealer.seal(bytes, "here") !== sealed, "a nonce was used twice");
});

Deno.test("Sealer.open() rejects changed and truncated text", () => {
  const sealer = new Sealer(randomBytes(KEY_BYTES), randomBytes);
  const sealed = sealer.seal(new TextEncoder().encode("state"), "here");
  for (let at = 0; at < sealed.length; at++) {
    const other = sealed[at] === "A" ? "B" : "A";
    const forged = sealed.slice(0, at) + other + sealed.slice(at + 1);
    // The last character has bits that mean nothing.
    if (at < sealed.length - 1) assertEquals(sealer.open(forged, "here"), undefined);
    assertEquals(sealer.open(sealed.slice(0, at), "here"), undefined);
  }
});

Deno.test("deriveKey() returns the same key for the same secret", () => {
  assertEquals(deriveKey("a".repeat(32)), deriveKey("a".repeat(32)));
  assertEquals(deriveKey("a".repeat(32)).length, KEY_BYTES);
  assert(deriveKey("a".repeat(32)).join() !== deriveKey("b".repeat(32)).join());
});
