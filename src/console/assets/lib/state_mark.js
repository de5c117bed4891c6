/** The state of a target as a shape and a word. */

import { html } from "./preact.js";
import { STATES } from "./target_health.js";

/** A state as a shape and a word. The word may be hidden next to the target's name. */
export function StateMark({ state, isShort = false }) {
  const { text } = STATES.get(state) ?? STATES.get("unused");
  return html`
    <span class=${`st ${state}${isShort ? " only" : ""}`} title=${text}>
      <span class=${isShort ? "only-read" : ""}>${text}</span>
    </span>
  `;
}
