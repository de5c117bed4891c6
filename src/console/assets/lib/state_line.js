/** What holds for all views: whether the gateway answers, and what is wrong. */

import { html, useEffect, useRef, useState } from "./preact.js";
import { Icon } from "./icons.js";
import { StateMark } from "./state_mark.js";

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** Whether the gateway answers; if not, since when, and when the page tries again. */
export function Connection({ connection: { awaySince, nextLook, state } }) {
  const seconds = useSecondsTo(nextLook);
  if (awaySince !== undefined) {
    return html`
      <span class="conn">
        <span class="st failing" role="status">
          Not reachable since ${clock.format(awaySince)}
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

/** The whole seconds until a time, counted down. */
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
  const menu = useRef(null);
  useEffect(() => {
    const close = (event) => {
      const isOutside = event.type === "keydown"
        ? event.key === "Escape"
        : !menu.current?.contains(event.target);
      if (isOutside) menu.current?.removeAttribute("open");
    };
    addEventListener("pointerdown", close);
    addEventListener("keydown", close);
    return () => {
      removeEventListener("pointerdown", close);
      removeEventListener("keydown", close);
    };
  }, []);
  if (alerts.length === 0) return null;
  const isOne = alerts.length === 1;
  return html`
    <details class="menu alerts" ref=${menu}>
      <summary>
        <${StateMark} state="failing" isShort=${true} />
        <span>${alerts.length}</span><span class="long">${isOne
          ? "open alert"
          : "open alerts"}</span>
        <${Icon} name="down" size=${10} />
      </summary>
      <div class="pop">
        ${alerts.map(({ since, text, view }) =>
          html`
            <a key=${text} href=${`#/${view}`} onClick=${() =>
              menu.current?.removeAttribute("open")}>
              <span class="clip" title=${text}>${text}</span>
              ${since && html`<span class="faint">${clock.format(new Date(since))}</span>`}
            </a>
          `
        )}
      </div>
    </details>
  `;
}
