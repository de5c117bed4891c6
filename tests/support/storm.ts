/**
 * A load test: many concurrent callers use a chain of vendors that fail three times in ten in every
 * possible way. It records the result of each request.
 */

import { type Clock, SystemClock, type TimeLimit, type TimeLimited } from "../../src/core/clock.ts";
import { until } from "./elapse.ts";
import {
  answered,
  bytesOf,
  closedPort,
  COMPLETION,
  cut,
  ERROR_EVENT,
  EVENTS,
  type Fault,
  FaultyVendor,
  reset,
  ROLE,
  SAID,
  silent,
  streamed,
  TOKENS,
  WELL,
  wholeAnswer,
} from "./faulty_vendor.ts";
import { SERVICE_KEY } from "./gateway.ts";
import { Random } from "./random.ts";
import { serveGatewayOn } from "./server.ts";

export interface StormOptions {
  readonly callers: number;
  /** The time during which requests are sent, in milliseconds. */
  readonly duration: number;
  readonly seed: number;
}

export interface StormReport {
  readonly requests: number;
  /** The number of requests by result: the status and the end. */
  readonly ends: ReadonlyMap<string, number>;
  readonly attempts: number;
  readonly mostAttempts: number;
  /** The longest request, in milliseconds. */
  readonly slowest: number;
  /** All errors. */
  readonly faults: readonly string[];
}

const FAILURES = 0.3;
const RETRIES = 2;
const KEYS = 2;
const VENDORS = 3;
const FIRST_TOKEN = 300;
const IDLE = 300;
const TOTAL = 1000;
const MAX_WAIT = 300;

/** A closed port is also a target. */
const TARGETS = VENDORS + 1;
/** The maximum number of attempts: every target with every retry and every key. */
const MOST_ATTEMPTS = TARGETS * KEYS * (RETRIES + 1);
/** The time limits, doubled for two busy cores. */
const LONGEST = 2 * (MOST_ATTEMPTS * TOTAL + TARGETS * RETRIES * 1000);
const DEADLINE = 700;
/** The maximum delay after a deadline on two busy cores, in milliseconds. */
const SLACK = 5000;

const WORDS = JSON.stringify({ error: { message: "Words", type: "x", code: null } });

/** All failures. */
const FAULTS: readonly Fault[] = [
  reset(""),
  reset(wholeAnswer(200, COMPLETION).slice(0, 90)),
  cut(""),
  cut(wholeAnswer(200, COMPLETION).slice(0, -40)),
  // Failures that suspend a key for long are omitted: soon no key would be left.
  ...[408, 409, 425, 500, 502, 503, 504, 529].map((status) => answered(status, WORDS)),
  answered(429, WORDS, { "retry-after-ms": "50" }),
  answered(503, WORDS, { "retry-after": "60" }),
  answered(200, "<html></html>", { "content-type": "text/html" }),
  answered(200, ""),
  answered(200, COMPLETION.slice(0, 50)),
  silent(),
  streamed([ERROR_EVENT]),
  streamed([ROLE, ...TOKENS.slice(0, 2), ERROR_EVENT]),
  streamed([ROLE, ...TOKENS.slice(0, 2)], (wire) => wire.stall()),
  streamed([ROLE, ...TOKENS.slice(0, 2)], () => {}),
  streamed([ROLE, ...TOKENS]),
];
/** Succeeds, in pieces that split characters. */
const DRIPPING: Fault = {
  async play(wire) {
    await wire.begin(wire.stream ? "text/event-stream" : "application/json");
    for (const byte of bytesOf(wire.stream ? EVENTS.join("") : COMPLETION)) await wire.send(byte);
    await wire.end();
  },
};
const HUGE = streamed([ROLE, "data: " + "x".repeat(20 * 1024 * 1024)], () => {});

/** The machine's clock, which counts its open waits. */
class CountingClock implements Clock, Disposable {
  readonly #clock = new SystemClock();
  #waits = new Set<() => void>();

  get pending(): number {
    return this.#waits.size;
  }

  now(): number {
    return this.#clock.now();
  }

  wallTime(): number {
    return this.#clock.wallTime();
  }

  after(ms: number, run: () => void): () => void {
    const cancel = this.#clock.after(ms, () => {
      this.#waits.delete(cancel);
      run();
    });
    this.#waits.add(cancel);
    return () => {
      this.#waits.delete(cancel);
      cancel();
    };
  }

  limit<Name>(ms: number, owner: TimeLimited<Name>, name: Name): TimeLimit {
    return { cancel: this.after(ms, () => owner.onTimeLimit(name)) };
  }

  [Symbol.dispose](): void {
    this.#clock.close();
  }
}

/** Runs the load test and returns its result. */
export async function rage(options: StormOptions): Promise<StormReport> {
  const random = new Random(options.seed);
  const book = new Book();
  await using vendors = new StormyVendors(random);
  using clock = new CountingClock();
  await using served = serveGatewayOn(clock, {
    config: configFor(vendors.urls),
    random: () => random.next(),
  });
  const { gateway } = served;
  const end = performance.now() + options.duration;
  const caller = async () => {
    while (performance.now() < end) {
      await book.keep(ask(`${served.url}/v1/chat/completions`, served.fetch, random));
    }
  };
  await Promise.all(Array.from({ length: options.callers }, caller));
  await gateway.app.drain();
  await until(() => vendors.busy === 0 && gateway.clock.pending === 0);
  const lines = gateway.lines.filter(({ attempt }) => attempt === undefined);
  const attempts = lines.reduce((sum, line) => sum + Number(line.attempts ?? 0), 0);
  // The gateway may not have seen a caller that disconnects at once.
  const unknown = book.begun - lines.length;
  book.check(unknown >= 0 && unknown <= book.left, `${unknown} requests without a line`);
  book.check(
    new Set(lines.map(({ id }) => id)).size === lines.length,
    "a request has more than one line",
  );
  for (const line of lines) {
    const made = Number(line.attempts ?? 0);
    book.most = Math.max(book.most, made);
    book.check(made <= MOST_ATTEMPTS, `${made} attempts`);
  }
  const most = attempts + vendors.dropped;
  book.check(vendors.requests <= most, `${vendors.requests} requests of ${most} attempts`);
  book.check(vendors.busy === 0, `${vendors.busy} vendors are still busy`);
  book.check(gateway.clock.pending === 0, `${gateway.clock.pending} timers are left`);
  book.check(gateway.shutdown.listeners === 0, `${gateway.shutdown.listeners} listeners are left`);
  for (const bug of gateway.bugs) book.check(false, `a bug: ${bug}`);
  return book.report(attempts);
}

function configFor(urls: readonly string[]): Record<string, unknown> {
  const timeout = {
    first_token: `${FIRST_TOKEN}ms`,
    idle: `${IDLE}ms`,
    total: `${TOTAL}ms`,
  };
  const api_key = Array.from({ length: KEYS }, (_, index) => `sk-vendor-${index}`);
  const providers = urls.map((base_url, index) => [`v${index}`, {
    kind: "openai_compatible",
    ...{ base_url, api_key, timeout, retries: RETRIES, max_wait: `${MAX_WAIT}ms` },
    models: [`m${index}`],
  }]);
  return {
    server: { keep_alive: "100ms", max_in_flight: 10_000 },
    providers: Object.fromEntries(providers),
    aliases: { chain: urls.map((_, index) => ({ model: `m${index}`, weight: 1 })) },
  };
}

/** Vendors that fail randomly, and a closed port. */
class StormyVendors implements AsyncDisposable {
  readonly urls: readonly string[];
  readonly #all: readonly FaultyVendor[];

  constructor(random: Random) {
    const choose = () => {
      if (random.chance(0.0002)) return HUGE;
      if (random.chance(0.01)) return DRIPPING;
      return random.chance(FAILURES) ? random.pick(FAULTS) : WELL;
    };
    this.#all = Array.from({ length: VENDORS }, () => new FaultyVendor(choose));
    this.urls = [...this.#all.map(({ url }) => url), closedPort()];
  }

  get busy(): number {
    return this.#all.reduce((sum, { busy }) => sum + busy, 0);
  }

  get dropped(): number {
    return this.#all.reduce((sum, { dropped }) => sum + dropped, 0);
  }

  get requests(): number {
    return this.#all.reduce((sum, { requests }) => sum + requests, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const vendor of this.#all) await vendor[Symbol.asyncDispose]();
  }
}

interface Outcome {
  /** E.g. `200 done`. */
  readonly end: string;
  readonly took: number;
  readonly faults: readonly string[];
}

/** A request of a caller that may disconnect. */
async function ask(url: string, fetch: typeof globalThis.fetch, random: Random): Promise<Outcome> {
  const stream = random.chance(0.5);
  const hurried = random.chance(0.1);
  const control = new AbortController();
  if (random.chance(0.1)) setTimeout(() => control.abort(), random.below(400));
  const began = performance.now();
  const faults: string[] = [];
  let end: string;
  try {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        authorization: `Bearer ${SERVICE_KEY}`,
        ...(hurried && { "x-sluice-deadline-ms": String(DEADLINE) }),
      },
      body: JSON.stringify({
        model: "chain",
        stream,
        messages: [{ role: "user", content: "Hi" }],
      }),
      signal: control.signal,
    });
    const text = await answer.text();
    end = `${answer.status} ${readEnd(answer, text, stream, faults)}`;
  } catch (thrown) {
    if (!control.signal.aborted) faults.push(`the connection failed: ${thrown}`);
    end = "left";
  }
  const took = performance.now() - began;
  const limit = hurried ? DEADLINE + SLACK : LONGEST;
  if (took > limit) faults.push(`it took ${Math.round(took)} ms of ${limit}`);
  return { end, took, faults };
}

/** Checks an answer and returns its result. */
function readEnd(
  { status, headers }: Response,
  text: string,
  stream: boolean,
  faults: string[],
): string {
  try {
    if (status !== 200) {
      if (![429, 502, 503, 504].includes(status)) faults.push(`status ${status}: ${text}`);
      const made = Number(headers.get("x-sluice-attempts"));
      const reported = headers.get("x-should-retry");
      if (made > 1 && reported !== "false") faults.push("a retried failure asks for more");
      return readError(JSON.parse(text));
    }
    if (!stream) {
      const { content } = JSON.parse(text).choices[0].message;
      if (content !== SAID) faults.push(`it said ${content}`);
      return "done";
    }
    return readStream(text, faults);
  } catch (thrown) {
    faults.push(`${thrown} in ${text.slice(0, 500)}`);
    return "malformed";
  }
}

function readError({ error }: { error: Record<string, unknown> }): string {
  const members = Object.keys(error).sort().join();
  if (members !== "code,message,param,type") throw new TypeError(`An error of ${members}`);
  return String(error.code);
}

function readStream(text: string, faults: string[]): string {
  const events = text.split("\n\n");
  if (events.pop() !== "") throw new TypeError("The stream ends within an event");
  let said = "";
  let end: string | undefined;
  for (const block of events) {
    // Comments, which keep the connection alive, may stand before an event.
    const event = block.split("\n").filter((line) => !line.startsWith(":")).join("\n");
    if (event === "") continue;
    if (end !== undefined) throw new TypeError("Something comes after the end");
    if (event === "data: [DONE]") {
      end = "done";
      continue;
    }
    const data = JSON.parse(event.slice("data: ".length));
    if (data.error !== undefined) end = readError(data);
    else said += data.choices[0]?.delta.content ?? "";
  }
  if (end === undefined) throw new TypeError("The stream has no end");
  if (end === "done" ? said !== SAID : !SAID.startsWith(said)) faults.push(`it said ${said}`);
  return end;
}

/** The results of all requests. */
class Book {
  begun = 0;
  most = 0;
  readonly #ends = new Map<string, number>();
  readonly #faults: string[] = [];
  #slowest = 0;

  async keep(asking: Promise<Outcome>): Promise<void> {
    this.begun++;
    const { end, took, faults } = await asking;
    this.#ends.set(end, (this.#ends.get(end) ?? 0) + 1);
    this.#slowest = Math.max(this.#slowest, took);
    this.#faults.push(...faults);
  }

  get left(): number {
    return this.#ends.get("left") ?? 0;
  }

  check(isSo: boolean, otherwise: string): void {
    if (!isSo) this.#faults.push(otherwise);
  }

  report(attempts: number): StormReport {
    return {
      requests: this.begun,
      ends: new Map([...this.#ends].sort(([one], [other]) => one < other ? -1 : 1)),
      attempts,
      mostAttempts: this.most,
      slowest: this.#slowest,
      faults: this.#faults,
    };
  }
}
