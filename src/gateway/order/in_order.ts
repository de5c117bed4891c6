/** `balance: in_order`: the order of config.yaml. */

import type { Strategy } from "./strategy.ts";

export const inOrder: Strategy = (targets) => targets;
