/** The report as a small file of comma-separated values. */

import { dayOf } from "../../lib/zone.js";
import { groupName } from "./figures.js";

const MEMBERS = [
  ...["requests", "errors", "input_tokens", "cached_input_tokens", "output_tokens", "cost_usd"],
  ...["unused_cost_usd", "unpriced_requests"],
];

/** The name of the file: its period and its groups. */
export function fileName({ by, period: { from, to, zone }, then }) {
  const groups = [by, then].filter((name) => name);
  return `usage_${[dayOf(from, zone), dayOf(to - 1, zone), ...groups].join("_")}.csv`;
}

/** The rows of the table, and a last line with the totals. */
export function toText({ by, detailed, groups, then, total }) {
  const names = [by, then].filter((name) => name);
  const lines = [[...names, ...MEMBERS]];
  for (const entry of detailed ?? groups) {
    lines.push([...names.map((name) => groupName(entry[name], name)), ...values(entry)]);
  }
  lines.push([...names.map((_, index) => index === 0 ? "Total" : ""), ...values(total ?? {})]);
  return lines.map((line) => line.map(toCell).join(",") + "\n").join("");
}

function values(entry) {
  return MEMBERS.map((name) => entry[name] ?? (name === "cost_usd" ? "" : 0));
}

/** Text that a spreadsheet would interpret as a formula is prefixed with a quotation mark. */
function toCell(value) {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",;\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
