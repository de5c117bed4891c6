import { assertEquals } from "@std/assert";
import { ModelLists } from "../../../src/process/config/model_lists.ts";
import type { ListedModel } from "../../../src/contract/adapter.ts";
import type { ModelSource } from "../../../src/config/model_sources.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { listingProvider } from "../../support/model_lists.ts";

const MINUTE = 60_000;
const ENTRY = { kind: "openai_compatible", base_url: "http://127.0.0.1:1/v1" };

/** Lists whose answer a test sets; undefined never answers, a text is a failure. */
function setUp(answer: { list: readonly string[] | string | undefined }) {
  const clock = new ManualClock();
  const [logged, signals]: [string[], AbortSignal[]] = [[], []];
  const lists = new ModelLists({
    clock,
    log: (text) => logged.push(text),
    read(_, signal) {
      signals.push(signal);
      const { list } = answer;
      if (typeof list === "string") return Promise.reject(new Error(list));
      if (list !== undefined) {
        return Promise.resolve(list.map((id): ListedModel => ({ id, facts: {} })));
      }
      return new Promise((_, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason), { once: true })
      );
    },
  });
  return { clock, lists, logged, signals };
}

const sourceOf = (entry: Record<string, unknown> = {}, isOptional = false): ModelSource => ({
  provider: listingProvider({ ...ENTRY, ...entry }),
  refreshMs: 10 * MINUTE,
  isOptional,
});

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

Deno.test("a start reads the lists once, and waits for their timers only after it", async () => {
  const source = sourceOf();
  const { clock, lists, logged, signals } = setUp({ list: ["a", "b"] });
  lists.follow([source]);
  assertEquals([signals.length, clock.pending], [0, 0]);
  assertEquals(await lists.prepare(), true);
  assertEquals(lists.find(source.provider)?.models.map(({ id }) => id), ["a", "b"]);
  assertEquals(lists.find(source.provider)?.readAt, clock.wallTime());
  assertEquals([clock.pending, logged], [0, ["Provider 'p' lists 2 models"]]);
  const stop = lists.start(() => {});
  assertEquals([signals.length, clock.pending], [1, 1]);
  stop();
  assertEquals(clock.pending, 0);
});

Deno.test("without such providers nothing is read and no timer runs", async () => {
  const { clock, lists, signals } = setUp({ list: ["a"] });
  lists.follow([]);
  assertEquals(await lists.prepare(), false);
  lists.start(() => {});
  assertEquals([signals.length, clock.pending], [0, 0]);
});

Deno.test("a dead vendor delays the start for 2 s at most, and its list is used when it comes", async () => {
  const answer: { list: readonly string[] | undefined } = { list: undefined };
  const source = sourceOf();
  const { clock, lists, logged } = setUp(answer);
  lists.follow([source]);
  const prepared = lists.prepare();
  await settle();
  clock.advance(2000);
  assertEquals(await prepared, false);
  assertEquals(lists.find(source.provider), undefined);
  let changes = 0;
  const stop = lists.start(() => changes++);
  answer.list = ["a"];
  clock.advance(18_000);
  await settle();
  assertEquals(logged, ["Cannot read the models of provider 'p': it did not answer in time"]);
  assertEquals(changes, 1);
  clock.advance(30_000);
  await settle();
  assertEquals([changes, lists.find(source.provider)?.models.length], [2, 1]);
  stop();
});

Deno.test("a change is reported, an equal list is not", async () => {
  const answer = { list: ["a"] };
  const source = sourceOf();
  const { clock, lists, logged, signals } = setUp(answer);
  lists.follow([source]);
  await lists.prepare();
  let changes = 0;
  const stop = lists.start(() => changes++);
  clock.advance(10 * MINUTE);
  await settle();
  assertEquals([changes, signals.length], [0, 2]);
  assertEquals(lists.find(source.provider)?.readAt, clock.wallTime());
  answer.list = ["b", "c"];
  clock.advance(10 * MINUTE);
  await settle();
  assertEquals(changes, 1);
  assertEquals(logged.at(-1), "Provider 'p' lists 2 models (2 new, 1 removed)");
  stop();
});

Deno.test("a failure keeps the last list and is reported once, as is its end", async () => {
  const answer: { list: readonly string[] | string } = { list: ["a"] };
  const source = sourceOf();
  const { clock, lists, logged } = setUp(answer);
  lists.follow([source]);
  await lists.prepare();
  const readAt = clock.wallTime();
  let changes = 0;
  const stop = lists.start(() => changes++);
  for (const failure of ["status 500", "status 500", "connection refused"]) {
    answer.list = failure;
    clock.advance(10 * MINUTE);
    await settle();
  }
  const { failure, models, readAt: age } = lists.find(source.provider) ?? {};
  assertEquals([models?.length, age, failure], [1, readAt, "connection refused"]);
  assertEquals(logged.slice(1), [
    "Cannot read the models of provider 'p': status 500; the last list stays in use",
  ]);
  assertEquals(changes, 1);
  answer.list = ["a"];
  clock.advance(10 * MINUTE);
  await settle();
  assertEquals(lists.find(source.provider)?.failure, undefined);
  assertEquals([changes, logged.length], [2, 3]);
  stop();
});

Deno.test("a server that may not run is looked for in silence", async () => {
  const answer: { list: readonly string[] | string | undefined } = { list: undefined };
  const source = sourceOf({}, true);
  const { clock, lists, logged } = setUp(answer);
  lists.follow([source]);
  const prepared = lists.prepare();
  await settle();
  clock.advance(100);
  assertEquals(await prepared, false);
  let changes = 0;
  const stop = lists.start(() => changes++);
  answer.list = "connection refused";
  clock.advance(20_000);
  await settle();
  clock.advance(10 * MINUTE);
  await settle();
  assertEquals([changes, logged], [0, []]);
  answer.list = ["a"];
  clock.advance(10 * MINUTE);
  await settle();
  assertEquals([changes, logged], [1, ["Provider 'p' lists 1 model"]]);
  stop();
});

Deno.test("another address is another list; other credentials are not", async () => {
  const { lists, signals } = setUp({ list: ["a"] });
  lists.follow([sourceOf({ api_key: "one" })]);
  await lists.prepare();
  const stop = lists.start(() => {});
  const same = sourceOf({ api_key: "two" });
  lists.follow([same]);
  assertEquals([signals.length, lists.find(same.provider)?.models.length], [1, 1]);
  const other = sourceOf({ base_url: "http://127.0.0.1:2/v1" });
  assertEquals(lists.find(other.provider), undefined);
  lists.follow([other]);
  await settle();
  assertEquals([signals.length, lists.find(other.provider)?.models.length], [2, 1]);
  stop();
});

Deno.test("a provider that is removed while its list is read changes nothing", async () => {
  const { clock, lists, logged, signals } = setUp({ list: undefined });
  let changes = 0;
  const stop = lists.start(() => changes++);
  lists.follow([sourceOf()]);
  await settle();
  lists.follow([]);
  await settle();
  assertEquals(signals.map(({ aborted }) => aborted), [true]);
  assertEquals([changes, logged, clock.pending], [0, [], 0]);
  stop();
});
