/** Moderation. */

import { MODERATED_KINDS } from "../../providers/contract/moderations.ts";
import type { OperationKind } from "../../routing/operation_kind.ts";
import { readModeration } from "./model_request.ts";

/** Moderation. The models that judge have no other operation. */
export const moderations: OperationKind = {
  name: "moderations",
  noun: "moderation",
  endpoints: [{ path: "/v1/moderations", explainedAs: "moderations", read: readModeration }],
  models: { capability: "moderation", noun: "a moderation model" },
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
