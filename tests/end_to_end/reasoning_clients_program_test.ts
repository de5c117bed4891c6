/** Reasoning state on the second turn of a tool loop, bit for bit, with clients in Python. */

import { assert, assertEquals } from "@std/assert";
import { checkReturned, createLongWorld, longLoop } from "../support/loops/long.ts";
import { REASONING_LOOPS } from "../support/loops/reasoning.ts";
import { createLoopWorld } from "../support/loops/world.ts";
import { PYTHON_CLIENTS, runPython } from "../support/python_clients.ts";
import { readRoot } from "../support/read_root.ts";

for (const client of PYTHON_CLIENTS) {
  Deno.test({
    name: `${client.name}: the state of every vendor comes back, in ids of up to 12,000 characters`,
    ignore: !client.isInstalled,
    async fn() {
      const loops = [...REASONING_LOOPS, longLoop()];
      const worlds = loops.map((loop, at) =>
        at < REASONING_LOOPS.length ? createLoopWorld(loop, loop.calls) : createLongWorld(loop)
      );
      try {
        const answers = await runPython(
          client,
          worlds.map(({ served }, at) => ({
            base_url: `${served.url}/v1`,
            model: loops[at]?.model ?? "",
          })),
        );
        assertEquals(answers, worlds.map(() => "Hello."));
        worlds.forEach((world, at) => checkReturned(world, loops[at] ?? nothing()));
      } finally {
        for (const world of worlds) await world[Symbol.asyncDispose]();
      }
    },
  });
}

function nothing(): never {
  throw new TypeError("There is none");
}

Deno.test("the table of clients has those in Python", () => {
  const readme = readRoot("docs/features/reasoning_state.md");
  for (const { name } of PYTHON_CLIENTS) {
    assert(readme.includes(`| ${name} `), `no row for the client ${name}`);
  }
});
