/** The errors in a configuration: all of them at once, each with its path and its position. */

import { pathOf } from "../core/validation_messages.ts";
import type { Path, PlacedError, Position } from "./positions.ts";

/** An error as it is printed. */
export interface ConfigError {
  /** E.g. `providers.openai.models[1].upstream`; empty for the document as a whole. */
  readonly path: string;
  readonly message: string;
  /** Set by {@linkcode ConfigErrors.located}. */
  readonly position?: Position;
}

/** Thrown for an invalid configuration. Its message lists every error, one per line. */
export class ConfigErrors extends Error {
  override readonly name = "ConfigErrors";
  readonly errors: readonly ConfigError[];
  readonly #source: string;
  readonly #placed: readonly PlacedError[];
  /** Private, because the text may contain secrets. */
  readonly #text: string;

  /**
   * @param source the file's path, or `built-in`
   * @param text the content of the file
   */
  constructor(source: string, text: string, placed: readonly PlacedError[]) {
    const errors = placed.map(toConfigError);
    super([`Cannot load ${source}:`, ...errors.map(toLine)].join("\n  "));
    this.errors = errors;
    this.#source = source;
    this.#placed = placed;
    this.#text = text;
  }

  /** The same errors with the line and column of each. */
  async located(): Promise<ConfigErrors> {
    // Loading this module takes half of the startup time, and valid files do not need it.
    const { locateErrors } = await import("./positions.ts");
    let errors: readonly PlacedError[];
    try {
      errors = locateErrors(this.#placed, this.#text);
    } catch {
      // Text that is nested too deeply exhausts the stack. The errors are also correct without
      // positions.
      return this;
    }
    return new ConfigErrors(this.#source, this.#text, errors);
  }
}

function toConfigError({ path, message, position }: PlacedError): ConfigError {
  return { path: pathOf(path), message, ...(position !== undefined && { position }) };
}

function toLine({ path, message, position }: ConfigError): string {
  const where = position === undefined ? "" : ` (line ${position.line}, column ${position.column})`;
  return `${path === "" ? "" : `${path}: `}${message}${where}`;
}

/** Whether `path` equals `root` or is below it. */
export function isWithin(path: Path, root: Path): boolean {
  return root.every((step, index) => path[index] === step);
}
