/** Chooses the time of the report. */

import { html, useState } from "../../lib/preact.js";
import { Choices, Dialog } from "../../lib/components.js";
import { periodOf, RANGES } from "./choice.js";

export function RangePicker({ choice, onChange }) {
  const [isOpen, setOpen] = useState(false);
  const custom = choice.range === "custom" ? `${choice.from} to ${choice.to}` : "Custom";
  const options = [...[...RANGES.keys()].map((range) => [range, range]), ["custom", custom]];
  const choose = (range) => {
    if (range === "custom") setOpen(true);
    else onChange({ range, from: "", to: "" });
  };
  return html`
    <${Choices} label="Time" value=${choice.range} options=${options} onChange=${choose} />
    ${isOpen && html`
      <${DaysDialog}
        choice=${choice}
        onClose=${() => setOpen(false)}
        onDone=${(days) => {
          setOpen(false);
          onChange({ range: "custom", ...days });
        }}
      />
    `}
  `;
}

function DaysDialog({ choice, onClose, onDone }) {
  const today = dayOf(Date.now());
  const [from, setFrom] = useState(() => choice.from || dayOf(periodOf(choice, Date.now()).from));
  const [to, setTo] = useState(choice.to || today);
  const isValid = from !== "" && to !== "" && from <= to;
  const submit = (event) => {
    event.preventDefault();
    if (isValid) onDone({ from, to });
  };
  return html`
    <${Dialog} title="Time of the report" onClose=${onClose} class="narrow">
      <form class="stack" onSubmit=${submit}>
        <div class="two-fields">
          <${DayField} id="range-from" label="First day" value=${from} onChange=${setFrom} />
          <${DayField} id="range-to" label="Last day" value=${to} onChange=${setTo} />
        </div>
        <p class="fault" id="range-fault" role="status">
          ${isValid ? "" : "The first day must not be after the last day."}
        </p>
        <p class="hint">Days are in UTC.</p>
        <div class="row end">
          <button type="button" onClick=${onClose}>Cancel</button>
          <button type="submit" class="primary" disabled=${!isValid}>Show</button>
        </div>
      </form>
      <//>
  `;
}

function DayField({ id, label, value, onChange }) {
  return html`
    <div class="field">
      <label for=${id}>${label}</label>
      <input
        id=${id}
        type="date"
        required
        max=${dayOf(Date.now())}
        value=${value}
        aria-describedby="range-fault"
        onInput=${(event) => onChange(event.target.value)}
      />
    </div>
  `;
}

/** The day of a time in UTC, such as `2026-11-22`. */
function dayOf(time) {
  return new Date(time).toISOString().slice(0, 10);
}
