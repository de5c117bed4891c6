/**
 * Bedrock's counter of input tokens.
 *
 * Shapes: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html
 * (2026-11-20).
 */

import type { JsonObject } from "../../core/json/object.ts";
import type { Call, TargetModel, VendorRequest } from "../contract/adapter.ts";
import type { NativeCall } from "../contract/native.ts";
import { readCount, type TokenCounter } from "../contract/token_counter.ts";

/** The address of a model, without the operation. */
export type ResourceOf = (call: Pick<Call, "model" | "provider">) => string;

/** What each counter reads. A refusal may be about the model or the form of its id. */
export const COUNTED = { read: readCount("inputTokens"), mayRefuse: true } as const;

/** The counter of requests that Converse takes; undefined for models without one. */
export function converseCounter(
  { base }: TargetModel,
  toRequest: (call: Call) => VendorRequest,
  resourceOf: ResourceOf,
): TokenCounter<Call> | undefined {
  if (WITHOUT_COUNTER.test(base)) return undefined;
  return {
    ...COUNTED,
    toRequest(call) {
      const { body, ...request } = toRequest(call);
      return { ...request, ...toCountRequest(call, resourceOf, { converse: membersOf(body) }) };
    },
  };
}

/** The address and the body of a request for the counter. */
export function toCountRequest(
  call: Call | NativeCall,
  resourceOf: ResourceOf,
  input: JsonObject,
): Pick<VendorRequest, "url" | "body"> {
  const model = { ...call.model, upstream: foundationIdOf(call.model) };
  const url = `${resourceOf({ model, provider: call.provider })}/count-tokens`;
  return { url, body: { input } };
}

/** https://alchemy.run/providers/aws/bedrock/counttokens (2026-11-22). */
const WITHOUT_COUNTER = /\bnova\b/;

/** Members of a Converse request that are counted: `ConverseTokensRequest` of the reference. */
const MEMBERS = ["messages", "system", "toolConfig", "additionalModelRequestFields"];

function membersOf(body: JsonObject): JsonObject {
  const counted = MEMBERS.filter((name) => body[name] !== undefined);
  return Object.fromEntries(counted.map((name) => [name, body[name]]));
}

/**
 * The counter knows the ids of models, not those of their inference profiles
 * (https://github.com/pydantic/pydantic-ai/pull/3367, 2025-11-07).
 */
function foundationIdOf({ base, upstream }: TargetModel): string {
  const id = upstream.startsWith("arn:") ? base : upstream;
  return id.replace(REGION, "");
}

/** The prefix that an inference profile's ID adds to the model's ID. */
const REGION = /^(?:[a-z]{2}(?:-gov)?|apac|global)\.(?=[a-z0-9]+\.)/;
