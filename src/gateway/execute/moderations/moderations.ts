/** Moderation. */

import { OTHER_OPERATIONS } from "../../../contract/operations.ts";
import {
  MODERATED_KINDS,
  type ModerationBody,
  type ModerationCall,
  type ModerationRequest,
} from "../../../contract/rerank.ts";
import type { OperationKind } from "../../operation_kind.ts";
import { countInput } from "../../../apis/chat/token_estimate.ts";
import { readModerationRequest, writeModeration } from "../../../apis/moderations/moderations.ts";
import type { ApiKind } from "../../feature.ts";
import type { ParsedRequest } from "../../parsed_request.ts";
import {
  inputUsage,
  type UnaryKind,
  unaryRequest,
  type WriteContext,
  type WrittenAnswer,
} from "../unary/unary_operation.ts";

const API: ApiKind = { format: "moderations", idPrefix: "", operation: "moderations" };

/**
 * Reads a request.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
function readModeration(body: unknown): ParsedRequest {
  return unaryRequest(API, readModerationRequest(body), false, () => MODERATION);
}

const MODERATION: UnaryKind<ModerationRequest, ModerationBody> = {
  name: "moderations",
  structural: new Set(["input"]),
  apiOf: ({ moderations }) => moderations,
  estimate: ({ input }, family) => ({ input: countInput(input).tokens(family), maxOutput: 0 }),
  write,
};

function write(
  body: ModerationBody,
  { model }: ModerationCall,
  { id }: WriteContext,
): WrittenAnswer {
  const { results, tokens, extra = {} } = body;
  const answer = { id: body.id ?? id, model: body.model ?? model.upstream, results, extra };
  return {
    text: writeModeration(answer),
    usage: tokens === undefined ? undefined : inputUsage(tokens),
    id: answer.id,
    model: answer.model,
  };
}

/** Moderation. Moderation models support no other operation. */
export const moderations: OperationKind = {
  name: "moderations",
  noun: "moderation",
  endpoints: [{ path: "/v1/moderations", explainedAs: "moderations", read: readModeration }],
  models: OTHER_OPERATIONS.moderations,
  support: {
    group: { member: "moderations", title: "Moderation" },
    parameters: [],
    contentMember: "inputs",
    contents: MODERATED_KINDS,
    tablesOf({ moderations: api }) {
      if (api === undefined) return undefined;
      const { supports: { extensions }, contents, adds } = api;
      return { parameters: {}, contents, extensions, adds };
    },
    isUsual: () => false,
  },
};
