/** Writes the support matrix into README.md: `deno task matrix`. */

import { toMarkdown } from "../../src/providers/support_matrix.ts";
import { adapters } from "../../src/providers/registry.ts";

const path = new URL("../../README.md", import.meta.url);
const matrix = `<!-- matrix -->\n\n${toMarkdown([...adapters.values()])}\n\n<!-- /matrix -->`;
const readme = Deno.readTextFileSync(path);
Deno.writeTextFileSync(
  path,
  readme.replace(/<!-- matrix -->[\s\S]*<!-- \/matrix -->/, () => matrix),
);
