/** All operations: a new one is added here. */

import { PARAMETERS } from "../../contract/chat.ts";
import { CONTENT_KINDS, RARE_CONTENT } from "../../contract/support.ts";
import type { OperationSupport } from "../../providers/support_matrix.ts";
import type { OperationKind } from "../operation_kind.ts";
import { CHAT_COMPLETIONS } from "./chat_completions/chat_endpoints.ts";
import { COMPLETIONS } from "./completions/completions_operation.ts";
import { MESSAGES } from "./messages/messages_endpoints.ts";
import { RESPONSES } from "./responses/responses_endpoints.ts";
import { embeddings } from "../../apis/embeddings/embeddings.ts";
import { images } from "../../apis/images/images.ts";
import { moderations } from "../../apis/moderations/moderations.ts";
import { rerank } from "../../apis/rerank/rerank.ts";
import { speech } from "../../apis/speech/speech.ts";
import { transcriptions } from "../../apis/transcriptions/transcriptions.ts";
import { toOperationKind } from "./unary/unary_operation.ts";

/** Support levels that nearly all kinds share. */
const USUAL = new Set<unknown>(Object.values(RARE_CONTENT));

const support: OperationSupport = {
  parameters: PARAMETERS,
  contentMember: "content",
  contents: CONTENT_KINDS,
  tablesOf: ({ chats, supports: { parameters, content, extensions }, adds }) =>
    chats === false ? undefined : { parameters, contents: content, extensions, adds },
  isUsual: (level) => USUAL.has(level),
};

/** Chat. Each caller format has separate endpoints. */
const chat: OperationKind = {
  name: "chat",
  noun: "chat completions",
  endpoints: [CHAT_COMPLETIONS, COMPLETIONS, ...MESSAGES, ...RESPONSES],
  support,
};

/** In the order in which routes and tables show them. */
export const OPERATIONS: readonly OperationKind[] = [
  chat,
  toOperationKind(embeddings),
  toOperationKind(rerank),
  toOperationKind(moderations),
  toOperationKind(images),
  toOperationKind(speech),
  toOperationKind(transcriptions),
];
