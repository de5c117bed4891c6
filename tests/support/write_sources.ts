/** Writes the sources of the facts about vendors: `deno task sources`. */

import { readCitations, SOURCES_FILE, toSourcesText } from "./citations.ts";

Deno.writeTextFileSync(SOURCES_FILE, toSourcesText(readCitations()));
