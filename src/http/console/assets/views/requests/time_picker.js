/** Chooses the time whose requests are shown. */

import { html, useState } from "../../lib/preact.js";
import { Choices, Dialog } from "../../lib/components.js";
import { momentText, toLocalInput, zoneName } from "../shared/times.js";
import { periodOf, RANGES, withTimes } from "./addresses.js";

export function TimePicker({ filters, onChange }) {
  const [isOpen, setOpen] = useState(false);
  const isCustom = filters.range === "custom";
  const custom = isCustom
    ? `${momentText(Date.parse(filters.from))} to ${momentText(Date.parse(filters.to))}`
    : "Custom";
  const options = [...[...RANGES.keys()].map((range) => [range, range]), ["custom", custom]];
  const choose = (range) => {
    if (range === "custom") setOpen(true);
    else onChange({ ...filters, range, from: "", to: "" });
  };
  return html`
    <${Choices} label="Time" value=${filters.range} options=${options} onChange=${choose} />
    ${isOpen && html`
      <${TimesDialog}
        filters=${filters}
        onClose=${() => setOpen(false)}
        onDone=${(from, to) => {
          setOpen(false);
          onChange(withTimes(filters, from, to));
        }}
      />
    `}
  `;
}

function TimesDialog({ filters, onClose, onDone }) {
  const [period] = useState(() => periodOf(filters, Date.now()));
  const [from, setFrom] = useState(() => toLocalInput(period.from));
  const [to, setTo] = useState(() => toLocalInput(period.to));
  const isValid = from !== "" && to !== "" && from < to;
  const submit = (event) => {
    event.preventDefault();
    if (isValid) onDone(new Date(from).getTime(), new Date(to).getTime());
  };
  const field = (id, label, value, onInput) =>
    html`
      <div class="field">
        <label for=${id}>${label}</label>
        <input
          id=${id}
          type="datetime-local"
          step="1"
          required
          value=${value}
          aria-describedby="times-fault"
          onInput=${(event) => onInput(event.target.value)}
        />
      </div>
    `;
  return html`
    <${Dialog} title="Time of the requests" onClose=${onClose} class="narrow">
      <form class="stack" onSubmit=${submit}>
        <div class="two-fields">
          ${field("times-from", "From", from, setFrom)} ${field("times-to", "To", to, setTo)}
        </div>
        <p class="fault" id="times-fault" role="status">
          ${isValid ? "" : "The first time must be before the last."}
        </p>
        <p class="hint">Times: ${zoneName()}.</p>
        <div class="row end">
          <button type="button" onClick=${onClose}>Cancel</button>
          <button type="submit" class="primary" disabled=${!isValid}>Show</button>
        </div>
      </form>
      <//>
  `;
}
