/** The texts of `sluice help`. */

import { DEFAULT_EXPLAINED_FORMAT, EXPLAINED_FORMATS } from "./explained_formats.ts";

/** The subcommands with their help texts. */
export const COMMANDS = new Map<string, string>([
  ["serve", "start the gateway (the default)"],
  ["check", "validate the configuration and print the targets of each model"],
  ["doctor", "check configuration, vendors, stores, ports, clock and system limits"],
  [
    "explain",
    "print what the gateway would send for the request in FILE; '-' reads standard input",
  ],
  ["connect", "point a client, such as codex, at the gateway: change its settings"],
  ["health", "check /healthz of a running gateway; exit code 0 if it is healthy"],
  ["keys", "create, list, show, rotate or revoke service keys of a running gateway"],
  ["store", "back up, restore or move the ledger and the keys"],
  ["alerts", "send one test alert to the configured webhook: sluice alerts test"],
  ["usage", "print requests, tokens and cost per key for a running gateway"],
  ["providers", "print which request parameters each kind of provider supports"],
  ["models", "print the built-in facts about models, with dates and sources"],
  ["schema", "print the JSON Schema of config.yaml"],
  ["init", "print the default config.yaml"],
  ["help", "print this help"],
  ["version", "print the version"],
]);

/** The width of the help in characters, and of its column of options. */
const HELP_WIDTH = 80;
const OPTION_INDENT = " ".repeat(22);

/** The request formats except the default, as lines of the help. */
function otherFormats(): string {
  const lines = [OPTION_INDENT];
  const names = [...EXPLAINED_FORMATS.keys()].filter((name) => name !== DEFAULT_EXPLAINED_FORMAT);
  for (const [index, name] of names.entries()) {
    const word = index === names.length - 1 ? name : `${name}, `;
    const line = `${lines.at(-1)}${word}`;
    if (line.trimEnd().length <= HELP_WIDTH) lines[lines.length - 1] = line;
    else lines.push(`${OPTION_INDENT}${word}`);
  }
  return lines.map((line) => line.trimEnd()).join("\n");
}

/** Commands that start, query or examine a gateway at the address in the options. */
const WITH_ADDRESS: readonly string[] = ["serve", "check", "doctor", "health"];

/** The options in the help, and the commands that have them; all commands if none are listed. */
const OPTION_HELP: readonly (readonly [commands: readonly string[], text: string])[] = [
  [
    [...WITH_ADDRESS, "explain", "alerts"],
    `  -c, --config FILE   configuration file; default: SLUICE_CONFIG, ./config.yaml,
                      /etc/sluice/config.yaml, or the built-in configuration`,
  ],
  [
    WITH_ADDRESS,
    `  --host HOST         address to listen on or to check; default: SLUICE_HOST or server.host
  --port PORT         port to listen on or to check; default: SLUICE_PORT or server.port`,
  ],
  [
    ["explain"],
    `  --format NAME       with 'explain': the request's format: chat_completions (the default),
${otherFormats()}; requests of Gemini's
                      API need the member 'model'`,
  ],
  [
    ["check"],
    "  --live              with 'check': also try each vendor's keys, the stores and the ports",
  ],
  [["doctor"], "  --json              with 'doctor': print JSON"],
  [["schema"], "  --log               with 'schema': that of the access log"],
  [
    ["models"],
    "  --stale AGE         with 'models': only facts last checked longer ago than AGE, such as 90d",
  ],
  [
    ["serve"],
    "  --allow-losses      with 'serve': a reload may disable what works if secrets are missing",
  ],
];

const EXIT_CODES =
  `Exit codes: 0 success; 1 invalid configuration, or one that 'serve' does not start with, unhealthy
gateway, a failure that 'doctor' or 'check --live' finds, a request that cannot be explained, or an
alert that is not delivered; 2 invalid command line.`;

/** The text of `sluice help`. */
export function helpText(): string {
  const commands = [...COMMANDS].map(([name, what]) => `  ${name.padEnd(11)} ${what}`);
  return `Sluice is a model gateway: one OpenAI-compatible API for the models of many vendors.

Usage: sluice [command] [options]
       sluice explain FILE [options]
       sluice alerts test [options]
       sluice help keys
       sluice help store
       sluice connect --help

Commands:
${commands.join("\n")}

Options:
${OPTION_HELP.map(([, text]) => text).join("\n")}
  -v, --version       print the version
  -h, --help          print this help

${EXIT_CODES}
`;
}

/** The text of `sluice help COMMAND` for a command that has no separate help. */
export function commandHelp(name: string): string {
  const options = OPTION_HELP.flatMap(([commands, text]) => commands.includes(name) ? [text] : []);
  const argument = name === "explain" ? " FILE" : name === "alerts" ? " test" : "";
  return `Usage: sluice ${name}${argument}${options.length === 0 ? "" : " [options]"}

${capitalized(COMMANDS.get(name) ?? "")}.
${options.length === 0 ? "" : `\nOptions:\n${options.join("\n")}\n`}
${EXIT_CODES}
`;
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
