/** The menu of a row's actions, in the top layer, for pointer and keyboard. */

import { html, useEffect, useLayoutEffect, useRef, useState } from "./preact.js";
import { copyText } from "./clipboard.js";

/**
 * @param {object} props
 * @param {string} props.label the name of the row
 * @param {HTMLElement} props.anchor the button of the menu
 * @param {{ text: string, href?: string, run?: () => void, copy?: string, isDanger?: boolean }[]}
 *   props.items what can be done: go somewhere, run something, or copy a text
 * @param {() => void} props.onClose
 */
export function RowMenu({ label, anchor, items, onClose }) {
  const menu = useRef(null);
  const [copied, setCopied] = useState(undefined);
  useLayoutEffect(() => {
    menu.current.showPopover();
    place(menu.current, anchor);
    menu.current.querySelector("[role=menuitem]")?.focus();
  }, []);
  useEffect(() => {
    const closeBeside = ({ target }) => {
      if (!menu.current?.contains(target) && !anchor.contains(target)) onClose();
    };
    addEventListener("pointerdown", closeBeside);
    addEventListener("scroll", onClose, { capture: true, passive: true });
    addEventListener("resize", onClose);
    return () => {
      removeEventListener("pointerdown", closeBeside);
      removeEventListener("scroll", onClose, { capture: true });
      removeEventListener("resize", onClose);
    };
  }, []);
  const leave = () => {
    onClose();
    if (anchor.isConnected) anchor.focus({ preventScroll: true });
  };
  const choose = async (item) => {
    if (item.copy !== undefined) {
      return setCopied(await copyText(item.copy) ? item.text : undefined);
    }
    leave();
    item.run?.();
  };
  return html`
    <div class="row-menu" popover="manual" role="menu" aria-label=${`Actions: ${label}`} ref=${menu}
      onKeyDown=${(event) => onKey(event, menu.current, leave)}>
      ${items.map((item) =>
        item.href === undefined
          ? html`
            <button type="button" key=${item.text} role="menuitem" tabindex="-1"
              class=${item.isDanger ? "danger" : ""} onClick=${() => choose(item)}
            ><span aria-live="polite">${copied === item.text ? "Copied" : item.text}</span></button>
          `
          : html`
            <a key=${item.text} role="menuitem" tabindex="-1" href=${item.href} onClick=${leave}
            >${item.text}</a>
          `
      )}
    </div>
  `;
}

/** Below the button, or above it if there is no room. */
function place(menu, anchor) {
  const box = anchor.getBoundingClientRect();
  const isAbove = box.bottom + menu.offsetHeight + 8 > innerHeight;
  menu.style.left = `${Math.max(8, box.right - menu.offsetWidth)}px`;
  menu.style.top = `${isAbove ? Math.max(8, box.top - menu.offsetHeight - 4) : box.bottom + 4}px`;
}

function onKey(event, menu, leave) {
  const items = [...menu.querySelectorAll("[role=menuitem]")];
  const at = items.indexOf(document.activeElement);
  const targets = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: (at + items.length - 1) % items.length,
    Home: 0,
    End: items.length - 1,
  };
  event.stopPropagation();
  if (event.key === "Escape" || event.key === "Tab") {
    event.preventDefault();
    leave();
  } else if (Object.hasOwn(targets, event.key)) {
    event.preventDefault();
    items[targets[event.key]].focus();
  }
}
