/**
 * Creates operations whose requests features process before they are converted, and whose answers
 * in the form that callers receive.
 */

import { changedBody, changedStream } from "../answer_features.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { OperationContext } from "../parsed_request.ts";
import type { RequestFeatures } from "../request_features.ts";
import { RequestImages } from "../../upstream/images/request_images.ts";
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

/** The dependencies of a conversion to a chat request. */
export interface ConversionDeps {
  /** The images downloaded for this request, shared by its attempts and created on first use. */
  readonly images: () => RequestImages;
  readonly features: RequestFeatures;
}

/** Creates the operation of a request from the body that features have processed. */
type Create<Body, Deps> = (
  body: Body,
  deps: Deps,
) => ExplainableOperation | Promise<ExplainableOperation>;

/** Creates the operation of a chat, or of a request that may become one. */
export function createChatOperation<Body extends object>(
  context: OperationContext,
  body: Body,
  create: Create<Body, ConversionDeps>,
): ExplainableOperation | Promise<ExplainableOperation> {
  const { config, deps, record: { features } } = context;
  let made: RequestImages | undefined;
  const images = () => made ??= new RequestImages(config.server.images, deps.download);
  const own = { images, features };
  return features.readsRequests || features.readsAnswers
    ? createFeatured(body, features, own, create)
    : create(body, own);
}

/** Creates the operation of any other request. */
export function createOperation<Body extends object>(
  context: OperationContext,
  body: Body,
  create: Create<Body, RequestFeatures>,
): ExplainableOperation | Promise<ExplainableOperation> {
  const { features } = context.record;
  return features.readsRequests || features.readsAnswers
    ? createFeatured(body, features, features, create)
    : create(body, features);
}

/** Creates an operation whose request or answers features read. */
async function createFeatured<Body extends object, Deps>(
  body: Body,
  features: RequestFeatures,
  deps: Deps,
  create: Create<Body, Deps>,
): Promise<ExplainableOperation> {
  const own = await features.request(body as JsonObject);
  return withFeaturedAnswers(await create(own as Body, deps), features);
}

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

  get callsNoModel(): true | undefined {
    return this.#operation.callsNoModel;
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
