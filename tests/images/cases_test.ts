/** Every vendor's image generation against the cases in `cases/`. */

import { testCases } from "../support/operation_cases.ts";

testCases({
  name: "image generation",
  root: new URL("./cases/", import.meta.url),
  path: "/v1/images/generations",
  operation: "images",
});
