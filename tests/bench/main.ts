/**
 * `deno task bench`: measures Sluice and the programs that it is compared with on the loopback
 * interface, in turn in one run, prints a table with bars and writes JSON.
 */

import { parseArgs } from "@std/cli/parse-args";
import { fileURLToPath } from "node:url";
import { findLoad } from "./load.ts";
import type { Findings } from "./findings.ts";
import { NAMED_ONLY, PARTS } from "./parts.ts";
import { describeMachine } from "./process_books.ts";
import { type GoalName, type Measured, printRows, toRows, toTable } from "./rows.ts";
import { print, runSession, type Session } from "./session.ts";
import type { Stage } from "./stage.ts";
import { cacheModules, startUpstream } from "./subjects.ts";

const STARTS = 3;
const ROUNDS = 5;
const WARM_UP = 20;
const REQUESTS = 60_000;
const ALL_REQUESTS = 200_000;
/** The time limit of the whole run. */
const LIMIT = 90 * 60_000;
const OUT = fileURLToPath(new URL("./results.json", import.meta.url));

const HELP = `deno task bench [options]

  --only NAMES     of ${Object.keys(PARTS).join(", ")}
                   (default: all but ${[...NAMED_ONLY].join(", ")})
  --starts N       of each program; the median counts (default ${STARTS})
  --rounds N       of each start (default ${ROUNDS})
  --warm SECONDS   of load before a program is measured (default ${WARM_UP})
  --requests N     of the measure of growing memory (default ${REQUESTS})
  --full           the same with ${ALL_REQUESTS}
  --own-sockets    use the built-in load generator even if wrk is installed
  --profile DIR    write a CPU profile of Sluice (with --only, for one kind of load)
  --out FILE       the figures as JSON (default tests/bench/results.json)
`;

interface Options {
  readonly parts: readonly string[];
  readonly starts: number;
  readonly rounds: number;
  readonly warmUp: number;
  readonly requests: number;
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
  return rowsOf(report.findings).some(({ grade }) => grade === "fail") ? MISSED : 0;
}

/** The exit code of a run that has missed a bar. */
const MISSED = 3;

function readOptions(args: readonly string[]): Options | string {
  let unknown: string | undefined;
  const parsed = parseArgs([...args], {
    string: ["only", "starts", "rounds", "warm", "requests", "profile", "out"],
    boolean: ["full", "own-sockets", "help"],
    unknown: (arg: string) => {
      unknown ??= arg;
      return false;
    },
  }) as Record<string, unknown>;
  if (parsed.help === true) return HELP;
  if (unknown !== undefined) return `Unknown argument '${unknown}'\n\n${HELP}`;
  const text = (name: string) => typeof parsed[name] === "string" ? parsed[name] : undefined;
  const parts = text("only")?.split(",") ??
    Object.keys(PARTS).filter((name) => !NAMED_ONLY.has(name));
  const stranger = parts.find((part) => !Object.hasOwn(PARTS, part));
  if (stranger !== undefined) return `There is no part '${stranger}'\n\n${HELP}`;
  const starts = Number(text("starts") ?? STARTS);
  const rounds = Number(text("rounds") ?? ROUNDS);
  const warmUp = Number(text("warm") ?? WARM_UP);
  const requests = Number(text("requests") ?? (parsed.full === true ? ALL_REQUESTS : REQUESTS));
  if (!(starts >= 1 && rounds >= 1 && requests >= 10 && Number.isInteger(warmUp))) {
    return `Starts, rounds, seconds and requests are numbers\n\n${HELP}`;
  }
  return {
    ...{ parts, starts, rounds, warmUp, requests },
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
    starts: options.starts,
    rounds: options.rounds,
    warm_up_seconds: options.warmUp,
  };
  const findings = new Map<string, Findings>();
  for (const [name, part] of Object.entries(PARTS)) {
    if (!options.parts.includes(name)) continue;
    print(`${name} …`);
    const began = performance.now();
    // The decoders are measured last, in this process: nothing else may run meanwhile.
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
  const { profile, rounds, starts, warmUp } = options;
  return {
    ...{ nursery, directory, upstream, rounds, starts, warmUp },
    load: await findLoad(directory, options.ownSockets),
    flags: profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`],
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
  const tables = [...findings.values()].flatMap(({ details }) => details);
  return JSON.stringify({ ...about, rows: rowsOf(findings), tables, samples: raw }, null, 2) + "\n";
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
