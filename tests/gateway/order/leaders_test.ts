/** Preferred targets: those of streams and of answers apart, and a view that changes nothing. */

import { assertEquals } from "@std/assert";
import type { FallbackTarget } from "../../../src/config/config.ts";
import type { OrderState } from "../../../src/gateway/order/strategy.ts";
import { GroupLeaders, readOnly } from "../../../src/gateway/order/rank.ts";

const [FIRST, SECOND] = [{}, {}] as [FallbackTarget, FallbackTarget];

Deno.test("the leader of streams is not that of answers, and groups have their own", () => {
  const leaders = new GroupLeaders();
  const group = [FIRST, SECOND];
  leaders.set(group, true, FIRST);
  assertEquals([leaders.get(group, true) === FIRST, leaders.get(group, false)], [true, undefined]);
  leaders.set(group, false, SECOND);
  assertEquals(leaders.get(group, true) === FIRST, true);
  assertEquals(leaders.get(group, false) === SECOND, true);
  assertEquals(leaders.get([FIRST, SECOND], true), undefined, "another group");
});

Deno.test("a view for explanations reads leaders and sets none", () => {
  const leaders = new GroupLeaders();
  const group = [FIRST];
  const view = readOnly({ leaders } as unknown as OrderState);
  view.leaders.set(group, true, FIRST);
  assertEquals(leaders.get(group, true), undefined);
  leaders.set(group, true, FIRST);
  assertEquals(view.leaders.get(group, true) === FIRST, true);
});
