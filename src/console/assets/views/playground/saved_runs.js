/** Serializes runs across a reload of the page. */

import { ApiError } from "../../lib/api.js";
import { Run } from "./run.js";

/**
 * A run as JSON. Bodies are omitted, because each contains the whole conversation.
 *
 * @param {Run} run
 */
export function toSavedRun(
  { error, fold, headers, isOpen, request, requestId, state, timing, toolAnswers },
) {
  const { message: text, status, type, code, param, requestId: failedId } = error ?? {};
  const { first, total } = timing;
  return {
    ...{ model: request.model, stream: request.body.stream, requestId, headers, first, total },
    message: { ...fold.toMessage(), reasoning_content: fold.reasoning },
    finishReason: fold.finishReason,
    usage: fold.usage,
    // The connection of an open answer ends with the page.
    state: isOpen ? "stopped" : state,
    error: error && { message: text, status, type, code, param, requestId: failedId },
    toolAnswers: [...toolAnswers],
  };
}

/**
 * A run from before the page was reloaded. The ledger still has its attempts.
 *
 * @param {ReturnType<typeof toSavedRun>} saved
 */
export function restoredRun(saved) {
  const { model, stream, message, finishReason, usage, first, total } = saved;
  const run = new Run({ model, body: { stream }, headers: {} });
  run.fold.addCompletion({ choices: [{ message, finish_reason: finishReason }], usage });
  run.isRestored = true;
  run.state = saved.state;
  run.error = saved.error && new ApiError(saved.error.message, saved.error);
  run.headers = saved.headers;
  run.requestId = saved.requestId;
  run.toolAnswers = new Map(saved.toolAnswers);
  run.startedAt = 0;
  run.firstTextAt = first;
  run.endedAt = total;
  return run;
}
