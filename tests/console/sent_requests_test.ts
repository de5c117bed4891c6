/** What the receipt says about the requests that were sent, and who answered. */

import { assertEquals } from "@std/assert";
import { typeOfBytes } from "../../src/console/assets/views/playground/images.js";
import { answeredBy } from "../../src/console/assets/views/playground/receipt_facts.js";
import { diffOf, sentRequests } from "../../src/console/assets/views/playground/sent_requests.js";
import { tagNote } from "../../src/console/assets/views/usage/figures.js";

const request = (body: Record<string, unknown>) => ({
  method: "POST",
  url: "/",
  headers: {},
  body,
});

const EXPLANATION = {
  targets: [
    { provider: "a", model: "one", request: request({ model: "one", max_tokens: 5, n: 2 }) },
    {
      provider: "b",
      model: "two",
      request: request({ model: "two", config: { top: 1, seed: 3 } }),
    },
  ],
};

/** The requests as [target, attempts, outcome, body]. */
function sent(attempts: readonly Record<string, unknown>[]) {
  const { isComplete, requests } = sentRequests({ record: { attempts }, explanation: EXPLANATION });
  return [
    isComplete,
    ...requests.map(({ provider, attempts, outcome, request }) => [
      ...[provider, attempts, outcome, request.body],
    ]),
  ];
}

Deno.test("each body that was sent is listed, equal ones once", () => {
  const one = { provider: "a", model: "one" };
  const failed = { ...one, error: "upstream_error" };
  const two = { provider: "b", model: "two", error: null };
  const body = EXPLANATION.targets[0]?.request.body;
  const corrections = [
    { fields: ["max_tokens"], sent_as: "max_completion_tokens" },
    { fields: ["n"], sent_as: null },
  ];
  assertEquals(sent([failed, failed, two]), [
    true,
    ["a", 2, "upstream error", body],
    ["b", 1, "answered", { model: "two", config: { top: 1, seed: 3 } }],
  ]);
  assertEquals(sent([{ ...one, error: null, corrections }]), [
    true,
    ["a", 1, "refused: max_tokens", body],
    ["a", 1, "refused: n", { model: "one", n: 2, max_completion_tokens: 5 }],
    ["a", 1, "answered", { model: "one", max_completion_tokens: 5 }],
  ]);
  const nested = [{ fields: ["config.seed", "config.top"], sent_as: null }];
  assertEquals(sent([{ ...two, corrections: nested }]).at(-1), ["b", 1, "answered", {
    model: "two",
  }]);
});

Deno.test("a body that is not known is left out, and said to be", () => {
  assertEquals(sent([{ provider: "c", model: "x", error: null }]), [false]);
  const late = { fields: ["seed"], sent_as: null };
  const attempt = { provider: "a", model: "one", error: null, corrections: [late] };
  assertEquals(sent([attempt])[0], false);
  assertEquals(sentRequests({ record: null, explanation: EXPLANATION }).requests, []);
  assertEquals(sentRequests({ record: { attempts: [attempt] }, explanation: null }).requests, []);
});

Deno.test("a difference names members by their paths, and lists as a whole", () => {
  const before = { a: 1, b: { c: 2, d: 3 }, e: [1], same: [{}] };
  const after = { b: { c: 2, d: 4 }, e: [1, 2], f: "x", same: [{}] };
  assertEquals(
    diffOf(before, after).map(({ sign, path, text }) => `${sign} ${path}: ${text}`),
    ["- a: 1", "- b.d: 3", "+ b.d: 4", "- e: [ 1 ]", "+ e: [ 1, 2 ]", '+ f: "x"'],
  );
  assertEquals(diffOf(before, before), []);
  assertEquals((diffOf({}, { a: "x".repeat(1000) })[0]?.text.length ?? 0) < 250, true);
});

Deno.test("an answer is signed with the target that gave it", () => {
  const target = { provider: "east", model: "gpt-east" };
  const run = { target, attempts: 1, state: "done", headers: {} };
  assertEquals(answeredBy(run), "answered by east / gpt-east");
  assertEquals(answeredBy({ ...run, attempts: 2 }), "answered by east / gpt-east after 2 attempts");
  assertEquals(answeredBy({ ...run, state: "failed" }), "failed at east / gpt-east");
  assertEquals(answeredBy({ ...run, state: "stopped" }), "answered by east / gpt-east");
  assertEquals(answeredBy({ ...run, target: null, attempts: null }), "");
  assertEquals(answeredBy({ ...run, state: "written" }), "");
  const hit = { ...run, target: null, headers: { cache: "hit" } };
  assertEquals(answeredBy(hit), "answered by the response cache");
});

Deno.test("an image is known by its first bytes, not by its name", () => {
  const type = (text: string) => typeOfBytes(Uint8Array.from(text, (char) => char.charCodeAt(0)));
  assertEquals(type("\x89PNG\r\n\x1a\nrest"), "image/png");
  assertEquals(type("\xff\xd8\xff\xe0"), "image/jpeg");
  assertEquals(type("GIF89a"), "image/gif");
  assertEquals(type("RIFF\x01\x02\x03\x04WEBPVP8 "), "image/webp");
  for (const text of ["", "PNG", "<svg>", "RIFF\x01\x02\x03\x04WAVE", "Just a text"]) {
    assertEquals(type(text), undefined, text);
  }
});

Deno.test("usage by tag says that it counts requests several times, and by how much", () => {
  const entry = (requests: number, cost_usd: number) => ({
    ...{ requests, errors: 0, input_tokens: 0, output_tokens: 0, cost_usd, unpriced_requests: 0 },
  });
  assertEquals(
    tagNote(entry(10, 49.54), [entry(8, 30), entry(6, 26.4)], false),
    "A request with several tags counts for each of them: the rows add up to 14 requests and " +
      "$56.40, all requests are 10 and $49.54.",
  );
  const rule =
    "A request with several tags counts for each of them, so the rows may add up to more " +
    "than the total.";
  assertEquals(tagNote(entry(10, 1), [entry(10, 1)], false), rule);
  assertEquals(tagNote(entry(10, 1), [entry(20, 2)], true), rule);
  assertEquals(tagNote(undefined, [], false), rule);
});
