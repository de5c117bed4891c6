/** Chooses the time whose requests are shown. */

import { html } from "../../lib/preact.js";
import { RangePicker } from "../shared/range_picker.js";
import { momentText, toLocalInput, zoneName } from "../shared/times.js";
import { periodOf, RANGES, withTimes } from "./addresses.js";

export function TimePicker({ filters, onChange }) {
  const customText = filters.range === "custom"
    ? `${momentText(Date.parse(filters.from))} to ${momentText(Date.parse(filters.to))}`
    : "Custom";
  const fields = {
    title: "Time of the requests",
    type: "datetime-local",
    labels: ["From", "To"],
    hint: `Times: ${zoneName()}.`,
    fault: "The first time must be before the last.",
    isValid: (from, to) => from < to,
    initial: () => {
      const { from, to } = periodOf(filters, Date.now());
      return [toLocalInput(from), toLocalInput(to)];
    },
  };
  return html`
    <${RangePicker}
      ranges=${RANGES.keys()}
      value=${filters.range}
      customText=${customText}
      fields=${fields}
      onRange=${(range) => onChange({ ...filters, range, from: "", to: "" })}
      onCustom=${(from, to) =>
        onChange(withTimes(filters, new Date(from).getTime(), new Date(to).getTime()))}
    />
  `;
}
