/** Parses the command line. */

import { parseArgs } from "@std/cli/parse-args";
import { didYouMean } from "../core/validation_messages.ts";
import {
  ADMIN_HELP,
  type AdminCommand,
  commandIndex,
  readAdminCommand,
  readOptions,
} from "./admin_arguments.ts";
import { CONNECT_HELP, type ConnectCommand, readConnectCommand } from "./connect/arguments.ts";
import { EXPLAINED_FORMATS } from "./explained_formats.ts";
import { commandHelp, COMMANDS } from "./help.ts";
import { UsageError } from "./admin_client.ts";

/** The text of `sluice store --help`. */
const STORE_HELP = `Copies the ledger and the keys of a store.

Usage: sluice store backup FILE        copy the store to a new SQLite file; gateways may run
       sluice store restore FILE       copy a backup into the store, which must be empty
       sluice store migrate URL        copy the store to another one, which must be empty
       sluice store export FILE        write all requests; '-' is standard output
       sluice store export s3://BUCKET/PREFIX    the same, one object for each day
       sluice store partition          divide the requests in PostgreSQL into months

The store is that of the configuration. A copy is verified by the number of rows of each table, and
appears as a whole or not at all. Nothing is overwritten, and the source is not changed. Stop the
gateways before 'restore' and 'migrate'. URL is like 'store' in the configuration,
'sqlite:PATH' or 'postgres://USER:PASSWORD@HOST/DATABASE'; without it, 'migrate' reads
SLUICE_TARGET_STORE.

An export to s3:// writes Parquet with the credentials of the machine, as those of a provider without
keys, and skips days whose object has all of their requests: it can be repeated every day.

Options:
  --store URL         the store, instead of that of the configuration
  --format FORMAT     of an export: csv, or parquet as for a FILE that ends in .parquet
  --endpoint URL      of an export to s3://: another server with the API of S3
  -c, --config FILE   configuration file, as for 'sluice serve'
  -h, --help          print this help

Exit codes: 0 success; 1 nothing was copied; 2 invalid command line.
`;

/** Common aliases of other programs. */
const SYNONYMS = new Map([
  ["start", "serve"],
  ["run", "serve"],
  ["validate", "check"],
  ["status", "health"],
  ["-p", "--port"],
]);

/** The name of a subcommand. */
type CommandName =
  | "serve"
  | "check"
  | "doctor"
  | "explain"
  | "connect"
  | "health"
  | "keys"
  | "store"
  | "alerts"
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
  /** `check` also tests vendors, stores and ports. */
  readonly live?: true;
  /** `doctor` prints JSON. */
  readonly json?: true;
  /** `schema` prints the schema of the access log. */
  readonly log?: true;
  /** `models` lists only facts last checked more than this many days ago. */
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
    return toHelp(name === "help" ? extra[0] : parsed._.length === 0 ? undefined : name);
  }
  if (parsed.version === true || name === "version") return { name: "version" };
  if (!COMMANDS.has(name)) throw isConfig(name) ? unexpectedArgument(name) : unknownCommand(name);
  const file = name === "explain" ? extra.shift() : undefined;
  if (name === "explain" && file === undefined) {
    throw new UsageError(
      "'sluice explain' needs a file with a request, or '-': sluice explain request.json",
    );
  }
  if (name === "alerts" && extra.shift() !== "test") {
    throw new UsageError("'sluice alerts' needs the action 'test': sluice alerts test");
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

/** @param about the command for which help was requested */
function toHelp(about: string | undefined): Command {
  if (about === undefined || about === "help" || about === "version") return { name: "help" };
  const help = HELP.get(about);
  if (help !== undefined) return { name: "help", help };
  if (!COMMANDS.has(about)) throw unknownCommand(about);
  return { name: "help", help: commandHelp(about) };
}

/** Options without a value, and their commands. */
const FLAGS = [
  ["live", "check", "live"],
  ["json", "doctor", "json"],
  ["log", "schema", "log"],
  ["allow-losses", "serve", "allowsLosses"],
] as const;

/** The help texts of commands. */
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
  return unknownError(what, word, near, `known: ${all.join(", ")}; see 'sluice help'`);
}

/** @param hint what to do if no known name is similar */
function unknownError(what: string, name: string, near: string | undefined, hint: string) {
  const advice = near === undefined ? hint : `did you mean '${near}'?`;
  return new UsageError(`Unknown ${what} '${name}'; ${advice}`);
}

/** A parsed `store` command. */
interface StoreCommand {
  readonly action: StoreAction;
  /** The file of a backup, or the URL of another store. */
  readonly target: string | undefined;
  /** The values of options, by name without dashes. */
  readonly options: ReadonlyMap<string, string>;
}

const ACTIONS = ["backup", "restore", "migrate", "export", "partition"] as const;
/** Actions that need no file. */
const WITHOUT_FILE: readonly string[] = ["migrate", "partition"];
type StoreAction = (typeof ACTIONS)[number];

const STORE_OPTIONS = ["store", "config", "format", "endpoint"];
const EXPORT_OPTIONS = ["format", "endpoint"];
const KNOWN = [...STORE_OPTIONS, "help"].map((name) => `--${name}`);
const SEE_HELP = "see 'sluice store --help'";

/**
 * Parses the arguments after the program's name if they are for `store`.
 *
 * @returns undefined for another command, `help` for a help request about this one
 * @throws {UsageError} for an invalid command line.
 */
function readStoreCommand(args: readonly string[]): StoreCommand | "help" | undefined {
  const at = commandIndex(args, STORE_OPTIONS);
  if (args[at] !== "store") return undefined;
  const parsed = parseArgs([...args.slice(0, at), ...args.slice(at + 1)], {
    string: [...STORE_OPTIONS, "_"],
    boolean: ["help"],
    alias: { h: "help", c: "config" },
    unknown: (arg: string, key?: string) => {
      if (key !== undefined) throw unknownError("option", arg, didYouMean(arg, KNOWN), SEE_HELP);
      return true;
    },
  }) as { _: (string | number)[]; [name: string]: unknown };
  if (parsed.help === true) return "help";
  const [word, target, unexpected] = parsed._.map(String);
  const action = ACTIONS.find((known) => known === word);
  if (word === undefined) {
    throw new UsageError(`'sluice store' needs a command; ${SEE_HELP}`);
  }
  if (action === undefined) {
    throw unknownError("command", `store ${word}`, didYouMean(word, ACTIONS), SEE_HELP);
  }
  if (target === undefined && !WITHOUT_FILE.includes(action)) {
    throw new UsageError(`'sluice store ${action}' needs a file: sluice store ${action} FILE`);
  }
  const surplus = action === "partition" ? target : unexpected;
  if (surplus !== undefined) throw new UsageError(`Unexpected argument '${surplus}'`);
  const misplaced = action === "export"
    ? undefined
    : EXPORT_OPTIONS.find((option) => parsed[option] !== undefined);
  if (misplaced !== undefined) {
    throw new UsageError(`--${misplaced} is for 'sluice store export'`);
  }
  return { action, target, options: readOptions(parsed, STORE_OPTIONS) };
}
