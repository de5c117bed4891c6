/** Every scenario, in the order of the table. Each has found a fault, or holds a rule of SECURITY.md. */

import { bodies } from "./bodies.ts";
import { addresses, connections, descriptors } from "./descriptors.ts";
import { frames } from "./frames.ts";
import { heldBodies, storedAnswers } from "./in_flight.ts";
import { memberNames } from "./member_names.ts";
import { operators } from "./operators.ts";
import { drippedUploads, passed } from "./passed.ts";
import { putBack } from "./put_back.ts";
import { queue } from "./queue.ts";
import { records } from "./records.ts";
import { search } from "./search.ts";
import { shownSecrets } from "./shown_secrets.ts";
import { sockets } from "./sockets.ts";
import type { Scenario } from "./trial.ts";
import { uploads } from "./uploads.ts";
import { wrongKeys } from "./wrong_keys.ts";

export const SCENARIOS: readonly Scenario[] = [
  bodies,
  search,
  heldBodies,
  storedAnswers,
  sockets,
  frames,
  descriptors,
  connections,
  addresses,
  shownSecrets,
  memberNames,
  passed,
  drippedUploads,
  queue,
  putBack,
  uploads,
  records,
  operators,
  wrongKeys,
];
