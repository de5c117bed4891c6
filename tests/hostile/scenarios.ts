/** Every scenario, in the order of the table. */

import { bodies } from "./bodies.ts";
import { budgets } from "./budgets.ts";
import { chunks } from "./chunks.ts";
import { configFiles, records } from "./files.ts";
import { heldBodies, storedAnswers } from "./in_flight.ts";
import { liveStreams } from "./live_streams.ts";
import { memberNames } from "./member_names.ts";
import { owners } from "./owners.ts";
import { pages } from "./pages.ts";
import { drippedUploads, passed } from "./passed.ts";
import { references } from "./references.ts";
import { search } from "./search.ts";
import { answers, endless } from "./vendor_answers.ts";
import { requests } from "./requests.ts";
import { addresses, connections, descriptors } from "./descriptors.ts";
import { sockets } from "./sockets.ts";
import { frames } from "./frames.ts";
import { shownSecrets } from "./shown_secrets.ts";
import { uploads } from "./uploads.ts";
import { operators } from "./operators.ts";
import { silentTls } from "./silent_tls.ts";
import { floodedLog, unreadLog } from "./unread_log.ts";
import { closing, idle, slowBodies, slowHeads } from "./slow_callers.ts";
import { echoes } from "./echoes.ts";
import { breakers } from "./breakers.ts";
import { keys } from "./keys.ts";
import { administration, learning } from "./learning.ts";
import { heads, resending, surplus } from "./resending.ts";
import { reasons } from "./reasons.ts";
import { clock } from "./system_clock.ts";
import { redaction } from "./redaction.ts";
import { terminal } from "./terminal.ts";
import { hosts } from "./host.ts";
import { unreadAnswers } from "./unread_answers.ts";
import { wrongKeys } from "./wrong_keys.ts";
import type { Scenario } from "./trial.ts";

export const SCENARIOS: readonly Scenario[] = [
  bodies,
  requests,
  search,
  references,
  heldBodies,
  storedAnswers,
  sockets,
  frames,
  answers,
  endless,
  descriptors,
  connections,
  addresses,
  silentTls,
  unreadLog,
  floodedLog,
  slowBodies,
  slowHeads,
  closing,
  idle,
  echoes,
  keys,
  breakers,
  learning,
  administration,
  resending,
  surplus,
  reasons,
  clock,
  heads,
  redaction,
  shownSecrets,
  terminal,
  hosts,
  unreadAnswers,
  budgets,
  memberNames,
  owners,
  pages,
  passed,
  drippedUploads,
  uploads,
  chunks,
  liveStreams,
  configFiles,
  records,
  operators,
  wrongKeys,
];
