/**
 * Requests and errors over time. A range can be selected by pointer or keyboard, and is then shown.
 */

import { html, useRef, useState } from "../../lib/preact.js";
import { count, countOf, short } from "../../lib/format.js";
import { serverNow } from "../../lib/server_clock.js";
import { useWidth } from "../shared/width.js";
import { momentText, spanText } from "../shared/times.js";
import { axisOf, heightsOf, moved, placed, sortedSelection, widened } from "./histogram_shapes.js";

const HEIGHT = 64;
/** The maximum period of the histogram, in milliseconds. */
const MAX_PERIOD_MS = 366 * 86_400_000;

/**
 * @param {{ intervals: { start: number, end: number, requests: number, errors: number }[],
 *   isComplete: boolean, isCustom: boolean, onZoom: (from: number, to: number) => void }} props
 */
export function Histogram({ intervals, isComplete, isCustom, onZoom }) {
  const [made, setMade] = useState(null);
  const selection = placed(made, intervals);
  const [{ start: first, end }] = intervals;
  const setSelection = (range) => setMade(range && { ...range, first, step: end - first });
  const chosen = selection === null ? intervals : selected(intervals, selection);
  const period = { from: first, to: intervals.at(-1).end };
  const zoom = (range) => {
    const [from, to] = sortedSelection(range);
    setSelection(null);
    onZoom(intervals[from].start, intervals[to].end);
  };
  const widen = () => {
    const { from, to } = widened(period, serverNow());
    onZoom(from, to);
  };
  const axis = axisOf(intervals.reduce((most, { requests }) => Math.max(most, requests), 0));
  const canWiden = isCustom && period.to - period.from < MAX_PERIOD_MS / 3;
  return html`
    <figure class="histogram" aria-label="Requests over time">
      <figcaption class="row spread">
        <span
          role="status"><b>${summaryOf(
            chosen,
            selection === null,
            isComplete,
          )}</b> <span class="faint small">${spanText(
            intervals[0].end - first,
          )} a bar; drag, or use Shift and arrow
          keys, to select a period</span></span>
        <span class="row">
          ${selection !== null && html`
            <button type="button" class="small" onClick=${() => zoom(selection)}>
              Show only this
            </button>
          `}
          ${canWiden && html`
            <button type="button" class="small quiet" onClick=${widen}>Zoom out</button>
          `}
        </span>
      </figcaption>
      <div class="histogram-plot">
        <div class="histogram-axis" aria-hidden="true">
        ${axis.map((value) => html`<span key=${value}>${short(value)}</span>`)}
      </div>
        <${Bars}
          axis=${axis}
          intervals=${intervals}
          selection=${selection}
          onSelect=${setSelection}
          onZoom=${zoom}
          onWiden=${canWiden ? widen : undefined}
        />
        <div class="histogram-times row spread small faint" aria-hidden="true">
          <span>${momentText(period.from)}</span>
          <span>${momentText(period.to)}</span>
        </div>
      </div>
    </figure>
  `;
}

/** The bars. */
function Bars({ axis, intervals, selection, onSelect, onZoom, onWiden }) {
  const box = useRef(null);
  const width = useWidth(box);
  const dragged = useRef(null);
  const step = width / intervals.length;
  const [highest] = axis;
  const [from, to] = selection === null ? [-1, -2] : sortedSelection(selection);

  const indexAt = (event) => {
    const x = event.clientX - box.current.getBoundingClientRect().left;
    return Math.min(intervals.length - 1, Math.max(0, Math.floor(x / step)));
  };
  const start = (event) => {
    if (event.button !== 0) return;
    box.current.setPointerCapture(event.pointerId);
    const index = indexAt(event);
    dragged.current = { anchor: index, focus: index };
    onSelect(dragged.current);
  };
  const follow = (event) => {
    if (dragged.current === null) return;
    dragged.current = { ...dragged.current, focus: indexAt(event) };
    onSelect(dragged.current);
  };
  const end = () => {
    const range = dragged.current;
    dragged.current = null;
    if (range !== null && range.anchor !== range.focus) onZoom(range);
  };
  const cancel = () => {
    dragged.current = null;
    onSelect(null);
  };
  const onKeyDown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = moved(selection, event, intervals.length);
    if (next !== undefined) onSelect(next);
    else if (event.key === "Enter" && selection !== null) onZoom(selection);
    else if (event.key === "Escape" && selection !== null) onSelect(null);
    else if (event.key === "-" && onWiden !== undefined) onWiden();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return html`
    <div
      class="histogram-bars"
      ref=${box}
      tabindex="0"
      role="group"
      aria-label="Select a time: arrow keys move, Shift and arrow keys extend, Enter shows only it,
        Escape clears, minus zooms out"
      onPointerDown=${start}
      onPointerMove=${follow}
      onPointerUp=${end}
      onPointerCancel=${cancel}
      onKeyDown=${onKeyDown}
    >
      <svg width=${width} height=${HEIGHT} aria-hidden="true">
        ${from >= 0 && html`
          <rect class="hovered" x=${from * step} y="0" width=${(to - from + 1) * step}
            height=${HEIGHT} />
        `}
        ${axis.slice(0, -1).map((value, index) =>
          html`
            <line key=${value} class="grid-line" x1="0" x2=${width}
              y1=${HEIGHT * index / (axis.length - 1) + 0.5}
              y2=${HEIGHT * index / (axis.length - 1) + 0.5} />
          `
        )}
        <path class="volume" d=${pathOf(intervals, highest, step, false)} />
        <path class="errors" d=${pathOf(intervals, highest, step, true)} />
      </svg>
    </div>
  `;
}

/** The bars of failed requests, or of all others, which are stacked on top. */
function pathOf(intervals, highest, step, isFailed) {
  const width = Math.max(1, step - 1);
  return intervals.map((interval, index) => {
    const { errors, others } = heightsOf(interval, highest, HEIGHT);
    const height = isFailed ? errors : others;
    if (height === 0) return "";
    const y = HEIGHT - errors - (isFailed ? 0 : others);
    return `M${(index * step).toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${
      height.toFixed(1)
    }h${(-width).toFixed(1)}z`;
  }).join("");
}

function selected(intervals, selection) {
  const [from, to] = sortedSelection(selection);
  return intervals.slice(from, to + 1);
}

function summaryOf(intervals, isAll, isComplete) {
  const sum = (name) => intervals.reduce((total, interval) => total + interval[name], 0);
  const [requests, errors] = [sum("requests"), sum("errors")];
  const texts = [
    `${isComplete ? "" : "≥ "}${countOf(requests, "request")}`,
    `${count(errors)} failed`,
  ];
  if (isAll) return texts.join(", ");
  const [first, last] = [intervals[0].start, intervals.at(-1).end];
  return `${texts.join(", ")} from ${momentText(first)} to ${momentText(last)}`;
}
