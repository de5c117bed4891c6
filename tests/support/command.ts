/** Runs Sluice commands in this process, with injected input, output and environment. */

import { systemClock } from "../../src/core/clock.ts";
import { main } from "../../src/main.ts";
import { readEnvironment } from "../../src/process/system/files.ts";
import type { Finished } from "./process.ts";

export interface CommandInput {
  /**
   * Files of a temporary folder, by name. Arguments that are such a name are replaced by the path.
   */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

const MOCK = "providers: { mock: { kind: mock, models: [mock-echo] } }";

/**
 * Runs a command other than `serve`. The folder's path is removed from the output. The
 * configuration is `config.yaml` among the files, or a mock provider; `.env` adds to the
 * environment. The variable FOLDER names the folder.
 */
export async function runCommand(
  args: readonly string[],
  { files: given = {}, env = {}, stdin = "" }: CommandInput = {},
): Promise<Finished> {
  const files = { "config.yaml": MOCK, ...given };
  const folder = Deno.makeTempDirSync({ prefix: "sluice-" });
  const pathOf = (name: string) => Object.hasOwn(files, name) ? `${folder}/${name}` : name;
  try {
    for (const [name, text] of Object.entries(files)) {
      Deno.writeTextFileSync(`${folder}/${name}`, text);
    }
    const variables = new Map(
      Object.entries({ SLUICE_CONFIG: "config.yaml", FOLDER: folder, ...env }),
    );
    variables.set("SLUICE_CONFIG", pathOf(variables.get("SLUICE_CONFIG") ?? ""));
    if (args[0] === "serve") throw new TypeError("A gateway needs a process");
    let [stdout, stderr] = ["", ""];
    const code = await main(args.map(pathOf), {
      environment: () => readEnvironment((name) => variables.get(name), `${folder}/.env`),
      readInput: () => Promise.resolve(stdin),
      print: (text) => void (stdout += text),
      log: (text) => void (stderr += `sluice: ${text}\n`),
    });
    const shown = (text: string) => text.replaceAll(`${folder}/`, "");
    return { code, stdout: shown(stdout), stderr: shown(stderr) };
  } finally {
    // The process of a real command would end here, and its timers with it.
    systemClock.close();
    Deno.removeSync(folder, { recursive: true });
  }
}
