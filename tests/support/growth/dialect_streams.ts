/** OpenAI-compatible streams, each of which grows in one way, and streams with special framing. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import { many, members } from "./schemas.ts";

type Json = JsonObject;

/** Creates events of a stream of a size: JSON values, or raw text. */
export type MakeEvents = (size: number) => readonly unknown[];

/** Makes the bytes of a stream of a size. */
export type MakeStream = (size: number) => Uint8Array;

const ENVELOPE = { id: "a", object: "chat.completion.chunk", created: 1, model: "m" };
const chunk = (delta: Json, rest: Json = {}): Json => ({
  ...ENVELOPE,
  choices: [{ index: 0, delta, finish_reason: null, ...rest }],
});
const END = [chunk({}, { finish_reason: "stop" }), "[DONE]"];
const piece = (rest: Json): Json => ({ tool_calls: [rest] });
const named = (index: number, rest: Json = {}): Json => ({
  ...{ index, id: `c${index}`, type: "function", function: { name: "f", arguments: "" } },
  ...rest,
});
const added = (index: number): Json => ({ index, function: { arguments: "1" } });
const begun = (n: number): Json[] => many(n, (at) => chunk(piece(named(at))));

/** Events by what grows in them. */
export const DIALECT: Readonly<Record<string, MakeEvents>> = {
  "texts": (n) => [...many(n, () => chunk({ content: "a" })), ...END],
  "texts and thoughts in turn": (n) => [
    ...many(n, (at) => chunk(at % 2 ? { content: "a" } : { reasoning: "b" })),
    ...END,
  ],
  "texts without obfuscation that is the same": (n) => [
    ...many(n, (at) => ({ ...chunk({ content: "a" }), obfuscation: `x${at}` })),
    ...END,
  ],
  "white space": (n) => [...many(n, () => chunk({ content: " " })), ...END],
  "a think tag in pieces": (n) => [
    chunk({ content: "<think>" }),
    ...many(n, () => chunk({ content: "<" })),
    ...END,
  ],
  "white space in thoughts": (n) => [
    chunk({ content: "<think>" }),
    ...many(n, () => chunk({ content: " " })),
    chunk({ content: "</think>" }),
    ...many(n, () => chunk({ content: " " })),
    ...END,
  ],
  "a fence in pieces": (n) => [
    ...many(n, () => chunk({ content: "`" })),
    ...END,
  ],
  "roles": (n) => [...many(n, () => chunk({ role: "assistant", content: "" })), ...END],
  "calls, one an event": (n) => [...begun(n), ...END],
  "calls in one event": (n) => [chunk({ tool_calls: many(n, (at) => named(at)) }), ...END],
  "calls with one index": (n) => [
    ...many(n, (at) => chunk(piece(named(0, { id: `c${at}` })))),
    ...END,
  ],
  "calls without an index": (n) => [
    ...many(n, (at) => chunk(piece(named(0, { id: `c${at}`, index: undefined })))),
    ...END,
  ],
  "calls without an id": (n) => [
    ...many(n, (at) => chunk(piece(named(at, { id: undefined })))),
    ...END,
  ],
  "calls with one id": (n) => [...many(n, (at) => chunk(piece(named(at, { id: "c" })))), ...END],
  "pieces of one call": (n) => [
    chunk(piece(named(0))),
    ...many(n, () => chunk(piece(added(0)))),
    ...END,
  ],
  "pieces of many calls": (n) => [...begun(n), ...many(n, (at) => chunk(piece(added(at)))), ...END],
  "pieces of many calls, from the last": (n) => [
    ...begun(n),
    ...many(n, (at) => chunk(piece(added(n - 1 - at)))),
    ...END,
  ],
  "pieces of many calls by their id": (n) => [
    ...begun(n),
    ...many(n, (at) => chunk(piece({ id: `c${at}`, function: { arguments: "1" } }))),
    ...END,
  ],
  "pieces of many calls in one event": (n) => [
    ...begun(n),
    chunk({ tool_calls: many(n, added) }),
    ...END,
  ],
  "pieces of many custom calls": (n) => [
    ...many(
      n,
      (index) =>
        chunk(piece({ index, id: `c${index}`, type: "custom", custom: { name: "f", input: "" } })),
    ),
    ...many(n, (index) => chunk(piece({ index, custom: { input: "1" } }))),
    ...END,
  ],
  "ends after many calls": (n) => [
    ...begun(n),
    ...many(n, () => chunk({}, { finish_reason: "tool_calls" })),
    "[DONE]",
  ],
  "ends that are empty": (n) => [
    ...many(n, (index) => chunk({ content: "a" }, { index, finish_reason: "" })),
    ...many(n, (index) => chunk({ content: "a" }, { index, finish_reason: "" })),
    "[DONE]",
  ],
  "choices, one an event": (n) => [
    ...many(n, (index) => chunk({ content: "a" }, { index })),
    ...many(n, (index) => chunk({ content: "a" }, { index })),
    ...many(n, (index) => chunk({}, { index, finish_reason: "stop" })),
    "[DONE]",
  ],
  "choices in one event": (n) => [
    {
      ...ENVELOPE,
      choices: many(n, (index) => ({ index, delta: { content: "a" }, finish_reason: "stop" })),
    },
    "[DONE]",
  ],
  "choices beside many members": (n) => [
    {
      ...ENVELOPE,
      ...members(n, (at) => [at]),
      choices: many(n, (index) => ({ index, delta: { content: "a" }, finish_reason: "stop" })),
    },
    "[DONE]",
  ],
  "texts behind a long id": (n) => [
    { ...chunk({ content: "a" }), id: "i".repeat(16 * n), model: "m".repeat(16 * n) },
    ...many(n, () => chunk({ content: "a" })),
    ...END,
  ],
  "details of reasoning": (n) => [
    ...many(
      n,
      (index) => chunk({ reasoning_details: [{ type: "reasoning.text", text: "a", index }] }),
    ),
    ...END,
  ],
  "details of reasoning in one event": (n) => [
    chunk({
      reasoning_details: many(n, (index) => ({ type: "reasoning.text", text: "a", index })),
    }),
    ...END,
  ],
  "pieces of one detail": (n) => [
    chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, ...members(n, String) }] }),
    ...many(
      n,
      () => chunk({ reasoning_details: [{ type: "reasoning.text", text: "a", index: 0 }] }),
    ),
    ...END,
  ],
  "log probabilities": (n) => [
    chunk({ content: "a" }, { logprobs: { content: many(n, () => ({ token: "a" })) } }),
    ...END,
  ],
  "usage in every event": (n) => [
    ...many(n, (at) => ({ ...chunk({ content: "a" }), usage: { prompt_tokens: at } })),
    ...END,
  ],
  "unknown members in every event": (n) => [
    ...many(n, (at) => ({ ...chunk({ content: "a" }), own: { at }, [`own${at}`]: at })),
    ...END,
  ],
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const TEXT_EVENT = `data: ${JSON.stringify(chunk({ content: "a" }))}`;

/** Streams with special framing, for all formats. */
export const FRAMINGS: Readonly<Record<string, MakeStream>> = {
  "comments": (n) => bytes(": ping\n\n".repeat(n)),
  "blank lines": (n) => bytes("\n".repeat(n)),
  "line feeds behind returns": (n) => bytes(`${TEXT_EVENT}\r\n\r\n`.repeat(n)),
  "returns": (n) => bytes(`${TEXT_EVENT}\r\r`.repeat(n)),
  "lines of one event": (n) => bytes(`${"data: \n".repeat(n)}${TEXT_EVENT}\n\n`),
  "lines that never end": (n) => bytes(`${"data: \n".repeat(n)}`),
  "one event that never ends": (n) => bytes(`data: {"a":"${"a".repeat(16 * n)}`),
  "one event with a return that never ends": (n) => bytes(`data: \r{"a":"${"a".repeat(16 * n)}`),
  "names of events": (n) => bytes(`event: a\nid: 1\nretry: 1\n${TEXT_EVENT}\n\n`.repeat(n)),
  "unknown fields": (n) => bytes(`${"x: \n".repeat(n)}${TEXT_EVENT}\n\n`),
};
