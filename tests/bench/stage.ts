/** The environment of every measurement. */

import { type Child, type Nursery, sleep } from "./children.ts";
import type { Load } from "./load.ts";
import type { AskOptions } from "./requests.ts";
import type { Subject } from "./subjects.ts";

export interface Stage {
  readonly nursery: Nursery;
  /** A directory that is removed after the run. */
  readonly directory: string;
  readonly upstream: Child;
  readonly load: Load;
  /** How often each subject is started. Builds that are the same differ from start to start. */
  readonly starts: number;
  /** Rounds of each start. */
  readonly rounds: number;
  /** Seconds of load before a subject is measured: the compiler takes that long. */
  readonly warmUp: number;
  /** Further flags of the runtime for Sluice. */
  readonly flags: readonly string[];
}

/** Starts one of the compared programs. */
export type Start = () => Promise<Subject>;

/** One subject with one kind of request. */
export interface Lane {
  readonly name: string;
  /** The name of its subject. Lanes may share one. */
  readonly subject: string;
  readonly ask: AskOptions;
}

/** The samples of one start: one of each lane for each round. */
export type Samples<Sample> = ReadonlyMap<string, readonly Sample[]>;

/** Measures a lane, or warms it, for some seconds. */
export type Run<Sample> = (subject: Subject, lane: Lane, seconds: number) => Promise<Sample>;

/**
 * Starts all subjects anew, warms them, and measures each lane in each round in rotating order, so
 * that other load of the machine affects all lanes equally.
 *
 * @param seconds of a round
 * @returns the samples of each start
 * @throws {Error} when a gateway has not answered its requests at the first attempt
 */
export async function inStarts<Sample>(
  { starts, rounds, warmUp }: Stage,
  subjects: ReadonlyMap<string, Start>,
  lanes: readonly Lane[],
  seconds: number,
  run: Run<Sample>,
): Promise<readonly Samples<Sample>[]> {
  const all: Samples<Sample>[] = [];
  for (let start = 0; start < starts; start++) {
    const running = new Map<string, Subject>();
    for (const [name, begin] of subjects) running.set(name, await begin());
    const measure = (lane: Lane, time: number) => run(subjectOf(running, lane), lane, time);
    await sleep(SETTLE_MS);
    if (warmUp > 0) { for (const lane of lanes) await measure(lane, warmUp); }
    const samples = new Map<string, Sample[]>(lanes.map(({ name }) => [name, []]));
    for (let round = 0; round < rounds; round++) {
      const turn = round % lanes.length;
      for (const lane of [...lanes.slice(turn), ...lanes.slice(0, turn)]) {
        samples.get(lane.name)?.push(await measure(lane, seconds));
      }
    }
    for (const subject of running.values()) await subject.check?.();
    await Promise.all([...running.values()].map(({ child }) => child.stop()));
    all.push(samples);
  }
  return all;
}

/** A new process still does what it does after its start. */
const SETTLE_MS = 500;

function subjectOf(running: ReadonlyMap<string, Subject>, { subject }: Lane): Subject {
  const found = running.get(subject);
  if (found === undefined) throw new RangeError(`There is no subject '${subject}'`);
  return found;
}
