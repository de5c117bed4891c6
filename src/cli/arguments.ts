/** The command line: what was asked for, or why it was not understood. */

import { parseArgs } from "@std/cli/parse-args";
import { didYouMean } from "../core/validation_messages.ts";

/** The subcommands, each with what `--help` says of it. */
const COMMANDS = new Map([
  ["serve", "start the gateway (the default)"],
  ["check", "validate the configuration and print what each model goes to"],
  ["explain", "print what FILE, a chat request, would send to whom; '-' reads standard input"],
  ["health", "ask a running gateway's /healthz; exit code 0 if it answers"],
  ["providers", "print which provider supports which parameter"],
  ["models", "print the facts about models and vendors, with their dates and sources"],
  ["schema", "print the JSON Schema of config.yaml"],
  ["init", "print the default config.yaml"],
  ["help", "print this"],
  ["version", "print the version"],
]);

/** What other programs call a command or an option. */
const SYNONYMS = new Map([
  ["start", "serve"],
  ["run", "serve"],
  ["validate", "check"],
  ["status", "health"],
  ["-p", "--port"],
]);

export type CommandName =
  | "serve"
  | "check"
  | "explain"
  | "health"
  | "providers"
  | "models"
  | "schema"
  | "init"
  | "help"
  | "version";

export interface Command {
  readonly name: CommandName;
  readonly config?: string;
  readonly host?: string;
  readonly port?: string;
  /** The request to explain. */
  readonly file?: string;
  /** Only facts that were last checked longer ago than this many days. */
  readonly staleDays?: number;
}

/** What the user typed makes no sense; the message says what would. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Reads the arguments behind the program's name.
 *
 * @throws {UsageError} for an unknown command or option.
 */
export function readCommand(args: readonly string[]): Command {
  const unknown: string[] = [];
  const parsed = parseArgs([...args], {
    string: ["config", "host", "port", "stale"],
    boolean: ["help", "version"],
    alias: { h: "help", v: "version", V: "version", c: "config" },
    unknown: (arg: string, key?: string) => {
      if (key !== undefined) unknown.push(arg);
      return key === undefined;
    },
  }) as { _: (string | number)[]; [name: string]: unknown };
  const [option] = unknown;
  if (option !== undefined) throw unknownWord("option", option, OPTIONS);
  const [name = "serve", ...extra] = parsed._.map(String);
  // `help check` asks for the same as `check --help`.
  if (parsed.help === true || name === "help") return { name: "help" };
  if (parsed.version === true || name === "version") return { name: "version" };
  if (!COMMANDS.has(name)) throw isConfig(name) ? misplaced(name) : unknownCommand(name);
  const file = name === "explain" ? extra.shift() : undefined;
  if (name === "explain" && file === undefined) {
    throw new UsageError("Name the file with the request, or '-': sluice explain request.json");
  }
  const [unexpected] = extra;
  if (unexpected !== undefined) throw misplaced(unexpected);
  const command: Command = { name: name as CommandName, ...(file !== undefined && { file }) };
  for (const key of ["config", "host", "port"] as const) {
    const value = parsed[key];
    if (value === undefined) continue;
    if (typeof value !== "string" || value === "") throw new UsageError(`--${key} needs a value`);
    Object.assign(command, { [key]: value });
  }
  const staleDays = readStale(parsed.stale, command.name);
  return staleDays === undefined ? command : { ...command, staleDays };
}

function readStale(value: unknown, name: CommandName): number | undefined {
  if (value === undefined) return undefined;
  if (name !== "models") throw new UsageError("--stale belongs to 'sluice models'");
  const days = /^(\d{1,5})d$/.exec(String(value))?.[1];
  if (days === undefined) throw new UsageError("--stale needs a number of days, such as 90d");
  return Number(days);
}

export function helpText(): string {
  const commands = [...COMMANDS].map(([name, what]) => `  ${name.padEnd(11)} ${what}`);
  return `Sluice is a model gateway: OpenAI's chat-completion format in front, any vendor behind.

Usage: sluice [command] [options]
       sluice explain FILE [options]
       sluice models [--stale 90d]

Commands:
${commands.join("\n")}

Options:
  -c, --config FILE   the configuration; else SLUICE_CONFIG, ./config.yaml,
                      /etc/sluice/config.yaml, or the built-in default
  --host HOST         the address to listen on, or to ask; else SLUICE_HOST, else server.host
  --port PORT         the port to listen on, or to ask; else SLUICE_PORT, else server.port
  --stale AGE         with 'models': only facts last checked longer ago, such as 90d
  -v, --version       print the version
  -h, --help          print this

Exit codes: 0 fine, 1 bad configuration (or an unhealthy gateway, a request that cannot be
explained), 2 bad usage.
`;
}

const OPTIONS = ["--config", "--host", "--port", "--stale", "--version", "--help"];

function isConfig(word: string): boolean {
  return /\.ya?ml$/i.test(word);
}

/** An argument where there is none, such as the configuration without its option. */
function misplaced(word: string): UsageError {
  const hint = isConfig(word) ? `; did you mean '--config ${word}'?` : "";
  return new UsageError(`Unexpected argument '${word}'${hint}`);
}

function unknownCommand(word: string): UsageError {
  return unknownWord("command", word, COMMANDS.keys());
}

function unknownWord(what: string, word: string, known: Iterable<string>): UsageError {
  const all = [...known];
  const near = SYNONYMS.get(word) ?? didYouMean(word, all);
  const hint = near === undefined
    ? `there are ${all.join(", ")}; see 'sluice help'`
    : `did you mean '${near}'?`;
  return new UsageError(`Unknown ${what} '${word}'; ${hint}`);
}
