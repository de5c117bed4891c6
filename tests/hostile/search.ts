/**
 * Searches for requests that hold the event loop: shapes of texts in all places of all formats, to
 * all kinds of providers, in a random order.
 */

import { Random } from "../support/random.ts";
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
import { createVendorOfKinds, type Kind, readKinds, toProviders } from "./kinds.ts";
import { type Place, PLACES } from "./places.ts";
import { type Shape, SHAPES } from "./shapes.ts";
import { type Structure, STRUCTURES } from "./structures.ts";
import type { Scenario, Trial } from "./trial.ts";

const MB = 1_000_000;
const LARGEST = 27 * MB;
const SIZES = [1 * MB, 6 * MB, LARGEST];
/** In the short form, more requests tell more than larger ones. */
const SHORT_SIZES = [1 * MB, 6 * MB];
/** Bodies over this are refused by their size alone. */
const MAX_BODY = 31 * MB;
const SECONDS = 40;
const SHORT_SECONDS = 8;
/** A failing gateway is replaced; after this many, more would tell nothing new. */
const MAX_BROKEN = 5;
/** The worst requests that are named. */
const NAMED = 5;

/** What once held the event loop for seconds; tried before anything else. */
const KNOWN: readonly (readonly [shape: string, place: string, kind: string])[] = [
  ["lists in lists", "chat, arguments", "anthropic"],
  ["lists", "chat, arguments", "gemini"],
  ["empty objects", "chat, arguments", "ollama"],
  ["empty objects", "chat, a tool's result", "gemini"],
  ["lists of numbers in open lists", "chat, arguments", "cohere"],
  ["a string of escapes", "chat, arguments", "bedrock"],
  ["lists", "messages, details in a signature", "openai_compatible"],
  ["lists", "responses, details in packed state", "openai_compatible"],
  ["empty objects", "responses, arguments", "anthropic"],
  ["words", "chat, an image", "gemini"],
  ["base64 with a fault", "chat, an image", "anthropic"],
  ["emoji", "chat, a user's text", "openai_compatible"],
  ["words", "messages, a text to count", "openai_compatible"],
];

/** One request of the search. */
interface Probe {
  readonly name: string;
  readonly path: string;
  readonly size: number;
  /** Undefined where the shape does not fit into the place. */
  readonly body: (model: string) => string | undefined;
}

interface Found extends Held {
  readonly name: string;
  readonly size: number;
}

/** What a caller can choose, tried in a random order until the time is over. */
export const search: Scenario = {
  name: "search",
  seconds: SECONDS + 30,
  alone: true,
  async run(trial) {
    const seed = Number(Deno.env.get("SEARCH_SEED") ?? (trial.short ? SHORT_SEED : newSeed()));
    const random = new Random(seed);
    const kinds = readKinds();
    const vendor = trial.own(createVendorOfKinds(kinds));
    const providers = {
      ...toProviders(kinds, vendor),
      mock: { kind: "mock", models: ["mock-echo"] },
    };
    const start = () => watch(trial, { config: { providers } });
    const targets = [...kinds, { kind: "mock", model: "mock-echo", answer: "" }];
    const sizes = trial.short ? SHORT_SIZES : SIZES;
    const end = performance.now() + (trial.short ? SHORT_SECONDS : SECONDS) * 1000 * trial.patience;
    const only = Deno.env.get("SEARCH_ONLY") ?? "";
    const found: Found[] = [];
    let watched = await start();
    let broken = 0;
    for (let round = 0; performance.now() < end && broken < MAX_BROKEN; round++) {
      const [probe, target] = knownProbe(round, targets, Math.max(...sizes)) ?? [
        random.chance(0.3)
          ? toStructured(random.pick(STRUCTURES))
          : toProbe(random.pick(SHAPES), random.pick(PLACES), random.pick(sizes)),
        random.pick(targets),
      ];
      if (!`${probe.name}, ${target.kind}`.includes(only)) continue;
      const held = await attack(trial, probe, target, watched);
      if (held === undefined) continue;
      found.push(held);
      if (copes(held)) continue;
      broken++;
      watched = await restarted(watched, start);
    }
    report(trial, found, seed);
  },
};

/** The short form is a gate: it tries the same requests in each run. The long form searches. */
const SHORT_SEED = 625_992;

function newSeed(): number {
  return Math.floor(Math.random() * 1e6);
}

/** On a busy machine, one of that many requests meets other work. */
function maxGapOfSearch(trial: Trial): number {
  return trial.short ? 2 * maxGapOf(trial) : maxGapOf(trial);
}

function knownProbe(
  round: number,
  targets: readonly Kind[],
  size: number,
): [Probe, Kind] | undefined {
  const known = KNOWN[round];
  if (known === undefined) return undefined;
  const [shapeName, placeName, kindName] = known;
  const shape = SHAPES.find(({ name }) => name === shapeName);
  const place = PLACES.find(({ name }) => name === placeName);
  const target = targets.find(({ kind }) => kind === kindName);
  if (shape === undefined || place === undefined || target === undefined) {
    throw new TypeError(`There is no shape, place or kind of '${known.join("', '")}'`);
  }
  return [toProbe(shape, place, size), target];
}

async function attack(
  trial: Trial,
  { name, path, size, body }: Probe,
  { kind, model }: Kind,
  watched: Watched,
): Promise<Found | undefined> {
  const text = body(model);
  if (text === undefined) return undefined;
  const held = await measure(watched, text, maxGapOf(trial), { path });
  return { ...held, name: `${name}, ${kind}`, size: Math.max(size, text.length) };
}

async function restarted(old: Watched, start: () => Promise<Watched>): Promise<Watched> {
  old.pinger[Symbol.dispose]();
  await old.gateway[Symbol.asyncDispose]();
  return await start();
}

function toProbe(shape: Shape, place: Place, size: number): Probe {
  return {
    name: `${shape.name}, ${size / MB} MB, ${place.name}`,
    path: place.path,
    size,
    body(model) {
      // Escapes of the outer JSON may make a text longer.
      for (let length = size; length > 1000; length /= 2) {
        const text = JSON.stringify({ model, ...place.put(shape.make(length)) });
        if (text.length < MAX_BODY / 3) return text;
        if (new TextEncoder().encode(text).length < MAX_BODY) return text;
      }
      return undefined;
    },
  };
}

function toStructured({ name, path, make }: Structure): Probe {
  return { name, path, size: 0, body: (model) => JSON.stringify({ model, ...make() }) };
}

function report(trial: Trial, found: readonly Found[], seed: number): void {
  const maxGap = maxGapOfSearch(trial);
  const byGap = found.toSorted((one, other) => other.gap - one.gap);
  for (const { name, gap, ms, status } of byGap.slice(0, NAMED)) {
    trial.note(name, `${gap.toFixed(0)} ms, ${status} in ${ms.toFixed(0)} ms`);
  }
  const [slowest] = byGap;
  const over = found.filter(({ gap }) => gap > maxGap).length;
  trial.report(
    `longest gap of ${found.length} requests, seed ${seed}`,
    `at most ${maxGap} ms`,
    `${slowest?.gap.toFixed(0)} ms; ${over} over`,
    over === 0 && found.length > 0,
  );
  const [largest] = found.toSorted((one, other) => other.memory - one.memory);
  const heavy = found.filter((one) => !isWithinMemory(one, one.size));
  trial.report(
    `most memory of ${found.length} requests`,
    "8 times the size, and 48 MB",
    `${((largest?.memory ?? 0) / MB).toFixed(0)} MB (${(heavy[0] ?? largest)?.name})`,
    heavy.length === 0,
  );
  const unanswered = found.filter(({ status, ms }) => status % 500 === 0 || ms > MAX_ANSWER_MS);
  trial.report(
    "answers",
    `no 500, within ${MAX_ANSWER_MS} ms`,
    unanswered.length === 0 ? "all" : `${unanswered.length} without, as ${unanswered[0]?.name}`,
    unanswered.length === 0,
  );
}
