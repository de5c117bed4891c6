/** All operations: a new one is added here. */

import type { OperationKind } from "../operation_kind.ts";
import { chat } from "./chat/kind.ts";
import { embeddings } from "../../apis/embeddings/embeddings.ts";
import { images } from "../../apis/images/images.ts";
import { moderations } from "../../apis/moderations/moderations.ts";
import { rerank } from "../../apis/rerank/rerank.ts";
import { speech } from "../../apis/speech/speech.ts";
import { transcriptions } from "../../apis/transcriptions/transcriptions.ts";
import { toOperationKind } from "./unary/unary_operation.ts";

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
