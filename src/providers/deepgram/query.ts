/** The fields of a request in its query. */

import type { JsonObject } from "../../core/json/object.ts";
import { toFormFields } from "../shared/form_fields.ts";

/** The members of a request; the values of a list are repeated. */
export function toQuery(members: JsonObject): string {
  return toFormFields(members, "")
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}
