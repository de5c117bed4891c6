/** Every vendor's embeddings against the cases in `cases/`. */

import { testCases } from "../support/operation_cases.ts";

testCases({
  name: "embeddings",
  root: new URL("./cases/", import.meta.url),
  path: "/v1/embeddings",
  operation: "embeddings",
});
