/** Transcription, and translation of audio. */

import { TRANSCRIPTION_PARAMETERS } from "../../providers/contract/transcriptions.ts";
import type { OperationKind } from "../../routing/operation_kind.ts";
import { readForms } from "./model_request.ts";

/** Transcription. The models that listen have no other operation. */
export const transcriptions: OperationKind = {
  name: "transcriptions",
  noun: "transcription",
  endpoints: [
    {
      path: "/v1/audio/transcriptions",
      explainedAs: "transcriptions",
      ...readForms("transcriptions"),
    },
    { path: "/v1/audio/translations", explainedAs: "translations", ...readForms("translations") },
  ],
  models: { capability: "transcription", noun: "a transcription model" },
  support: {
    group: { member: "transcriptions", title: "Transcription" },
    parameters: TRANSCRIPTION_PARAMETERS,
    contentMember: "contents",
    contents: [],
    tablesOf({ transcriptions: api }) {
      if (api === undefined) return undefined;
      const { supports: { parameters, extensions }, adds } = api;
      return { parameters, contents: {}, extensions, adds };
    },
    isUsual: ({ note }) => note === "no such field",
  },
};
