/** The limiter: which limits apply to which kind of request, and what a budget shows. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import type { LimitRules } from "../../src/config/limits.ts";
import type { ServiceKey } from "../../src/config/keys.ts";
import { GatewayError } from "../../src/core/errors.ts";
import { LIMIT_KINDS, type LimitKindName } from "../../src/core/limit_kinds.ts";
import type { Units } from "../../src/core/units.ts";
import { type Admission, unitsOf } from "../../src/governance/admission.ts";
import { Limiter } from "../../src/governance/limiter.ts";
import { LocalCounters } from "../../src/governance/local_counters.ts";
import type { TokenEstimate } from "../../src/core/units.ts";
import type { LimitedTarget } from "../../src/governance/reservation.ts";
import { ManualClock } from "../support/manual_clock.ts";

const RULES: LimitRules = { defaults: {}, models: new Map() };
/** One US dollar per token of input. */
const TARGET: LimitedTarget = {
  model: { id: "m", facts: { prices: { input: 1_000_000, output: 0 } } },
  params: undefined,
};

function createLimiter() {
  const clock = new ManualClock();
  const limiter = new Limiter(new LocalCounters(), clock);
  /** A request with these tokens of input, and none of output. */
  const request = (key: ServiceKey, input = 1) => ({
    ...{ key, user: undefined, targets: [TARGET], target: TARGET },
    estimate: (): TokenEstimate => ({ input, maxOutput: 0 }),
  });
  return { clock, limiter, request };
}

function keyOf(members: Partial<ServiceKey>): ServiceKey {
  return { name: "a", models: undefined, ...members } as ServiceKey;
}

/** That of a process, which admits without a promise. */
function admitted(admission: Admission | Promise<Admission> | undefined): Admission {
  if (admission === undefined || admission instanceof Promise) throw new TypeError("Not admitted");
  return admission;
}

Deno.test("a key without limits has no admission of any kind, and no budget", () => {
  const { limiter, request } = createLimiter();
  const key = keyOf({});
  assertEquals(limiter.admit(request(key), RULES), undefined);
  assertEquals(limiter.admitAnswered(key, RULES), undefined);
  assertEquals(limiter.admitBeside(request(key), RULES), undefined);
  assertEquals(limiter.enter(request(key), RULES), undefined);
  assertEquals(limiter.budgetOf(key, undefined), undefined);
});

Deno.test("a cached answer counts for limits of requests and concurrency, and for nothing else", () => {
  const { limiter } = createLimiter();
  const asked = keyOf({ limits: { requests_per_minute: 2 } });
  admitted(limiter.admitAnswered(asked, RULES));
  admitted(limiter.admitAnswered(asked, RULES));
  assertThrows(() => limiter.admitAnswered(asked, RULES), GatewayError, "requests");
  const placed = keyOf({ name: "b", limits: { concurrent: 1 } });
  const first = admitted(limiter.admitAnswered(placed, RULES));
  assertThrows(() => limiter.admitAnswered(placed, RULES), GatewayError, "same time");
  first.settle({ tokens: 0, microUsd: 0 });
  admitted(limiter.admitAnswered(placed, RULES));
  const both = keyOf({ name: "d", limits: { concurrent: 1, requests_per_minute: 9 } });
  admitted(limiter.admitAnswered(both, RULES));
  const paid = keyOf({
    ...{ name: "c", limits: { tokens_per_minute: 1 } },
    budget: { usd: 1, per: "day" },
  });
  assertEquals(limiter.admitAnswered(paid, RULES), undefined);
});

Deno.test("a second target counts tokens and money, but no request and no slot", () => {
  const { limiter, request } = createLimiter();
  const counted = keyOf({ limits: { requests_per_minute: 1, concurrent: 1 } });
  admitted(limiter.admit(request(counted), RULES));
  assertEquals(limiter.admitBeside(request(counted), RULES), undefined);
  const limited = keyOf({ name: "b", limits: { requests_per_minute: 1, tokens_per_minute: 20 } });
  admitted(limiter.admit(request(limited, 10), RULES));
  admitted(limiter.admitBeside(request(limited, 10), RULES));
  assertThrows(() => limiter.admitBeside(request(limited, 1), RULES), GatewayError, "tokens");
  const paid = keyOf({ name: "c", budget: { usd: 3, per: "day" } });
  admitted(limiter.admit(request(paid, 2), RULES));
  admitted(limiter.admitBeside(request(paid, 1), RULES));
  assertThrows(() => limiter.admitBeside(request(paid, 1), RULES), GatewayError);
});

Deno.test("a model's limit holds for keys together, and other models have none", () => {
  const { limiter, request } = createLimiter();
  const rules = { ...RULES, models: new Map([["m", { requests_per_minute: 2 }]]) };
  admitted(limiter.enter(request(keyOf({})), rules));
  admitted(limiter.enter(request(keyOf({ name: "b" })), rules));
  assertThrows(() => limiter.enter(request(keyOf({ name: "c" })), rules), GatewayError, "'m'");
  const other = { ...TARGET, model: { ...TARGET.model, id: "n" } };
  assertEquals(limiter.enter({ ...request(keyOf({})), target: other }, rules), undefined);
});

Deno.test("a budget shows what is spent, and nothing before the first request of its period", () => {
  const { clock, limiter, request } = createLimiter();
  const key = keyOf({ budget: { usd: 10, per: "day" } });
  assertEquals(limiter.budgetOf(key, undefined), undefined);
  const admission = admitted(limiter.admit(request(key, 4), RULES));
  assertEquals(limiter.budgetOf(key, admission)?.spent, 0, "a reservation is not spent");
  assertEquals(limiter.budgetOf(key, undefined)?.spent, 0);
  admission.settle({ tokens: 3, microUsd: 3_000_000 });
  // What ends a second time changes nothing.
  admission.settle({ tokens: 3, microUsd: 3_000_000 });
  admission.cancel();
  const later = admitted(limiter.admit(request(key, 2), RULES));
  later.cancel();
  later.settle({ tokens: 7, microUsd: 7_000_000 });
  later.cancel();
  const open = admitted(limiter.admit(request(key, 5), RULES));
  assertEquals(limiter.budgetOf(key, open)?.spent, 3);
  const elsewhere = { ...open, heldElsewhere: 1_000_000_000 };
  assertEquals(limiter.budgetOf(key, elsewhere)?.spent, 2, "held elsewhere, in nano-dollars");
  clock.advance(24 * 3600 * 1000);
  assertEquals(limiter.budgetOf(key, undefined), undefined);
  admitted(limiter.admit(request(key, 10), RULES)).cancel();
  assertEquals(limiter.budgetOf(key, undefined)?.spent, 0, "the new period");
});

Deno.test("a free request passes a budget that is used up, but no other limit", async () => {
  const { limiter, request } = createLimiter();
  const key = keyOf({ budget: { usd: 1, per: "day" }, limits: { requests_per_minute: 3 } });
  admitted(limiter.admit(request(key, 1), RULES)).settle({ tokens: 1, microUsd: 1_000_000 });
  assertThrows(() => limiter.admit(request(key), RULES), GatewayError, "budget");
  const free = { ...request(key), isFree: true };
  await limiter.admit(free, RULES);
  await limiter.admit(free, RULES);
  const refused = await assertRejects(async () => await limiter.admit(free, RULES), GatewayError);
  assertEquals(refused.kind, "limit_exceeded");
  let tries = 0;
  const counters = new LocalCounters();
  counters.take = () => ++tries;
  const full = new Limiter(counters, new ManualClock());
  await assertRejects(async () => await full.admit(free, RULES), GatewayError);
  assertEquals(tries, 1, "it is not tried again without the budget");
});

Deno.test("the limits of a key are made once for its rules and its period", () => {
  const { clock, limiter, request } = createLimiter();
  const counters = new LocalCounters();
  const slotOf = counters.slotOf.bind(counters);
  const names: string[] = [];
  counters.slotOf = (name) => slotOf(names[names.push(name) - 1] ?? "");
  const counting = new Limiter(counters, clock);
  const key = keyOf({ budget: { usd: 10, per: "day" } });
  for (let count = 0; count < 3; count++) admitted(counting.admit(request(key), RULES)).cancel();
  assertEquals(names.length, 1);
  clock.advance(24 * 3600 * 1000);
  for (let count = 0; count < 3; count++) admitted(counting.admit(request(key), RULES)).cancel();
  assertEquals(names.length, 2, "a counter for each period");
  counting.admit(request(key), { ...RULES });
  assertEquals(names.length, 3, "new rules");
  assertEquals(limiter.budgetOf(key, undefined), undefined, "another limiter knows nothing");
});

Deno.test("a budget that open requests hold is not used up", () => {
  const { limiter, request } = createLimiter();
  const key = keyOf({ budget: { usd: 3, per: "day" } });
  const open = admitted(limiter.admit(request(key, 3), RULES));
  const refusal = () => assertThrows(() => limiter.admit(request(key), RULES), GatewayError);
  const held = refusal();
  open.settle({ tokens: 3, microUsd: 3_000_000 });
  const over = refusal();
  assertEquals([held.kind, over.kind], ["limit_exceeded", "budget_exceeded"]);
});

Deno.test("keys without limits have those of the section, but end users do not", () => {
  const { limiter, request } = createLimiter();
  const rules = { ...RULES, defaults: { requests_per_minute: 1 } };
  const plain = keyOf({});
  const admission = admitted(limiter.admit(request(plain), rules));
  assertEquals(admission.headers()["x-ratelimit-limit-requests"], "1");
  assertEquals(admission.headers()["x-ratelimit-remaining-requests"], "0");
  const own = keyOf({ name: "b", limits: { requests_per_minute: 5 } });
  const headers = admitted(limiter.admit(request(own), rules)).headers();
  assertEquals(headers["x-ratelimit-limit-requests"], "5");
  const user = { endUser: "u" } as Partial<ServiceKey>;
  assertEquals(limiter.admit(request(keyOf({ name: "c", ...user })), rules), undefined);
  const limited = keyOf({ name: "d", limits: { requests_per_minute: 7 }, ...user });
  const ofUser = admitted(limiter.admit(request(limited), rules)).headers();
  assertEquals(ofUser["x-ratelimit-limit-requests"], "7");
});

Deno.test("of a limit that replicas share, a request takes at most the share of one", () => {
  const bucket = (name: LimitKindName) => {
    const kind = LIMIT_KINDS.find((kind) => kind.name === name);
    if (kind === undefined) throw new TypeError(name);
    const rate = { perUnit: 1, burst: 1 };
    return {
      ...{ name, slot: 0, kind, limit: 100, limitText: "100", rate },
      ...{ owner: "key 'a'", isOfModel: false },
    };
  };
  const amount = { tokens: 40, microUsd: 0 };
  assertEquals([1, 2, 4].map((all) => unitsOf(bucket("tokens_per_minute"), amount, all)), [
    ...[40, 40],
    25,
  ]);
  assertEquals(unitsOf(bucket("tokens_per_minute"), { ...amount, tokens: 400 }), 100);
  assertEquals(unitsOf(bucket("requests_per_minute"), amount, 400), 1, "it counts, not estimates");
});

Deno.test("headers show limits of units that a request uses, and none of a model", () => {
  const { limiter, request } = createLimiter();
  const key = keyOf({ limits: { images_per_minute: 4, requests_per_minute: 9 } });
  const shown = (units: Units | undefined) => {
    const estimate = () => ({ input: 1, maxOutput: 0, units });
    return Object.keys(admitted(limiter.admit({ ...request(key), estimate }, RULES)).headers())
      .filter((name) => name.startsWith("x-ratelimit-limit")).sort();
  };
  const ofRequests = "x-ratelimit-limit-requests";
  assertEquals(shown(undefined), [ofRequests]);
  assertEquals(shown({ searches: 1 }), [ofRequests]);
  assertEquals(shown({ images: 1 }), ["x-ratelimit-limit-images", ofRequests]);
  const rules = { ...RULES, models: new Map([["m", { requests_per_minute: 2 }]]) };
  assertEquals(admitted(limiter.enter(request(keyOf({})), rules)).headers(), {});
});
