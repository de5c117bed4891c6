/** All adapters, for code that describes every kind: schemas, documentation and tests. */

import { type Adapters, KINDS, loadAdapters } from "./kinds.ts";

/** All adapters by kind. */
export const adapters: Adapters = await loadAdapters(KINDS);
