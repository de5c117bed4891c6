/**
 * The decoders alone: CPU per event of a vendor's stream through the fold, without a network.
 * The streams are the fixtures, and the two long ones of the scripted vendors.
 */

import { cpuUsage } from "node:process";
import { createFold } from "../../src/attempt.ts";
import type { ChatRequest } from "../../src/chat.ts";
import { prepare } from "../../src/preparation.ts";
import { readChatRequest } from "../../src/chat_request.ts";
import type { Target } from "../../src/config.ts";
import { createFrameReader } from "../../src/framing.ts";
import { Receipt } from "../../src/providers/support.ts";
import { configOf, type Fixture, readFixtures } from "../support/fixtures.ts";
import { countedIds, loadTestConfig, VENDOR_KEY } from "../support/gateway.ts";
import { median } from "./statistics.ts";
import { MODELS, toStream, type Vendor } from "./vendor_answers.ts";

/** What one stream costs. */
export interface DecoderSample {
  readonly vendor: string;
  readonly name: string;
  readonly events: number;
  /** Microseconds of CPU per event, every event the long way, and with the short cut. */
  readonly slow: number;
  readonly fast: number;
}

/** One stream, and the call it answers. */
interface Take {
  readonly vendor: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly target: Target;
  readonly request: ChatRequest;
}

/** Streams shorter than this say more of the set-up than of an event. */
const FEWEST_EVENTS = 5;
const BATCHES = 3;
const BATCH_MS = 8;
const STAMP = { id: "chatcmpl-bench", created: 1_700_000_000 };

/** Measures every stream that ends well; those that hold a failure are left out. */
export function measureDecoders(): DecoderSample[] {
  const takes = [toLongTake("openai"), toLongTake("anthropic"), ...readTakes()];
  return takes.flatMap((take) => {
    const events = countEvents(take);
    if (events < FEWEST_EVENTS || !endsWell(take)) return [];
    const [slow, fast] = [false, true].map((lane) => costOf(take, lane) / events);
    if (slow === undefined || fast === undefined) return [];
    return [{ vendor: take.vendor, name: take.name, events, slow, fast }];
  });
}

/** A line for each vendor: the median and the worst of its streams. */
export function summarize(samples: readonly DecoderSample[]): string[][] {
  const vendors = [...new Set(samples.map(({ vendor }) => vendor))];
  const lines = vendors.map((vendor) => {
    const own = samples.filter((sample) => sample.vendor === vendor);
    const of = (pick: (sample: DecoderSample) => number) => [
      median(own.map(pick)).toFixed(2),
      Math.max(...own.map(pick)).toFixed(2),
    ];
    const slow = of((sample) => sample.slow);
    const fast = of((sample) => sample.fast);
    return [vendor, String(own.length), ...slow, ...fast];
  });
  return [["stream", "streams", "long way", "worst", "short cut", "worst"], ...lines];
}

function readTakes(): Take[] {
  let fixtures: Fixture[];
  try {
    fixtures = readFixtures();
  } catch {
    return [];
  }
  return fixtures.flatMap((fixture) => {
    const { vendor, name, upstream, request } = fixture;
    if (upstream.type !== "stream") return [];
    const target = resolve(configOf(fixture), String(request.model));
    if (target === undefined) return [];
    const asked = readChatRequest(structuredClone(request));
    return [{ vendor, name, bytes: upstream.bytes, target, request: asked }];
  });
}

function toLongTake(vendor: Vendor): Take {
  const model = MODELS[vendor].fast;
  const provider = { kind: vendor, api_key: VENDOR_KEY, models: [model] };
  const target = resolve({ providers: { [vendor]: provider } }, model);
  if (target === undefined) throw new TypeError(`There is no model '${model}'`);
  const request = { model, messages: [{ role: "user", content: "Hi" }], stream: true };
  return {
    vendor: `${vendor}, 200 deltas`,
    name: "long",
    bytes: new TextEncoder().encode(toStream(vendor)),
    target,
    request: readChatRequest(request),
  };
}

function resolve(config: Record<string, unknown>, model: string): Target | undefined {
  return loadTestConfig(config).resolve(model)?.[0]?.target;
}

function toFold({ target, request }: Take, fast: boolean) {
  const { adapter, call } = prepare(target, request, new Receipt(), countedIds());
  const stamp = { ...STAMP, model: target.model.upstream };
  return () => createFold({ adapter, call, stamp, target }, fast ? undefined : Infinity);
}

function countEvents({ target, request, bytes }: Take): number {
  const { adapter } = prepare(target, request, new Receipt(), countedIds());
  const reader = createFrameReader(adapter.framing);
  return reader.push(bytes).length + reader.end().length;
}

function endsWell(take: Take): boolean {
  try {
    const fold = toFold(take, true)();
    fold.push(take.bytes);
    if (!fold.ended) fold.end();
    return fold.failure === undefined;
  } catch {
    return false;
  }
}

/** Microseconds of CPU for the whole stream in one piece. */
function costOf(take: Take, fast: boolean): number {
  const newFold = toFold(take, fast);
  const batches = Array.from({ length: BATCHES }, () => {
    let runs = 0;
    const start = performance.now();
    const before = cpuUsage();
    while (performance.now() - start < BATCH_MS) {
      const fold = newFold();
      fold.push(take.bytes);
      if (!fold.ended) fold.end();
      runs++;
    }
    const used = cpuUsage(before);
    return (used.user + used.system) / runs;
  });
  return median(batches);
}
