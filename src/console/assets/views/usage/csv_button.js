/** Saves the report as comma-separated values. */

import { html, useState } from "../../lib/preact.js";
import { send } from "../../lib/api.js";
import { ErrorBox } from "../../lib/components.js";
import { joinCsv, saveCsv } from "../shared/csv.js";
import { pathFor } from "../shared/data.js";
import { filtersOf, periodOf, timesOf } from "./choice.js";
import { readPages } from "./pages.js";

/** Downloads the usage over time as CSV. */
export function CsvButton({ session, choice }) {
  const [error, setError] = useState(undefined);
  const download = async () => {
    setError(undefined);
    try {
      const { parts, hasMore } = await readCsv(session, choice);
      saveCsv(`usage-by-${choice.by}.csv`, joinCsv(parts));
      if (hasMore) setError(new Error("The file lacks some groups: choose a shorter time"));
    } catch (thrown) {
      setError(thrown);
    }
  };
  return html`
    <button type="button" aria-keyshortcuts="Alt+Shift+D" onClick=${download}>Download CSV</button>
    <${ErrorBox} error=${error} title="Download" />
  `;
}

/** The pages of the usage over time. */
function readCsv(session, choice) {
  const period = periodOf(choice, Date.now());
  const query = {
    ...timesOf(period),
    ...filtersOf(choice),
    group_by: `${period.unit},${choice.by}`,
    format: "csv",
  };
  return readPages(async (page) => {
    const response = await send(pathFor(session, "usage", { ...query, ...page }));
    return { part: await response.text(), next: response.headers.get("x-sluice-next") };
  });
}
