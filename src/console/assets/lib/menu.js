/** A menu below its button. A choice, Escape, or a click outside closes it. */

import { html, useEffect, useRef } from "./preact.js";
import { Icon } from "./icons.js";

/** @param {{ label: unknown, title?: string, class?: string, children: unknown }} props */
export function Menu({ label, title, class: name = "", children }) {
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
  const choose = ({ target }) => {
    if (target.closest("a, button") !== null) menu.current.removeAttribute("open");
  };
  return html`
    <details class=${`menu ${name}`} ref=${menu}>
      <summary title=${title}>${label}<${Icon} name="down" size=${10} /></summary>
      <div class="pop" onClick=${choose}>${children}</div>
    </details>
  `;
}
