/** The filters of the report. */

import { html, useEffect, useState } from "../../lib/preact.js";
import { serverNow } from "../../lib/server_clock.js";
import { useSuggestions } from "../shared/suggestions.js";
import { fullTime } from "../shared/times.js";
import { FILTERS } from "./choice.js";

const LABELS = {
  ...{ key: "Key", team: "Team", owner: "Owner", model: "Model", provider: "Provider" },
  ...{ tag: "Tag", end_user: "End user" },
};

/** A field for each filter. It is applied on Enter or when it loses the focus. */
export function UsageFilters({ choice, session, onChange }) {
  const [draft, setDraft] = useState(choice);
  const suggestions = useSuggestions(session);
  const current = FILTERS.map((name) => choice[name]).join("\n");
  useEffect(() => setDraft(choice), [current]);
  const apply = (name, text) => {
    const value = text.trim();
    if (value === choice[name]) return;
    onChange({ [name]: value, ...(value !== "" && withoutOthers(name, choice)) });
  };
  const ofAdmins = new Set(["key", "team", "owner"]);
  const shown = FILTERS.filter((name) => !ofAdmins.has(name) || session.hasAdmin);
  return html`
    <form
      class="filters"
      role="search"
      aria-label="Filter the usage"
      onSubmit=${(event) => event.preventDefault()}
    >
      ${shown.map((name) =>
        html`
          <div class="field" key=${name}>
            <label for=${`usage-${name}`}>${LABELS[name]}</label>
            <input
              id=${`usage-${name}`}
              type="text"
              aria-keyshortcuts=${name === "model" ? "Alt+Shift+F" : undefined}
              autocomplete="off"
              spellcheck=${false}
              placeholder="All"
              list=${`usage-${name}-values`}
              value=${draft[name]}
              onFocus=${() => suggestions.load(name)}
              onInput=${(event) => setDraft({ ...draft, [name]: event.target.value })}
              onChange=${(event) => apply(name, event.target.value)}
              onKeyDown=${(event) => event.key === "Enter" && apply(name, event.target.value)}
            />
            <datalist id=${`usage-${name}-values`}>
              ${suggestions.of(name).map((value) => html`<option key=${value} value=${value} />`)}
            </datalist>
          </div>
        `
      )}
      ${current.trim() !== "" && html`
        <button type="button" class="quiet" onClick=${() =>
          onChange(Object.fromEntries(FILTERS.map((name) => [name, ""])))}>Clear</button>
      `}
    </form>
  `;
}

/** A report has only one kind of label: tags or end users. */
function withoutOthers(name, { by }) {
  const other = name === "tag" ? "end_user" : name === "end_user" ? "tag" : undefined;
  return other && { [other]: "", ...(by === other && { by: "model" }) };
}

/** The period and the filters of a printed report: the controls that show them are not printed. */
export function PrintedHead({ filters = {}, period }) {
  const texts = Object.entries(filters).map(([name, value]) =>
    `${name.replace("_", " ")} ${value}`
  );
  return html`
    <p class="only-print">
      ${[`${fullTime(period.from)} to ${fullTime(Math.min(period.to, serverNow()))}`, ...texts]
        .join(", ")}
    </p>
  `;
}
