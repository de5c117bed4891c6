/** The names of skipped tests. */

import { assertEquals } from "@std/assert";
import { needs } from "./needs.ts";

Deno.test("a test that is skipped says what it needs, and others have the same name everywhere", () => {
  assertEquals(needs("Linux", true, "a test"), { name: "a test", ignore: false });
  assertEquals(needs("Linux", false, "a test"), { name: "a test (needs Linux)", ignore: true });
});
