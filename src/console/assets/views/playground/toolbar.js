/** The row above the models: panels to fold, answers of each model, another model, save and open. */

import { html } from "../../lib/preact.js";
import { IconButton } from "../../lib/components.js";
import { Icon } from "../../lib/icons.js";
import { chooseApi, foldPanel } from "./actions.js";
import { APIS } from "./apis/list.js";
import { getState, MAX_COLUMNS, MAX_RUNS, newId, setState } from "./store.js";

/** What is set for the Messages API, which requires a maximum: the person sees and changes it. */
const MAX_TOKENS = "1024";

const RUN_COUNTS = Array.from({ length: MAX_RUNS }, (_, index) => index + 1);

export function Toolbar({ api, columns, folded, models, runCount, onLibrary }) {
  const add = () => setState({ columns: [...columns, { id: newId(), model: nextModel() }] });
  /** A model that is not compared yet. */
  const nextModel = () => {
    const used = new Set(columns.map(({ model }) => model));
    return models.find(({ id }) => !used.has(id))?.id ?? columns[0].model;
  };
  return html`
    <div class="toolbar">
      <${PanelButton} panel="settings" icon="settings" chord="Alt+Shift+G" folded=${folded} />
      <select aria-label="API" value=${api} onChange=${(event) => choose(event.target.value)}>
        ${[...APIS].map(([id, { title }]) => html`<option key=${id} value=${id}>${title}</option>`)}
      </select>
      <span class="grow"></span>
      ${api !== "embeddings" && html`
        <select
          aria-label="Answers of each model"
          value=${runCount}
          onChange=${(event) => setState({ runCount: Number(event.target.value) })}
        >
          ${RUN_COUNTS.map((count) =>
            html`
              <option key=${count} value=${count}>
                ${count === 1 ? "1 answer" : `${count} answers`}
              </option>
            `
          )}
        </select>
        <button
          type="button"
          class="quiet"
          aria-label="Compare"
          aria-keyshortcuts="Alt+Shift+C"
          title="Compare with another model"
          disabled=${columns.length >= MAX_COLUMNS}
          onClick=${add}
        ><${Icon} name="add" /><span class="button-text">Compare</span></button>
      `}
      <${IconButton} icon="save" label="Save and open" aria-keyshortcuts="Alt+Shift+S"
        onClick=${onLibrary} />
      <${PanelButton} panel="receipt" icon="receipt" chord="Alt+Shift+R" folded=${folded} />
    </div>
  `;
}

function choose(api) {
  const { parameters } = getState();
  const hasMax = ["max_tokens", "max_completion_tokens"].some((name) => parameters[name]?.trim());
  const needsMax = api === "messages" && !hasMax;
  chooseApi(api, needsMax ? { parameters: { ...parameters, max_tokens: MAX_TOKENS } } : {})
    .catch((error) => reportError(error));
}

/** Folds a panel of a wide window. A narrow one shows one panel at a time. */
function PanelButton({ panel, icon, chord, folded }) {
  const isFolded = folded.includes(panel);
  return html`
    <${IconButton}
      icon=${icon}
      class="panel-button"
      aria-keyshortcuts=${chord}
      label=${`${isFolded ? "Show" : "Hide"} the ${panel}`}
      aria-expanded=${String(!isFolded)}
      onClick=${() => foldPanel(panel)}
    />
  `;
}
