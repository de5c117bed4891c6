/** Attempts without a gateway. */

import { chatCompletions } from "../../src/apis/chat_completions/format.ts";
import { systemClock } from "../../src/core/clock.ts";
import { AttemptState, type AttemptTarget } from "../../src/gateway/attempt_state.ts";

/** A sent attempt at the model `up` of the provider `p`. */
export function attemptState(members: Partial<AttemptState> = {}): AttemptState {
  const provider = { settings: { id: "p" }, adapter: { kind: "openai" } };
  const model = { id: "m", upstream: "up", facts: {} };
  const target = { provider, model, params: undefined } as unknown as AttemptTarget;
  const hasEnded = members.outcome !== undefined;
  return Object.assign(
    new AttemptState(target, chatCompletions, systemClock),
    { began: 0, requests: 1, hasEnded },
    members,
  );
}
