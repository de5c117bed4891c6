/** Chooses the days of the report. */

import { html } from "../../lib/preact.js";
import { RangePicker } from "../shared/range_picker.js";
import { offsetOf, periodOf, RANGES, zoneText } from "./choice.js";

export function DaysPicker({ choice, onChange }) {
  const offset = offsetOf(choice, Date.now());
  const dayOf = (time) => new Date(time + offset).toISOString().slice(0, 10);
  const today = dayOf(Date.now());
  const fields = {
    title: "Time of the report",
    type: "date",
    labels: ["First day", "Last day"],
    hint: `Days: ${zoneText(offset)}.`,
    fault: "The first day must not be after the last day.",
    max: today,
    isValid: (from, to) => from <= to,
    initial: () => [
      choice.from || dayOf(periodOf(choice, Date.now()).from),
      choice.to || today,
    ],
  };
  return html`
    <${RangePicker}
      ranges=${RANGES.keys()}
      value=${choice.range}
      customText=${choice.range === "custom" ? `${choice.from} to ${choice.to}` : "Custom"}
      fields=${fields}
      onRange=${(range) => onChange({ range, from: "", to: "" })}
      onCustom=${(from, to) => onChange({ range: "custom", from, to })}
    />
  `;
}
