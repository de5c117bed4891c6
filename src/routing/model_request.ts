/** The contract of a request to a model, whatever caller format it is in. */

import type { ChatRequest } from "../chat/chat.ts";
import { type Config, ownerOf, type ServiceKey } from "../config/config.ts";
import type { RequestReasoning } from "../reasoning_state/carrier.ts";
import { RequestImages } from "../upstream/images/request_images.ts";
import type { PathDeps } from "./failover.ts";
import type { RequestedModels } from "./fallback_chain.ts";
import type { ExplainableOperation } from "./operation.ts";

/** A request to a model, checked as far as every target needs it. */
export interface ModelRequest {
  readonly models: RequestedModels;
  /** Whether the answer is streamed. */
  readonly stream: boolean;
  /**
   * The provider that made what the request refers to, if it refers to anything.
   *
   * @throws {GatewayError} `response_not_found` for what the caller did not get.
   */
  providerOf?(context: OperationContext): string | undefined;
  /** Creates the operation of the request. Called once. */
  createOperation(
    context: OperationContext,
  ): ExplainableOperation | Promise<ExplainableOperation>;
}

/** The context of a new operation. */
export interface OperationContext {
  readonly key: ServiceKey;
  readonly config: Config;
  /** Bytes of the request. */
  readonly bytes: number;
  readonly deps: Pick<PathDeps, "answers" | "clock" | "download" | "reasoning" | "unsettled">;
}

/** The dependencies of a conversion to a chat request. */
export interface ConversionDeps {
  /** The images downloaded for this request; kept between attempts. */
  readonly images: RequestImages;
  /** Takes the reasoning state out of the IDs of tool calls. */
  readonly readReasoning: (chat: ChatRequest) => RequestReasoning | Promise<RequestReasoning>;
}

/** The dependencies of the conversions of one request. */
export function toConversionDeps({ key, config, deps }: OperationContext): ConversionDeps {
  const { images, maxBody, reasoningState } = config.server;
  return {
    images: new RequestImages(images, deps.download),
    readReasoning: (chat) => deps.reasoning.read(chat, ownerOf(key), reasoningState, maxBody),
  };
}
