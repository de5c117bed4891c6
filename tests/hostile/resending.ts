/** Connections that are closed after a request was sent, and surplus answers. */

import { sleep } from "../bench/children.ts";
import { toAnswer, toCompletion, toStream } from "./answers.ts";
import { call, exchange, type Reply } from "./caller.ts";
import { type GatewayProcess, SERVICE_KEY } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import { toRequestBytes, Wire } from "../bench/wire.ts";
import type { Scenario, Trial } from "./trial.ts";

const HELLO_ANSWER = toAnswer(200, toCompletion("Hello."));
const ONCE = { ...HELLO, messages: [{ role: "user", content: "ONCE" }] };
/** A connection that was idle for this long may have been closed by the vendor. */
const LONG_REST_MS = 8000;

/** A request is sent once, unless the vendor has most likely not received it. */
export const resending: Scenario = {
  name: "connection dies",
  seconds: 30,
  async run(trial) {
    const busy = await askOnce(trial, {}, 0);
    trial.report(
      "behind another request, retries 0",
      "the vendor sees it once",
      `${busy.seen} times, status ${busy.reply.status}`,
      busy.seen === 1,
    );
    if (trial.short) return;
    const [rested, never] = await Promise.all([
      askOnce(trial, {}, LONG_REST_MS),
      askOnce(trial, { resend: "never" }, LONG_REST_MS).catch((thrown: Error) =>
        thrown.message.replaceAll(/\s+/g, " ")
      ),
    ]);
    const counted = Number(/x-sluice-attempts: (\d+)/.exec(rested.reply.head)?.[1] ?? 0);
    trial.report(
      `after a rest of ${LONG_REST_MS / 1000} s`,
      "at most twice, each counted",
      `${rested.seen} times, ${counted} counted`,
      rested.seen <= 2 && rested.seen === counted,
    );
    const measured = typeof never === "string" ? never : `${never.seen} times`;
    trial.report(
      `after such a rest, resend: never`,
      "once",
      measured,
      typeof never !== "string" && never.seen === 1,
    );
  },
};

interface Once {
  /** How often the vendor received the request. */
  readonly seen: number;
  readonly reply: Reply;
}

/** Uses a connection, waits, and sends a request on it; the vendor reads it and closes. */
async function askOnce(
  trial: Trial,
  members: Readonly<Record<string, unknown>>,
  rest: number,
): Promise<Once> {
  const vendor = trial.own(
    new RawVendor(async ({ body }, connection) => {
      if (body.includes("ONCE")) return false;
      await connection.send(HELLO_ANSWER);
      return true;
    }),
  );
  const gateway = await trial.start({ config: { providers: toProvider(vendor.url, members) } });
  await call(gateway.port, HELLO);
  await sleep(rest);
  const reply = await call(gateway.port, ONCE);
  return { seen: vendor.requests.filter(({ body }) => body.includes("ONCE")).length, reply };
}

/** The time of an answer; real vendors take longer. */
const LATENCY_MS = 20;

/** The surplus bytes after an answer, and when they are sent. */
interface Surplus {
  readonly name: string;
  readonly delay: number;
  /** Whether the answer before it is a stream. */
  readonly stream?: boolean;
  /** The time of each answer: the slower they are, the longer a shift is undetected. */
  readonly latency?: number;
  /** How many later callers may get what is not theirs. */
  readonly most: number;
}

const SURPLUS: readonly Surplus[] = [
  { name: "in the same packet", delay: 0, most: 0 },
  { name: "3 ms late, answers at once", delay: 3, most: 1 },
  { name: "3 ms late", delay: 3, latency: LATENCY_MS, most: 1 },
  { name: "40 ms late", delay: 40, latency: LATENCY_MS, most: 1 },
  { name: "3 ms behind a stream", delay: 3, latency: LATENCY_MS, most: 1, stream: true },
];
const SHORT = new Set(["in the same packet", "3 ms late", "3 ms behind a stream"]);
const LATER = 60;
const STREAM = toStream([{ role: "assistant", content: "Hello." }]);

/** A surplus answer does not shift all later ones. */
export const surplus: Scenario = {
  name: "surplus answer",
  seconds: 30,
  async run(trial) {
    for (const one of trial.short ? SURPLUS.filter(({ name }) => SHORT.has(name)) : SURPLUS) {
      const { wrong, failed } = await countWrong(trial, one);
      const { name, most } = one;
      const what = `${name}: ${LATER} later callers`;
      const measured = `${wrong} do, ${failed} get none`;
      const bar = `at most ${most} get another's answer`;
      trial.report(what, bar, measured, wrong <= most && failed <= most);
    }
  },
};

/** Callers without a pause, so that bytes arrive while the next answer is awaited. */
async function countWrong(
  trial: Trial,
  { delay, latency = 0, stream = false }: Surplus,
): Promise<{ readonly wrong: number; readonly failed: number }> {
  const vendor = trial.own(
    new RawVendor(async ({ body }, connection) => {
      const mark = /MARK\d+/.exec(body)?.[0] ?? "";
      const answer = toAnswer(200, toCompletion(mark));
      if (latency > 0) await sleep(latency);
      if (mark !== "MARK0") return await connection.send(answer);
      const extra = toAnswer(200, toCompletion("MARK-surplus"));
      const first = stream ? STREAM : answer;
      await connection.send(delay === 0 ? first + extra : first);
      if (delay === 0) return;
      await sleep(delay);
      await connection.send(extra);
    }),
  );
  const gateway = await trial.start({ config: { providers: toProvider(vendor.url) } });
  const wire = await Wire.open(gateway.port);
  let wrong = 0;
  let failed = 0;
  try {
    await ask(wire, "warm");
    for (let at = 0; at <= LATER; at++) {
      const reply = await ask(wire, `MARK${at}`, stream && at === 0);
      if (stream && at === 0) continue;
      if (reply.status !== 200) failed++;
      else if (!reply.body.includes(`"MARK${at}"`)) wrong++;
    }
  } finally {
    wire.close();
  }
  return { wrong, failed };
}

async function ask(wire: Wire, content: string, stream = false): Promise<Reply> {
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  const body = JSON.stringify({ ...HELLO, stream, messages: [{ role: "user", content }] });
  return await exchange(wire, toRequestBytes("/v1/chat/completions", headers, body), 2000);
}

/** The limits of a head. */
export const heads: Scenario = {
  name: "heads",
  seconds: 15,
  async run(trial) {
    const early = `HTTP/1.1 103 Early Hints\r\nlink: <${"x".repeat(4000)}>\r\n\r\n`;
    await tryHead(
      trial,
      "40 informational heads of 4 kB",
      early.repeat(40) + HELLO_ANSWER,
      "200",
      (reply) => [String(reply.status), reply.status === 200],
    );
    const many = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`x-ratelimit-${at}`, "1"]),
    );
    const crowded = toAnswer(200, toCompletion("Hello."), many);
    await tryHead(trial, "200 headers to pass on", crowded, "200, at most 64", (reply) => {
      const passed = reply.head.match(/\r\nx-ratelimit-/g)?.length ?? 0;
      return [`${reply.status}, ${passed}`, reply.status === 200 && passed <= 64];
    });
    const spaced = HELLO_ANSWER.replace("\r\n", "\r\nx-ratelimit-a: \t\xa0b\xa0 \t\r\n");
    const bytes = Uint8Array.from(spaced, (character) => character.charCodeAt(0));
    await tryHead(
      trial,
      "a value in no-break spaces",
      bytes,
      "only blanks are trimmed",
      (reply) => {
        const value = /\r\nx-ratelimit-a: ?([^\r]*)/.exec(reply.head)?.[1] ?? "";
        return [JSON.stringify(value), value === "\xa0b\xa0"];
      },
    );
  },
};

async function tryHead(
  trial: Trial,
  what: string,
  answer: string | Uint8Array,
  bar: string,
  judge: (reply: Reply) => [measured: string, isWithin: boolean],
): Promise<void> {
  const vendor = trial.own(
    new RawVendor((_, connection) => connection.send(answer).then(() => true)),
  );
  const gateway: GatewayProcess = await trial.start({
    config: { providers: toProvider(vendor.url) },
  });
  trial.report(what, bar, ...judge(await call(gateway.port, HELLO)));
}
