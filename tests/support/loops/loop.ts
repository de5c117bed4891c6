/** What a conversation of two turns needs of a vendor: how it calls a tool, and what it must hear then. */

import type { JsonObject } from "../../../src/chat/chat.ts";
import { VENDOR_KEY } from "../gateway.ts";

/** A call as the vendor makes it, and what the tool says to it. */
export interface Called {
  readonly id: string;
  readonly city: string;
  readonly celsius: number;
}

/** What a caller brings back. */
export interface Back {
  readonly calls: readonly Called[];
  /** The same in the order of the caller's results. */
  readonly results: readonly Called[];
  /** Whether there is more than OpenAI's own members. */
  readonly whole: boolean;
}

export interface Loop {
  /** The vendor, and its API where it has several. */
  readonly name: string;
  readonly model: string;
  /** The member `providers.vendor` of the configuration, for a vendor at this address. */
  readonly provider: (url: string) => JsonObject;
  /** Where a request must arrive. */
  readonly path: (stream: boolean) => string;
  /** What every request must hold beside the conversation. */
  readonly frame: (stream: boolean) => JsonObject;
  /** The member of the conversation, and the question in the vendor's words. */
  readonly history: string;
  readonly question: unknown;
  readonly calls: readonly [Called, Called];
  /** Whether callers are to see the calls' own ids; the gateway gives them such as it likes else. */
  readonly ownIds: boolean;
  /** The thoughts as callers get them. */
  readonly reasoning?: string;
  /** Whether they are what must come back: the package's `stream()` keeps their last piece alone. */
  readonly returnsReasoning?: boolean;
  /** The calls, and state of the vendor's own. */
  readonly answer: (calls: readonly Called[]) => JsonObject;
  readonly stream: (calls: readonly Called[]) => Response;
  /** What must come back after the question, with the vendor's state where the caller kept it. */
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

/** The tool as OpenAI and some others have it. */
export const FUNCTION_TOOL = {
  type: "function",
  function: { name: TOOL, description: DESCRIPTION, parameters: PARAMETERS },
};

/** Two calls under the ids that a vendor gives. */
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

/** The arguments in pieces that are cut where it hurts. */
export function piecesOf(call: Called): readonly [string, string] {
  const text = argumentsOf(call);
  return [text.slice(0, 11), text.slice(11)];
}

/** What the tool says. */
export function resultOf({ celsius }: Called): string {
  return JSON.stringify({ celsius });
}
