/**
 * Every adapter against every case below tests/fixtures. The goldens `sent.json`
 * and `answer.json` or `answer.sse` are compared by value; with UPDATE_GOLDENS=1
 * they are written instead, to be read before they are committed.
 */

import { assert, assertEquals } from "@std/assert";
import { stampCompletion } from "../../src/apis/chat_completions/envelope.ts";
import { fold, prepared, toValue } from "../support/folding.ts";
import { exists, type Fixture, pathOf, readFixtures } from "../support/fixtures.ts";
import { runCase } from "../support/run_case.ts";
import { isPassable } from "../../src/apis/chat_completions/format.ts";

const UPDATE = Deno.env.get("UPDATE_GOLDENS") === "1";

for (const fixture of readFixtures()) {
  const title = `${fixture.vendor}/${fixture.name}`;

  Deno.test(`${title}: request and answer match the goldens`, async () => {
    const { sent, answer } = await runCase(fixture);
    assertEquals(sent !== undefined, fixture.about.sent ?? true, "sent, as case.json says");
    if (sent !== undefined) expectGolden(fixture, "sent.json", sent);
    expectGolden(fixture, typeof answer === "string" ? "answer.sse" : "answer.json", answer);
  });

  if (
    fixture.about.sent !== false && fixture.upstream.type === "answer" &&
    isPassable(fixture.upstream.body)
  ) {
    const { body } = fixture.upstream;
    Deno.test(`${title}: an answer that passes unchanged equals the converted one`, () => {
      const { adapter, call, stamp } = prepared(fixture);
      if (!adapter.transparent) return;
      const answer = { status: 200, headers: new Headers(), body: structuredClone(body) };
      const stamped = stampCompletion(adapter.toCompletion(answer, call), stamp);
      assertEquals(stamped, body);
    });
  }
  if (fixture.upstream.type !== "stream") continue;
  const { bytes } = fixture.upstream;

  Deno.test(`${title}: the output of the template cache equals the parsed one`, () => {
    const one = prepared(fixture);
    const [quick, slow] = [fold(one, [bytes]), fold(one, [bytes], Infinity)];
    assertEquals(quick.split("\n\n").map(toValue), slow.split("\n\n").map(toValue));
  });
}

function expectGolden(fixture: Fixture, file: string, value: unknown): void {
  const path = pathOf(fixture, file);
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2) + "\n";
  if (UPDATE) {
    // The default of other cases is not changed for this one.
    if (exists(path) && Deno.readTextFileSync(path) === text) return;
    return Deno.writeTextFileSync(`${fixture.directory}/${file}`, text);
  }
  assert(exists(path), `${path} is missing; run with UPDATE_GOLDENS=1 and read what it writes`);
  const golden = Deno.readTextFileSync(path);
  if (typeof value !== "string") return assertEquals(JSON.parse(text), JSON.parse(golden));
  assertEquals(text.split("\n\n").map(toValue), golden.split("\n\n").map(toValue));
}
