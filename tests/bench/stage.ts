/** What every measure works with. */

import type { Child, Nursery } from "./children.ts";
import type { Load } from "./load.ts";
import type { AskOptions } from "./requests.ts";
import type { Subject } from "./subjects.ts";

export interface Stage {
  readonly nursery: Nursery;
  /** A directory that goes with the run. */
  readonly directory: string;
  readonly upstream: Child;
  readonly load: Load;
  readonly pipe: Subject;
  readonly loop: Subject;
  readonly sluice: Subject;
  /** A text says why it is not there. */
  readonly portkey: Subject | string;
  readonly rounds: number;
}

/** One subject with one kind of request. */
export interface Lane {
  readonly name: string;
  readonly subject: Subject;
  readonly ask: AskOptions;
}

/** What lanes came to: by name, a sample for each round. */
export type Samples<Sample> = ReadonlyMap<string, readonly Sample[]>;

/** How often each lane is taken. */
export interface Rounds {
  readonly count: number;
  /** Seconds after which no further round is begun: a busy machine gets fewer. */
  readonly seconds: number;
}

/**
 * Takes each lane in each round, in an order that turns, so that whatever else
 * the machine does falls on all of them alike.
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

/** The first one may be there to warm up. */
const FEWEST_ROUNDS = 2;

/** Whether a round like those before would end too late. */
function isLate(start: number, done: number, { seconds }: Rounds): boolean {
  const took = (performance.now() - start) / 1000;
  return took + took / done > seconds;
}
