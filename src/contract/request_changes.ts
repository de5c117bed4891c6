/**
 * What the gateway ignored, converted and added for one target, which the caller receives as the
 * receipt.
 */

import { PARAMETERS } from "./chat.ts";

type Scalar = string | number | boolean;

const PARAMETER_NAMES = new Set<string>(PARAMETERS);

/** The maximum number of entries of each kind. Known parameters do not count. */
const MAX_ENTRIES = 100;

/** The maximum length of an entry, in UTF-16 code units. */
const MAX_ENTRY_LENGTH = 80;

/** Replaces the entries beyond {@linkcode MAX_ENTRIES}. */
const MORE_ENTRIES = "and more";

/** A parameter that was sent under another name or with another value. */
export interface Conversion {
  readonly parameter: string;
  /** The vendor's name of the parameter, if it differs. */
  readonly name?: string;
  /** The value before and after, if both can be shown. */
  readonly change?: { readonly from: Scalar; readonly to: Scalar | undefined };
}

/**
 * The ignored, converted and added parameters for one target. The caller receives them in response
 * headers.
 */
export class RequestChanges {
  ignored: ReadonlySet<string> = NONE;
  /** The conversions as text, for the response header. */
  converted: ReadonlySet<string> = NONE;
  /** The conversions as data. */
  conversions: readonly Conversion[] = NO_CONVERSIONS;
  /** The added fields, as paths in the adapter's table of additions. */
  added: ReadonlySet<string> = NONE;
  /** The added fields that the vendor does not require. */
  chosen: ReadonlySet<string> = NONE;

  /**
   * Which cache marks the gateway has placed: `all`, only those of the `prefix`, or none because
   * they do not pay off (`stopped`). Undefined if marks did not apply.
   */
  promptMarks: "all" | "prefix" | "stopped" | undefined;

  /** Records a parameter that is not sent. */
  ignore(parameter: string): void {
    this.ignored = withEntry(this.ignored, parameter);
  }

  /** Records a field that is sent although the caller did not send it: a path of `adds`. */
  add(path: string): void {
    this.added = withName(this.added, path);
  }

  /** Like {@linkcode add}, for a field that the vendor does not require. */
  addByChoice(path: string): void {
    this.add(path);
    this.chosen = withName(this.chosen, path);
  }

  /** Records a parameter that is sent under another name. */
  rename(parameter: string, to: string): void {
    this.#addConversion({ parameter, name: to });
  }

  /**
   * Records a parameter whose value changed. Pass only numbers and enum values, never the caller's
   * text.
   */
  convert(
    parameter: string,
    from?: Scalar,
    to?: Scalar,
  ): void {
    this.#addConversion({ parameter, ...(from !== undefined && { change: { from, to } }) });
  }

  /** Adds all other changes. */
  include({ ignored, conversions, added, chosen }: RequestChanges): void {
    for (const parameter of ignored) this.ignore(parameter);
    for (const { parameter, name, change } of conversions) {
      if (name !== undefined) this.rename(parameter, name);
      else this.convert(parameter, change?.from, change?.to);
    }
    for (const path of added) this.add(path);
    for (const path of chosen) this.addByChoice(path);
  }

  #addConversion(conversion: Conversion): void {
    const before = this.converted.size;
    this.converted = withEntry(this.converted, describeConversion(conversion));
    if (this.converted.size > before) this.conversions = [...this.conversions, conversion];
  }
}

/** A conversion as text; `parameter` may be another name of the parameter. */
export function describeConversion(
  { parameter: own, name, change }: Conversion,
  parameter = own,
): string {
  if (name !== undefined) return `${parameter}->${name}`;
  return change === undefined ? parameter : `${parameter} ${change.from}->${change.to}`;
}

function withEntry(entries: ReadonlySet<string>, entry: string): ReadonlySet<string> {
  const isOver = entries.size >= MAX_ENTRIES && !PARAMETER_NAMES.has(entry);
  if (isOver) return withName(entries, MORE_ENTRIES);
  const isLong = entry.length > MAX_ENTRY_LENGTH;
  return withName(entries, isLong ? `${entry.slice(0, MAX_ENTRY_LENGTH)}…` : entry);
}

/** Most requests have no changes, and share one empty set. */
const NONE: ReadonlySet<string> = new Set();
const NO_CONVERSIONS: readonly Conversion[] = [];

function withName(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return names === NONE ? new Set([name]) : (names as Set<string>).add(name);
}
