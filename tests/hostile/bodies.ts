/** Bodies that cost more than their size: one caller sends them, another asks for health. */

import { VENDOR_KEY } from "./gateway_process.ts";
import { copes, type Held, MAX_ANSWER_MS, maxGapOf, measure, watch, type Watched } from "./held.ts";
import { residentOf } from "./process_limits.ts";
import { createHelloVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const MB = 1_000_000;
/** Peak memory over that before the request: a factor of the body's size, and what V8 rounds up. */
const MAX_MEMORY_FACTOR = 8;
/** Garbage of several bodies may be there at a time. */
const MAX_PEAK = 512 * MB;
const MEMORY_SLACK = 48 * 2 ** 20;
const SIZES = [2 * MB, 8 * MB, 30 * MB];
const SHORT_SIZES = [2 * MB, 8 * MB];

interface Body {
  readonly name: string;
  /** The text of a body of about so many bytes. */
  readonly make: (size: number) => string;
  /** What answers it. */
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
  { name: "a long model", make: (size) => withName('"model"', size), status: 404 },
  {
    name: "a long role",
    make: (size) => `${START}[{${withName('"role"', size).slice(1)}]}`,
    status: 400,
  },
  { name: "logit_bias: words", make: (size) => withMembers('"logit_bias"', size), status: 400 },
  { name: "metadata: members", make: (size) => withMembers('"metadata"', size), status: 400 },
  // What is no attack must still pass.
  { name: "one long text", make: (size) => withText(size), status: 200 },
  { name: "long conversation", make: (size) => withMessages(size), status: 200 },
];

/**
 * A body that must be refused.
 *
 * @param start the text in front of the elements
 * @param element one element, with its comma
 * @param end the text behind them
 */
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

function withName(name: string, size: number): string {
  return `{${name}:"${"x".repeat(size)}","messages":[{"role":"user","content":"Hi"}]}`;
}

/** Messages of one kilobyte. */
function withMessages(size: number): string {
  const message = `{"role":"user","content":"${"x".repeat(1000)}"}`;
  return `${START}[${Array(Math.floor(size / 1000)).fill(message).join(",")}]}`;
}

function withText(size: number): string {
  return `${START}[{"role":"user","content":"${"x".repeat(size)}"}]}`;
}

/** Bodies of many faults, many members and great depth. */
export const bodies: Scenario = {
  name: "bodies",
  seconds: 45,
  alone: true,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    const provider = {
      ...{ kind: "openai_compatible", base_url: vendor.url, api_key: VENDOR_KEY },
      models: ["m"],
    };
    const start = () => watch(trial, { config: { providers: { v: provider } } });
    let watched = await start();
    const idle = residentOf(watched.gateway.pid).now;
    const sizes = trial.short ? SHORT_SIZES : SIZES;
    const broken = new Set<Body>();
    let peak = 0;
    for (const size of sizes) {
      // What a smaller one broke, a larger one breaks for longer.
      for (const body of BODIES.filter((body) => !broken.has(body))) {
        const held = await attack(trial, { body, size, watched });
        peak = Math.max(peak, residentOf(watched.gateway.pid).peak);
        if (copes(held)) continue;
        broken.add(body);
        watched.pinger[Symbol.dispose]();
        await watched.gateway[Symbol.asyncDispose]();
        watched = await start();
      }
    }
    const extra = peak - idle;
    const bar = `at most ${MAX_PEAK / MB} MB more than idle`;
    trial.report("peak memory", bar, `${(extra / MB).toFixed(0)} MB more`, extra <= MAX_PEAK);
  },
};

interface Attack {
  readonly body: Body;
  readonly size: number;
  readonly watched: Watched;
}

async function attack(trial: Trial, { body, size, watched }: Attack): Promise<Held> {
  const maxGap = maxGapOf(trial);
  const held = await measure(watched, body.make(size), maxGap);
  const { status, ms, gap, memory } = held;
  const isWithin = status === body.status && ms <= MAX_ANSWER_MS && gap <= maxGap &&
    memory <= MAX_MEMORY_FACTOR * size + MEMORY_SLACK;
  const bar = `${body.status} in ${MAX_ANSWER_MS} ms, gap ${maxGap} ms, memory 8 times`;
  const measured = `${status === 0 ? "no answer" : status} in ${ms.toFixed(0)} ms, ` +
    `${gap.toFixed(0)} ms, ${(memory / size).toFixed(1)} times`;
  trial.report(`${body.name}, ${size / MB} MB`, bar, measured, isWithin);
  return held;
}
