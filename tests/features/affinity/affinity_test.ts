/** The place of a session, by itself: the same in every worker, and no other key's business. */

import { assert, assertAlmostEquals, assertEquals, assertNotEquals } from "@std/assert";
import type { FallbackTarget } from "../../../src/config/config.ts";
import type { AffinityPolicy } from "../../../src/config/routing_schema.ts";
import { MovedSessions } from "../../../src/features/affinity/moved_sessions.ts";
import { RequestAffinity } from "../../../src/features/affinity/request_affinity.ts";
import { type SessionColumns, sessionMark } from "../../../src/gateway/feature_attempts.ts";
import { readSession } from "../../../src/features/affinity/session.ts";
import { answer, contextOf, idsOf, targetsOf } from "../../support/order.ts";

const MINUTE = 60_000;
/** The time of a new context. */
const NOW = 1_000_000;
const EQUALS = [undefined, undefined, undefined, undefined];

interface Asked {
  readonly session?: string;
  readonly key?: string;
  readonly moved?: MovedSessions;
  readonly policy?: AffinityPolicy;
  readonly model?: string;
  readonly turns?: number;
}

function affinityOf(
  { session = "s", key = "one", moved = new MovedSessions(), policy = {}, model = "m", turns = 1 }:
    Asked,
): RequestAffinity {
  const messages = Array.from({ length: turns }, (_, turn) => ({
    role: turn % 2 === 0 ? "user" : "assistant",
    content: "hi",
  }));
  const source = { headers: new Headers(), body: { prompt_cache_key: session, messages } };
  return new RequestAffinity({ source, key, model, moved, policy });
}

function route(
  affinity: RequestAffinity,
  targets: readonly FallbackTarget[],
  context = contextOf(),
) {
  return affinity.follow(affinity.orderGroup(targets, true, context), context);
}

/** The target at a place of an order. */
function at(chain: readonly FallbackTarget[], index: number): FallbackTarget["target"] {
  const entry = chain[index];
  if (entry === undefined) throw new RangeError("There is no such target");
  return entry.target;
}

/** How many of these sessions each target has. */
function counts(targets: readonly FallbackTarget[], sessions = 4000): Record<string, number> {
  const found: Record<string, number> = {};
  for (let index = 0; index < sessions; index++) {
    const [first] = route(affinityOf({ session: `session ${index}` }), targets);
    const id = first === undefined ? "" : idsOf([first]);
    found[id] = (found[id] ?? 0) + 1;
  }
  return found;
}

Deno.test("4 workers of 2 replicas keep every session at one target and key, without a store", () => {
  const keys = ["sk-a", "sk-b", "sk-c"];
  for (let index = 0; index < 200; index++) {
    const session = crypto.randomUUID();
    // Each worker has a separate configuration and memory.
    const orders = Array.from({ length: 8 }, () => {
      const affinity = affinityOf({ session });
      return `${idsOf(route(affinity, targetsOf(EQUALS)))} ${affinity.keysOf([...keys])}`;
    });
    assertEquals(new Set(orders).size, 1);
  }
});

Deno.test("sessions are divided among equal targets, by weight if there are weights", () => {
  const equal = counts(targetsOf(EQUALS));
  for (const id of ["a", "b", "c", "d"]) assertAlmostEquals(equal[id] ?? 0, 1000, 120);
  const weighted = counts(targetsOf([3, 1, undefined, 0]));
  assertAlmostEquals(weighted.a ?? 0, 3000, 120);
  assertAlmostEquals(weighted.b ?? 0, 1000, 120);
});

Deno.test("without a target only its sessions move", () => {
  const targets = targetsOf(EQUALS);
  const others = targets.slice(0, 3);
  let moved = 0;
  for (let index = 0; index < 1000; index++) {
    const session = `session ${index}`;
    const [before] = route(affinityOf({ session }), targets);
    const [after] = route(affinityOf({ session }), others);
    if (before === targets[3]) moved++;
    else assertEquals(before, after);
  }
  assertAlmostEquals(moved, 250, 60);
});

Deno.test("no two service keys share a session, whatever they send", () => {
  const targets = targetsOf(EQUALS);
  const hostile = ["s", "one s", "two\0s", 's"', "", "x".repeat(10_000)];
  const moved = new MovedSessions();
  const seen = new Set<string>();
  for (const key of ["one", "two", "one s", "one\0two", "onetwo"]) {
    for (const session of hostile) {
      const affinity = affinityOf({ session, key, moved });
      const other = at(route(affinity, targets), 1);
      const columns: SessionColumns = {};
      affinity.served(other, columns, NOW);
      assertEquals([columns.affinity, affinity.moveReason], ["moved", "unavailable"]);
      seen.add(columns.session ?? "");
      assertNotEquals(columns.session, session);
    }
  }
  assertEquals(seen.size, 30);
  // A key that moves many sessions makes no other key forget its own.
  for (let index = 0; index < 3000; index++) {
    const affinity = affinityOf({ session: `many ${index}`, key: "three", moved });
    affinity.served(at(route(affinity, targets), 1), {}, NOW);
  }
  const again = affinityOf({ session: "s", key: "one", moved });
  const context = contextOf();
  route(again, targets, context);
  assertEquals(context.notes.text, "affinity, moved");
});

Deno.test("a session stays where it has been served, until that fails or its cache is cold", () => {
  const targets = targetsOf(EQUALS);
  const moved = new MovedSessions();
  const ask = (minute: number, turns = 3) => {
    const affinity = affinityOf({ moved, turns });
    const context = contextOf();
    const now = context.clock.time = NOW + minute * MINUTE;
    const chain = route(affinity, targets, context);
    return {
      first: at(chain, 0),
      length: chain.length,
      fail: (target: FallbackTarget["target"]) => affinity.failed(target, now),
      serve(target: FallbackTarget["target"]) {
        const columns: SessionColumns = {};
        affinity.served(target, columns, now);
        return columns.affinity;
      },
    };
  };
  const order = route(affinityOf({}), targets);
  const [home, second, third] = [at(order, 0), at(order, 1), at(order, 2)];
  assertEquals(ask(0, 1).serve(home), "new");
  assertEquals(ask(0).serve(home), "hit");
  const failing = ask(0);
  assertEquals(failing.first, home);
  failing.fail(home);
  assertEquals(failing.serve(second), "moved");
  // It is served there for longer than a cache lasts without requests.
  for (let minute = 4; minute < 20; minute += 4) {
    const { first, length, serve } = ask(minute);
    assertEquals([first, length], [second, 4]);
    assertEquals(serve(second), "hit");
  }
  const other = affinityOf({ moved, model: "other" });
  assertEquals(at(route(other, targets), 0), home, "another model of the session");
  const again = ask(20);
  assertEquals(again.first, second);
  again.fail(second);
  assertEquals(ask(20).first, home, "the session lets go after a failure");
  again.serve(third);
  assertEquals(ask(24).first, third);
  assertEquals(ask(25).first, home, "the cache is cold");
  ask(24).serve(home);
  assertEquals(ask(24).first, home);
});

Deno.test("a session returns from a fallback of another group while it continues", () => {
  const chain = targetsOf([undefined, undefined]);
  const moved = new MovedSessions();
  const ask = (minute: number) => {
    const affinity = affinityOf({ moved });
    const context = contextOf();
    context.clock.time = NOW + minute * MINUTE;
    const first = at(affinity.follow(chain, context), 0);
    affinity.served(first, {}, context.clock.time);
    return first;
  };
  const affinity = affinityOf({ moved });
  affinity.follow(chain, contextOf());
  affinity.served(at(chain, 1), {}, NOW);
  for (let minute = 1; minute < 5; minute++) assertEquals(ask(minute), at(chain, 1));
  assertEquals(ask(5), at(chain, 0));
});

Deno.test("a session leaves a target that begins its answers much later than its equals", () => {
  const targets = targetsOf([undefined, undefined]);
  const context = contextOf();
  const policy = { leave: { ttft_worse_by: 5000 } };
  const order = route(affinityOf({ policy }), targets, context);
  const [home, other] = order;
  const measured = (target: FallbackTarget | undefined, ms: number) => answer(context, target, ms);
  measured(other, 1000);
  measured(home, 5500);
  assertEquals(route(affinityOf({ policy }), targets, context)[0], home);
  measured(home, 7000);
  assertEquals(route(affinityOf({ policy }), targets, context)[0], other);
  assertEquals(route(affinityOf({}), targets, context)[0], home);
  assertEquals(context.notes.text, "affinity, left");
});

Deno.test("the session of a request: the first ID, else how the conversation begins", () => {
  const read = (headers: Record<string, string>, body: unknown) => {
    const { hash, other } = readSession({ headers: new Headers(headers), body }).hashFrom(7);
    return `${hash} ${other}`;
  };
  const named = (id: string) => read({ "x-sluice-session": id }, {});
  const body = {
    session_id: "b1",
    prompt_cache_key: "b2",
    previous_response_id: "b4",
    conversation: { id: "b3" },
    metadata: { user_id: "b5" },
  };
  const headers = {
    "x-sluice-session": "h1",
    "x-session-id": "h2",
    "x-session-affinity": "h3",
    "x-opencode-session": "h4",
    "x-claude-code-session-id": "h5",
    "session_id": "h6",
    "session-id": "h7",
  };
  const entries = Object.entries(headers);
  for (const [index] of entries.entries()) {
    assertEquals(read(Object.fromEntries(entries.slice(index)), body), named(`h${index + 1}`));
  }
  assertEquals(read({ ...headers, "x-sluice-session": "" }, body), named("h2"));
  const agent = { "x-claude-code-session-id": "h5", "x-claude-code-agent-id": "a" };
  assertEquals(read(agent, body), named("h5 a"));
  for (
    const [name, id] of Object.entries({
      session_id: "b1",
      prompt_cache_key: "b2",
      conversation: "b3",
      metadata: "b5",
      previous_response_id: "b4",
    })
  ) {
    assertEquals(read({}, body), named(id), name);
    delete (body as Record<string, unknown>)[name];
  }
  assertEquals(read({}, { conversation: "b3" }), named("b3"));
  const system = { role: "system", content: "S".repeat(5000) };
  const user = { role: "user", content: [{ type: "text", text: "U".repeat(5000) }] };
  const chat = { model: "m", messages: [system, user] };
  const opening = read({}, chat);
  const turn = { role: "assistant", content: "…" };
  assertEquals(read({}, { ...chat, messages: [system, user, turn, turn] }), opening);
  assertNotEquals(read({}, { ...chat, model: "n" }), opening);
  assertNotEquals(read({}, { ...chat, messages: [system, { ...user, content: "V" }] }), opening);
  assertNotEquals(read({}, { ...chat, messages: [{ ...system, content: "T" }, user] }), opening);
  assertNotEquals(read({}, { model: "m", input: "a" }), read({}, { model: "m", input: "b" }));
  const said = (...texts: string[]) => ({ parts: texts.map((text) => ({ text })) });
  const generate = (system: string, text: string) => ({
    systemInstruction: said(system),
    contents: [{ role: "user", ...said(text) }],
  });
  const begun = generate("S", "U");
  const answered = { ...begun, contents: [...begun.contents, { role: "model", ...said("A") }] };
  assertEquals(read({}, answered), read({}, begun));
  assertNotEquals(read({}, generate("T", "U")), read({}, begun));
  assertNotEquals(read({}, generate("S", "V")), read({}, begun));
  assertNotEquals(read({}, { ...begun, systemInstruction: said("S", "T") }), read({}, begun));
  assertEquals(read({}, null), read({}, "text"));
});

Deno.test("a new conversation is distinguished from one that continues", () => {
  const isNew = (body: unknown) => readSession({ headers: new Headers(), body }).isNew;
  const user = { role: "user", content: "hi" };
  const assistant = { role: "assistant", content: "hi" };
  assertEquals([isNew({ messages: [user] }), isNew({ input: "hi" })], [true, true]);
  assertEquals(isNew({ messages: [user, assistant, user] }), false);
  assertEquals(isNew({ input: [user, assistant, user] }), false);
  assertEquals(isNew({ input: "hi", previous_response_id: "r" }), false);
  const contents = [{ role: "user", parts: [] }, { role: "model", parts: [] }];
  assertEquals([isNew({ contents: contents.slice(0, 1) }), isNew({ contents })], [true, false]);
});

Deno.test("two sessions have the same hashes only if they begin alike", () => {
  const hashes = (body: unknown) => {
    const { hash, other } = readSession({ headers: new Headers(), body }).hashFrom(7);
    return `${hash} ${other}`;
  };
  const seen = new Set<string>();
  const texts = ["", "a", "b", "ab", "a\nb", "1", "a".repeat(300), `${"a".repeat(299)}b`];
  for (const system of texts) {
    for (const text of texts) {
      for (const content of [text, [{ type: "text", text }], [{ type: "text", text }, {}]]) {
        seen.add(hashes({ system, messages: [{ role: "user", content }] }));
      }
    }
  }
  for (const id of texts.slice(1)) seen.add(hashes({ prompt_cache_key: id }));
  assertEquals(seen.size, texts.length ** 2 * 3 + texts.length - 1);
});

Deno.test("the ID of a response names the session of its request, wherever it was stored", () => {
  const source = { headers: new Headers(), body: { prompt_cache_key: "s" } };
  const affinity = new RequestAffinity({ ...input, source });
  const mark = sessionMark(affinity);
  assert(/^[0-9a-f]{16}$/.test(mark), mark);
  for (
    const previous_response_id of [
      `resp_${mark}_Zm9vYmFyYmF6cXV4Zm9vYmFy`,
      `resp_68af~${mark}@openai`,
      `resp_68af~${mark}.tagtagtagtag@openai`,
    ]
  ) {
    const body = { previous_response_id, input: "Next" };
    const next = new RequestAffinity({ ...input, source: { headers: new Headers(), body } });
    assertEquals(next.id, affinity.id, previous_response_id);
  }
});

/** What an affinity depends on besides its source. */
const input = { key: "one", model: "m", policy: {}, moved: new MovedSessions() };
