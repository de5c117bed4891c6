/** Every scenario, in the order of the table. */

import { bodies } from "./a1_bodies.ts";
import { answers, requests } from "./a2_conversions.ts";
import type { Scenario } from "./trial.ts";

export const SCENARIOS: readonly Scenario[] = [bodies, requests, answers];
