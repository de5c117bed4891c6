/** `balance: in_order`: as config.yaml lists them. */

import type { Strategy } from "./strategy.ts";

export const inOrder: Strategy = (targets) => targets;
