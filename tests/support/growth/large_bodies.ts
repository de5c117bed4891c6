/** Bodies of up to 30 MB: how they are scanned, parsed, written from their bytes, and estimated. */

import { ListScan } from "../../../src/core/json/list_scan.ts";
import type { JsonObject } from "../../../src/core/json/object.ts";
import { JsonScan } from "../../../src/core/json/scan.ts";
import { JsonSource, writePlanned } from "../../../src/core/json/source.ts";
import { countInput } from "../../../src/apis/chat/token_estimate.ts";
import { tokenFamily } from "../../../src/apis/token_families.ts";
import type { Case } from "./cases.ts";

/** Bytes. */
const SIZE = 30_000_000;
const LIMITS = { elements: Infinity, members: Infinity, depth: Infinity };
const FAMILY = tokenFamily("o200k");
const encoder = new TextEncoder();

/** A text that is repeated up to a length. */
const repeated = (text: string, length: number): string =>
  text.repeat(Math.ceil(length / text.length));

/** JSON of about a size, by what most of it consists of. */
const SHAPES: Readonly<Record<string, (size: number) => string>> = {
  "a text in base64": (size) => inMessage(repeated("iVBORw0KGgo", size)),
  "a text of escape sequences": (size) => inMessage(repeated('\\"\\n', size)),
  "backslashes": (size) => inMessage(repeated("\\\\", size)),
  "a text of other scripts": (size) => inMessage(repeated("日本", size / 3)),
  "white space": (size) => `{${" ".repeat(size)}"messages":[]}`,
  "a name": (size) => `{"${"n".repeat(size)}":1}`,
  "a number": (size) => `{"seed":1${"0".repeat(size)}}`,
};

/** The same of much shorter values, which take longer to parse. */
const LISTS: Readonly<Record<string, (size: number) => string>> = {
  "messages": (size) => `{"messages":[${listOf('{"role":"user","content":"Hello"}', size)}]}`,
  "numbers": (size) => `{"input":[${listOf("0.5", size)}]}`,
  "lists": (size) => `{"input":[${listOf("[[]]", size)}]}`,
  "members": (size) => `{${repeatedNames(size)}"model":"m"}`,
};

function inMessage(content: string): string {
  return `{"model":"m","messages":[{"role":"user","content":"${content}"}]}`;
}

function listOf(entry: string, size: number): string {
  return Array(Math.ceil(size / (entry.length + 1))).fill(entry).join();
}

function repeatedNames(size: number): string {
  return Array.from({ length: Math.ceil(size / 12) }, (_, at) => `"n${at}":1,`).join("");
}

/** All cases. */
export function* largeBodies(): Iterable<Case> {
  for (const [name, make] of Object.entries(SHAPES)) {
    yield { name: `scanned and passed on: ${name}`, size: SIZE, make: (at) => toPass(make(at)) };
    yield { name: `converted: ${name}`, size: SIZE, make: (at) => toConvert(make(at)) };
    yield { name: `estimated: ${name}`, size: SIZE, make: (at) => toEstimate(make(at)) };
  }
  for (const [name, make] of Object.entries(LISTS)) {
    const size = SIZE / 16;
    yield { name: `scanned and passed on: ${name}`, size, make: (at) => toPass(make(at)) };
    yield { name: `converted: ${name}`, size, make: (at) => toConvert(make(at)) };
    yield { name: `estimated: ${name}`, size, make: (at) => toEstimate(make(at)) };
  }
  yield { name: "vectors that pass", size: SIZE, make: toVectors };
}

/** All that is done with a body that is passed on with another model. */
function toPass(text: string): () => void {
  const bytes = encoder.encode(text);
  return () => {
    const scan = new JsonScan(bytes, LIMITS);
    const value: JsonObject = JSON.parse(text);
    const source = JsonSource.of(bytes, scan, value);
    const plan = source?.planFor({ ...value, model: "other" });
    if (plan !== undefined) source?.write(plan) ?? writePlanned(plan, JSON.stringify(plan.changes));
  };
}

/** A request in another form, with the same texts and lists at other places. */
function toConvert(text: string): () => void {
  const bytes = encoder.encode(text);
  return () => {
    const scan = new JsonScan(bytes, LIMITS);
    const value: JsonObject = JSON.parse(text);
    const parts = Object.entries(value).map(([name, member]) => ({ name, parts: [{ member }] }));
    const [message] = Array.isArray(value.messages) ? value.messages : [];
    const source = JsonSource.of(bytes, scan, value);
    const plan = source?.planFor({
      parts,
      text: message?.content,
      end: text.slice(text.length / 2),
    });
    if (plan !== undefined) source?.write(plan) ?? JSON.stringify(plan.changes);
  };
}

function toEstimate(text: string): () => void {
  const value = JSON.parse(text);
  return () => void countInput(value, [value]).tokens(FAMILY);
}

/** An answer of vectors, in packets. */
function toVectors(size: number): () => void {
  const vector = `[${listOf("0.123456789", 16_000)}]`;
  const entry = `{"object":"embedding","index":0,"embedding":${vector}}`;
  const bytes = encoder.encode(`{"data":[${listOf(entry, size)}],"usage":{}}`);
  return () => {
    const scan = new ListScan({ list: "data", long: "embedding" });
    for (let at = 0; at < bytes.length; at += 32_768) scan.push(bytes.subarray(at, at + 32_768));
    scan.end();
  };
}
