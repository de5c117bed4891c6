/**
 * The npm package: it is the bundle with a launcher, and works where npm has put it and Deno beside
 * each other. `.ci/npm` installs it from a tarball, which needs the registry.
 */

import { assertEquals, assertMatch } from "@std/assert";
import manifest from "../../deno.json" with { type: "json" };
import { NAME, writePackage } from "../../scripts/npm_package.ts";
import { untilReply } from "../support/elapse.ts";
import { type Program, runSluice } from "../support/process.ts";
import { createEmptiness, smokeCommands, smokeServer } from "../support/smoke.ts";

/** Whether Node is installed. */
function hasNode(): boolean {
  try {
    return new Deno.Command("node", { args: ["--version"], stdout: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

const ignore = !hasNode();

const skipped = ignore ? " (skipped: needs node)" : "";

/** A folder of modules as npm would leave it, with the Deno that runs the tests. */
const modules = Deno.makeTempDirSync({ prefix: "sluice-npm-" });
globalThis.addEventListener("unload", () => Deno.removeSync(modules, { recursive: true }));

const folder = `${modules}/node_modules/${NAME}`;
await writePackage(folder);
Deno.mkdirSync(`${modules}/node_modules/deno`);
Deno.writeTextFileSync(
  `${modules}/node_modules/deno/install_api.cjs`,
  `module.exports = { runInstall: () => ${JSON.stringify(Deno.execPath())} };\n`,
);

const program: Program = { path: "node", args: [`${folder}/bin.cjs`] };

Deno.test({
  name: `smoke test of the npm package: starts, answers, streams, ends at SIGTERM${skipped}`,
  ignore,
  async fn() {
    await using nothing = createEmptiness();
    await smokeServer(program, nothing.env);
    await smokeCommands(program, nothing.env);
  },
});

Deno.test({
  name: `the launcher passes on arguments and exit codes${skipped}`,
  ignore,
  async fn() {
    const version = await runSluice(["--version"], { program });
    assertEquals(version, { code: 0, stdout: `sluice ${manifest.version}\n`, stderr: "" });
    const unknown = await runSluice(["serv"], { program });
    assertEquals([unknown.code, unknown.stdout], [2, ""]);
    assertMatch(unknown.stderr, /serv/);
  },
});

Deno.test({
  name: `the launcher ends the gateway when npm has ended${skipped}`,
  ignore: ignore || Deno.build.os !== "linux",
  async fn() {
    const port = (() => {
      using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      return listener.addr.port;
    })();
    await using nothing = createEmptiness();
    // npm starts the launcher, and passes no signal on.
    const npm = new Deno.Command("node", {
      args: [
        "-e",
        `require("child_process").spawn("node", ${
          JSON.stringify([`${folder}/bin.cjs`, "--port", String(port)])
        }, { stdio: "ignore" }); setInterval(() => {}, 1000);`,
      ],
      env: { ...nothing.env, npm_command: "exec" },
      stdout: "null",
      stderr: "null",
    }).spawn();
    const isOpen = () =>
      Deno.connect({ hostname: "127.0.0.1", port })
        .then((connection) => (connection.close(), true), () => false);
    await untilReply(isOpen);
    npm.kill("SIGKILL");
    await npm.status;
    await untilReply(async () => !await isOpen());
  },
});
