/** The versions that the static site has, as the script of its workflow chooses them. */

import { assertEquals } from "@std/assert";
import manifest from "../../deno.json" with { type: "json" };
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

Deno.test("of each minor version, the site has the last release, but not of this one", async () => {
  const { code, stdout } = await new Deno.Command("bash", {
    args: [`${ROOT}.ci/site`, "--versions"],
    stdin: "null",
    env: {
      SITE_TAGS: `v${manifest.version} v0.0.9 v0.1.4 v0.0.10 v0.1.3 v1.10.0 v1.9.2 v1.9.2-rc.1 vx`,
    },
  }).output();
  assertEquals([code, new TextDecoder().decode(stdout)], [0, "v1.10.0 v1.9.2 v0.1.4 v0.0.10\n"]);
});
