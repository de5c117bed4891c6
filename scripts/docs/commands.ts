/** The reference of commands: the text of each, as `sluice COMMAND --help` prints it. */

import { readCommand } from "../../src/tools/arguments.ts";
import { COMMANDS, helpText } from "../../src/tools/help.ts";

export function toCommandsMarkdown(): string {
  const entries = [...COMMANDS.keys()].filter((name) => name !== "help" && name !== "version")
    .map((name) => toEntry(`sluice ${name}`, readCommand([name, "--help"]).help ?? ""));
  return [toEntry("sluice", helpText()), ...entries].join("\n\n");
}

function toEntry(title: string, text: string): string {
  return [`## \`${title}\``, "```text\n" + text.trimEnd() + "\n```"].join("\n\n");
}
