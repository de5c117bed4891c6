/** Vendors' speech in JSON against the cases in `cases/`; the audio of others passes unchanged. */

import { testCases } from "../support/operation_cases.ts";

testCases({
  name: "speech",
  root: new URL("./cases/", import.meta.url),
  path: "/v1/audio/speech",
  operation: "speech",
});
