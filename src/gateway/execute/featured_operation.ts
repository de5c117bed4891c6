/** An operation whose answers features process in the form that callers receive. */

import { changedBody, changedStream } from "../answer_features.ts";
import type { RequestFeatures } from "../request_features.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Target } from "../../config/config.ts";
import type { TokenFamily } from "../../core/tokens/token_counter.ts";
import type {
  AskedRequest,
  AttemptResult,
  ExplainableOperation,
  ExplainContext,
  Operation,
  PrepareContext,
  PreparedAttempt,
  ReadyResult,
  StreamContinuation,
  TokenEstimate,
  UnaryResult,
} from "../operation.ts";

/** The operation, or one that passes its answers to the features that read answers. */
export function withFeaturedAnswers<Own extends Operation>(
  operation: Own,
  features: RequestFeatures,
): Own | FeaturedOperation<Own> {
  return features.readsAnswers ? new FeaturedOperation(operation, features) : operation;
}

/** Wraps another operation and passes its answers through the features. */
class FeaturedOperation<Own extends Operation> implements Operation {
  readonly #operation: Own;
  readonly #features: RequestFeatures;

  constructor(operation: Own, features: RequestFeatures) {
    this.#operation = operation;
    this.#features = features;
  }

  get name() {
    return this.#operation.name;
  }

  get asksNoModel(): true | undefined {
    return this.#operation.asksNoModel;
  }

  get isUntimed(): true | undefined {
    return this.#operation.isUntimed;
  }

  get chat() {
    return this.#operation.chat;
  }

  get estimate(): ((family: TokenFamily) => TokenEstimate) | undefined {
    return this.#operation.estimate?.bind(this.#operation);
  }

  answer(request: AskedRequest): Promise<ReadyResult | undefined> | undefined {
    return this.#operation.answer?.(request)?.then(async (ready) =>
      ready && { ...ready, result: await this.#changed(ready.result) }
    );
  }

  async prepare(target: Target, context: PrepareContext): Promise<PreparedAttempt> {
    const prepared = await this.#operation.prepare(target, context);
    if (prepared.execute !== undefined) {
      return {
        ...prepared,
        execute: async (session) => this.#changed(await prepared.execute(session)),
      };
    }
    const { exchange } = prepared;
    return {
      ...prepared,
      exchange: {
        ...exchange,
        read: async (response, session) => this.#changed(await exchange.read(response, session)),
        handle: (response, session) =>
          exchange.handle?.(response, session)?.then((result) => this.#changed(result)),
      },
    };
  }

  explain(this: FeaturedOperation<ExplainableOperation>, target: Target, context: ExplainContext) {
    return this.#operation.explain(target, context);
  }

  async #changed(result: AttemptResult): Promise<AttemptResult> {
    if (result.type === "text") return await this.#changedText(result);
    const { contentType, packets } = result.stream;
    if (contentType !== undefined && this.#features.refusesUnseen) {
      packets.close();
      throw unseen();
    }
    const stream = await changedStream(result.stream, this.#features.events());
    const { continuation } = result;
    return continuation === undefined
      ? { ...result, stream }
      : { ...result, stream, continuation: this.#toContinuation(continuation) };
  }

  async #changedText(result: UnaryResult): Promise<UnaryResult> {
    if (result.contentType !== undefined) {
      if (this.#features.refusesUnseen) throw unseen();
      return result;
    }
    const text = await changedBody(result.text, (answer) => this.#features.answer(answer));
    // The model's output differs from the result of features.
    const { outputChars = result.text.length } = result;
    return text === result.text ? result : { ...result, text, outputChars };
  }

  #toContinuation(continuation: StreamContinuation): StreamContinuation {
    const features = this.#features;
    return {
      get isPossible() {
        return continuation.isPossible;
      },
      createOperation: (used) =>
        new FeaturedOperation(continuation.createOperation(used), features),
    };
  }
}

/** The error for an answer that a feature must see, but cannot read. */
function unseen(): GatewayError {
  const message = "The answer is not JSON, and a feature of this gateway must see all content";
  return new GatewayError("unseen_content", message);
}
