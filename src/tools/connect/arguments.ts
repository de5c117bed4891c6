/** Parses the command line of `sluice connect`. */

import { parseArgs } from "@std/cli/parse-args";
import { commandIndex, readOptions, unknownOption } from "../admin_arguments.ts";
import { UsageError } from "../admin_client.ts";

/** A parsed `connect` command. */
export interface ConnectCommand {
  /** The action: prints a diff and writes after confirmation or with `--write`, or … */
  readonly action: "change" | "undo" | "print" | "list";
  /** The name of the client; absent for `list`. */
  readonly client: string | undefined;
  /** Whether to write without confirmation. */
  readonly writes: boolean;
  /** The values of options, by name without dashes. */
  readonly options: ReadonlyMap<string, string>;
}

/** The options for the address of the gateway and its configuration. */
const PLACE = ["url", "config", "host", "port"];
const OPTIONS = [...PLACE, "model", "small-model", "models", "file"];
const FLAGS = ["write", "undo", "print", "list", "help"];
const KNOWN = [...OPTIONS, ...FLAGS].map((name) => `--${name}`);

/** The text of `sluice connect --help`. */
export const CONNECT_HELP = `Points a client at the gateway.

Usage: sluice connect CLIENT            show the changes, ask, and write them
       sluice connect CLIENT --write    write them without a question
       sluice connect CLIENT --print    print the settings and write nothing
       sluice connect CLIENT --undo     restore the settings as they were before
       sluice connect --list            list the clients and their files

The settings of the client stay as they are otherwise, with their order and comments. The file before
the first change is kept beside it as FILE.sluice-backup. No file gets the service key: clients read
it from a variable, or keep it in their own secret storage.

Options:
  --url URL           address of the gateway; default: that of the configuration. The models are
                      then those that the gateway lists for the key SLUICE_API_KEY
  -c, --config FILE, --host HOST, --port PORT
                      as for 'sluice health', if --url is not set
  --model NAME        the default model; default: 'smart', else the first one
  --small-model NAME  the model for titles and summaries; default: 'fast', else the default model
  --models LIST       the models for clients with a list, separated by commas; default: all
  --file FILE         the file to change, for a client with one file
  --write             write without a question
  --undo              restore the settings; also with --write
  -h, --help          print this help

Exit codes: 0 success; 1 the settings cannot be changed; 2 invalid command line.
`;

/**
 * Parses the arguments after the program's name if they are for `connect`.
 *
 * @returns undefined for another command, `help` for a help request about this one
 * @throws {UsageError} for an invalid command line.
 */
export function readConnectCommand(args: readonly string[]): ConnectCommand | "help" | undefined {
  const at = commandIndex(args, PLACE);
  if (args[at] !== "connect") return undefined;
  const parsed = parseArgs([...args.slice(0, at), ...args.slice(at + 1)], {
    string: [...OPTIONS, "_"],
    boolean: FLAGS,
    alias: { h: "help", c: "config" },
    unknown: (arg: string, key?: string) => {
      if (key !== undefined) throw unknownOption(arg, "connect", KNOWN);
      return true;
    },
  }) as { _: (string | number)[]; [name: string]: unknown };
  if (parsed.help === true) return "help";
  const options = readOptions(parsed, OPTIONS);
  const [client, ...extra] = parsed._.map(String);
  const [unexpected] = extra;
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument '${unexpected}'`);
  const actions = (["undo", "print", "list"] as const).filter((name) => parsed[name] === true);
  const [action = "change", other] = actions;
  if (other !== undefined) throw new UsageError(`--${action} and --${other} exclude each other`);
  const writes = parsed.write === true;
  if (writes && (action === "print" || action === "list")) {
    throw new UsageError(`--${action} and --write exclude each other`);
  }
  if (client === undefined && action !== "list") {
    throw new UsageError("'sluice connect' needs a client; see 'sluice connect --list'");
  }
  return { action, client, writes, options };
}
