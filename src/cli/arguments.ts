/** Parses the command line. */

import { parseArgs } from "@std/cli/parse-args";
import { didYouMean } from "../core/validation_messages.ts";
import { ADMIN_HELP, type AdminCommand, readAdminCommand } from "./admin_arguments.ts";
import { CONNECT_HELP, type ConnectCommand, readConnectCommand } from "./connect/arguments.ts";
import { readStoreCommand, STORE_HELP, type StoreCommand } from "./store_arguments.ts";
import { UsageError } from "./usage_error.ts";
import { DEFAULT_EXPLAINED_FORMAT, EXPLAINED_FORMATS } from "./explained_formats.ts";

/** The subcommands with their help texts. */
const COMMANDS = new Map([
  ["serve", "start the gateway (the default)"],
  ["check", "validate the configuration and print the targets of each model"],
  ["doctor", "examine configuration, vendors, stores, ports, clock and limits of the system"],
  [
    "explain",
    "print what the gateway would send for the request in FILE; '-' reads standard input",
  ],
  ["connect", "point a client, such as codex, at the gateway: change its settings"],
  ["health", "check /healthz of a running gateway; exit code 0 if it is healthy"],
  ["keys", "create, list, show, rotate or revoke service keys of a running gateway"],
  ["store", "back up, restore or move the ledger and the keys"],
  ["usage", "print requests, tokens and cost of the keys of a running gateway"],
  ["providers", "print which request parameters each kind of provider supports"],
  ["models", "print the built-in facts about models, with dates and sources"],
  ["schema", "print the JSON Schema of config.yaml"],
  ["init", "print the default config.yaml"],
  ["help", "print this help"],
  ["version", "print the version"],
]);

/** Names of other programs for the same commands and options. */
const SYNONYMS = new Map([
  ["start", "serve"],
  ["run", "serve"],
  ["validate", "check"],
  ["status", "health"],
  ["-p", "--port"],
]);

/** The name of a subcommand. */
export type CommandName =
  | "serve"
  | "check"
  | "doctor"
  | "explain"
  | "connect"
  | "health"
  | "keys"
  | "store"
  | "usage"
  | "providers"
  | "models"
  | "schema"
  | "init"
  | "help"
  | "version";

/** A parsed command line. */
export interface Command {
  readonly name: CommandName;
  readonly config?: string;
  readonly host?: string;
  readonly port?: string;
  /** Whether a reload may disable providers and keys whose secrets are missing. */
  readonly allowsLosses?: boolean;
  /** The parsed `keys` or `usage` command. */
  readonly admin?: AdminCommand;
  /** The parsed `connect` command. */
  readonly connect?: ConnectCommand;
  /** The parsed `store` command. */
  readonly store?: StoreCommand;
  /** The requested help text, unless it is the general one. */
  readonly help?: string;
  /** The path of the request to explain; `-` for standard input. */
  readonly file?: string;
  /** The format of that request: a key of {@linkcode EXPLAINED_FORMATS}. */
  readonly format?: string;
  /** `check` also tries vendors, stores and ports. */
  readonly live?: true;
  /** `doctor` prints JSON. */
  readonly json?: true;
  /** `schema` prints that of the access log. */
  readonly log?: true;
  /** `models` lists only facts that were last checked more than this many days ago. */
  readonly staleDays?: number;
}

/**
 * Parses the arguments after the program's name.
 *
 * @throws {UsageError} for an unknown command or option, or an invalid value.
 */
export function readCommand(args: readonly string[]): Command {
  const admin = readAdminCommand(args);
  if (admin === "help") return { name: "help", help: ADMIN_HELP };
  if (admin !== undefined) {
    return { name: admin.action === "usage" ? "usage" : "keys", admin, ...placeIn(admin.options) };
  }
  const connect = readConnectCommand(args);
  if (connect === "help") return { name: "help", help: CONNECT_HELP };
  if (connect !== undefined) return { name: "connect", connect, ...placeIn(connect.options) };
  const store = readStoreCommand(args);
  if (store === "help") return { name: "help", help: STORE_HELP };
  if (store !== undefined) return { name: "store", store, ...placeIn(store.options) };
  const unknown: string[] = [];
  const parsed = parseArgs([...args], {
    string: ["config", "host", "port", "stale", "format"],
    boolean: ["help", "version", "live", "json", "log", "allow-losses"],
    alias: { h: "help", v: "version", V: "version", c: "config" },
    unknown: (arg: string, key?: string) => {
      if (key !== undefined) unknown.push(arg);
      return key === undefined;
    },
  }) as { _: (string | number)[]; [name: string]: unknown };
  const [option] = unknown;
  if (option !== undefined) throw unknownName("option", option, OPTIONS);
  const [name = "serve", ...extra] = parsed._.map(String);
  // `help check` means the same as `check --help`.
  if (parsed.help === true || name === "help") {
    const help = HELP.get(extra[0] ?? "");
    return { name: "help", ...(help !== undefined && { help }) };
  }
  if (parsed.version === true || name === "version") return { name: "version" };
  if (!COMMANDS.has(name)) throw isConfig(name) ? unexpectedArgument(name) : unknownCommand(name);
  const file = name === "explain" ? extra.shift() : undefined;
  if (name === "explain" && file === undefined) {
    throw new UsageError(
      "'sluice explain' needs a file with a request, or '-': sluice explain request.json",
    );
  }
  const [unexpected] = extra;
  if (unexpected !== undefined) throw unexpectedArgument(unexpected);
  const command: Command = { name: name as CommandName, ...(file !== undefined && { file }) };
  for (const key of ["config", "host", "port"] as const) {
    const value = parsed[key];
    if (value === undefined) continue;
    if (typeof value !== "string" || value === "") throw new UsageError(`--${key} needs a value`);
    Object.assign(command, { [key]: value });
  }
  for (const [flag, owner, member] of FLAGS) {
    if (parsed[flag] !== true) continue;
    if (name !== owner) throw new UsageError(`--${flag} is only valid for 'sluice ${owner}'`);
    Object.assign(command, { [member]: true });
  }
  const format = readFormat(parsed.format, command.name);
  if (format !== undefined) Object.assign(command, { format });
  const staleDays = readStale(parsed.stale, command.name);
  return staleDays === undefined ? command : { ...command, staleDays };
}

/** Options without a value, and the command that has them. */
const FLAGS = [
  ["live", "check", "live"],
  ["json", "doctor", "json"],
  ["log", "schema", "log"],
  ["allow-losses", "serve", "allowsLosses"],
] as const;

/** The help texts of commands that have one. */
const HELP = new Map([
  ["keys", ADMIN_HELP],
  ["usage", ADMIN_HELP],
  ["connect", CONNECT_HELP],
  ["store", STORE_HELP],
]);

/** The options that every command has. */
function placeIn(options: ReadonlyMap<string, string>): Pick<Command, "config" | "host" | "port"> {
  const place = ["config", "host", "port"].flatMap((name) => {
    const value = options.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(place);
}

function readFormat(value: unknown, name: CommandName): string | undefined {
  if (value === undefined) return undefined;
  if (name !== "explain") throw new UsageError("--format is only valid for 'sluice explain'");
  const format = String(value);
  if (EXPLAINED_FORMATS.has(format)) return format;
  throw new UsageError(`--format must be one of ${[...EXPLAINED_FORMATS.keys()].join(", ")}`);
}

function readStale(value: unknown, name: CommandName): number | undefined {
  if (value === undefined) return undefined;
  if (name !== "models") throw new UsageError("--stale is only valid for 'sluice models'");
  const days = /^(\d{1,5})d$/.exec(String(value))?.[1];
  if (days === undefined) throw new UsageError("--stale needs a number of days, such as 90d");
  return Number(days);
}

/** The text of `sluice help`. */
export function helpText(): string {
  const commands = [...COMMANDS].map(([name, what]) => `  ${name.padEnd(11)} ${what}`);
  return `Sluice is a model gateway: one OpenAI-compatible API for the models of many vendors.

Usage: sluice [command] [options]
       sluice explain FILE [options]
       sluice models [--stale 90d]
       sluice keys --help
       sluice usage --help
       sluice store --help
       sluice connect --help

Commands:
${commands.join("\n")}

Options:
  -c, --config FILE   configuration file; default: SLUICE_CONFIG, ./config.yaml,
                      /etc/sluice/config.yaml, or the built-in configuration
  --host HOST         address to listen on or to check; default: SLUICE_HOST or server.host
  --port PORT         port to listen on or to check; default: SLUICE_PORT or server.port
  --format NAME       with 'explain': the request's format: chat_completions (the default),
${otherFormats()}; requests of Gemini's
                      API need the member 'model'
  --live              with 'check': also try each vendor's keys, the stores and the ports
  --json              with 'doctor': print JSON
  --log               with 'schema': that of the access log
  --stale AGE         with 'models': only facts last checked longer ago than AGE, such as 90d
  --allow-losses      with 'serve': a reload may disable what works if secrets are missing
  -v, --version       print the version
  -h, --help          print this help

Exit codes: 0 success; 1 invalid configuration, or one that 'serve' does not start with, unhealthy
gateway, a failure that 'doctor' or 'check --live' finds, or a request that cannot be explained; 2
invalid command line.
`;
}

const OPTIONS = [
  ...["--config", "--host", "--port", "--allow-losses", "--format", "--live", "--json", "--log"],
  ...["--stale", "--version", "--help"],
];

function isConfig(word: string): boolean {
  return /\.ya?ml$/i.test(word);
}

/** The error for an unexpected argument, such as a configuration file without `--config`. */
function unexpectedArgument(word: string): UsageError {
  const hint = isConfig(word) ? `; did you mean '--config ${word}'?` : "";
  return new UsageError(`Unexpected argument '${word}'${hint}`);
}

function unknownCommand(word: string): UsageError {
  return unknownName("command", word, COMMANDS.keys());
}

function unknownName(what: string, word: string, known: Iterable<string>): UsageError {
  const all = [...known];
  const near = SYNONYMS.get(word) ?? didYouMean(word, all);
  const hint = near === undefined
    ? `known: ${all.join(", ")}; see 'sluice help'`
    : `did you mean '${near}'?`;
  return new UsageError(`Unknown ${what} '${word}'; ${hint}`);
}

/** The width of the help in characters, and of its column of options. */
const HELP_WIDTH = 80;
const OPTION_INDENT = " ".repeat(22);

/** The formats of requests but for the default, in lines of the help. */
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
