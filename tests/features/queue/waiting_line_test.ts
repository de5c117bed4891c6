/** Lines of waiting requests: order, bounds, turns, and what is left behind. */

import { assert, assertEquals } from "@std/assert";
import { FairOrder, type Waiter } from "../../../src/features/queue/fair_order.ts";
import {
  type NoPlace,
  type Place,
  type Refusal,
  type Turn,
  WaitingLine,
} from "../../../src/features/queue/waiting_line.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { Random } from "../../support/random.ts";
import { turn } from "../../support/elapse.ts";

const RULES = { max_requests: 100, max_tokens: 1_000_000 };
/** What a vendor refuses with. */
const FOR_A_SECOND: Refusal = {
  ...{ waitMs: 1000, isKnown: true, isSteady: false, isOwn: false },
  sentAt: Infinity,
};

/** A clock that advances with each reading. */
class TickingClock extends ManualClock {
  step = 0;
  offset = 0;

  override now(): number {
    return super.now() + (this.offset += this.step);
  }
}

function start() {
  const clock = new TickingClock();
  let ends = 0;
  const line = new WaitingLine(clock, () => ends++);
  const waiter = (members: Partial<Waiter> = {}): Waiter => ({
    ...{ key: "a", weight: 1, tokens: 1, deadline: clock.now() + 20_000 },
    ...members,
  });
  return { clock, line, waiter, ends: () => ends };
}

function placed(place: Place | NoPlace): Place {
  if (place.type !== "place") throw new RangeError(place.type);
  return place;
}

/** Collects the turns of requests, in the order in which they are given. */
class Turns {
  readonly names: string[] = [];
  readonly open: Turn[] = [];
  missed = 0;

  watch(name: string, place: Place | NoPlace): void {
    placed(place).turn.then((turn) => {
      if (turn.type === "turn") {
        this.names.push(name);
        this.open.push(turn);
      } else this.missed++;
    });
  }
}

Deno.test("a turn that becomes due while a line is checked is given", async () => {
  const { clock, line, waiter } = start();
  const turns = new Turns();
  turns.watch("0", line.join(waiter(), RULES, FOR_A_SECOND));
  // The timer fires a little early, and the wait is over before the next one is set.
  Object.assign(clock, { offset: -0.5, step: 0.4 });
  clock.advance(1000);
  Object.assign(clock, { offset: 0, step: 0 });
  clock.advance(1);
  await turn();
  assertEquals(turns.names, ["0"]);
});

Deno.test("one request has its turn after the wait; each that passes lets twice as many follow", async () => {
  const { clock, line, waiter, ends } = start();
  const turns = new Turns();
  turns.watch("0", line.join(waiter(), RULES, FOR_A_SECOND));
  for (let index = 1; index < 8; index++) {
    turns.watch(String(index), line.join(waiter(), RULES, undefined));
  }
  clock.advance(999);
  await turn();
  assertEquals(turns.names, []);
  clock.advance(1);
  await turn();
  assertEquals(turns.names, ["0"]);
  turns.open[0]?.passed();
  await turn();
  assertEquals(turns.names, ["0", "1", "2"]);
  turns.open[1]?.passed();
  await turn();
  // Two are open of four.
  assertEquals(turns.names.length, 6);
  for (const turn of [...turns.open]) turn.passed();
  await turn();
  assertEquals(turns.names, ["0", "1", "2", "3", "4", "5", "6", "7"]);
  for (const turn of turns.open) turn.passed();
  assertEquals([line.size, ends(), clock.pending], [0, 1, 0]);
});

Deno.test("a refused request keeps its position, and the others wait until the limit resets", async () => {
  const { clock, line, waiter } = start();
  const turns = new Turns();
  turns.watch("0", line.join(waiter(), RULES, FOR_A_SECOND));
  turns.watch("1", line.join(waiter({ key: "b" }), RULES, undefined));
  clock.advance(1000);
  await turn();
  const place = turns.open.pop()?.refused({ ...FOR_A_SECOND, waitMs: 3000 });
  turns.watch("0 again", place ?? { type: "full", waitMs: 0 });
  clock.advance(2999);
  await turn();
  assertEquals(turns.names, ["0"]);
  clock.advance(1);
  await turn();
  assertEquals(turns.names, ["0", "0 again"]);
  // A request that hangs does not hold up the others.
  clock.advance(1000);
  await turn();
  assertEquals(turns.names, ["0", "0 again", "1"]);
  for (const turn of turns.open) turn.passed();
  assertEquals(clock.pending, 0);
});

Deno.test("a late refusal of a request from before the last one slows nobody down", async () => {
  const { clock, line, waiter } = start();
  const turns = new Turns();
  clock.advance(1);
  const sentAt = clock.now() - 1;
  const quick = { ...FOR_A_SECOND, waitMs: 10 };
  turns.watch("0", line.join(waiter(), RULES, { ...quick, sentAt }));
  for (const name of ["1", "2", "3", "4"]) {
    turns.watch(name, line.join(waiter(), RULES, undefined));
  }
  clock.advance(10);
  await turn();
  turns.open[0]?.passed();
  await turn();
  // One has passed and two have their turn, when the vendor's answer from before arrives.
  clock.advance(900);
  turns.watch("late", line.join(waiter(), RULES, { ...FOR_A_SECOND, sentAt }));
  turns.open[1]?.passed();
  await turn();
  assertEquals(turns.names, ["0", "1", "2", "3", "4", "late"]);
  for (const open of turns.open) open.passed();
  assertEquals(clock.pending, 0);
});

Deno.test("a request that would wait too long is refused at once, with the time of the wait", () => {
  const { clock, line, waiter, ends } = start();
  const soon = waiter({ deadline: clock.now() + 500 });
  assertEquals(line.join(soon, RULES, FOR_A_SECOND), { type: "too_late", waitMs: 1000 });
  assertEquals([line.size, ends(), clock.pending], [0, 1, 0]);
});

Deno.test("at a rate, one request has its turn after the other", () => {
  const { line, waiter } = start();
  const rate: Refusal = { ...FOR_A_SECOND, waitMs: 2000, isSteady: true, isOwn: true };
  const waits: number[] = [];
  for (let index = 0; index < 12; index++) {
    const place = line.join(waiter({ tokens: 10 }), RULES, index === 0 ? rate : undefined);
    if (place.type !== "place") waits.push(place.waitMs);
  }
  // 2 s, 4 s, … 18 s; the tenth would have to wait 20 s, which is its deadline.
  assertEquals([line.size, waits], [9, [20_000, 20_000, 20_000]]);
});

Deno.test("a request leaves at its deadline, and when its caller leaves, and nothing remains", async () => {
  const { clock, line, waiter, ends } = start();
  const turns = new Turns();
  turns.watch("a", line.join(waiter({ deadline: clock.now() + 5000 }), RULES, FOR_A_SECOND));
  const places = Array.from(
    { length: 50 },
    (_, index) => placed(line.join(waiter({ key: `k${index % 7}` }), RULES, undefined)),
  );
  for (const place of places) place.leave();
  for (const place of places) place.leave();
  assertEquals([line.size, (await places[0]?.turn)?.type], [1, "too_late"]);
  const again = { ...FOR_A_SECOND, waitMs: 3500 };
  clock.advance(1000);
  await turn();
  turns.watch("a again", turns.open.pop()?.refused(again) ?? { type: "full", waitMs: 0 });
  clock.advance(500);
  line.join(waiter({ deadline: clock.now() + 10 }), RULES, again);
  clock.advance(5000);
  await turn();
  for (const turn of turns.open) turn.passed();
  await turn();
  assertEquals([line.size, ends() > 0, clock.pending], [0, true, 0]);
});

Deno.test("requests and tokens are bounded, and no key takes the whole queue", () => {
  const { line, waiter } = start();
  const join = (key: string, tokens = 1) => line.join(waiter({ key, tokens }), RULES, undefined);
  line.join(waiter({ key: "greedy" }), RULES, FOR_A_SECOND);
  while (join("greedy").type === "place");
  assertEquals(line.size, 89);
  assertEquals(join("greedy").type, "full");
  for (let key = 0; key < 10; key++) assertEquals(join(`other ${key}`).type, "place");
  let more = 0;
  while (join(`last ${more}`).type === "place") more++;
  assertEquals([more, line.size], [1, 100]);

  const { line: byTokens, waiter: of } = start();
  const ask = (key: string, tokens: number) =>
    byTokens.join(of({ key, tokens }), RULES, FOR_A_SECOND).type;
  assertEquals(ask("a", 1_000_001), "full");
  assertEquals(ask("a", 900_000), "place");
  assertEquals(ask("a", 1000), "full");
  assertEquals([ask("b", 100_001), ask("b", 100_000)], ["full", "place"]);
});

Deno.test("a request that ends gives the next its turn early, for limits of the gateway only", async () => {
  for (const isOwn of [true, false]) {
    const { line, waiter } = start();
    const turns = new Turns();
    turns.watch("a", line.join(waiter(), RULES, { ...FOR_A_SECOND, isOwn }));
    line.requestEnded();
    await turn();
    assertEquals(turns.names.length, isOwn ? 1 : 0);
  }
});

function order(waiters: readonly (readonly [string, Partial<Waiter>])[]): FairOrder<Waiter> {
  const fair = new FairOrder<Waiter>();
  for (const [key, members] of waiters) {
    fair.add({ key, weight: 1, tokens: 1, deadline: 1000, ...members });
  }
  return fair;
}

Deno.test("of one key, the earliest deadline is first; equal ones in order of arrival", () => {
  const fair = order([["a", { deadline: 3, tokens: 1 }], ["a", { deadline: 1, tokens: 2 }], [
    "a",
    { deadline: 1, tokens: 3 },
  ], ["a", { deadline: 2, tokens: 4 }]]);
  assertEquals([1, 2, 3, 4].map(() => fair.take()?.tokens), [2, 3, 4, 1]);
});

Deno.test("keys have turns by weight and tokens, and none starves", () => {
  const fair = new FairOrder<Waiter>();
  const random = new Random(7);
  const weights = new Map([["heavy", 8], ["light", 1], ["big", 1]]);
  const served = new Map<string, number>();
  const sinceTurn = new Map<string, number>();
  let longest = 0;
  for (let turn = 0; turn < 5000; turn++) {
    for (const [key, weight] of weights) {
      while (fair.sizeOf(key) < 5) {
        const tokens = key === "big" ? 50 + Math.floor(random.next() * 50) : 10;
        fair.add({ key, weight, tokens, deadline: turn });
      }
    }
    const { key = "", tokens = 0 } = fair.take() ?? {};
    served.set(key, (served.get(key) ?? 0) + tokens);
    for (const other of weights.keys()) {
      const since = other === key ? 0 : (sinceTurn.get(other) ?? 0) + 1;
      sinceTurn.set(other, since);
      longest = Math.max(longest, since);
    }
  }
  const share = (key: string) => (served.get(key) ?? 0) / (served.get("light") ?? 1);
  assert(Math.abs(share("heavy") - 8) < 0.5, String(share("heavy")));
  assert(Math.abs(share("big") - 1) < 0.2, String(share("big")));
  assert(longest < 100, String(longest));
});

Deno.test("a key that returns has no credit, and one that was refused loses no turn", () => {
  const fair = order(Array.from({ length: 10 }, () => ["a", {}] as const));
  for (let turn = 0; turn < 5; turn++) fair.take();
  for (let index = 0; index < 5; index++) {
    fair.add({ key: "b", weight: 1, tokens: 1, deadline: 0 });
  }
  const keys = Array.from({ length: 10 }, () => fair.take()?.key);
  assertEquals(keys.slice(0, 6).filter((key) => key === "b").length, 3);
  const two = order([["a", {}], ["a", {}], ["b", {}], ["b", {}]]);
  const first = two.take();
  if (first === undefined) throw new RangeError("Nothing waits");
  for (let refused = 0; refused < 5; refused++) {
    two.putBack(first);
    assertEquals(two.take(), first);
  }
  assertEquals([two.take()?.key, two.take()?.key, two.take()?.key], ["b", "a", "b"]);
});

Deno.test("ahead() counts those that have their turn before a new request", () => {
  const random = new Random(11);
  for (let round = 0; round < 200; round++) {
    const fair = new FairOrder<Waiter>();
    const waiter = () => ({
      key: random.pick(["a", "b", "c"]),
      weight: random.pick([1, 8]),
      tokens: 1 + Math.floor(random.next() * 5),
      deadline: Math.floor(random.next() * 100),
    });
    const weights = new Map([["a", 1], ["b", 8], ["c", 2]]);
    const next = () => {
      const made = waiter();
      return { ...made, weight: weights.get(made.key) ?? 1 };
    };
    for (let index = 0; index < 20; index++) fair.add(next());
    for (let index = 0; index < 8; index++) fair.take();
    const one = { ...next(), deadline: 1000 };
    const expected = fair.ahead(one);
    fair.add(one);
    let before = 0;
    while (fair.take() !== one) before++;
    // Keys that are level may have their turns in either order.
    assert(before <= expected && before >= expected - 2, `${before} of ${expected}`);
  }
});

Deno.test("the last request of a key that is put back keeps its turn among those of a busy key", () => {
  const order = new FairOrder<Waiter & { readonly name: string }>();
  const add = (key: string, name: string) =>
    order.add({ key, name, weight: 1, tokens: 10, deadline: 1 });
  for (let index = 0; index < 20; index++) add("busy", `busy ${index}`);
  add("rare", "rare");
  const taken = [order.take(), order.take()];
  const rare = taken.find((item) => item?.key === "rare");
  const busy = taken.find((item) => item?.key === "busy");
  if (rare === undefined || busy === undefined) throw new TypeError("Both keys have a turn");
  order.passed(busy);
  // While the rare request is out, others have their turns.
  for (let index = 0; index < 5; index++) {
    const item = order.take();
    if (item !== undefined) order.passed(item);
  }
  order.putBack(rare);
  assertEquals(order.take()?.name, "rare");
});
