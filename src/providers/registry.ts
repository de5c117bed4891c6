/** All adapters, for what describes every kind: schemas, documents and tests. */

import { type Adapters, KINDS, loadAdapters } from "./kinds.ts";

/** All adapters by kind. */
export const adapters: Adapters = await loadAdapters(KINDS);
