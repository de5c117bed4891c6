/** The errors of a configuration: all of them at once, each with its path. */

import { pathOf } from "../core/validation_messages.ts";

/** The path of a member in config.yaml: property names and list indexes. */
export type Path = readonly PropertyKey[];

/** An error with its path as steps, before it becomes part of a {@linkcode ConfigErrors}. */
export interface PlacedError {
  readonly path: Path;
  readonly message: string;
  /** Whether the name at the end of the path is wrong, whatever its value is. */
  readonly isOfName?: boolean;
}

/** An error as it is printed. */
export interface ConfigError {
  /** E.g. `providers.openai.models[1].upstream`; empty for the document as a whole. */
  readonly path: string;
  readonly message: string;
}

/** Thrown for an invalid configuration. Its message lists every error, one per line. */
export class ConfigErrors extends Error {
  override readonly name = "ConfigErrors";
  readonly errors: readonly ConfigError[];

  /** @param source the file's path, or `built-in` */
  constructor(source: string, placed: readonly PlacedError[]) {
    const errors = placed.map(({ path, message }) => ({ path: pathOf(path), message }));
    const lines = errors.map(({ path, message }) => path === "" ? message : `${path}: ${message}`);
    super([`Cannot load ${source}:`, ...lines].join("\n  "));
    this.errors = errors;
  }
}

/** Whether `path` equals `root` or is below it. */
export function isWithin(path: Path, root: Path): boolean {
  return root.every((step, index) => path[index] === step);
}
