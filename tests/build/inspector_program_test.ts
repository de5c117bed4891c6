/** SIGUSR1 opens no inspector where the npm package or the service starts the gateway. */

import { assert, assertEquals } from "@std/assert";
import { until } from "../support/elapse.ts";
import { readRoot } from "../support/read_root.ts";
import { needs } from "../support/needs.ts";

/** Whether `env` can block a signal. */
function canBlock(): boolean {
  try {
    return new Deno.Command("env", { args: ["--block-signal=USR1", "true"], stderr: "null" })
      .outputSync().success;
  } catch {
    return false;
  }
}

/** A program that writes again and again. */
const PROGRAM = 'setInterval(() => console.log("runs"), 50);';

/** Lines of the program after the signal; an inspector that opens is reported before them. */
const LINES = 10;

/** SIGUSR1 in the sets of signals that Linux shows of a process. */
const USR1 = 1n << 9n;

/** Whether a process catches or blocks SIGUSR1 by now. */
function isReady(pid: number): boolean {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  const sets = [...status.matchAll(/^Sig(?:Blk|Cgt):\s*(\w+)$/gm)];
  return sets.some(([, set]) => (BigInt(`0x${set}`) & USR1) !== 0n);
}

/** Whether the inspector of a process opens at SIGUSR1. */
async function opensInspector(command: readonly string[]): Promise<boolean> {
  const [program = "", ...args] = command;
  const child = new Deno.Command(program, {
    args: [...args, Deno.execPath(), "eval", PROGRAM],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  await output.read();
  await until(() => isReady(child.pid));
  child.kill("SIGUSR1");
  for (let lines = 0; lines < LINES; lines++) await output.read();
  child.kill("SIGKILL");
  await output.cancel();
  const errors = await new Response(child.stderr).text();
  await child.status;
  return /debugger listening/i.test(errors);
}

Deno.test({
  ...needs(
    "an env that can block signals",
    canBlock(),
    "SIGUSR1 opens the inspector, unless env blocks the signal as in the service",
  ),
  async fn() {
    const [, start = ""] = /^ExecStart=(.*) \/usr\/local\/bin\/sluice$/m
      .exec(readRoot("deploy/sluice.service")) ?? [];
    assertEquals(start, "/usr/bin/env --block-signal=USR1");
    assertEquals(await opensInspector(["/usr/bin/env"]), true);
    assertEquals(await opensInspector(start.split(" ")), false);
    assert(readRoot("scripts/npm_launcher.cjs").includes("--block-signal=USR1"));
  },
});
