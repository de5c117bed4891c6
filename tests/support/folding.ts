/** Converts the stream of a case without a network, in one piece or in several. */

import { readChatRequest } from "../../src/apis/chat/read_request.ts";
import type { Target } from "../../src/config/config.ts";
import type { CallerFormat, Envelope } from "../../src/apis/chat/caller_format.ts";
import { chatCompletions } from "../../src/apis/chat_completions/format.ts";
import { prepare, type Prepared } from "../../src/gateway/execute/chat/prepare_request.ts";
import { RequestChanges } from "../../src/contract/request_changes.ts";
import { configOf, type Fixture } from "./fixtures.ts";
import { countedIds, loadTestConfig } from "./gateway.ts";
import { createFold } from "../../src/gateway/execute/chat/chat_operation.ts";

/** The request of a case, prepared for its target. */
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
  const prepared = prepare(target, request, new RequestChanges(), countedIds());
  return { ...prepared, target, stamp, format: chatCompletions };
}

/**
 * The output for a stream, followed by the failure that ended it, if any.
 *
 * @param learnsAfter the number of plain events before the template cache learns; `Infinity` for no
 * cache; the production value by default
 */
export function fold(
  { adapter, call, stamp, target, format }: PreparedCase,
  pieces: readonly Uint8Array[],
  learnsAfter: number | "production" = 0,
): string {
  // Each fold numbers IDs from one, so that the outputs can be compared.
  const own = { ...call, newId: countedIds() };
  const made = createFold(
    { adapter, call: own, format, stamp, target },
    learnsAfter === "production" ? undefined : learnsAfter,
  );
  let text = "";
  for (const piece of pieces) {
    const output = made.push(piece);
    text += typeof output === "string" ? output : new TextDecoder().decode(output);
  }
  if (!made.ended) text += made.end();
  return `${text}\n\n${made.failure?.kind}\n\n${made.failure?.message}`;
}

/** The canonical form of an event, independent of the order of members. */
export function toValue(event: string): unknown {
  return event.startsWith("data: {") ? JSON.parse(event.slice("data: ".length)) : event;
}
