/** The values that are offered in fields of filters. */

import { useRef, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { pathFor } from "./data.js";

/** The time whose values are offered, and the most of each. */
const SUGGESTED_MS = 30 * 86_400_000;
const MAX_SUGGESTIONS = 1000;

/** The values that requests of the last 30 days have, loaded when a field is used. */
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
      // The values of the shown requests are offered.
      asked.current.delete(name);
    }
  };
  return { load, of: (name) => values[name] ?? [] };
}
