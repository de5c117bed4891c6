/** A case's stream without a network: its bytes straight into the fold, whole or in pieces. */

import { createFold } from "../../src/routing/attempt.ts";
import { readChatRequest } from "../../src/chat/read_request.ts";
import type { Target } from "../../src/config/config.ts";
import type { CallerFormat, Envelope } from "../../src/chat/caller_format.ts";
import { chatCompletions } from "../../src/formats/chat_completions/format.ts";
import { prepare, type Prepared } from "../../src/routing/prepare_request.ts";
import { Receipt } from "../../src/providers/contract/support.ts";
import { configOf, type Fixture } from "./fixtures.ts";
import { countedIds, loadTestConfig } from "./gateway.ts";

/** A case's request as its target takes it. */
export interface PreparedCase extends Prepared {
  readonly target: Target;
  readonly stamp: Envelope;
  readonly format: CallerFormat;
}

export function prepared(fixture: Fixture): PreparedCase {
  const [link] = loadTestConfig(configOf(fixture)).resolve(String(fixture.request.model)) ?? [];
  if (link === undefined) throw new TypeError("The case names no model that is configured");
  const { target } = link;
  const request = readChatRequest(structuredClone(fixture.request));
  const stamp = { id: "chatcmpl-test", created: 1_700_000_000, model: target.model.upstream };
  const prepared = prepare(target, request, new Receipt(), countedIds());
  return { ...prepared, target, stamp, format: chatCompletions };
}

/**
 * What is written for a stream, and last the failure that ended it, if any.
 *
 * @param fast false to take the long way for every event
 */
export function fold(
  { adapter, call, stamp, target }: PreparedCase,
  pieces: readonly Uint8Array[],
  fast = true,
): string {
  // Each fold counts from one, so that all of them can be compared.
  const own = { ...call, newId: countedIds() };
  const made = createFold(
    { adapter, call: own, format: chatCompletions, stamp, target },
    fast ? 0 : Infinity,
  );
  let text = "";
  for (const piece of pieces) {
    const output = made.push(piece);
    text += typeof output === "string" ? output : new TextDecoder().decode(output);
  }
  if (!made.ended) text += made.end();
  return `${text}\n\n${made.failure?.kind}\n\n${made.failure?.message}`;
}

/** An event by what it says: the order of members means nothing. */
export function toValue(event: string): unknown {
  return event.startsWith("data: {") ? JSON.parse(event.slice("data: ".length)) : event;
}
