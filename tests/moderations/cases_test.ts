/** Every vendor's moderation against the cases in `cases/`. */

import { testCases } from "../support/operation_cases.ts";

testCases({
  name: "moderation",
  root: new URL("./cases/", import.meta.url),
  path: "/v1/moderations",
  operation: "moderations",
});
