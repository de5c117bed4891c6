import { assert, assertEquals } from "@std/assert";
import type { Clock } from "../../src/core/clock.ts";
import type { ChatRequest } from "../../src/contract/chat.ts";
import { applyRepair, chatCaller, RejectedFields } from "../../src/gateway/rejected_fields.ts";
import { adapters } from "../../src/providers/registry.ts";
import { RequestChanges } from "../../src/contract/request_changes.ts";
import type { Repair, VendorRequest } from "../../src/contract/vendor_request.ts";

const HOUR = 3_600_000;
type Json = Record<string, unknown>;

function adapterOf(kind: string) {
  const adapter = adapters.get(kind);
  if (adapter === undefined) throw new RangeError(`There is no kind ${kind}`);
  return adapter;
}

const DIALECT = adapterOf("openai_compatible");
const COHERE = adapterOf("cohere");

const asking = (members: Json): ChatRequest =>
  ({ model: "m", messages: [{ role: "user", content: "Hi" }], ...members }) as ChatRequest;

const sending = (body: Json): VendorRequest => ({
  ...{ url: "http://p", headers: {}, auth: { type: "none" } },
  body,
});

/** What becomes of a refused body, and what the receipt says. */
function tryOn(repair: Repair, body: Json, asked: Json = body) {
  const changes = new RequestChanges();
  const repaired = applyRepair(repair, sending(body), chatCaller(asking(asked), DIALECT), changes);
  return {
    body: repaired?.request.body,
    ignored: [...changes.ignored],
    converted: [...changes.converted],
  };
}

const at = (now: number): Clock => ({
  ...{ now: () => now, wallTime: () => now, after: () => () => {} },
  limit: () => ({ cancel() {} }),
});

/** What becomes of a later body at this time. */
function apply(learned: RejectedFields, body: Json, now = 0, asked: Json = body) {
  const changes = new RequestChanges();
  const caller = chatCaller(asking(asked), DIALECT);
  const { body: kept } = learned.apply(sending(body), caller, changes, at(now));
  return { kept, ignored: [...changes.ignored] };
}

Deno.test("a repair changes nested objects and lists, keeps other members, leaves no empty object, and is reported", () => {
  const rows: readonly (readonly [without: string, body: Json, repaired: Json])[] = [
    ["a.b", { a: { b: 1, c: 2 }, d: 3 }, { a: { c: 2 }, d: 3 }],
    ["a.b", { a: { b: 1 }, d: 3 }, { d: 3 }],
    ["a.b.c", { a: { b: { c: 1 } }, d: 3 }, { d: 3 }],
    ["a.b", { a: [{ b: 1, c: 2 }, "text", { c: 3 }], d: 4 }, {
      a: [{ c: 2 }, "text", { c: 3 }],
      d: 4,
    }],
  ];
  for (const [without, body, repaired] of rows) {
    const before = structuredClone(body);
    assertEquals(tryOn({ without }, body), { body: repaired, ignored: [without], converted: [] });
    assertEquals(body, before);
  }
});

Deno.test("a repair that would change nothing is not tried", () => {
  for (const body of [{}, { a: 1 }, { a: ["b"] }, { a: { c: 1 } }]) {
    assertEquals(tryOn({ without: "a.b" }, body).body, undefined, JSON.stringify(body));
  }
});

Deno.test("a repair that renames keeps the value, unless the new name is already set", () => {
  const repair = { without: "max_tokens", as: "max_completion_tokens" };
  const renamed = tryOn(repair, { max_tokens: 5 });
  assertEquals(renamed.body, { max_completion_tokens: 5 });
  assertEquals(renamed.converted, ["max_tokens->max_completion_tokens"]);
  assertEquals(tryOn(repair, { max_tokens: 5, max_completion_tokens: 6 }).body, {
    max_completion_tokens: 6,
  });
});

Deno.test("a repair is reported under the caller's name, and only where the caller loses something", () => {
  const penalty = { without: "options.penalty", parameters: ["frequency_penalty"] };
  const options = { penalty: 1, other: 2 };
  const asked = { frequency_penalty: 1 };
  assertEquals(tryOn(penalty, { options }, asked).ignored, ["frequency_penalty"]);
  assertEquals(tryOn(penalty, { options }, {}).ignored, []);
  const usage = { without: "stream_options" };
  assertEquals(tryOn(usage, { stream_options: { include_usage: true } }).ignored, []);
  assertEquals(tryOn({ without: "seed" }, { seed: 1 }).ignored, ["seed"]);
});

Deno.test("text that the caller may have written causes no repair", () => {
  const repair = { without: "logit_bias", words: "logit_bias" };
  const body = { logit_bias: {} };
  const by = (members: Json) => tryOn(repair, body, { ...body, ...members }).body;
  assertEquals(by({}), {}, "the name of a field that every request may have is not the caller's");
  const places: readonly Json[] = [
    { user: "logit_bias" },
    { service_tier: "x logit_bias x" },
    { messages: [{ role: "user", content: [{ type: "text", text: "What is logit_bias?" }] }] },
    { metadata: { logit_bias: "x" } },
    { tools: [{ type: "function", function: { name: "f", parameters: { logit_bias: 1 } } }] },
    { "my logit_bias": 1 },
    { stop: ["a", "logit_bias"] },
  ];
  for (const place of places) assertEquals(by(place), undefined, JSON.stringify(place));
  const proven = { without: "logit_bias" };
  assertEquals(tryOn(proven, body, { ...body, user: "logit_bias" }).body, {});
});

Deno.test("a confirmed rejection expires after an hour, and a further confirmation renews it", () => {
  const learned = new RejectedFields();
  const request = asking({ seed: 1 });
  assertEquals(apply(learned, { seed: 1 }).kept, { seed: 1 });
  learned.confirm({ without: "seed" }, chatCaller(request, DIALECT), at(0));
  assertEquals(apply(learned, { seed: 1, top_p: 1 }, HOUR - 1), {
    kept: { top_p: 1 },
    ignored: ["seed"],
  });
  assertEquals(apply(learned, { seed: 1 }, HOUR).kept, { seed: 1 });
  learned.confirm({ without: "seed" }, chatCaller(request, DIALECT), at(HOUR));
  assertEquals(apply(learned, { seed: 1 }, 2 * HOUR - 1).kept, {});
  assertEquals(learned.report(HOUR + 1), [{ parameter: "seed", expires_in_ms: HOUR - 1 }]);
  assertEquals(learned.report(2 * HOUR), []);
});

Deno.test("a body without the field is the same body", () => {
  const learned = new RejectedFields();
  learned.confirm({ without: "seed" }, chatCaller(asking({ seed: 1 }), DIALECT), at(0));
  const body = { top_p: 1 };
  assert(apply(learned, body).kept === body);
});

Deno.test("a rejection applies to requests in the mode in which it was confirmed", () => {
  const modes: readonly Json[] = [
    {},
    { stream: true },
    { reasoning_effort: "high" },
    { reasoning_effort: "none" },
    { thinking: { type: "enabled" } },
    { tools: [] },
    { response_format: { type: "json_object" } },
    { response_format: { type: "json_schema" } },
  ];
  for (const mode of modes) {
    const learned = new RejectedFields();
    const body = { temperature: 0.5 };
    learned.confirm(
      { without: "temperature" },
      chatCaller(asking({ ...body, ...mode }), DIALECT),
      at(0),
    );
    for (const other of modes) {
      const { kept } = apply(learned, body, 1, { ...body, ...other });
      assertEquals(kept, mode === other ? {} : body, JSON.stringify([mode, other]));
    }
  }
});

Deno.test("rejections of the usage option and of unknown fields are never learned", () => {
  const learned = new RejectedFields();
  learned.confirm(
    { without: "stream_options" },
    chatCaller(asking({ stream_options: {} }), DIALECT),
    at(0),
  );
  learned.confirm({ without: "my_field" }, chatCaller(asking({ my_field: 1 }), DIALECT), at(0));
  assertEquals(learned.report(0), []);
  // An extension that the adapter lists, and a field of the vendor's that callers have no name for.
  learned.confirm(
    { without: "safety_mode" },
    chatCaller(asking({ safety_mode: "NONE" }), COHERE),
    at(0),
  );
  learned.confirm({ without: "a.b", parameters: [] }, chatCaller(asking({}), COHERE), at(0));
  learned.confirm(
    { without: "max_tokens", as: "limit" },
    chatCaller(asking({ max_tokens: 1 }), COHERE),
    at(0),
  );
  assertEquals(learned.report(0), [
    { parameter: "safety_mode", expires_in_ms: HOUR },
    { parameter: "a.b", expires_in_ms: HOUR },
    { parameter: "max_tokens", sent_as: "limit", expires_in_ms: HOUR },
  ]);
  assertEquals([learned.clear(), learned.clear(), learned.report(0)], [3, 0, []]);
});

Deno.test("the number of rejections of a target is limited, and expired ones do not count", () => {
  const learned = new RejectedFields();
  for (let count = 0; count < 1000; count++) {
    learned.confirm({ without: `field_${count}` }, chatCaller(asking({}), COHERE), at(0));
  }
  assertEquals(learned.report(0).length, 32);
  learned.confirm({ without: "late" }, chatCaller(asking({}), COHERE), at(HOUR));
  assertEquals(learned.report(HOUR).map(({ parameter }) => parameter), ["late"]);
});
