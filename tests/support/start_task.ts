/** How `deno task start` of a checkout starts the gateway. */

/** Variables of the environment, the options of the runtime, and the main module. */
const START = /^(?:[A-Z_]+=\S* )*deno run ((?:\S+ )*)(\S+main\.ts)$/;

export interface StartTask {
  readonly options: readonly string[];
  /** The path of the main module in the checkout. */
  readonly main: string;
}

/**
 * Reads the task of a checkout's deno.json, also of an earlier version.
 *
 * @param root the folder of the checkout, with a slash at its end
 * @throws {TypeError} for any other command.
 */
export function readStartTask(root: string): StartTask {
  const { tasks } = JSON.parse(Deno.readTextFileSync(`${root}deno.json`)) as {
    tasks: { start: string | { command: string } };
  };
  const command = typeof tasks.start === "string" ? tasks.start : tasks.start.command;
  const match = START.exec(command);
  if (match === null) throw new TypeError(`The start task is not 'deno run … main.ts': ${command}`);
  const [, options = "", main = ""] = match;
  return { options: options.split(" ").filter((option) => option !== ""), main };
}
