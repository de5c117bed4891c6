/** Chooses one of some ranges up to now, or the first and the last time of another one. */

import { html, useState } from "../../lib/preact.js";
import { Choices, Dialog } from "../../lib/components.js";

/**
 * @param {object} props
 * @param {Iterable<string>} props.ranges the names of the ranges
 * @param {string} props.value one of them, or `custom`
 * @param {string} props.customText what is shown in place of `custom`
 * @param {{ title: string, type: string, labels: [string, string], hint: string, fault: string,
 *   max?: string, isValid: (from: string, to: string) => boolean,
 *   initial: () => [string, string] }} props.fields the fields of the dialog for a custom range
 * @param {(range: string) => void} props.onRange
 * @param {(from: string, to: string) => void} props.onCustom the values of the fields
 */
export function RangePicker({ ranges, value, customText, fields, onRange, onCustom }) {
  const [isOpen, setOpen] = useState(false);
  const options = [...[...ranges].map((range) => [range, range]), ["custom", customText]];
  return html`
    <${Choices}
      label="Time"
      value=${value}
      options=${options}
      onChange=${(range) => range === "custom" ? setOpen(true) : onRange(range)}
    />
    ${isOpen && html`
      <${RangeDialog}
        fields=${fields}
        onClose=${() => setOpen(false)}
        onDone=${(from, to) => {
          setOpen(false);
          onCustom(from, to);
        }}
      />
    `}
  `;
}

function RangeDialog({ fields, onClose, onDone }) {
  const { title, type, labels, hint, fault, max, isValid } = fields;
  const [values, setValues] = useState(fields.initial);
  const [from, to] = values;
  const canShow = from !== "" && to !== "" && isValid(from, to);
  const submit = (event) => {
    event.preventDefault();
    if (canShow) onDone(from, to);
  };
  return html`
    <${Dialog} title=${title} onClose=${onClose} class="narrow">
      <form class="stack" onSubmit=${submit}>
        <div class="two-fields">
          ${["range-from", "range-to"].map((id, index) =>
            html`
              <div class="field" key=${id}>
                <label for=${id}>${labels[index]}</label>
                <input
                  id=${id}
                  type=${type}
                  step=${type === "date" ? undefined : "1"}
                  required
                  max=${max}
                  value=${values[index]}
                  aria-describedby="range-fault"
                  onInput=${(event) => setValues(values.with(index, event.target.value))}
                />
              </div>
            `
          )}
        </div>
        <p class="fault" id="range-fault" role="status">${canShow ? "" : fault}</p>
        <p class="hint">${hint}</p>
        <div class="row end">
          <button type="button" onClick=${onClose}>Cancel</button>
          <button type="submit" class="primary" disabled=${!canShow}>Show</button>
        </div>
      </form>
      <//>
  `;
}
