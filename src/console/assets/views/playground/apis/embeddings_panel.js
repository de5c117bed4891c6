/** Embeddings: texts in, their vectors and how alike they are. */

import { html, useEffect, useMemo, useState } from "../../../lib/preact.js";
import { Combobox } from "../../../lib/combobox.js";
import { ErrorBox, FactList, Loading } from "../../../lib/components.js";
import { Icon } from "../../../lib/icons.js";
import { count, duration, usd } from "../../../lib/format.js";
import { isForEmbeddings } from "../../../lib/models.js";
import { showReceipt } from "../actions.js";
import { CopyDialog } from "../copy_dialog.js";
import { answeredBy } from "../receipt_facts.js";
import { Run } from "../run.js";
import { getState, setState, useRun } from "../store.js";
import { cosine, MAX_COMPARED, mostAlike, toInputs, vectorsOf } from "./vectors.js";

/** The request of the fields. @throws {RangeError} for what cannot be sent */
function toRequest() {
  const { model, text, dimensions } = getState().embedding;
  const input = toInputs(text);
  const size = Number(dimensions);
  if (model.trim() === "") throw new RangeError("Choose a model");
  if (input.length === 0) throw new RangeError("Write at least one text");
  if (dimensions.trim() !== "" && !(Number.isInteger(size) && size > 0)) {
    throw new RangeError("dimensions: Must be a whole number of at least 1");
  }
  const body = { model, input, ...(dimensions.trim() !== "" && { dimensions: size }) };
  return { api: "embeddings", model, body, headers: {} };
}

/** @param {{ state: object, models: object[] }} props all models */
export function EmbeddingsPanel({ state, models }) {
  const { embedding, embeddingRun: run } = state;
  const able = useMemo(() => models.filter(isForEmbeddings), [models]);
  const [fault, setFault] = useState("");
  const [isCopying, setCopying] = useState(false);
  const set = (members) => setState({ embedding: { ...getState().embedding, ...members } });
  useEffect(() => {
    if (embedding.model === "" && able.length > 0) set({ model: able[0].id });
  }, [able]);
  const attempt = (act) => {
    setFault("");
    try {
      act(new Run(toRequest()));
    } catch (thrown) {
      setFault(thrown.message);
    }
  };
  const send = () =>
    attempt((next) => {
      setState({ embeddingRun: next, selected: next });
      next.start().catch((error) => reportError(error));
      // Its end enables the button.
      const end = next.onChange(() => {
        if (next.isOpen) return;
        end();
        setState({});
      });
    });
  const preview = () =>
    attempt((next) => {
      showReceipt(next);
      next.preview();
    });
  const onKeyDown = (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (event.shiftKey) preview();
    else send();
  };
  return html`
    <div class="embeddings">
      <h2 class="only-read">Embeddings</h2>
      <div class="embedding-fields">
        <${Combobox}
          label="Model"
          value=${embedding.model}
          options=${able.length > 0 ? able : models}
          placeholder="Choose a model"
          onChange=${(model) => set({ model })}
          render=${(option) => html`<span class="option-facts">${option.owned_by}</span>`}
        />
        <input
          aria-label="dimensions"
          inputmode="numeric"
          autocomplete="off"
          placeholder="dimensions: not sent"
          value=${embedding.dimensions}
          onInput=${(event) => set({ dimensions: event.target.value })}
        />
      </div>
      <div class="editor">
        <textarea
          class="growing"
          rows="4"
          aria-label="Texts"
          placeholder="One text per line"
          value=${embedding.text}
          onInput=${(event) => set({ text: event.target.value })}
          onKeyDown=${onKeyDown}
        ></textarea>
        <div class="editor-tools">
          <button type="button" class="quiet" onClick=${preview}>
            <${Icon} name="receipt" />Preview
          </button>
          <button type="button" class="quiet" onClick=${() => setCopying(true)}>
            <${Icon} name="code" />Copy as
          </button>
          <span class="grow"></span>
          <button type="button" class="primary" disabled=${run?.isOpen} onClick=${send}>
            <${Icon} name="send" />Embed
          </button>
        </div>
      </div>
      ${able.length === 0 && models.length > 0 &&
        html`<p class="hint">None of your models is known to be for embeddings.</p>`}
      ${fault !== "" && html`<p class="fault" role="alert">${fault}</p>`}
      ${run !== null && html`<${Result} key=${run.id} run=${run} />`}
      ${isCopying && html`
        <${CopyDialog} state=${state} toRequest=${toRequest} onClose=${() => setCopying(false)} />
      `}
    </div>
  `;
}

function Result({ run }) {
  useRun(run);
  const { answer, error } = run;
  const vectors = useMemo(() => answer === null ? [] : vectorsOf(answer), [answer]);
  if (run.isOpen) return html`<${Loading} text="Embedding" />`;
  const facts = [
    ["Vectors", count(vectors.length)],
    ["Dimensions", [...new Set(vectors.map(({ length }) => count(length)))].join(", ")],
    ["Total", duration(run.timing.total ?? 0)],
    run.fold.usage && ["Tokens", count(run.fold.usage.prompt_tokens ?? 0)],
    run.cost !== null && ["Cost", usd(run.cost)],
  ].filter(Boolean);
  return html`
    <article class="answer card" aria-label="Vectors">
      <p class="answered soft small wrap-anywhere">${answeredBy(run)}</p>
      ${error !== null && html`<${ErrorBox} error=${error} title="The request failed" />`}
      ${vectors.length > 1 && html`<${Cosines} run=${run} vectors=${vectors} />`}
      <div class="answer-foot">
        ${vectors.length > 0 && html`<${FactList} class="figures" facts=${facts} />`}
        <button type="button" class="quiet small" onClick=${() => showReceipt(run)}>
          <${Icon} name="receipt" />Receipt
        </button>
      </div>
    </article>
  `;
}

/** How alike the texts are: 1 for the same direction, 0 for a right angle. */
function Cosines({ run, vectors }) {
  const shown = vectors.slice(0, MAX_COMPARED);
  const best = mostAlike(shown);
  const { input } = run.request.body;
  return html`
    <p>
      ${best && html`
        Most alike: <strong>${best.one + 1}</strong> and <strong>${best.other + 1}</strong>, ${best
          .value.toFixed(3)}
      `}
    </p>
    <div class="table-scroll cosines" tabindex="0" role="region" aria-label="Cosines">
      <table>
        <thead>
          <tr>
            <th scope="col">Cosine</th>
            ${shown.map((_, at) => html`<th scope="col" class="number" key=${at}>${at + 1}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${shown.map((vector, at) =>
            html`
              <tr key=${at}>
                <th scope="row" title=${input[at]}>${at + 1}: ${input[at]}</th>
                ${shown.map((other, to) => {
                  const isBest = best?.one === Math.min(at, to) && best.other === Math.max(at, to);
                  return html`
                    <td class=${isBest ? "number best" : "number"} key=${to}>
                      ${cosine(vector, other)?.toFixed(3) ?? "–"}
                    </td>
                  `;
                })}
              </tr>
            `
          )}
        </tbody>
      </table>
    </div>
    ${vectors.length > shown.length &&
      html`<p class="hint">The first ${MAX_COMPARED} of ${vectors.length} are compared.</p>`}
  `;
}
