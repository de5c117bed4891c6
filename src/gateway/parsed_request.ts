/** The interface of a request to a model, in any caller format. */

import type { Config } from "../config/config.ts";
import type { FormatRequest } from "./feature.ts";
import type { Principal } from "../identity/principal.ts";
import type { RequestedModels } from "./fallback_chain.ts";
import type { ExplainableOperation, RequestOptions } from "./operation.ts";
import type { RequestRecord } from "./request_record.ts";
import type { PathDeps } from "./attempt.ts";
import type { RouteOptions } from "./order/route_trace.ts";

/** A request to a model, with the checks that apply to every target. */
export interface ParsedRequest {
  readonly models: RequestedModels;
  /** Whether the answer is streamed. */
  readonly stream: boolean;
  /** The request in its format. */
  readonly caller: FormatRequest;
  /**
   * Whether all member names are known, and no two of them belong to the same setting. Default:
   * names must be checked.
   */
  readonly hasKnownMembers?: boolean;
  /** The caller's choice of targets. */
  readonly routeOptions?: RouteOptions | undefined;
  /**
   * The provider of the answers or items to which the request refers, if any.
   *
   * @throws {GatewayError} `response_not_found` for objects that do not belong to the caller.
   */
  providerOf?(context: OperationContext): string | undefined;
  /** Creates the operation of the request. Called once. */
  createOperation(
    context: OperationContext,
  ): ExplainableOperation | Promise<ExplainableOperation>;
}

/**
 * One model request, from its arrival to its answer: the caller, the configuration, the options and
 * the record.
 */
export interface GatewayRequest {
  readonly principal: Principal;
  /** The configuration when this request started. */
  readonly config: Config;
  readonly record: RequestRecord;
  /** The options in its headers, once they are read. */
  readonly options: RequestOptions;
  readonly deps: PathDeps;
}

/** The parts of a request from which its operation is created. Explanations have them too. */
export interface OperationContext extends Pick<GatewayRequest, "config" | "principal"> {
  /** The hooks of the plan's features, and the size of the request in bytes. */
  readonly record: Pick<RequestRecord, "bodyBytes" | "features">;
  readonly deps: Pick<
    PathDeps,
    "answers" | "clock" | "download" | "reasoning" | "unsettled"
  >;
}
