import { assert, assertEquals } from "@std/assert";
import { rage } from "../support/storm.ts";

Deno.test("a load test of two seconds: every request ends once and well-formed, within its limits", async () => {
  const report = await rage({ callers: 100, duration: 2000, seed: 7 });
  assertEquals(report.faults, []);
  // Every caller at least, on a busy machine too.
  assert(report.requests >= 100, `${report.requests} requests`);
  assert((report.ends.get("200 done") ?? 0) > report.requests / 2);
});
