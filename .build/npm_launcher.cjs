#!/usr/bin/env node
/** Runs the bundle beside this file in the Deno that npm has installed with it. */

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { join } = require("node:path");
const process = require("node:process");
const options = require("./options.json");
// Returns the path of the executable. It also installs it, where scripts of packages do not run.
const { runInstall } = require("deno/install_api.cjs");

const args = [...options, join(__dirname, "sluice.mjs"), ...process.argv.slice(2)];
const child = spawn(runInstall(), args, {
  stdio: "inherit",
  env: { DENO_NO_UPDATE_CHECK: "1", ...process.env },
});

// A terminal sends its signals to both processes; elsewhere only this one gets them.
for (const name of ["SIGINT", "SIGHUP", "SIGTERM"]) {
  process.on(name, () => {
    if (name === "SIGTERM" || !process.stdin.isTTY) child.kill(name);
  });
}

child.on("error", ({ message }) => {
  process.stderr.write(`sluice-gateway: Deno cannot be started: ${message}\n`);
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  // A shell's code for a process that a signal ended.
  process.exitCode = signal === null ? code : 128 + constants.signals[signal];
});
