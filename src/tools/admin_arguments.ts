/** Parses the command lines of `sluice keys` and `sluice usage`. */

import { parseArgs } from "@std/cli/parse-args";
import { LIMIT_KINDS } from "../core/limit_kinds.ts";
import { didYouMean } from "../core/validation_messages.ts";
import { UsageError } from "./admin_client.ts";

/** A command for the admin API of a running gateway. */
export interface AdminCommand {
  readonly action: AdminAction;
  /** The name of a new key, or the name or ID of a key. */
  readonly target: string | undefined;
  /** The values of options, by name without dashes. */
  readonly options: ReadonlyMap<string, string>;
  /** The flags that are set. */
  readonly flags: ReadonlySet<string>;
}

export type AdminAction = "create" | "list" | "show" | "revoke" | "rotate" | "usage";

/** The arguments of an action. */
interface Syntax {
  /** The placeholder of the argument, if there is one. */
  readonly target?: string;
  readonly options: readonly string[];
  readonly flags: readonly string[];
}

/** The options of limits, such as `requests-per-minute`. */
export const LIMIT_OPTIONS: readonly string[] = [
  ...LIMIT_KINDS.map(({ name }) => name.replaceAll("_", "-")),
  "concurrent",
];

/** The options for the address of the gateway. */
const PLACE = ["url", "config", "host", "port"];

const SYNTAX: Readonly<Record<AdminAction, Syntax>> = {
  create: {
    target: "NAME",
    options: [
      ...["models", ...LIMIT_OPTIONS, "budget", "unknown-prices", "expires"],
      ...["priority", "weight", "owner", "team", "note"],
    ],
    flags: ["json"],
  },
  list: { options: [], flags: ["json", "revoked"] },
  show: { target: "KEY", options: [], flags: ["json"] },
  revoke: { target: "KEY", options: [], flags: ["json"] },
  rotate: { target: "KEY", options: ["overlap"], flags: ["json"] },
  usage: { options: ["group-by", "key", "from", "to"], flags: ["json", "csv"] },
};

const KEY_ACTIONS: readonly AdminAction[] = ["create", "list", "show", "revoke", "rotate"];

/** The text of `sluice keys --help` and `sluice usage --help`. */
export const ADMIN_HELP = `Keys and usage of a running gateway.

Usage: sluice keys create NAME [--models 'fast,chat-*'] [--requests-per-minute 600]
                               [--tokens-per-minute 200k] [--concurrent 20]
                               [--budget 250/month] [--unknown-prices allow]
                               [--expires 2027-01-01] [--priority batch] [--weight 2]
                               [--owner 'Ada Osei'] [--team search] [--note 'for the nightly job']
       sluice keys list [--revoked]
       sluice keys show KEY
       sluice keys rotate KEY [--overlap 1h]
       sluice keys revoke KEY
       sluice usage [--group-by key,model] [--key NAME] [--from 2026-11-01] [--to 2026-12-01]
                    [--csv]

KEY is a name or an ID. 'create' and 'rotate' print the key itself on standard output; it is
shown only once. Set SLUICE_ADMIN_KEY to a key of 'server.admin_keys'.

Rates are per minute, hour or day, such as --tokens-per-day 2M.

Options:
  --url URL           address of the gateway; default: that of the configuration
  -c, --config FILE, --host HOST, --port PORT
                      as for 'sluice health', if --url is not set
  --models LIST       models that the key may use, separated by commas, with '*' as a wildcard
  --budget USD/PERIOD the most that the key may spend; PERIOD: hour, day, week, month or total
  --unknown-prices allow|deny
                      whether a budget allows models whose prices are unknown; default: deny
  --expires DATE      start of the day in UTC on which the key expires
  --priority interactive|batch
                      class in queues; default: interactive
  --weight NUMBER     share of the turns in queues relative to other keys; default: 1
  --owner, --team, --note TEXT
                      whom the key belongs to, and a note; usage can be grouped by owner and team
  --overlap TIME      how long the text before stays valid, at most 24h; default: 0s
  --group-by LIST     key, team, owner, model, provider, tag, hour, day
  --from, --to TIME   a date, or a time such as 2026-11-01T08:00Z; default: the last 30 days
  --revoked           with 'list': also revoked keys
  --json, --csv       print JSON; with 'usage': comma-separated values
  -h, --help          print this help

Exit codes: 0 success; 1 the gateway cannot be reached or refuses; 2 invalid command line.
`;

/**
 * Parses the arguments after the program's name if they are for `keys` or `usage`.
 *
 * @returns undefined for another command, `help` for a help request about these
 * @throws {UsageError} for an invalid command line.
 */
export function readAdminCommand(args: readonly string[]): AdminCommand | "help" | undefined {
  const at = commandIndex(args, PLACE);
  const command = args[at];
  if (command !== "keys" && command !== "usage") return undefined;
  const unknown: string[] = [];
  const all = Object.values(SYNTAX);
  const parsed = parseArgs([...args.slice(0, at), ...args.slice(at + 1)], {
    string: [...PLACE, ...all.flatMap(({ options }) => options), "_"],
    boolean: ["help", ...all.flatMap(({ flags }) => flags)],
    alias: { h: "help", c: "config" },
    unknown: (arg: string, key?: string) => {
      if (key !== undefined) unknown.push(arg);
      return key === undefined;
    },
  }) as { _: (string | number)[]; [name: string]: unknown };
  if (parsed.help === true) return "help";
  const words = parsed._.map(String);
  const action = command === "usage" ? "usage" : readAction(words.shift());
  const { target: wanted, options, flags } = SYNTAX[action];
  const name = action === "usage" ? "usage" : `keys ${action}`;
  const known = [...PLACE, ...options, ...flags, "help"].map((option) => `--${option}`);
  const [option] = unknown;
  if (option !== undefined) throw unknownOption(option, name, known);
  const target = wanted === undefined ? undefined : words.shift();
  if (wanted !== undefined && !target) {
    throw new UsageError(`'sluice ${name}' needs an argument: sluice ${name} ${wanted}`);
  }
  const [unexpected] = words;
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument '${unexpected}'`);
  for (const given of Object.keys(parsed)) {
    const isSet = parsed[given] !== undefined && parsed[given] !== false;
    if (given.length === 1 || !isSet || known.includes(`--${given}`)) continue;
    throw unknownOption(`--${given}`, name, known);
  }
  if (parsed.json === true && parsed.csv === true) {
    throw new UsageError("--json and --csv exclude each other");
  }
  return {
    action,
    target,
    options: readOptions(parsed, [...PLACE, ...options]),
    flags: new Set(flags.filter((flag) => parsed[flag] === true)),
  };
}

/**
 * The position of the first argument that is neither an option nor the value of one.
 *
 * @param place the options that may precede the command, without dashes
 */
export function commandIndex(args: readonly string[], place: readonly string[]): number {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (!arg.startsWith("-")) return index;
    if (arg === "-c" || place.some((option) => arg === `--${option}`)) index++;
  }
  return -1;
}

/** The values of options, by name without dashes. @throws {UsageError} if one is empty or repeated. */
export function readOptions(
  parsed: Readonly<Record<string, unknown>>,
  options: readonly string[],
): ReadonlyMap<string, string> {
  return new Map(options.flatMap((option) => {
    const value = parsed[option];
    if (value === undefined) return [];
    if (typeof value !== "string" || value === "") {
      throw new UsageError(`--${option} needs one value`);
    }
    return [[option, value] as const];
  }));
}

function readAction(word: string | undefined): AdminAction {
  const action = KEY_ACTIONS.find((known) => known === word);
  if (action !== undefined) return action;
  const known = `known: ${KEY_ACTIONS.join(", ")}; see 'sluice keys --help'`;
  if (word === undefined) throw new UsageError(`'sluice keys' needs a command; ${known}`);
  const near = SYNONYMS.get(word) ?? didYouMean(word, KEY_ACTIONS);
  const hint = near === undefined ? known : `did you mean '${near}'?`;
  throw new UsageError(`Unknown command 'keys ${word}'; ${hint}`);
}

/** Common aliases of other programs. */
const SYNONYMS = new Map([
  ["add", "create"],
  ["new", "create"],
  ["ls", "list"],
  ["get", "show"],
  ["delete", "revoke"],
  ["remove", "revoke"],
  ["rm", "revoke"],
]);

/** The error for an option that a command does not have. */
export function unknownOption(
  option: string,
  command: string,
  known: readonly string[],
): UsageError {
  const near = didYouMean(option, known);
  const hint = near === undefined ? `known: ${known.join(", ")}` : `did you mean '${near}'?`;
  return new UsageError(`'sluice ${command}' has no option '${option}'; ${hint}`);
}
