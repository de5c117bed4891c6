/** Bodies that cost more than their size: one caller sends them, another asks for health. */

import { call } from "./caller.ts";
import { type GatewayProcess, VENDOR_KEY } from "./gateway_process.ts";
import type { Pinger } from "./pinger.ts";
import { resetPeak, residentOf } from "./process_limits.ts";
import { createHelloVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const MB = 1_000_000;
/** The most that the event loop may be held, and what a shared machine adds to it. */
const MAX_GAP_MS = 100;
const MAX_GAP_SHORT_MS = 250;
const MAX_ANSWER_MS = 2000;
/** Peak memory over that before the request: a factor of the body's size, and what V8 rounds up. */
const MAX_MEMORY_FACTOR = 8;
const MEMORY_SLACK = 48 * 2 ** 20;
/** A busy machine makes gaps now and then; the gateway's own come every time. */
const ATTEMPTS = 3;
const NOISE_MS = 600;
const SIZES = [2 * MB, 8 * MB, 30 * MB];
const SHORT_SIZES = [2 * MB, 8 * MB];

interface Body {
  readonly name: string;
  /** The text in front of the elements, one element with its comma, and the text behind them. */
  readonly make: (size: number) => string;
  readonly status: number;
}

const START = '{"model":"m","messages":';
const ASK = `${START}[{"role":"user","content":"Hi"}]`;

const BODIES: readonly Body[] = [
  refused("messages: numbers", `${START}[`, "1,", "1]}"),
  refused("content: numbers", `${START}[{"role":"user","content":[`, "1,", "1]}]}"),
  refused("tool_calls: numbers", `${START}[{"role":"assistant","tool_calls":[`, "1,", "1]}]}"),
  refused("tool_calls: {}", `${START}[{"role":"assistant","tool_calls":[`, "{},", "{}]}]}"),
  refused("stop: numbers", `${ASK},"stop":[`, "1,", "1]}"),
  refused("models: numbers", `${ASK},"models":[`, "1,", "1]}"),
  refused("tools: {}", `${ASK},"tools":[`, "{},", "{}]}"),
  refused("unknown field: lists in lists", `${ASK},"x":`, "[", ""),
  refused("unknown field: closed lists in lists", `${ASK},"x":`, "[", "]"),
  refused("not JSON", `${START}[`, "1,", "]"),
  { name: "logit_bias: words", make: (size) => withMembers('"logit_bias"', size), status: 400 },
  { name: "metadata: members", make: (size) => withMembers('"metadata"', size), status: 400 },
  { name: "one long text", make: (size) => withText(size), status: 200 },
];

function refused(name: string, start: string, element: string, end: string): Body {
  const make = (size: number) => {
    const count = Math.floor((size - start.length) / element.length);
    // What opens is closed as often.
    if (end === "]" && element === "[") {
      return `${start}${"[".repeat(count / 2)}${"]".repeat(count / 2)}}`;
    }
    return `${start}${element.repeat(count)}${end}`;
  };
  return { name, make, status: 400 };
}

function withMembers(name: string, size: number): string {
  const members: string[] = [];
  const count = Math.floor(size / '"1000000":"x",'.length);
  for (let index = 0; index < count; index++) members.push(`"${1_000_000 + index}":"x"`);
  return `${ASK},${name}:{${members.join(",")}}}`;
}

function withText(size: number): string {
  return `${START}[{"role":"user","content":"${"x".repeat(size)}"}]}`;
}

/** A1: bodies of many faults, many members and great depth. */
export const bodies: Scenario = {
  name: "A1 bodies",
  seconds: 60,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    const start = () =>
      trial.start({
        config: {
          providers: {
            v: {
              kind: "openai_compatible",
              base_url: vendor.url,
              api_key: VENDOR_KEY,
              models: ["m"],
            },
          },
        },
      });
    let gateway = await start();
    let pinger = trial.ping(gateway);
    const idle = residentOf(gateway.pid).now;
    let peak = 0;
    const broken = new Set<Body>();
    for (const size of trial.short ? SHORT_SIZES : SIZES) {
      // What a smaller one broke, a larger one breaks for longer.
      for (const body of BODIES.filter((body) => !broken.has(body))) {
        const copes = await attack(trial, { body, size, gateway, pinger });
        peak = Math.max(peak, residentOf(gateway.pid).peak);
        if (copes) continue;
        broken.add(body);
        pinger[Symbol.dispose]();
        await gateway[Symbol.asyncDispose]();
        gateway = await start();
        pinger = trial.ping(gateway);
      }
    }
    const most = (trial.short ? SHORT_SIZES : SIZES).at(-1) ?? 0;
    const times = (peak - idle) / most;
    const bar = `${MAX_MEMORY_FACTOR} times the largest body`;
    trial.report(
      "peak memory over all",
      bar,
      `${times.toFixed(1)} times`,
      times <= MAX_MEMORY_FACTOR,
    );
  },
};

interface Attack {
  readonly body: Body;
  readonly size: number;
  readonly gateway: GatewayProcess;
  readonly pinger: Pinger;
}

/** Sends a body until one attempt is within the bars; false when the gateway did not cope. */
async function attack(trial: Trial, { body, size, gateway, pinger }: Attack): Promise<boolean> {
  const text = body.make(size);
  const maxGap = trial.short ? MAX_GAP_SHORT_MS : MAX_GAP_MS;
  let [gap, memory, ms, status] = [Infinity, 0, Infinity, 0];
  for (let attempt = 0; attempt < ATTEMPTS && gap > maxGap; attempt++) {
    resetPeak(gateway.pid);
    await pinger.read();
    const before = residentOf(gateway.pid).now;
    const reply = await call(gateway.port, text, { patience: MAX_ANSWER_MS });
    memory = Math.max(memory, residentOf(gateway.pid).peak - before);
    gap = Math.min(gap, (await pinger.read()).longest);
    ms = Math.min(ms, reply.ms);
    status = reply.status;
    // That is no noise.
    if (status === 0 || gap > NOISE_MS) break;
  }
  const isWithin = status === body.status && ms <= MAX_ANSWER_MS && gap <= maxGap &&
    memory <= MAX_MEMORY_FACTOR * size + MEMORY_SLACK;
  const bar = `${body.status} in ${MAX_ANSWER_MS} ms, gap ${maxGap} ms, memory 8 times`;
  const measured = `${status === 0 ? "no answer" : status} in ${ms.toFixed(0)} ms, ` +
    `${gap.toFixed(0)} ms, ${(memory / size).toFixed(1)} times`;
  trial.report(`${body.name}, ${size / MB} MB`, bar, measured, isWithin);
  return status !== 0 && gap <= NOISE_MS && gateway.isRunning;
}
