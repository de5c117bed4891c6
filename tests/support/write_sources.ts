/** Writes where the facts about vendors come from: `deno task sources`. */

import { readCitations, SOURCES_FILE, toSourcesText } from "./citations.ts";

Deno.writeTextFileSync(SOURCES_FILE, toSourcesText(readCitations()));
