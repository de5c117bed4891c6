/** The state of a circuit breaker as a badge. */

import { html } from "../../lib/preact.js";

/** The presentation of circuit breaker states. */
const BREAKERS = new Map([
  ["closed", { tone: "good", text: "Closed", title: "Requests are sent" }],
  ["open", { tone: "bad", text: "Open", title: "Too many failures: requests use other targets" }],
  ["half_open", { tone: "warn", text: "Half-open", title: "One request tries the provider again" }],
]);

/** The state of a circuit breaker. */
export function Breaker({ state }) {
  const { tone, text, title } = BREAKERS.get(state) ?? { tone: "", text: state, title: "" };
  return html`<span class=${`badge ${tone}`} title=${title}>${text}</span>`;
}
