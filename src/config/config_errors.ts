/** What is wrong with a configuration: all of it at once, each with its place. */

import { pathOf } from "../core/validation_messages.ts";

/** Where in config.yaml something stands. */
export type Path = readonly PropertyKey[];

/** A fault on its way to a {@linkcode ConfigFaults}. */
export interface PlacedFault {
  readonly path: Path;
  readonly message: string;
  /** Whether the name at the end of the path is at fault, whatever its value is. */
  readonly isOfName?: boolean;
}

/** A fault as it is printed. */
export interface Fault {
  /** E.g. `providers.openai.models[1].upstream`; empty for the document as a whole. */
  readonly path: string;
  readonly message: string;
}

/** A configuration that cannot be used. Its message lists every fault, a line each. */
export class ConfigFaults extends Error {
  override readonly name = "ConfigFaults";
  readonly faults: readonly Fault[];

  constructor(source: string, placed: readonly PlacedFault[]) {
    const faults = placed.map(({ path, message }) => ({ path: pathOf(path), message }));
    const lines = faults.map(({ path, message }) => path === "" ? message : `${path}: ${message}`);
    super([`Cannot load ${source}:`, ...lines].join("\n  "));
    this.faults = faults;
  }
}

/** Whether `path` is `root` or stands below it. */
export function isWithin(path: Path, root: Path): boolean {
  return root.every((step, index) => path[index] === step);
}
