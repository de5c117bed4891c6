/** The models that answer, side by side: a line for each with its price and limits. */

import { html, useState } from "../../lib/preact.js";
import { Combobox } from "../../lib/combobox.js";
import { IconButton } from "../../lib/components.js";
import { short } from "../../lib/format.js";
import { capabilitiesOf, kindOfName, limitsOf, pricesOf } from "../../lib/models.js";
import { useModel } from "./model_list.js";
import { OwnSettings } from "./own_settings.js";
import { ownTexts } from "./request_body.js";
import { setState } from "./store.js";

/** The row of models above the conversation. */
export function ModelColumns({ columns, models }) {
  const change = (id, model) =>
    setState({
      columns: columns.map((column) => column.id === id ? { ...column, model } : column),
    });
  const [opened, setOpened] = useState(null);
  const remove = (id) => setState({ columns: columns.filter((column) => column.id !== id) });
  return html`
    <div class="columns model-row" style=${{ "--columns": columns.length }}>
      ${columns.map((column, index) => {
        const { id, model } = column;
        const own = ownTexts(column);
        return html`
          <div class="model-column" key=${id}>
            <${ModelChip}
              label=${columns.length === 1 ? "Model" : `Model ${index + 1}`}
              id=${model}
              models=${models}
              onChange=${(chosen) => change(id, chosen)}
            />
            ${own.length > 0 && html`
              <span class="badge own" title=${own.join(", ")}>${own.join(", ")}</span>
            `}
            ${(columns.length > 1 || own.length > 0) && html`
              <${IconButton}
                icon="settings"
                class="small"
                label=${`Settings of model ${index + 1}${
                  own.length > 0 ? `: ${own.join(", ")}` : ""
                }`}
                onClick=${() => setOpened(id)}
              />
            `}
            ${columns.length > 1 && html`
              <${IconButton}
                icon="close"
                class="small"
                label=${`Remove model ${index + 1}`}
                onClick=${() => remove(id)}
              />
            `}
          </div>
        `;
      })}
      ${columns.some(({ id }) => id === opened) && html`
        <${OwnSettings} id=${opened} onClose=${() => setOpened(null)} />
      `}
    </div>
  `;
}

/** A model in one line: its name, price and context window. */
export function ModelChip({ label, id, models, onChange }) {
  const model = useModel(id, models);
  const facts = model === null ? ["unknown model"] : model === undefined ? [] : [
    kindOfName(model) === "alias" && `alias of ${model.root}`,
    pricesOf(model),
    model.context_window && short(model.context_window),
  ].filter(Boolean);
  return html`
    <div class="model-chip" title=${model ? factsOf(model) : undefined}>
      <${Combobox}
        label=${label}
        value=${id}
        options=${models}
        placeholder="Choose a model"
        onChange=${onChange}
        render=${(option) =>
          html`
            <span class="option-facts">
              ${kindOfName(option) !== "model" && html`
                <span class="badge">${kindOfName(option)}</span>
              `}
              ${[option.owned_by, ...limitsOf(option).slice(0, 1), pricesOf(option)]
                .filter(Boolean).join(" · ")}
            </span>
          `}
      >
        <span class="chip-facts">${facts.join("; ")}</span>
        <//>
        </div>
  `;
}

/** All facts about a model. Unknown ones are omitted. */
function factsOf(model) {
  const prices = pricesOf(model);
  return [
    `${model.id} by ${model.owned_by}`,
    prices && `${prices} (tokens by the million)`,
    ...limitsOf(model),
    capabilitiesOf(model).join(", "),
  ].filter(Boolean).join(". ");
}
