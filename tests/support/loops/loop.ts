/** A two-turn conversation with a vendor: its tool calls, and what it must receive next. */

import type { JsonObject } from "../../../src/contract/chat.ts";
import { VENDOR_KEY } from "../gateway.ts";

/** A call of the vendor and its tool result. */
export interface Called {
  readonly id: string;
  readonly city: string;
  readonly celsius: number;
}

/** The messages that a caller sends back. */
export interface Back {
  readonly calls: readonly Called[];
  /** The same in the order of the caller's results. */
  readonly results: readonly Called[];
  /** Whether it contains members other than OpenAI's. */
  readonly whole: boolean;
}

export interface Loop {
  /** The vendor, and its API if it has several. */
  readonly name: string;
  readonly model: string;
  /** The member `providers.vendor` of the configuration, for a vendor at this address. */
  readonly provider: (url: string) => JsonObject;
  /** The path of requests. */
  readonly path: (stream: boolean) => string;
  /** The other members that every request must have. */
  readonly frame: (stream: boolean) => JsonObject;
  /** The member with the conversation, and the question in the vendor's format. */
  readonly history: string;
  readonly question: unknown;
  readonly calls: readonly [Called, Called];
  /** Whether callers must receive the vendor's call IDs; otherwise the gateway generates them. */
  readonly ownIds: boolean;
  /** The reasoning that callers receive. */
  readonly reasoning?: string;
  /** Whether callers must send it back; the package's `stream()` keeps only its last piece. */
  readonly returnsReasoning?: boolean;
  /** The calls, and state of the vendor. */
  readonly answer: (calls: readonly Called[]) => JsonObject;
  readonly stream: (calls: readonly Called[]) => Response;
  /** The messages after the question, with the vendor's state if the caller kept it. */
  readonly back: (turn: Back) => readonly unknown[];
}

export const TOOL = "get_weather";
export const QUESTION = "The weather in Oslo and Rome?";
export const PARAMETERS = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
} as const;
export const DESCRIPTION = "The weather of a city";

/** The tool in OpenAI's format. */
export const FUNCTION_TOOL = {
  type: "function",
  function: { name: TOOL, description: DESCRIPTION, parameters: PARAMETERS },
};

/** Two calls with the vendor's IDs. */
export function callsOf(oslo: string, rome: string): readonly [Called, Called] {
  return [{ id: oslo, city: "Oslo", celsius: 4 }, { id: rome, city: "Rome", celsius: 21 }];
}

/** A provider at the address, with the vendor's key. */
export function providerAt(
  kind: string,
  base_url: string,
  model: string | JsonObject,
  members: JsonObject = {},
): JsonObject {
  return { kind, base_url, api_key: VENDOR_KEY, models: [model], ...members };
}

/** A call's arguments as text. */
export function argumentsOf({ city }: Called): string {
  return JSON.stringify({ city });
}

/** The arguments in pieces, split at difficult positions. */
export function piecesOf(call: Called): readonly [string, string] {
  const text = argumentsOf(call);
  return [text.slice(0, 11), text.slice(11)];
}

/** The tool results. */
export function resultOf({ celsius }: Called): string {
  return JSON.stringify({ celsius });
}
