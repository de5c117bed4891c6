/** Clients of Gemini's API in Python. */

import { assert, assertEquals } from "@std/assert";
import { createLoopWorld, LOOPS } from "../support/gemini_world.ts";
import { PYTHON_GEMINI_CLIENTS, runPython } from "../support/python_clients.ts";

for (const client of PYTHON_GEMINI_CLIENTS) {
  Deno.test({
    name: client.isInstalled
      ? `Gemini's API: ${client.name} goes through two calls at once, and results come back`
      : `Gemini's API: ${client.name} (skipped: the package is not installed)`,
    ignore: !client.isInstalled,
    async fn() {
      await using stack = new AsyncDisposableStack();
      const worlds = LOOPS.map((loop) => stack.use(createLoopWorld(loop)));
      const answers = await runPython(
        client,
        worlds.map(({ served }, at) => ({ base_url: served.url, model: LOOPS[at]?.model ?? "" })),
      );
      assertEquals(answers, LOOPS.map(() => "Hello."));
      for (const [at, { arrived }] of worlds.entries()) {
        const last = arrived.at(-1);
        assertEquals(arrived.length, 2);
        for (const { city, celsius } of LOOPS[at]?.calls ?? []) {
          const sent = JSON.stringify(last);
          assert(sent.includes(city) && sent.includes(String(celsius)), sent);
        }
      }
    },
  });
}
