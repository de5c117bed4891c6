/** The kinds of providers that support chat; some support only embeddings. */

import { adapters } from "../../src/providers/registry.ts";

/** Their names, in the order of the registry. */
export const CHAT_KINDS: readonly string[] = [...adapters.values()]
  .filter(({ chats }) => chats !== false)
  .map(({ kind }) => kind);
