/** The view of the models: every name with its facts, its health, and its targets. */

import { html, useMemo, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Choices, ErrorBox, Loading } from "../../lib/components.js";
import { count, countOf } from "../../lib/format.js";
import { pathFor, useLoaded, useSession } from "../shared/data.js";
import { ViewHead } from "../shared/parts.js";
import { useLive } from "../status/live.js";
import { ModelDetails } from "./details.js";
import { filtered, toEntries } from "./figures.js";
import { ModelTable } from "./table.js";

const SHOWN_FORMS = [["all", "All"], ["model", "Models"], ["alias", "Aliases"], [
  "pinned",
  "Pinned",
]];

export default function Models({ route }) {
  const session = useSession();
  const { data, error, isLoading, reload } = useLoaded(
    (signal) => getJson(pathFor(session, "routes"), { signal }),
    [session.hasAdmin],
  );
  const { state } = useLive(pathFor(session, "live"));
  return html`
    <div class="view" data-view="models">
      <${ViewHead}
        title=${data === undefined ? "Models" : namesText(data.data)}
        note=${session.hasAdmin
          ? "Every name that a request may use, and where it goes."
          : "The names that your key may use, and where they go."}
      >
        <button type="button" aria-keyshortcuts="Alt+Shift+R" onClick=${reload}
          disabled=${isLoading}>Refresh</button>
      <//>
      <${ErrorBox} error=${error} title="The models cannot be loaded" />
      ${data === undefined
        ? !error && html`<${Loading} text="Loading the models" />`
        : html`<${Names} routes=${data} live=${state} opened=${route.path[0]} />`}
    </div>
  `;
}

/** The number of names of each form, such as `41 models, 6 aliases`. */
function namesText(names) {
  const numberOf = (wanted) => names.filter(({ form }) => form === wanted).length;
  const [models, aliases] = [numberOf("model"), numberOf("alias")];
  const texts = [
    models > 0 && countOf(models, "model"),
    aliases > 0 && countOf(aliases, "alias", "aliases"),
  ];
  return texts.filter((text) => text).join(", ") || "Models";
}

function Names({ routes, live, opened }) {
  const [text, setText] = useState("");
  const [form, setForm] = useState("all");
  // The state arrives once per second; the facts are joined again only if a target has changed.
  const seen = JSON.stringify((live?.models ?? []).map((model) => [
    ...[model.provider, model.upstream, model.breaker, model.attempts, model.failed_attempts],
    Math.ceil((model.tries_again_in_ms ?? 0) / 1000),
  ]));
  const entries = useMemo(() => toEntries(routes, live), [routes, seen]);
  const shown = useMemo(() => filtered(entries, text, form), [entries, text, form]);
  // Prevents rendering the table for each state.
  const table = useMemo(
    () => html`<${ModelTable} entries=${shown} opened=${opened} />`,
    [shown, opened],
  );
  const open = entries.find(({ id }) => id === opened);
  return html`
    <div class="row">
      <label class="search">
        <span class="only-read">Search</span>
        <input
          type="search"
          aria-keyshortcuts="Alt+Shift+F"
          value=${text}
          placeholder="Name, provider or vendor"
          onInput=${({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <${Choices} label="Names" value=${form} options=${SHOWN_FORMS} onChange=${setForm} />
      <span class="soft small" role="status">
        ${count(shown.length)} of ${count(entries.length)} names
      </span>
    </div>
    ${opened !== undefined &&
      (open === undefined
        ? html`<p class="notice" role="status">There is no model <code>${opened}</code>.</p>`
        : html`<${ModelDetails} entry=${open} now=${Date.parse(live?.at ?? routes.since)} />`)}
    ${table}
  `;
}
