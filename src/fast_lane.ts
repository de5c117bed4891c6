/**
 * A short cut for the bulk of a stream: events that differ from the one before
 * in nothing but their text.
 *
 * The decoder is the reference. When it says that an event was plain (its one
 * chunk depends on nothing but a text), the lane learns how the event's bytes
 * and the chunk's bytes surround that text. An event that follows and fits is
 * written with its own text in the learned surroundings, or goes through as it
 * came where both are the same, without being parsed. Any other event makes
 * the lane forget, so nothing the decoder remembers can have changed.
 */

import type { Plain } from "./providers/adapter.ts";

/** What stands around the holes of an event, the blank line behind it included. */
interface Surroundings {
  /** From the event's first character to the quote before the text. */
  readonly before: string;
  /** From the quote behind the text to the quote before the noise, or to the end. */
  readonly after: string;
  /** From the quote behind the noise to the end, where there is noise. */
  readonly last: string | undefined;
}

interface Template extends Surroundings {
  /** The same of the chunk, or undefined when events go through as they came. */
  readonly written: Surroundings | undefined;
}

/** Text whose JSON is the text itself, so that it can be found in an event's bytes. */
const SIMPLE = /^[ !#-[\]-~]+$/;
/** The inside of a JSON string, as RFC 8259 has it. */
// deno-lint-ignore no-control-regex
const JSON_TEXT = /^(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*$/;
const QUOTE = '"';
const BACKSLASH = 92;

export class FastLane {
  #template: Template | undefined;

  /**
   * Learns from an event that took the long way.
   *
   * @param event the event as it came, the blank line behind it included
   * @param written the one event that was made of it
   */
  learn(event: string, written: string, plain: Plain): void {
    this.#template = toTemplate(event, written, plain);
  }

  forget(): void {
    this.#template = undefined;
  }

  /** True when events that fit go through as they came. */
  get transparent(): boolean {
    return this.#template !== undefined && this.#template.written === undefined;
  }

  /** Where the event that begins at `start` ends, if it fits the template, else -1. */
  fits(text: string, start: number): number {
    const template = this.#template;
    if (template === undefined || !stands(template.before, text, start)) return -1;
    const from = start + template.before.length;
    const quote = closingQuote(text, from);
    if (quote <= from || !stands(template.after, text, quote)) return -1;
    const end = template.last === undefined
      ? quote + template.after.length
      : endOfNoise(text, quote + template.after.length, template.last);
    // A line break before the end would be the end of another event.
    return end !== -1 && text.indexOf("\n", from) === end - 2 ? end : -1;
  }

  /** What is written for the event that {@linkcode fits} between these places. */
  write(text: string, start: number, end: number): string {
    const template = this.#template;
    if (template?.written === undefined) return text.slice(start, end);
    const from = start + template.before.length;
    const quote = closingQuote(text, from);
    const { before, after, last } = template.written;
    const said = before + text.slice(from, quote) + after;
    if (last === undefined || template.last === undefined) return said;
    const noise = text.slice(quote + template.after.length, end - template.last.length);
    return said + noise + last;
  }
}

function toTemplate(event: string, written: string, plain: Plain): Template | undefined {
  if (!SIMPLE.test(plain.text) || !isOneEvent(event) || !isOneEvent(written)) return undefined;
  const around = surroundingsOf(event, plain);
  if (around === undefined) return undefined;
  if (sameValue(event, written)) return { ...around, written: undefined };
  const noisy = plain.noise !== undefined && written.includes(plain.noise);
  const made = surroundingsOf(written, noisy ? plain : { text: plain.text });
  return made && { ...around, written: made };
}

function surroundingsOf(event: string, { text, noise }: Plain): Surroundings | undefined {
  const around = split(event, text);
  if (around === undefined || noise === undefined) return around && { ...around, last: undefined };
  const tail = split(around.after, noise);
  return tail && { before: around.before, after: tail.before, last: tail.after };
}

function isOneEvent(text: string): boolean {
  return text.indexOf("\n\n") === text.length - 2 && text.length > 2;
}

/** Cuts at a quoted text that stands there exactly once; the quotes stay outside. */
function split(event: string, text: string): { before: string; after: string } | undefined {
  const quoted = QUOTE + text + QUOTE;
  const at = event.indexOf(quoted);
  if (at === -1 || event.indexOf(quoted, at + 1) !== -1) return undefined;
  return { before: event.slice(0, at + 1), after: event.slice(at + quoted.length - 1) };
}

/** Whether two events say the same, whatever the order of their members. */
function sameValue(one: string, other: string): boolean {
  const first = dataOf(one);
  const second = dataOf(other);
  return first !== undefined && second !== undefined && canonical(first) === canonical(second);
}

function dataOf(event: string): unknown {
  // Only a lone data line can go through: callers get no other kind of line.
  if (!event.startsWith("data: ") || event.indexOf("\n") !== event.length - 2) return undefined;
  try {
    return JSON.parse(event.slice("data: ".length));
  } catch {
    return undefined;
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(
    value,
    (_, inner) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1))
        : inner,
  );
}

/** Comparing a slice is many times as fast as `startsWith`, which goes by characters. */
function stands(part: string, text: string, at: number): boolean {
  return text.slice(at, at + part.length) === part;
}

/** The quote that ends a JSON string, or -1 if there is none or the string is not valid. */
function closingQuote(text: string, from: number): number {
  let quote = text.indexOf(QUOTE, from);
  while (quote > from && text.charCodeAt(quote - 1) === BACKSLASH && isEscaped(text, quote)) {
    quote = text.indexOf(QUOTE, quote + 1);
  }
  if (quote === -1) return -1;
  const inside = text.slice(from, quote);
  return !inside.includes("\\") || JSON_TEXT.test(inside) ? quote : -1;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === BACKSLASH) at--;
  return (quote - at) % 2 === 0;
}

function endOfNoise(text: string, from: number, last: string): number {
  const quote = text.indexOf(QUOTE, from);
  if (quote === -1 || !stands(last, text, quote)) return -1;
  return text.charCodeAt(quote - 1) === BACKSLASH ? -1 : quote + last.length;
}
