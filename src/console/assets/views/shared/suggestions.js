/** The suggested values in filter fields. */

import { useRef, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { pathFor } from "./data.js";

/** The period whose values are suggested, and the maximum number of each. */
const SUGGESTED_MS = 30 * 86_400_000;
const MAX_SUGGESTIONS = 1000;

/** The values in the requests of the last 30 days, loaded when a field is used. */
export function useSuggestions(session) {
  const [values, setValues] = useState({});
  const asked = useRef(new Set());
  const load = async (name) => {
    if (asked.current.has(name)) return;
    asked.current.add(name);
    const from = new Date(Date.now() - SUGGESTED_MS).toISOString();
    const query = { from, group_by: name, limit: String(MAX_SUGGESTIONS) };
    try {
      const { data } = await getJson(pathFor(session, "usage", query));
      const found = data.flatMap((entry) => entry[name] ?? []);
      setValues((before) => ({ ...before, [name]: found }));
    } catch {
      // On failure, only the values of the visible requests are suggested.
      asked.current.delete(name);
    }
  };
  return { load, of: (name) => values[name] ?? [] };
}
