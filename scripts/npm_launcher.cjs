#!/usr/bin/env node
/** Runs the bundle beside this file in the Deno that npm has installed with it. */

const { spawn, spawnSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const { constants } = require("node:os");
const { join } = require("node:path");
const process = require("node:process");
const options = require("./options.json");
// Returns the path of the executable. It also installs it, where scripts of packages do not run.
const { runInstall } = require("deno/install_api.cjs");

const args = [...options, join(__dirname, "bundle", "main.js"), ...process.argv.slice(2)];
// SIGUSR1 would open the runtime's inspector, through which a local process reads every key. No listener
// prevents that; a blocked signal does (GNU coreutils 8.32 or later).
const BLOCK = ["--block-signal=USR1"];
const canBlock = process.platform === "linux" && spawnSync("env", [...BLOCK, "true"]).status === 0;
const deno = runInstall();
const child = spawn(canBlock ? "env" : deno, canBlock ? [...BLOCK, deno, ...args] : args, {
  stdio: "inherit",
  env: { DENO_NO_UPDATE_CHECK: "1", ...process.env },
});

// A terminal sends its signals to both processes; elsewhere only this one gets them.
for (const name of ["SIGINT", "SIGHUP", "SIGTERM"]) {
  process.on(name, () => {
    if (name === "SIGTERM" || !process.stdin.isTTY) child.kill(name);
  });
}

/** The process that started another one, on Linux; undefined if that is not known. */
function parentOf(pid) {
  try {
    return Number(/\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))[1]);
  } catch {
    return undefined;
  }
}

// npm does not pass signals on to this process, so its end is noticed: npm is the parent, or the parent
// of the shell between. Outside of npm, the gateway may outlive the process that started it.
if (process.env.npm_command !== undefined) {
  const parent = process.ppid;
  const npm = parentOf(parent);
  setInterval(() => {
    if (process.ppid !== parent || parentOf(parent) !== npm) child.kill("SIGTERM");
  }, 1000).unref();
}

child.on("error", ({ message }) => {
  process.stderr.write(`sluice-gateway: Deno cannot be started: ${message}\n`);
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  // A shell's code for a process that a signal ended.
  process.exitCode = signal === null ? code : 128 + constants.signals[signal];
});
