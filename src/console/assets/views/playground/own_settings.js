/** The settings of one model in a comparison that differ from those of the page. */

import { html } from "../../lib/preact.js";
import { Dialog } from "../../lib/components.js";
import { parameterOf, readParameter } from "./parameters.js";
import { OWN_PARAMETERS } from "./request_body.js";
import { Parameter } from "./settings_panel.js";
import { usePlayground } from "./hooks.js";
import { setState } from "./store.js";

/** @param {{ id: number, onClose: () => void }} props the column */
export function OwnSettings({ id, onClose }) {
  const { columns, system } = usePlayground();
  const index = columns.findIndex((column) => column.id === id);
  if (index === -1) return null;
  const { model, own = {} } = columns[index];
  const set = (members) => {
    const changed = { ...own, ...members };
    for (const name of Object.keys(changed)) if (changed[name] === undefined) delete changed[name];
    setState({ columns: columns.with(index, { ...columns[index], own: changed }) });
  };
  const clear = () => {
    const { own: _, ...column } = columns[index];
    setState({ columns: columns.with(index, column) });
  };
  const texts = own.parameters ?? {};
  return html`
    <${Dialog} title=${`Settings of model ${index + 1}`} onClose=${onClose}>
      <div class="stack">
        <p class="hint wrap-anywhere">They replace the page's settings for ${model}. Empty ones do not.</p>
        ${OWN_PARAMETERS.map((name) => {
          const text = texts[name] ?? "";
          const { error } = readParameter(parameterOf(name), text);
          return html`
            <${Parameter}
              key=${name}
              parameter=${parameterOf(name)}
              text=${text}
              error=${error}
              onChange=${(changed) => set({ parameters: { ...texts, [name]: changed } })}
            />
          `;
        })}
        <label class="check">
          <input
            type="checkbox"
            checked=${own.tools !== false}
            onChange=${(event) => set({ tools: event.target.checked ? undefined : false })}
          />
          With the tools of the page
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked=${own.system !== undefined}
            onChange=${(event) => set({ system: event.target.checked ? system : undefined })}
          />
          Another system message
        </label>
        ${own.system !== undefined && html`
          <textarea
            class="growing"
            rows="3"
            aria-label="System message of this model"
            placeholder="None is sent"
            value=${own.system}
            onInput=${(event) => set({ system: event.target.value })}
          ></textarea>
        `}
        <div class="row">
          <button type="button" class="quiet" onClick=${clear}>As the page</button>
          <span class="grow"></span>
          <button type="button" class="primary" onClick=${onClose}>Done</button>
        </div>
      </div>
      <//>
  `;
}
