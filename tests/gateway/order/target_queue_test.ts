/** Which target is next, given what failed and which breakers are open. */

import { assertEquals } from "@std/assert";
import type { FallbackTarget } from "../../../src/config/config.ts";
import { type ErrorKind, GatewayError } from "../../../src/core/errors.ts";
import { TargetQueue } from "../../../src/gateway/order/target_queue.ts";
import { loadTestConfig } from "../../support/gateway.ts";

const LONG = ["context_length"];
const CONFIG = loadTestConfig({
  providers: { p: { kind: "mock", models: ["a", "b", "c", "d"] } },
  aliases: {
    all: ["a", "b", "c"],
    long: ["a", { model: "b", when: LONG }, "c"],
    last: ["a", "b", { model: "c", when: LONG }],
  },
});

const idOf = (entry: FallbackTarget | undefined) => entry?.target.model.id;

function queueOf(alias: string, open: Iterable<string> = []): TargetQueue {
  const isOpen = new Set(open);
  return new TargetQueue(CONFIG.resolve(alias) ?? [], ({ model }) => !isOpen.has(model.id));
}

/** The targets that are asked while each fails with the next of these kinds. */
function asked(queue: TargetQueue, ...kinds: readonly ErrorKind[]): string {
  let names = "";
  let failure: GatewayError | undefined;
  for (let turn = 0;; turn++) {
    const id = idOf(queue.next(failure));
    if (id === undefined) return names;
    names += id;
    failure = new GatewayError(kinds[turn] ?? "upstream_error", "Failed");
  }
}

Deno.test("targets are called in their order, and those whose breaker is open last", () => {
  assertEquals(asked(queueOf("all")), "abc");
  assertEquals(asked(queueOf("all", "a")), "bca");
  assertEquals(asked(queueOf("all", "ac")), "bac");
  assertEquals(asked(queueOf("all", "abc")), "abc");
});

Deno.test("a breaker that opens meanwhile postpones its target", () => {
  const open = new Set<string>();
  const queue = new TargetQueue(CONFIG.resolve("all") ?? [], ({ model }) => !open.has(model.id));
  const failure = new GatewayError("upstream_error", "Failed");
  assertEquals(idOf(queue.next(undefined)), "a");
  open.add("b");
  assertEquals(queue.hasOther(failure), true);
  assertEquals(idOf(queue.next(failure)), "c");
  assertEquals(queue.hasOther(failure), false, "only a target with an open breaker is left");
  assertEquals(idOf(queue.next(failure)), "b");
  assertEquals(queue.next(failure), undefined);
});

Deno.test("a failure leads only to the targets that follow it", () => {
  assertEquals(asked(queueOf("long")), "ac");
  assertEquals(asked(queueOf("long"), "context_length"), "abc");
  assertEquals(asked(queueOf("all"), "context_length"), "a");
});

Deno.test("a target for other failures than those of a postponed one is tried after it", () => {
  assertEquals(asked(queueOf("long", "a"), "upstream_error", "context_length"), "cab");
  assertEquals(asked(queueOf("long", "a"), "context_length"), "cb");
  assertEquals(asked(queueOf("last", "b"), "upstream_error", "context_length"), "abc");
});

Deno.test("drain() returns the remaining targets in the order of next()", () => {
  const names = (queue: TargetQueue) => queue.drain().map(idOf).join("");
  assertEquals(names(queueOf("all", "a")), "bca");
  assertEquals(names(queueOf("long", "a")), "cab");
  assertEquals(names(queueOf("long")), "abc");
  const begun = queueOf("all");
  begun.next(undefined);
  assertEquals(names(begun), "bc");
});
