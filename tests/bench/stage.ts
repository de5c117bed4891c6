/** The environment of every measurement. */

import type { Child, Nursery } from "./children.ts";
import type { Load } from "./load.ts";
import type { AskOptions } from "./requests.ts";
import type { Subject } from "./subjects.ts";

export interface Stage {
  readonly nursery: Nursery;
  /** A directory that is removed after the run. */
  readonly directory: string;
  readonly upstream: Child;
  readonly load: Load;
  readonly pipe: Subject;
  readonly loop: Subject;
  readonly sluice: Subject;
  /** The same with one worker, for figures of CPU time and latency. */
  readonly single: Subject;
  /** A message if it is not available. */
  readonly portkey: Subject | string;
  readonly rounds: number;
}

/** One subject with one kind of request. */
export interface Lane {
  readonly name: string;
  readonly subject: Subject;
  readonly ask: AskOptions;
}

/** The samples of each lane by name, one for each round. */
export type Samples<Sample> = ReadonlyMap<string, readonly Sample[]>;

/** The number of rounds. */
export interface Rounds {
  readonly count: number;
  /** Seconds after which no further round starts, so a busy machine has fewer rounds. */
  readonly seconds: number;
}

/**
 * Measures each lane in each round in rotating order, so that other load of the machine affects all
 * lanes equally.
 */
export async function interleave<Sample>(
  lanes: readonly Lane[],
  rounds: Rounds,
  run: (lane: Lane) => Promise<Sample>,
): Promise<Samples<Sample>> {
  const samples = new Map<string, Sample[]>(lanes.map(({ name }) => [name, []]));
  const start = performance.now();
  for (let round = 0; round < rounds.count; round++) {
    if (round >= FEWEST_ROUNDS && isLate(start, round, rounds)) break;
    const turn = round % lanes.length;
    for (const lane of [...lanes.slice(turn), ...lanes.slice(0, turn)]) {
      samples.get(lane.name)?.push(await run(lane));
    }
  }
  return samples;
}

/** The first round may be a warm-up. */
const FEWEST_ROUNDS = 2;

/** Whether another round would exceed the time limit. */
function isLate(start: number, done: number, { seconds }: Rounds): boolean {
  const took = (performance.now() - start) / 1000;
  return took + took / done > seconds;
}
