/** Bodies that are expensive for their size: one caller sends them, another requests /healthz. */

import { VENDOR_KEY } from "./gateway_process.ts";
import {
  copes,
  type Held,
  isWithinMemory,
  MAX_ANSWER_MS,
  maxGapOf,
  measure,
  watch,
  type Watched,
} from "./held.ts";
import { residentOf } from "./process_limits.ts";
import { createHelloVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const MB = 1_000_000;
/** Several bodies may be waiting for garbage collection. */
const MAX_PEAK = 512 * MB;
const SIZES = [2 * MB, 8 * MB, 30 * MB];
const SHORT_SIZES = [8 * MB];

interface Body {
  readonly name: string;
  /** The text of a body of about this size. */
  readonly make: (size: number) => string;
  /** The expected answer. */
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
  // Normal bodies must be accepted.
  { name: "one long text", make: (size) => withText(size), status: 200 },
  { name: "long conversation", make: (size) => withMessages(size), status: 200 },
];

/**
 * A body that must be refused.
 *
 * @param start the text in front of the elements
 * @param element one element, with its comma
 * @param end the text after the elements
 */
function refused(name: string, start: string, element: string, end: string): Body {
  const make = (size: number) => {
    const count = Math.floor((size - start.length) / element.length);
    // Every opening bracket is closed.
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

/** Bodies with many errors, many members and deep nesting. */
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
      // If a smaller body fails, a larger one would only take longer.
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
    isWithinMemory(held, size);
  const bar = `${body.status} in ${MAX_ANSWER_MS} ms, gap ${maxGap} ms, memory 8 times`;
  const measured = `${status === 0 ? "no answer" : status} in ${ms.toFixed(0)} ms, ` +
    `${gap.toFixed(0)} ms, ${(memory / size).toFixed(1)} times`;
  trial.report(`${body.name}, ${size / MB} MB`, bar, measured, isWithin);
  return held;
}
