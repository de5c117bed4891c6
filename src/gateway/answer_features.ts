/** Passes answers to features in the form that callers receive: JSON bodies and streams. */

import { isObject, type JsonObject } from "../core/json/object.ts";
import { writeJson } from "../core/json/number_texts.ts";
import type { Clock } from "../core/clock.ts";
import type { GatewayError } from "../core/errors.ts";
import type { AnswerFold, OpenStream } from "../streaming/fold.ts";
import type { Packets } from "../upstream/read_response.ts";
import type { EventFeature } from "./feature.ts";
import { parsePassed } from "../core/json/reader.ts";

type Body = string | readonly Uint8Array<ArrayBuffer>[];

/**
 * A body after the features have processed it.
 *
 * @param change applies the features to its object
 * @returns the same body if nothing changes, or if it is not a JSON object
 */
export async function changedBody(
  body: Body,
  change: (answer: JsonObject) => Promise<JsonObject>,
): Promise<Body> {
  const answer = parsedObject(typeof body === "string" ? body : textOf(body));
  if (answer === undefined) return body;
  const changed = await change(answer);
  return changed === answer ? body : writeJson(changed);
}

function textOf(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
}

function parsedObject(text: string): JsonObject | undefined {
  try {
    const value = parsePassed(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The stream whose events the features process, including those already read. */
export async function changedStream(
  stream: OpenStream,
  features: readonly EventFeature[],
): Promise<OpenStream> {
  // Binary data, such as audio, is forwarded unchanged.
  if (stream.contentType !== undefined) return stream;
  const events = new ChangedEvents(stream, features);
  const first = encoder.encode(await events.begin());
  return { fold: events.fold, packets: events, first };
}

/**
 * The packets of a stream whose events pass through the features. One packet is converted at a
 * time, and only on demand, so that a waiting feature causes backpressure to the vendor.
 */
class ChangedEvents implements Packets {
  readonly fold: PassingFold;
  readonly #stream: OpenStream;
  readonly #features: readonly EventFeature[];
  readonly #decoder = new TextDecoder();
  #rest = "";
  /** Whether each line is an event, instead of server-sent events. */
  #isLines = false;
  #isFlushed = false;
  #working: Promise<void> | undefined;
  #failure: { readonly thrown: unknown } | undefined;
  #isOver = false;
  #output: Uint8Array | undefined;

  constructor(stream: OpenStream, features: readonly EventFeature[]) {
    this.#stream = stream;
    this.#features = features;
    this.fold = new PassingFold(stream.fold, () => this.#isOver && this.#output === undefined);
  }

  /** The events that have already been read. */
  async begin(): Promise<string> {
    const { first, fold } = this.#stream;
    const text = await this.#changed(this.#decoder.decode(first, { stream: true }));
    return fold.ended ? text + await this.#ended() : text;
  }

  take(): Uint8Array | null | undefined {
    if (this.#failure !== undefined) throw this.#failure.thrown;
    const output = this.#output;
    this.#output = undefined;
    if (output !== undefined) return output;
    if (this.#isOver) return null;
    void this.#work();
    return undefined;
  }

  arrival(): Promise<void> {
    return this.#output === undefined ? this.#work() : Promise.resolve();
  }

  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const packet = this.take();
      if (packet !== undefined) return packet ?? undefined;
      await this.arrival();
    }
  }

  close(): void {
    this.#stream.packets.close();
  }

  finish(clock: Clock): Promise<void> {
    return this.#stream.packets.finish(clock);
  }

  /** Converts the next packet. Never rejects. */
  #work(): Promise<void> {
    return this.#working ??= this.#convert()
      .catch((thrown) => {
        this.#failure = { thrown };
      })
      .finally(() => {
        this.#working = undefined;
      });
  }

  async #convert(): Promise<void> {
    const { fold, packets } = this.#stream;
    const packet = packets.take();
    if (packet === undefined) return await packets.arrival();
    const output = packet === null ? fold.end() : fold.push(packet);
    let text = await this.#changed(
      typeof output === "string" ? output : this.#decoder.decode(output, { stream: true }),
    );
    if (packet === null || fold.ended) text += await this.#ended();
    if (text !== "") this.#output = encoder.encode(text);
  }

  /** At the end of the stream, the events that features have held back. */
  async #ended(): Promise<string> {
    this.#isOver = true;
    const rest = this.#rest;
    this.#rest = "";
    let text = rest.trim() === "" ? rest : await this.#changedEvent(rest);
    text += await this.#flushed(text);
    return text;
  }

  async #changed(text: string): Promise<string> {
    const all = this.#rest + text;
    this.#isLines ||= all.startsWith("{");
    const end = this.#isLines ? "\n" : "\n\n";
    let output = "";
    let start = 0;
    for (let at = all.indexOf(end); at !== -1; at = all.indexOf(end, start)) {
      output += await this.#changedEvent(all.slice(start, at + end.length));
      start = at + end.length;
    }
    this.#rest = all.slice(start);
    return output;
  }

  /** The replacements for one event: server-sent events, or lines of JSON. */
  async #changedEvent(text: string): Promise<string> {
    const data = this.#isLines ? text : dataOf(text);
    const event = data === undefined ? undefined : parsedObject(data);
    if (event === undefined) {
      // The end marker contains no JSON, and nothing may follow it.
      return data?.trim() === DONE ? await this.#flushed("") + text : text;
    }
    const events = await this.#pushed(event, 0);
    return events.map((one) => one === event ? text : written(one, text, this.#isLines)).join("");
  }

  /** The events that the features from an index on produce for one event. */
  async #pushed(event: JsonObject, from: number): Promise<readonly JsonObject[]> {
    let events: readonly JsonObject[] = [event];
    for (const feature of this.#features.slice(from)) {
      const next: JsonObject[] = [];
      for (const one of events) next.push(...await feature.push(one));
      events = next;
    }
    return events;
  }

  /** Returns the events that features have held back, once. */
  async #flushed(like: string): Promise<string> {
    if (this.#isFlushed) return "";
    this.#isFlushed = true;
    let text = "";
    for (const [index, feature] of this.#features.entries()) {
      for (const event of await feature.end()) {
        for (const one of await this.#pushed(event, index + 1)) {
          text += written(one, like, this.#isLines);
        }
      }
    }
    return text;
  }
}

/** Passes on converted events; the state of the answer is that of the vendor's stream. */
class PassingFold implements AnswerFold {
  readonly #inner: AnswerFold;
  readonly #isOver: () => boolean;
  onWritten: AnswerFold["onWritten"];
  #isEnded = false;

  constructor(inner: AnswerFold, isOver: () => boolean) {
    this.#inner = inner;
    this.#isOver = isOver;
  }

  get started(): boolean {
    return this.#inner.started;
  }

  get ended(): boolean {
    return this.#isEnded || this.#isOver();
  }

  get failure(): GatewayError | undefined {
    return this.#inner.failure;
  }

  get usage() {
    return this.#inner.usage;
  }

  get serviceTier(): string | undefined {
    return this.#inner.serviceTier;
  }

  get summary() {
    return this.#inner.summary;
  }

  get outputChars(): number {
    return this.#inner.outputChars;
  }

  push(bytes: Uint8Array): Uint8Array {
    this.onWritten?.(bytes);
    return bytes;
  }

  end(): string {
    this.#isEnded = true;
    return "";
  }

  fail(error: GatewayError): void {
    this.#isEnded = true;
    this.#inner.fail(error);
  }
}

/** The end marker of OpenAI's chat completion streams. */
const DONE = "[DONE]";

const encoder = new TextEncoder();

/** The data of a server-sent event; undefined if it has none. */
function dataOf(event: string): string | undefined {
  const lines = event.split("\n").filter((line) => line.startsWith("data:"));
  return lines.length === 0 ? undefined : lines.map((line) => line.slice(5)).join("\n");
}

/** An event as text, with a name if the original event has one. */
function written(event: JsonObject, like: string, isLine: boolean): string {
  const json = writeJson(event);
  if (isLine) return `${json}\n`;
  const isNamed = /^event:/m.test(like) && typeof event.type === "string";
  return `${isNamed ? `event: ${event.type}\n` : ""}data: ${json}\n\n`;
}
