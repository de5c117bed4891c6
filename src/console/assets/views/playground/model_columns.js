/** The models that answer, side by side: a picker with the facts of each. */

import { html, useState } from "../../lib/preact.js";
import { Combobox } from "../../lib/combobox.js";
import { IconButton } from "../../lib/components.js";
import { capabilitiesOf, kindOfName, limitsOf, pricesOf, useModel } from "../../lib/models.js";
import { OwnSettings } from "./own_settings.js";
import { ownTexts } from "./request_body.js";
import { setState } from "./store.js";

/** The row of pickers. */
export function ModelColumns({ columns, models }) {
  const change = (id, model) =>
    setState({
      columns: columns.map((column) => column.id === id ? { ...column, model } : column),
    });
  const [opened, setOpened] = useState(null);
  const remove = (id) => setState({ columns: columns.filter((column) => column.id !== id) });
  return html`
    <div class="model-row">
      <div class="columns" style=${{ "--columns": columns.length }}>
        ${columns.map((column, index) => {
          const { id, model } = column;
          const own = ownTexts(column);
          return html`
            <div class="model-column" key=${id}>
              <div class="model-pick">
                <${Combobox}
                  label=${columns.length === 1 ? "Model" : `Model ${index + 1}`}
                  value=${model}
                  options=${models}
                  placeholder="Choose a model"
                  onChange=${(chosen) => change(id, chosen)}
                  render=${(option) => html`<${OptionFacts} model=${option} />`}
                />
                ${(columns.length > 1 || own.length > 0) && html`
                  <${IconButton}
                    icon="settings"
                    class=${own.length > 0 ? "own" : ""}
                    label=${`Settings of model ${index + 1}${
                      own.length > 0 ? `: ${own.join(", ")}` : ""
                    }`}
                    onClick=${() => setOpened(id)}
                  />
                `}
                ${columns.length > 1 && html`
                  <${IconButton}
                    icon="close"
                    label=${`Remove model ${index + 1}`}
                    onClick=${() => remove(id)}
                  />
                `}
              </div>
              <${Facts} id=${model} models=${models} own=${own} />
            </div>
          `;
        })}
      </div>
      ${columns.some(({ id }) => id === opened) && html`
        <${OwnSettings} id=${opened} onClose=${() => setOpened(null)} />
      `}
    </div>
  `;
}

/** What the list shows of a model beside its name. */
function OptionFacts({ model }) {
  const kind = kindOfName(model);
  const facts = [model.owned_by, ...limitsOf(model).slice(0, 1), pricesOf(model)];
  return html`
    <span class="option-facts">
      ${kind !== "model" &&
        html`<span class="badge">${kind === "alias" ? "alias" : "pinned"}</span>`}
      ${facts.filter(Boolean).join(" · ")}
    </span>
  `;
}

/** The facts of the chosen model. Unknown ones are left out. */
function Facts({ id, models, own }) {
  const model = useModel(id, models);
  if (!model) return html`<p class="facts">${model === null ? "Unknown model" : "\u00a0"}</p>`;
  const prices = pricesOf(model);
  return html`
    <p class="facts">
      ${own.map((text) => html`<span class="badge accent" key=${text}>${text}</span>`)}
      ${kindOfName(model) === "alias" &&
        html`<span class="badge accent">alias of ${model.root}</span>`}
      ${kindOfName(model) === "pinned" && html`<span class="badge accent">pinned</span>`}
      <span>${model.owned_by}</span>
      ${limitsOf(model).map((fact) => html`<span key=${fact}>${fact}</span>`)}
      ${prices !== undefined &&
        html`<span title="US dollars per million tokens">${prices} / 1M</span>`}
      ${capabilitiesOf(model).map((word) => html`<span class="badge" key=${word}>${word}</span>`)}
    </p>
  `;
}
