/** Many requests of several keys that wait for one vendor's bucket: fair, fast, and few are refused. */

import { assert, assertEquals } from "@std/assert";
import { GatewayError } from "../../../src/core/errors.ts";
import { Shutdown } from "../../../src/core/stop_signal.ts";
import { QueuedRequest } from "../../../src/features/queue/queued_request.ts";
import { RequestRecord } from "../../../src/gateway/request_record.ts";
import { formatOf } from "../../../src/http/routes/table.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { Random } from "../../support/random.ts";
import { RequestQueues } from "../../../src/features/queue/waiting_line.ts";

/** What the vendor says when to try again: nothing, whole seconds, or the time of the next unit. */
type Hint = "none" | "seconds" | "exact";

interface Arrival {
  /** Milliseconds from the start. */
  readonly at: number;
  readonly key: string;
}

/** The vendor's bucket: so many requests a second, and as many at once when it is full. */
const PER_SECOND = 8;
const STEP_MS = 5;
const FORMAT = formatOf(new Request("http://gateway.test/"));

/** Runs all requests with an injected clock. */
async function run(arrivals: readonly Arrival[], hint: Hint, maxWait: number) {
  const clock = new ManualClock();
  const start = clock.now();
  const random = new Random(1);
  const queues = new RequestQueues();
  const shutdown = new Shutdown();
  const served: Arrival[] = [];
  let [level, filledAt, sent, refused, failed] = [PER_SECOND, start, 0, 0, 0];
  const pause = (ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    clock.after(ms, resolve);
    return promise;
  };
  const ask = async (key: string) => {
    const { signal } = new AbortController();
    const record = new RequestRecord("r", signal, clock.now(), FORMAT, () => {});
    record.key = key;
    const rules = { max_wait: maxWait, max_requests: 1000, max_tokens: 1_000_000 };
    const request = {
      record,
      shutdown,
      end: Infinity,
      inputTokens: () => 100,
      vendorWait: Infinity,
    };
    const queued = new QueuedRequest({ rules, model: "m" }, request, { clock, queues });
    await queued.through("model", async () => {
      sent++;
      await pause(10 + 10 * random.next());
      const now = clock.now();
      level = Math.min(PER_SECOND, level + (now - filledAt) * PER_SECOND / 1000);
      filledAt = now;
      if (level >= 1) {
        level--;
        return await pause(20 + 50 * random.next());
      }
      refused++;
      const ms = (1 - level) * 1000 / PER_SECOND;
      request.vendorWait = hint === "none"
        ? Infinity
        : hint === "seconds"
        ? Math.ceil(ms / 1000) * 1000
        : ms;
      throw new GatewayError("rate_limited", "Too many requests");
    });
    served.push({ key, at: clock.now() - start });
  };
  const settled = async () => {
    for (let turn = 0; turn < 30; turn++) await Promise.resolve();
  };
  let ended = 0;
  for (let index = 0; ended < arrivals.length;) {
    for (; (arrivals[index]?.at ?? Infinity) <= clock.now() - start; index++) {
      ask(arrivals[index]?.key ?? "").catch(() => failed++).finally(() => ended++);
    }
    await settled();
    clock.advance(STEP_MS);
    await settled();
  }
  clock.advance(10_000);
  assertEquals([clock.pending, queues.size], [0, 0]);
  return { served, sent, refused, failed, last: Math.max(...served.map(({ at }) => at)) };
}

/** Jain's index of fairness: 1 if all are equal. */
function jain(counts: readonly number[]): number {
  const sum = counts.reduce((total, count) => total + count, 0);
  const squares = counts.reduce((total, count) => total + count * count, 0);
  return squares === 0 ? 1 : sum * sum / (counts.length * squares);
}

const HINTS = ["none", "seconds", "exact"] as const;

for (const hint of HINTS) {
  Deno.test(`40 + 8 + 8 requests at 8 a second share it while all wait (hint: ${hint})`, async () => {
    const many = (key: string, count: number, at: number) =>
      Array.from({ length: count }, () => ({ key, at }));
    // The busy key fills the bucket and the line before the others come.
    const arrivals = [...many("a", 40, 0), ...many("b", 8, 400), ...many("c", 8, 400)];
    const { served, failed, last } = await run(arrivals, hint, 20_000);
    const lastOf = (name: string) =>
      Math.max(...served.filter(({ key }) => key === name).map(({ at }) => at));
    const until = Math.min(lastOf("b"), lastOf("c"));
    const counts = ["a", "b", "c"].map((name) =>
      served.filter(({ key, at }) => key === name && at > 400 && at <= until).length
    );
    assertEquals(failed, 0);
    assert(jain(counts) >= 0.95, counts.join());
    const ideal = (arrivals.length - PER_SECOND) * 1000 / PER_SECOND;
    assert(last <= 1.2 * ideal, `${last} of ${ideal} ms`);
  });

  Deno.test(`1,000 random requests at 8 a second: few are refused, none fails (hint: ${hint})`, async () => {
    const random = new Random(5);
    const arrivals: Arrival[] = [];
    for (let at = 0; arrivals.length < 1000; at -= Math.log(1 - random.next()) * 1000 / 9) {
      const key = random.next() < 0.7 ? "a" : random.next() < 0.5 ? "b" : "c";
      arrivals.push({ at, key });
    }
    const { sent, refused, failed, last } = await run(arrivals, hint, 60_000);
    assertEquals(failed, 0);
    assert(refused <= 0.1 * sent, `${refused} of ${sent} were refused`);
    const ideal = Math.max(
      arrivals.at(-1)?.at ?? 0,
      (arrivals.length - PER_SECOND) * 1000 / PER_SECOND,
    );
    assert(last <= 1.2 * ideal, `${last} of ${ideal} ms`);
  });
}
