/** The formats of the requests that `sluice explain` reads. */

import { explainChatCompletion } from "../formats/chat_completions/explain.ts";
import { chatCompletions } from "../formats/chat_completions/format.ts";
import { explainEmbeddings } from "../formats/embeddings/explain.ts";
import { readEmbeddingsRequest } from "../formats/embeddings/request.ts";
import { explainMessages } from "../formats/messages/explain.ts";
import { readOutline } from "../formats/messages/schema.ts";
import { explainResponses } from "../formats/responses/explain.ts";
import { readResponsesRequest } from "../formats/responses/request.ts";
import type { ExplainDeps, ExplainInput } from "../routing/explain.ts";

/** Shows what the targets of a request would get. @throws {GatewayError} for a faulty request. */
type Explain = (body: unknown, input: ExplainInput, deps: ExplainDeps) => Promise<unknown>;

/** By the value of the option `--format`. */
export const EXPLAINED_FORMATS: ReadonlyMap<string, Explain> = new Map<string, Explain>([
  [
    "chat_completions",
    (body, input, deps) => explainChatCompletion(chatCompletions.readRequest(body), input, deps),
  ],
  [
    "messages",
    (body, input, deps) => explainMessages(readOutline(body), new Map(), input, deps),
  ],
  ["responses", (body, input, deps) => explainResponses(readResponsesRequest(body), input, deps)],
  [
    "embeddings",
    (body, input, deps) => explainEmbeddings(readEmbeddingsRequest(body), input, deps),
  ],
]);

/** The format of a request whose format is not said. */
export const DEFAULT_EXPLAINED_FORMAT = "chat_completions";
