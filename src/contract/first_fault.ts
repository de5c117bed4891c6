/**
 * Schemas for lists and maps that stop at the first error, since a request may contain a great
 * many.
 */

import * as z from "zod";

/** The limits on the number of entries in a list. */
export interface ListBounds {
  readonly min?: number;
  readonly max?: number;
}

/** A list whose entries have the same schema. */
export function listOf<Entry extends z.ZodType>(
  entry: Entry,
  { min = 0, max = Infinity }: ListBounds = {},
): z.ZodType<z.output<Entry>[]> {
  const list = z.unknown().check((payload) => {
    const { value: list, issues } = payload;
    if (!Array.isArray(list)) {
      issues.push({ code: "invalid_type", expected: "array", input: list });
    } else if (list.length < min) {
      issues.push({ code: "too_small", origin: "array", minimum: min, input: list });
    } else if (list.length > max) {
      issues.push({ code: "too_big", origin: "array", maximum: max, input: list });
    } else {
      const checked: unknown[] = [];
      for (let index = 0; index < list.length; index++) {
        const result = run(entry, list[index]);
        if (result.issues.length > 0) return void issues.push(...firstOf(result.issues, index));
        checked.push(result.value);
      }
      payload.value = checked;
    }
  });
  COLLECTIONS.set(list, { entry, bounds: { min, max: max === Infinity ? undefined : max } });
  return list as unknown as z.ZodType<z.output<Entry>[]>;
}

/** An object whose members have the same schema. */
export function mapOf<Value extends z.ZodType>(
  value: Value,
): z.ZodType<Record<string, z.output<Value>>> {
  const map = z.unknown().check(({ value: map, issues }) => {
    if (typeof map !== "object" || map === null || Array.isArray(map)) {
      return void issues.push({ code: "invalid_type", expected: "record", input: map });
    }
    for (const [name, member] of Object.entries(map)) {
      const result = run(value, member);
      if (result.issues.length > 0) return void issues.push(...firstOf(result.issues, name));
    }
  });
  COLLECTIONS.set(map, { entry: value, bounds: undefined });
  return map as unknown as z.ZodType<Record<string, z.output<Value>>>;
}

/** The components of a list or map schema. */
interface Collection {
  readonly entry: z.core.$ZodType;
  /** The limits of a list; undefined for a map. */
  readonly bounds: { readonly min: number; readonly max: number | undefined } | undefined;
}

/** The schemas of lists and maps, which zod sees as plain checks. */
const COLLECTIONS = new WeakMap<z.core.$ZodType, Collection>();

/**
 * The components of a schema from {@linkcode listOf} or {@linkcode mapOf}; undefined for any other.
 */
export function entryOf(schema: z.core.$ZodType): Collection | undefined {
  return COLLECTIONS.get(schema);
}

const CONTEXT = { async: false, reportInput: true };

/**
 * Runs a schema in the same way as zod runs nested schemas. This is the interface for libraries
 * built on zod (https://zod.dev/library-authors, 2026-11-24). A `safeParse` for each entry takes
 * 1.4 to 2 times as long: 300 to 460 µs for a request of 1,000 messages (2026-11-24).
 */
function run(schema: z.core.$ZodType, value: unknown): z.core.ParsePayload {
  const result = schema._zod.run({ value, issues: [] }, CONTEXT);
  if (result instanceof Promise) throw new TypeError("The schema of a request must be synchronous");
  return result;
}

type Issues = z.core.ParsePayload["issues"];

/** The first error of an element, with the path from the list or map. */
function firstOf([first]: Issues, step: PropertyKey): Issues {
  return first === undefined ? [] : [{ ...first, path: [step, ...first.path ?? []] }];
}
