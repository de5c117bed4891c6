/** The table of clients. */

import { CHAT_APPS, EDITORS } from "./editors.ts";
import type { Client } from "./client.ts";
import { CODING_AGENTS } from "./coding_agents.ts";

/** All clients by their name on the command line. */
export const CLIENTS: ReadonlyMap<string, Client> = new Map(
  [...CODING_AGENTS, ...EDITORS, ...CHAT_APPS].map((client) => [client.id, client]),
);
