/** Every scenario, in the order of the table. */

import { bodies } from "./a1_bodies.ts";
import { answers, endless } from "./a2_answers.ts";
import { requests } from "./a2_requests.ts";
import { addresses, connections, descriptors } from "./a3_descriptors.ts";
import { silentTls } from "./a4_silent_tls.ts";
import { floodedLog, unreadLog } from "./a5_unread_log.ts";
import { closing, idle, slowBodies, slowHeads } from "./a6_slow_callers.ts";
import { echoes } from "./b7_echoes.ts";
import { breakers } from "./b8_breakers.ts";
import { keys } from "./b8_keys.ts";
import { administration, learning } from "./b9_learning.ts";
import { heads, resending, surplus } from "./c11_resending.ts";
import { reasons } from "./c13_reasons.ts";
import { clock } from "./c14_clock.ts";
import { redaction } from "./d16_redaction.ts";
import { terminal } from "./d17_terminal.ts";
import { hosts } from "./d18_host.ts";
import { unreadAnswers } from "./d19_unread_answers.ts";
import type { Scenario } from "./trial.ts";

export const SCENARIOS: readonly Scenario[] = [
  bodies,
  requests,
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
  terminal,
  hosts,
  unreadAnswers,
];
