/** All operations: a new one is added here. */

import type { OperationKind } from "../operation_kind.ts";
import { chat } from "./chat/kind.ts";
import { embeddings } from "./embeddings/kind.ts";
import { images } from "./images/images.ts";
import { moderations } from "./moderations/moderations.ts";
import { speech } from "./speech/speech.ts";
import { transcriptions } from "./transcriptions/transcriptions.ts";
import { rerank } from "./rerank/rerank.ts";

/** In the order in which routes and tables show them. */
export const OPERATIONS: readonly OperationKind[] = [
  chat,
  embeddings,
  rerank,
  moderations,
  images,
  speech,
  transcriptions,
];
