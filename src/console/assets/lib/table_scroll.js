/** The rendered rows of a table, and scrolling by pointer and keyboard. */

import { useEffect, useLayoutEffect, useRef, useState } from "./preact.js";
import { renderedRows } from "./table_rows.js";

/** The number of rows from which only the visible ones are rendered. */
const LONG_FROM = 100;
/**
 * The number of rows from which a table has the height of the window, so that its header stays
 * visible.
 */
export const TALL_FROM = 24;
/** The height of a row in pixels, and of its card on phones. */
const ROW_PX = 32;
const CARD_PX = 60;
/** The maximum number of printed rows. */
const MAX_PRINTED = 2000;

const phone = matchMedia("(max-width: 719px)");

/**
 * The range of rendered rows: all rows of a short table.
 *
 * @param {{ current: HTMLElement | null }} box what scrolls, unless the window does
 * @param {number} count the number of rows
 */
export function useRendered(box, count) {
  const isLong = count > LONG_FROM;
  const [part, setPart] = useState({ from: 0, to: LONG_FROM, height: ROW_PX });
  useLayoutEffect(() => {
    if (!isLong) return undefined;
    const show = (next) =>
      setPart((before) =>
        before.from === next.from && before.to === next.to && before.height === next.height
          ? before
          : next
      );
    const look = () => {
      const height = phone.matches ? CARD_PX : ROW_PX;
      const { top, bottom } = box.current.getBoundingClientRect();
      const start = box.current.querySelector("tbody").getBoundingClientRect().top;
      const view = { top: Math.max(0, top), bottom: Math.min(innerHeight, bottom) };
      show({ ...renderedRows({ count, height, start, ...view }), height });
    };
    const showAll = () => setPart({ from: 0, to: Math.min(count, MAX_PRINTED), height: ROW_PX });
    look();
    addEventListener("scroll", look, { capture: true, passive: true });
    addEventListener("resize", look);
    addEventListener("beforeprint", showAll);
    addEventListener("afterprint", look);
    return () => {
      removeEventListener("scroll", look, { capture: true });
      removeEventListener("resize", look);
      removeEventListener("beforeprint", showAll);
      removeEventListener("afterprint", look);
    };
  }, [count, isLong]);
  if (!isLong) return { from: 0, to: count, height: part.height, isLong };
  return { ...part, from: Math.min(part.from, count), to: Math.min(part.to, count), isLong };
}

/** Marks the sides where the table continues: the fixed columns get an edge there. */
export function useEdges(box) {
  useEffect(() => {
    const { current } = box;
    const mark = () => {
      const { clientWidth, scrollLeft, scrollWidth } = current;
      current.toggleAttribute("data-left", scrollLeft > 0);
      current.toggleAttribute("data-right", scrollLeft + clientWidth < scrollWidth - 1);
    };
    const observer = new ResizeObserver(mark);
    observer.observe(current);
    observer.observe(current.firstElementChild);
    current.addEventListener("scroll", mark, { passive: true });
    return () => {
      observer.disconnect();
      current.removeEventListener("scroll", mark);
    };
  }, []);
}

/**
 * Moves through the rows with `j` and `k`, opens one with Enter, and closes it with Escape. On a
 * page with several tables, the keys apply to the focused one, else to the first.
 *
 * @returns {{ cursor: string | undefined }} the ID of the row under the cursor
 */
export function useRowKeys(box, table) {
  const [cursor, setCursor] = useState(undefined);
  const latest = useRef(undefined);
  /** The ID of the row that gets the focus once it is rendered. */
  const toFocus = useRef(undefined);
  latest.current = { ...table, cursor };
  useEffect(() => setCursor(undefined), [table.current]);
  useEffect(() => {
    const listen = (event) => {
      if (!isForTable(event, box.current)) return;
      const { current, cursor, hrefOf, idOf, onClose, rows } = latest.current;
      const at = rows.findIndex((row) => idOf(row) === (cursor ?? current));
      if (event.key === "j" || event.key === "k") {
        const step = event.key === "j" ? 1 : -1;
        const next = Math.min(rows.length - 1, Math.max(0, at + step));
        if (rows.length === 0) return;
        scrollTo(box.current, next, latest.current);
        toFocus.current = idOf(rows[next]);
        setCursor(toFocus.current);
      } else if (event.key === "Enter" && at >= 0 && !event.target.closest("a, button, input")) {
        const href = hrefOf?.(rows[at]);
        if (href !== undefined) location.hash = href;
      } else if (event.key === "Escape" && onClose !== undefined) onClose();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  // The row may not be rendered before the table is scrolled.
  useEffect(() => {
    if (toFocus.current === undefined) return;
    const row = box.current.querySelector(`[data-row="${CSS.escape(toFocus.current)}"]`);
    if (row === null) return;
    toFocus.current = undefined;
    if (!table.isLong) row.scrollIntoView({ block: "nearest" });
    row.querySelector(".k :is(a, button), .act button")?.focus({ preventScroll: true });
  });
  return { cursor };
}

/** Whether a key applies to a table: no text field has the focus, and no dialog or menu is open. */
function isForTable(event, box) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  const { target } = event;
  const isTyped = target.matches?.(
    "textarea, select, [contenteditable], input:not([type=checkbox])",
  );
  if (isTyped || document.querySelector("dialog[open]") !== null) return false;
  return (target.closest?.(".tbl") ?? document.querySelector(".tbl")) === box;
}

/** Scrolls a long table, or the window around it, so that a row is visible. */
function scrollTo(box, index, { height, isLong }) {
  if (!isLong) return;
  const body = box.querySelector("tbody").getBoundingClientRect();
  const outer = box.getBoundingClientRect();
  const head = box.querySelector("thead").getBoundingClientRect().height;
  const isBox = box.scrollHeight > box.clientHeight + 1;
  const bar = document.querySelector(".top-bar").getBoundingClientRect().bottom;
  const top = body.top + index * height;
  const high = Math.max(isBox ? outer.top + head : 0, bar);
  const low = Math.min(isBox ? outer.bottom : Infinity, innerHeight) - height;
  const delta = top < high ? top - high : top > low ? top - low : 0;
  if (delta !== 0) (isBox ? box : globalThis).scrollBy({ top: delta, behavior: "instant" });
}
