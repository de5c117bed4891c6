/**
 * `deno task bench`: measures Sluice and the programs that it is compared with on the loopback
 * interface, prints a table and writes JSON.
 */

import { parseArgs } from "@std/cli/parse-args";
import { fileURLToPath } from "node:url";
import { findLoad } from "./load.ts";
import type { Findings } from "./findings.ts";
import { PARTS } from "./parts.ts";
import { describeMachine } from "./process_books.ts";
import { type GoalName, type Measured, printRows, toRows, toTable } from "./rows.ts";
import { print, runSession, type Session } from "./session.ts";
import type { Stage } from "./stage.ts";
import {
  cacheModules,
  startPortkey,
  startProgram,
  startSluice,
  startUpstream,
} from "./subjects.ts";

const ROUNDS = 3;
const REQUESTS = 60_000;
const ALL_REQUESTS = 200_000;
/** The time limit of the whole run. */
const LIMIT = 10 * 60_000;
const OUT = fileURLToPath(new URL("./results.json", import.meta.url));

const HELP = `deno task bench [options]

  --only NAMES     of ${Object.keys(PARTS).join(", ")}
  --rounds N       of each measure (default ${ROUNDS})
  --requests N     of the measure of growing memory (default ${REQUESTS})
  --full           the same with ${ALL_REQUESTS}
  --no-portkey     without Portkey
  --own-sockets    load from sockets of our own even if wrk is there
  --profile DIR    write a CPU profile of Sluice (with --only, for one kind of load)
  --out FILE       the figures as JSON (default tests/bench/results.json)
`;

interface Options {
  readonly parts: readonly string[];
  readonly rounds: number;
  readonly requests: number;
  readonly portkey: boolean;
  readonly ownSockets: boolean;
  readonly profile: string | undefined;
  readonly out: string;
}

/** The result of a run. */
interface Report {
  readonly about: Record<string, unknown>;
  readonly findings: ReadonlyMap<string, Findings>;
}

async function bench(options: Options, session: Session): Promise<number> {
  const report = await measure(options, session);
  show(report);
  Deno.writeTextFileSync(options.out, toJson(report));
  print(`\nEvery figure: ${options.out}\n`);
  return 0;
}

function readOptions(args: readonly string[]): Options | string {
  let unknown: string | undefined;
  const parsed = parseArgs([...args], {
    string: ["only", "rounds", "requests", "profile", "out"],
    boolean: ["full", "portkey", "own-sockets", "help"],
    negatable: ["portkey"],
    default: { portkey: true },
    unknown: (arg: string) => {
      unknown ??= arg;
      return false;
    },
  }) as Record<string, unknown>;
  if (parsed.help === true) return HELP;
  if (unknown !== undefined) return `Unknown argument '${unknown}'\n\n${HELP}`;
  const text = (name: string) => typeof parsed[name] === "string" ? parsed[name] : undefined;
  const parts = text("only")?.split(",") ?? Object.keys(PARTS);
  const stranger = parts.find((part) => !Object.hasOwn(PARTS, part));
  if (stranger !== undefined) return `There is no part '${stranger}'\n\n${HELP}`;
  const rounds = Number(text("rounds") ?? ROUNDS);
  const requests = Number(text("requests") ?? (parsed.full === true ? ALL_REQUESTS : REQUESTS));
  if (!(rounds >= 1 && requests >= 10)) return `Rounds and requests are numbers\n\n${HELP}`;
  return {
    ...{ parts, rounds, requests },
    portkey: parsed.portkey === true,
    ownSockets: parsed["own-sockets"] === true,
    profile: text("profile"),
    out: text("out") ?? OUT,
  };
}

async function measure(options: Options, session: Session): Promise<Report> {
  const start = performance.now();
  const stage = await setUp(options, session);
  const about = {
    date: new Date().toISOString(),
    command: ["deno task bench", ...Deno.args].join(" "),
    machine: describeMachine(),
    load: stage.load.name,
    access_log: "JSON lines, to the null device",
    portkey: typeof stage.portkey === "string" ? stage.portkey : "measured",
    rounds: options.rounds,
  };
  const findings = new Map<string, Findings>();
  for (const name of options.parts) {
    const part = PARTS[name];
    if (part === undefined) continue;
    print(`${name} …`);
    const began = performance.now();
    // The decoders are measured in this process, so nothing else may run meanwhile.
    if (name === "decoder") await session.nursery[Symbol.asyncDispose]();
    findings.set(name, await part(stage, options));
    print(` ${seconds(began)} s\n`);
  }
  const after = Deno.loadavg().map((load) => load.toFixed(2)).join(" ");
  return {
    about: { ...about, load_average_after: after, seconds: Number(seconds(start)) },
    findings,
  };
}

async function setUp(options: Options, { directory, nursery }: Session): Promise<Stage> {
  await cacheModules();
  const upstream = await startUpstream(nursery);
  const needed = options.portkey && options.parts.includes("unary");
  const profile = options.profile;
  const flags = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  return {
    ...{ nursery, directory, upstream, rounds: options.rounds },
    load: await findLoad(directory, options.ownSockets),
    pipe: await startProgram(nursery, "pipe", upstream),
    loop: await startProgram(nursery, "loop", upstream),
    sluice: await startSluice(nursery, upstream, directory, { flags }),
    single: await startSluice(nursery, upstream, directory, { flags, workers: 1 }),
    portkey: needed ? await startPortkey(nursery, upstream) : "it was not asked for",
  };
}

function show({ about, findings }: Report): void {
  for (const { details } of findings.values()) {
    for (const { title, lines } of details) print(`\n${title}\n${toTable(lines)}`);
  }
  const words = Object.entries(about).map(([name, value]) => [
    name.replaceAll("_", " "),
    typeof value === "object" && value !== null
      ? Object.entries(value).map(([key, inner]) => `${key.replaceAll("_", " ")} ${inner}`).join(
        ", ",
      )
      : String(value),
  ]);
  print(`\n${words.map(([name, value]) => `${name}: ${value}\n`).join("")}\n`);
  print(printRows(rowsOf(findings)));
}

function rowsOf(findings: Report["findings"]) {
  const goals = [...findings.values()].flatMap(({ goals }) =>
    Object.entries(goals) as [GoalName, Measured][]
  );
  return toRows(new Map(goals));
}

function toJson({ about, findings }: Report): string {
  const raw = Object.fromEntries([...findings].map(([name, { raw }]) => [name, raw]));
  return JSON.stringify({ ...about, rows: rowsOf(findings), samples: raw }, null, 2) + "\n";
}

function seconds(since: number): string {
  return ((performance.now() - since) / 1000).toFixed(1);
}

if (import.meta.main) {
  const options = readOptions(Deno.args);
  if (typeof options !== "string") await runSession(LIMIT, (session) => bench(options, session));
  else {
    print(options);
    Deno.exit(options === HELP ? 0 : 2);
  }
}
