/** The models without a price as a to-do list. A price is set in the configuration. */

import { html, useState } from "../../lib/preact.js";
import { getJson } from "../../lib/api.js";
import { Dialog, ErrorBox, Loading, useElementId } from "../../lib/components.js";
import { count, countOf } from "../../lib/format.js";
import { SaveDialog } from "../config/save_dialog.js";
import { useLoaded } from "../shared/data.js";
import { priceEdits, priceFields, targetsOf } from "./price_edits.js";

/** The maximum number of listed models. */
const MAX_LISTED = 20;

/** @param {{ entries: any[], canSet: boolean }} props the models by provider, the most used first */
export function UnknownPrices({ entries, canSet }) {
  const [opened, setOpened] = useState(undefined);
  const [saved, setSaved] = useState([]);
  const needsConfig = canSet && entries.length > 0;
  const { data: config } = useLoaded(
    async (signal) => needsConfig ? await getJson("/v1/admin/config", { signal }) : undefined,
    [needsConfig],
  );
  if (entries.length === 0) return null;
  const models = new Set(entries.map(({ model }) => model)).size;
  const requests = entries.reduce((sum, entry) => sum + entry.unpriced_requests, 0);
  const reason = config?.editable === false ? config.read_only_reason : undefined;
  return html`
    <section class="to-do stack" aria-labelledby="to-do-title">
      <h2 id="to-do-title">${countOf(models, "model has", "models have")} no price</h2>
      <p>${countOf(requests, "request is", "requests are")} not in these sums.${reason &&
        html`<span class="soft"> ${reason}.</span>`}</p>
      <ul class="price-list">
        ${entries.slice(0, MAX_LISTED).map((entry) =>
          html`
            <li key=${nameOf(entry)}>
              <span class="wrap-anywhere"><code>${entry.model ?? "(no model)"}</code>
                <span class="soft"> at ${entry.provider ?? "no provider"}, ${countOf(
                  entry.unpriced_requests,
                  "request",
                )}</span></span>
              ${saved.includes(nameOf(entry))
                ? html`<span class="soft">Requests will have a cost from now on.</span>`
                : canSet && html`
                  <button type="button" class="small" title=${reason}
                    disabled=${!config || reason !== undefined}
                    onClick=${() => setOpened(entry)}
                    aria-label=${`Set a price of ${entry.model} at ${entry.provider}`}
                  >Set a price</button>
                `}
            </li>
          `
        )}
      </ul>
      ${entries.length > MAX_LISTED && html`
        <p class="soft">And ${count(entries.length - MAX_LISTED)} more.</p>
      `}
      ${opened && html`
        <${PriceDialog} entry=${opened} onClose=${() => setOpened(undefined)}
          onSaved=${() => {
            setSaved([...saved, nameOf(opened)]);
            setOpened(undefined);
          }} />
      `}
    </section>
  `;
}

function nameOf({ model, provider }) {
  return JSON.stringify([model, provider]);
}

/** Loads the file and the place of the model in it. */
async function loadPlace({ model, provider }, signal) {
  const [config, routes] = await Promise.all([
    getJson("/v1/admin/config", { signal }),
    getJson("/v1/admin/routes", { signal }),
  ]);
  // A file that is in use is shown as it is in use.
  const base = config.file_text ?? config.text;
  const { objects } = await getJson("/v1/admin/config/form", {
    ...{ body: { text: base, edits: [] }, signal },
  });
  return { config, base, objects, targets: targetsOf(routes, model, provider) };
}

/** Asks for the prices, then shows the changed lines of the file, which are saved. */
function PriceDialog({ entry, onSaved, onClose }) {
  const id = useElementId("price");
  const [round, setRound] = useState(0);
  const { data, error } = useLoaded((signal) => loadPlace(entry, signal), [round]);
  const [target, setTarget] = useState(undefined);
  const [prices, setPrices] = useState({});
  const [state, setState] = useState({});
  const fields = priceFields(entry);
  const chosen = data?.targets.find((one) => one === target) ?? data?.targets[0];
  const { edits, fault } = data
    ? priceEdits(data.objects, entry.provider, chosen, fields, prices)
    : {};
  if (state.text !== undefined) {
    return html`
      <${SaveDialog} config=${data.config} base=${data.base} text=${state.text}
        onSaved=${onSaved} onClose=${onClose} onReload=${() => {
          setRound(round + 1);
          setState({});
        }} />
    `;
  }
  const review = async (event) => {
    event.preventDefault();
    try {
      const body = { text: data.base, edits };
      setState(await getJson("/v1/admin/config/form", { body }));
    } catch (thrown) {
      setState({ error: thrown });
    }
  };
  return html`
    <${Dialog} title=${`Set a price of ${entry.model}`} onClose=${onClose} class="narrow">
      <form class="stack" onSubmit=${review}>
        <${ErrorBox} error=${error ?? state.error} title="The price cannot be set" />
        ${!data && !error && html`<${Loading} />`}
        ${data?.targets.length > 1 && html`
          <div class="field">
            <label for=${id}>Model in config.yaml</label>
            <select id=${id} value=${chosen} onChange=${(event) => setTarget(event.target.value)}>
              ${data.targets.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}
            </select>
          </div>
        `}
        ${data && fault && html`<p class="fault">${fault}</p>`}
        ${fields.map(({ label, name, isOptional }) =>
          html`
            <div class="field" key=${name}>
              <label for=${`${id}-${name}`}>${label}${isOptional ? ", if it differs" : ""}</label>
              <input id=${`${id}-${name}`} type="text" inputmode="decimal" autocomplete="off"
                value=${prices[name] ?? ""} required=${!isOptional}
                pattern="\\d{1,9}([.]\\d{1,9})?"
                onInput=${(event) => setPrices({ ...prices, [name]: event.target.value })} />
            </div>
          `
        )}
        <p class="hint">Requests will have a cost from then on; earlier ones will still have none.</p>
        <div class="row end">
          <button type="button" onClick=${onClose}>Cancel</button>
          <button type="submit" class="primary" disabled=${!edits}>Review the change</button>
        </div>
      </form>
      <//>
  `;
}
