/**
 * The product with one worker in a thread of its own, which it never has by
 * itself: beside one in the main thread, it shows what supervision costs.
 */

import { readCommand } from "../../src/cli/arguments.ts";
import { systemClock } from "../../src/core/clock.ts";
import { readEnvironment } from "../../src/process/files.ts";
import { readRecorded } from "../../src/process/load_config.ts";
import { tell } from "../../src/process/stdio.ts";
import { spawnFrom, Workers } from "../../src/process/workers.ts";

const command = readCommand(Deno.args);
const { snapshot } = readRecorded(command, readEnvironment());
const workers = new Workers({ snapshot, stale: undefined }, {
  post: {
    where: { hostname: command.host ?? "", port: Number(command.port) },
    workers: 1,
    startedAt: systemClock.now(),
  },
  spawn: spawnFrom(new URL("../../src/main.ts", import.meta.url).href),
  clock: systemClock,
  say: tell,
});
await workers.start();
