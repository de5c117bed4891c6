/** Every vendor's reranking against the cases in `cases/`. */

import { testCases } from "../support/operation_cases.ts";

testCases({
  name: "reranking",
  root: new URL("./cases/", import.meta.url),
  path: "/v1/rerank",
  operation: "rerank",
});
