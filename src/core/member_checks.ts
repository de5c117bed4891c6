/** Checks of several members of an object in a schema. */

import * as z from "zod";
import { isObject, type JsonObject } from "./json/object.ts";

/** What is wrong with the members of an object. */
export interface MemberFault {
  /** Where it is; the object itself if omitted. */
  readonly path?: PropertyKey[];
  readonly message: string;
}

/**
 * The schema with a check of several members, which runs although other members have faults: all
 * faults are reported at once. Checks of zod's own are skipped after the first fault.
 *
 * @param faultsOf finds the faults; members may be missing or of any type
 */
export function withCheck<Schema extends z.ZodType>(
  schema: Schema,
  faultsOf: (members: JsonObject) => Iterable<MemberFault>,
): Schema {
  return schema.superRefine((value, context) => {
    if (!isObject(value)) return;
    for (const { path = [], message } of faultsOf(value)) {
      context.addIssue({ code: "custom", path, message });
    }
  }, { when: () => true });
}
