/**
 * A request with `generate: false`, which only prepares the next one of a conversation. It passes
 * the checks and the limits of a request for a response, and no model is asked.
 */

import { responses } from "../../formats/responses/format.ts";
import { RESPONSE_PREFIX } from "../../formats/responses/output_items.ts";
import type {
  ExplainableOperation,
  ExplainContext,
  ExplainedRequest,
  PrepareContext,
  PreparedAttempt,
  ReadyContext,
  ReadyResult,
  TokenEstimate,
} from "../../routing/operation.ts";
import type { Target } from "../../config/config.ts";
import { toWritten } from "../ready_answer.ts";

/** What the answer has of its request. */
export interface PreparedRequest {
  readonly model: string;
  readonly stream: boolean;
}

/** Answers a request with a response that has no output. */
export class PreparedOperation implements ExplainableOperation {
  readonly name = "chat";
  readonly asksNoModel = true;
  readonly #request: PreparedRequest;
  readonly #response: ExplainableOperation;

  /** @param response the operation of the same request without `generate: false` */
  constructor(request: PreparedRequest, response: ExplainableOperation) {
    this.#request = request;
    this.#response = response;
  }

  estimate(): TokenEstimate {
    return { input: 0, maxOutput: 0 };
  }

  answer(toContext: () => ReadyContext): Promise<ReadyResult> {
    const { clock, newId } = toContext();
    const { model, stream } = this.#request;
    const id = newId(RESPONSE_PREFIX);
    const created_at = Math.floor(clock.wallTime() / 1000);
    const response = { id, object: "response", created_at, model, output: [] };
    const counts = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    const completed = { ...response, status: "completed", usage: counts };
    const text = stream
      ? toEvent(0, "response.created", { ...response, status: "in_progress" }) +
        toEvent(1, "response.completed", completed)
      : JSON.stringify(completed);
    return Promise.resolve({ result: toWritten(text, stream), format: responses, headers: {} });
  }

  prepare(
    target: Target,
    context: PrepareContext,
  ): PreparedAttempt | Promise<PreparedAttempt> {
    return this.#response.prepare(target, context);
  }

  explain(
    target: Target,
    context: ExplainContext,
  ): ExplainedRequest | Promise<ExplainedRequest> {
    return this.#response.explain(target, context);
  }
}

function toEvent(sequence_number: number, type: string, response: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, response })}\n\n`;
}
