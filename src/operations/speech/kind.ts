/** Speech. */

import { SPEECH_PARAMETERS } from "../../providers/contract/speech.ts";
import type { OperationKind } from "../../routing/operation_kind.ts";
import { readSpeech } from "./model_request.ts";

/** Speech. The models that speak have no other operation. */
export const speech: OperationKind = {
  name: "speech",
  noun: "speech",
  endpoints: [{ path: "/v1/audio/speech", explainedAs: "speech", read: readSpeech }],
  models: { capability: "speech", noun: "a speech model" },
  support: {
    group: { member: "speech", title: "Speech" },
    parameters: SPEECH_PARAMETERS,
    contentMember: "contents",
    contents: [],
    tablesOf({ speech: api }) {
      if (api === undefined) return undefined;
      const { supports: { parameters, extensions }, adds } = api;
      return { parameters, contents: {}, extensions, adds };
    },
    isUsual: ({ note }) => note === "no such field",
  },
};
