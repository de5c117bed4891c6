/**
 * CPU time per event of a vendor's stream without a network: in the decoder only, and in the whole
 * fold, which also splits events and writes those of the caller.
 * The streams are two long ones of the scripted vendors, and the fixtures. An event in the middle
 * of each fixture is repeated, so that its cost dominates.
 */

import { Buffer } from "node:buffer";
import { cpuUsage } from "node:process";
import { chatCompletions } from "../../src/apis/chat_completions/format.ts";
import type { ChatRequest } from "../../src/contract/chat.ts";
import { prepare } from "../../src/gateway/execute/chat/prepare_request.ts";
import { readChatRequest } from "../../src/apis/chat/read_request.ts";
import type { Target } from "../../src/config/config.ts";
import { createFrameReader } from "../../src/streaming/frame_readers.ts";
import { RequestChanges } from "../../src/contract/request_changes.ts";
import { configOf, type Fixture, readFixtures } from "../support/fixtures.ts";
import { countedIds, loadTestConfig, VENDOR_KEY } from "../support/gateway.ts";
import { median } from "./statistics.ts";
import { MODELS, toStream, type Vendor } from "./vendor_answers.ts";
import { createFold } from "../../src/gateway/execute/chat/chat_operation.ts";

/** The cost of a stream. */
export interface DecoderSample {
  readonly vendor: string;
  readonly name: string;
  readonly events: number;
  /** Microseconds of CPU per event in the decoder. */
  readonly alone: number;
  /** The same in the fold, without and with the template cache. */
  readonly slow: number;
  readonly fast: number;
}

/** A stream and its call. */
interface Take {
  readonly vendor: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly target: Target;
  readonly request: ChatRequest;
}

/** How often an event is repeated. */
const TIMES = 200;
const BATCHES = 3;
const BATCH_MS = 5;
const STAMP = { id: "chatcmpl-bench", created: 1_700_000_000 };

/** Measures every stream that succeeds; failing ones are omitted. */
export function measureDecoders(): DecoderSample[] {
  const lengthened = readTakes().flatMap((take) => lengthen(take) ?? []);
  return [toLongTake("openai"), toLongTake("anthropic"), ...lengthened].map((take) => {
    const events = endsOfEvents(take).length;
    const { vendor, name } = take;
    return {
      vendor,
      name,
      events,
      alone: costOf(toDecoding(take)) / events,
      slow: costOf(toFolding(take, false)) / events,
      fast: costOf(toFolding(take, true)) / events,
    };
  });
}

/**
 * The stream with one event repeated many times: the middle one if it can be repeated, else one
 * near it; undefined if none can.
 */
function lengthen(take: Take): Take | undefined {
  const ends = endsOfEvents(take);
  const nearest = [...ends.keys()].toSorted((one, other) =>
    Math.abs(one - ends.length / 2) - Math.abs(other - ends.length / 2)
  );
  for (const index of nearest) {
    const [start = 0, end] = [ends[index - 1], ends[index]];
    const again = Array.from({ length: TIMES }, () => take.bytes.subarray(start, end));
    const bytes = Buffer.concat([
      take.bytes.subarray(0, start),
      ...again,
      take.bytes.subarray(end),
    ]);
    const longer = { ...take, bytes };
    if (saidEvents(longer) >= TIMES) return longer;
  }
  return undefined;
}

/** A line for each vendor: the median and the maximum of its streams. */
export function summarize(samples: readonly DecoderSample[]): string[][] {
  const vendors = [...new Set(samples.map(({ vendor }) => vendor))];
  const lines = vendors.map((vendor) => {
    const own = samples.filter((sample) => sample.vendor === vendor);
    const of = (pick: (sample: DecoderSample) => number) => [
      median(own.map(pick)).toFixed(2),
      Math.max(...own.map(pick)).toFixed(2),
    ];
    const alone = of((sample) => sample.alone);
    const slow = of((sample) => sample.slow);
    const fast = of((sample) => sample.fast);
    return [vendor, String(own.length), ...alone, ...slow, ...fast];
  });
  return [
    ["stream", "streams", "decoder", "worst", "long way", "worst", "short cut", "worst"],
    ...lines,
  ];
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
  const { adapter, call } = prepare(target, request, new RequestChanges(), countedIds());
  const stamp = { ...STAMP, model: target.model.upstream };
  return () =>
    createFold(
      { adapter, call, format: chatCompletions, stamp, target },
      fast ? undefined : Infinity,
    );
}

/** The end of each event. */
function endsOfEvents({ target, request, bytes }: Take): number[] {
  const { adapter } = prepare(target, request, new RequestChanges(), countedIds());
  const reader = createFrameReader(adapter.framing);
  const ends: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const frames = reader.push(bytes.subarray(at, at + 1));
    for (let frame = 0; frame < frames.length; frame++) ends.push(at + 1);
  }
  return ends;
}

/** The number of events that the caller gets; none for a failing stream. */
function saidEvents(take: Take): number {
  try {
    const fold = toFold(take, true)();
    const output = fold.push(take.bytes);
    const text = typeof output === "string" ? output : new TextDecoder().decode(output);
    if (!fold.ended) fold.end();
    return fold.failure === undefined ? text.split("\n\n").length : 0;
  } catch {
    return 0;
  }
}

/** Decodes the whole stream from split events. */
function toDecoding({ target, request, bytes }: Take): () => void {
  const { adapter, call } = prepare(target, request, new RequestChanges(), countedIds());
  const frames = createFrameReader(adapter.framing).push(bytes);
  return () => {
    const decoder = adapter.decoder(call);
    for (const frame of frames) decoder.push(frame);
  };
}

/** Folds the whole stream in one piece. */
function toFolding(take: Take, fast: boolean): () => void {
  const newFold = toFold(take, fast);
  return () => {
    const fold = newFold();
    fold.push(take.bytes);
    if (!fold.ended) fold.end();
  };
}

/** Microseconds of CPU of one run. */
function costOf(run: () => void): number {
  const batches = Array.from({ length: BATCHES }, () => {
    let runs = 0;
    const start = performance.now();
    const before = cpuUsage();
    while (performance.now() - start < BATCH_MS) {
      run();
      runs++;
    }
    const used = cpuUsage(before);
    return (used.user + used.system) / runs;
  });
  return median(batches);
}
