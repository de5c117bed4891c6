import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { createKeyText, Pepper, prefixOf } from "../../../src/governance/keys/key_store.ts";
import { randomBytes } from "../../../src/core/ids.ts";

Deno.test("a key has 256 random bits after a prefix that is no secret", () => {
  const asked: number[] = [];
  const { text, prefix } = createKeyText((length) => {
    asked.push(length);
    return new Uint8Array(length).fill(0xff);
  });
  assertEquals(asked, [6, 32]);
  assertEquals(prefix, "sk-sluice-________");
  assertEquals(
    text,
    `${prefix}${
      new Uint8Array(32).fill(0xff).toBase64({ alphabet: "base64url", omitPadding: true })
    }`,
  );
  assertMatch(text, /^sk-sluice-[\w-]{51}$/);
  assertEquals(prefixOf(text), prefix);
  assertEquals(
    new Set(Array.from({ length: 1000 }, () => createKeyText(randomBytes).text)).size,
    1000,
  );
});

Deno.test("only tokens of the form of a stored key have a prefix", () => {
  const { text } = createKeyText(randomBytes);
  for (
    const token of [
      "",
      "sk-x",
      text.slice(1),
      `${text}x`,
      text.slice(0, -1),
      `${text}\n`,
      `${text.slice(0, -1)}é`,
    ]
  ) {
    assertEquals(prefixOf(token), undefined, token);
  }
});

Deno.test("a hash depends on the whole text and on the pepper", () => {
  const [one, other] = [new Pepper("one".repeat(12)), new Pepper("other".repeat(8))];
  const { text } = createKeyText(randomBytes);
  const hash = one.hash(text);
  assertMatch(hash, /^[0-9a-f]{64}$/);
  assert(one.verify(text, hash));
  assert(!other.verify(text, hash));
  assertNotEquals(one.id, other.id);
  for (let index = 0; index < text.length; index++) {
    const changed = text.slice(0, index) + (text[index] === "A" ? "B" : "A") +
      text.slice(index + 1);
    assert(!one.verify(changed, hash), `character ${index}`);
  }
  for (const wrong of ["", hash.slice(2), `${hash}00`, "zz".repeat(32)]) {
    assert(!one.verify(text, wrong), wrong);
  }
});
