/** The status line of all views: whether the gateway answers, and current problems. */

import { html, useEffect, useState } from "./preact.js";
import { Menu } from "./menu.js";
import { StateMark } from "./state_mark.js";
import { currentZone, formatterOf } from "./zone.js";

/** The hour and the minute of a time in the zone of the tab. */
function clockText(time) {
  const format = formatterOf(currentZone(), { hour: "2-digit", minute: "2-digit" });
  return format.format(new Date(time));
}

/**
 * Whether the gateway answers; if not, when the failure began, and the time of the next attempt.
 */
export function Connection({ connection: { awaySince, nextLook, state } }) {
  const seconds = useSecondsTo(nextLook);
  if (awaySince !== undefined) {
    return html`
      <span class="conn">
        <span class="st failing" role="status">
          Not reachable since ${clockText(awaySince)}
        </span>
        <span class="long">next try in ${seconds} s</span>
      </span>
    `;
  }
  if (state === undefined) return html`<span class="conn" role="status">Connecting</span>`;
  return html`
    <span class="conn">
      <${StateMark} state="ok" isShort=${true} />
      <b role="status">Connected</b>
      <span class="long">
        ${state.workers === undefined || state.workers === 1 ? "" : `${state.workers} workers`}
      </span>
    </span>
  `;
}

/** A countdown of the whole seconds until a time. */
function useSecondsTo(time) {
  const [, render] = useState(0);
  useEffect(() => {
    if (time === undefined) return undefined;
    const timer = setInterval(() => render((count) => count + 1), 1000);
    return () => clearInterval(timer);
  }, [time]);
  return time === undefined ? 0 : Math.max(0, Math.ceil((time - Date.now()) / 1000));
}

/** The open alerts; nothing without any. */
export function Alerts({ alerts }) {
  if (alerts.length === 0) return null;
  const label = html`
    <${StateMark} state="failing" isShort=${true} />
    <span>${alerts.length}</span>
    <span class="long">${alerts.length === 1 ? "open alert" : "open alerts"}</span>
  `;
  return html`
    <${Menu} class="alerts" label=${label}>
      ${alerts.map(({ since, text, view }) =>
        html`
          <a key=${text} href=${`#/${view}`}>
            <span class="clip" title=${text}>${text}</span>
            ${since && html`<span class="faint">${clockText(since)}</span>`}
          </a>
        `
      )}
    <//>
  `;
}
