/** Parses the command line of `sluice store`. */

import { parseArgs } from "@std/cli/parse-args";
import { didYouMean } from "../core/validation_messages.ts";
import { commandIndex } from "./admin_arguments.ts";
import { UsageError } from "./admin_client.ts";

/** A parsed `store` command. */
export interface StoreCommand {
  readonly action: StoreAction;
  /** The file of a backup, or the URL of another store. */
  readonly target: string | undefined;
  /** The values of options, by name without dashes. */
  readonly options: ReadonlyMap<string, string>;
}

const ACTIONS = ["backup", "restore", "migrate", "export", "partition"] as const;
/** Actions that need no file. */
const WITHOUT_FILE: readonly string[] = ["migrate", "partition"];
export type StoreAction = (typeof ACTIONS)[number];

const OPTIONS = ["store", "config", "format", "endpoint"];
const EXPORT_OPTIONS = ["format", "endpoint"];
const KNOWN = [...OPTIONS, "help"].map((name) => `--${name}`);

/** The text of `sluice store --help`. */
export const STORE_HELP = `Copies the ledger and the keys of a store.

Usage: sluice store backup FILE        copy the store to a new SQLite file; gateways may run
       sluice store restore FILE       copy a backup into the store, which must be empty
       sluice store migrate URL        copy the store to another one, which must be empty
       sluice store export FILE        write all single requests; '-' is standard output
       sluice store export s3://BUCKET/PREFIX    the same, one object for each day
       sluice store partition          divide the requests in PostgreSQL into months

The store is that of the configuration. A copy is verified by the counts and sums of all tables, and
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

/**
 * Parses the arguments after the program's name if they are for `store`.
 *
 * @returns undefined for another command, `help` for a help request about this one
 * @throws {UsageError} for an invalid command line.
 */
export function readStoreCommand(args: readonly string[]): StoreCommand | "help" | undefined {
  const at = commandIndex(args, OPTIONS);
  if (args[at] !== "store") return undefined;
  const parsed = parseArgs([...args.slice(0, at), ...args.slice(at + 1)], {
    string: [...OPTIONS, "_"],
    boolean: ["help"],
    alias: { h: "help", c: "config" },
    unknown: (arg: string, key?: string) => {
      if (key !== undefined) throw unknown("option", arg, KNOWN);
      return true;
    },
  }) as { _: (string | number)[]; [name: string]: unknown };
  if (parsed.help === true) return "help";
  const [word, target, unexpected] = parsed._.map(String);
  const action = ACTIONS.find((known) => known === word);
  if (word === undefined) {
    throw new UsageError("'sluice store' needs a command; see 'sluice store --help'");
  }
  if (action === undefined) throw unknown("command", `store ${word}`, ACTIONS, word);
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
  const values = OPTIONS.flatMap((option) => {
    const value = parsed[option];
    if (value === undefined) return [];
    if (typeof value !== "string" || value === "") {
      throw new UsageError(`--${option} needs one value`);
    }
    return [[option, value] as const];
  });
  return { action, target, options: new Map(values) };
}

function unknown(
  what: string,
  name: string,
  known: readonly string[],
  word: string = name,
): UsageError {
  const near = didYouMean(word, known);
  const hint = near === undefined ? "see 'sluice store --help'" : `did you mean '${near}'?`;
  return new UsageError(`Unknown ${what} '${name}'; ${hint}`);
}
