/** Tags of vendors' IDs: each is valid in one spelling only. */

import { assert, assertEquals } from "@std/assert";
import { TAG_LENGTH } from "../../../src/gateway/id_bindings.ts";
import { IdBinding } from "../../../src/features/reasoning_state/carrier.ts";

const binding = new IdBinding(["a secret of the gateway"]);

/** Paths until the tag of one has all characters that have another spelling. */
function findPath(): readonly string[] {
  for (let count = 0;; count++) {
    const path = ["owner", "provider", `id-${count}`];
    const tag = binding.tag(path);
    if (tag.includes("-") && tag.includes("_")) return path;
  }
}

Deno.test("a tag is valid for its path, by each of the secrets", () => {
  const path = ["owner", "provider", "id"];
  const tag = binding.tag(path);
  assertEquals(tag.length, TAG_LENGTH);
  assert(binding.verify(path, tag));
  assert(!binding.verify(["owner", "provider", "other"], tag));
  assert(new IdBinding(["new", "a secret of the gateway"]).verify(path, tag));
  assert(!new IdBinding(["new"]).verify(path, tag));
});

Deno.test("another spelling of the same bytes is no tag", () => {
  const path = findPath();
  const tag = binding.tag(path);
  assert(binding.verify(path, tag));
  const others = [
    ...[tag.replaceAll("-", "+"), tag.replaceAll("_", "/")],
    ...[`${tag}=`, `${tag}====`, ` ${tag}`, `${tag.slice(0, 4)}\n${tag.slice(4)}`],
    ...[`${tag}!`, `${tag.slice(0, 8)}.${tag.slice(8)}`],
  ];
  // All of them are decoded to the bytes of the tag.
  assertEquals(others.filter((other) => binding.verify(path, other)), []);
  assert(!binding.verify(path, ""));
});
