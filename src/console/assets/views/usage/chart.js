/** A chart of stacked bars over time, with a legend that shows the values below the pointer. */

import { html, useRef, useState } from "../../lib/preact.js";
import { TableBox } from "../shared/parts.js";
import { useWidth } from "../shared/width.js";
import { barsOf, linesOf, ticksOf, timeText, timeTicks } from "./chart_shapes.js";

const HEIGHT = 240;
/** The space of the axes around the bars, in pixels. */
const LEFT = 64;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 26;
/** The space that the text of a time needs. */
const LABEL_WIDTH = 48;

/** @param {{ chart: object, linkOf: (index: number) => string }} props the link for a time */
export function Chart({ chart, linkOf }) {
  const [hovered, setHovered] = useState(null);
  const { isOpen, metric, unit, times, series, unpriced, zone } = chart;
  // The selected time may no longer be part of the chart.
  const index = hovered !== null && hovered < times.length ? hovered : null;
  return html`
    <figure class="card chart">
      <figcaption class="row spread">
        <strong>${metric.name} per ${unit}</strong>
        <span class="soft small">
          ${index === null
            ? `Times in ${zone}${isOpen && unit === "day" ? "; today is not over" : ""}`
            : `${timeText(times[index], unit)} ${zone}`}
        </span>
      </figcaption>
      <${Drawing} chart=${chart} hovered=${index} onHover=${setHovered} linkOf=${linkOf} />
      <ul class="legend">
        ${series.map(({ name, values, isOther, ...totals }, position) =>
          html`
            <li key=${`${position}${name}`}>
              <span class=${`swatch ${colorClass(isOther, position)}`} aria-hidden="true"></span>
              <span class="wrap-anywhere">${name}</span>
              <strong>
                ${index === null ? totalText(totals, metric) : valueText(values[index], metric)}
              </strong>
            </li>
          `
        )}
      </ul>
      ${unpriced > 0 && html`
        <p class="hint">
          The price of ${unpriced} requests is unknown. Their cost is not in the chart.
        </p>
      `}
      <${Values} chart=${chart} linkOf=${linkOf} zone=${zone} />
    </figure>
  `;
}

/** The drawing itself. */
function Drawing({ chart, hovered, onHover, linkOf }) {
  const box = useRef(null);
  const width = useWidth(box);
  const { isOpen, metric, unit, times, series } = chart;
  const area = { left: LEFT, top: TOP, width: width - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM };
  const step = area.width / times.length;
  const ticks = ticksOf(series, metric);
  const draw = metric.isLines ? linesOf : barsOf;
  const paths = width === 0 ? [] : draw(series, ticks.at(-1), area);
  const y = (value) => area.top + area.height * (1 - value / ticks.at(-1));
  const follow = (event) => {
    const x = event.clientX - box.current.getBoundingClientRect().left - LEFT;
    const index = Math.floor(x / step);
    onHover(index >= 0 && index < times.length ? index : null);
  };
  const label = `${metric.name} per ${unit}: ${
    series.map(({ name, ...totals }) => `${name} ${totalText(totals, metric)}`).join(", ")
  }`;
  return html`
    <div
      class=${metric.isLines ? "plot lines" : "plot"}
      ref=${box}
      title="Show the requests of a period"
      onPointerMove=${follow}
      onPointerLeave=${() => onHover(null)}
      onClick=${() => hovered !== null && (location.hash = linkOf(hovered))}
    >
      <svg
        width=${width}
        height=${HEIGHT}
        viewBox=${`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label=${label}
      >
        ${hovered !== null && html`
          <rect
            class="hovered"
            x=${LEFT + hovered * step}
            y=${TOP}
            width=${step}
            height=${area.height}
          />
        `}
        ${ticks.map((value) =>
          html`
            <g key=${value}>
              <line class="grid" x1=${LEFT} x2=${width - RIGHT} y1=${y(value)} y2=${y(value)} />
              <text x=${LEFT - 8} y=${y(value) + 4} text-anchor="end">${metric.format(value)}</text>
            </g>
          `
        )}
        ${paths.map((path, index) =>
          html`<path key=${index} class=${colorClass(series[index].isOther, index)} d=${path} />`
        )}
        ${isOpen && !metric.isLines && width > 0 && html`
          <defs>
            <pattern id="not-over" width="5" height="5" patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)">
              <rect width="2" height="5" class="hatch" />
            </pattern>
          </defs>
          <rect class="not-over" x=${LEFT + (times.length - 1) * step} y=${TOP} width=${step}
            height=${area.height} />
        `}
        ${width > 0 && timeTicks(times, unit, area.width).map(({ index, text }) =>
          html`
            <text
              key=${index}
              x=${LEFT + (index + 0.5) * step}
              y=${HEIGHT - 8}
              text-anchor=${(times.length - index - 0.5) * step < LABEL_WIDTH / 2
                ? "end"
                : "middle"}
            >${text}</text>
          `
        )}
      </svg>
    </div>
  `;
}

function valueText(value, metric) {
  if (value === null) return metric.isLines ? "–" : "unknown";
  return metric.format(value);
}

function totalText({ total, isPartial }, metric) {
  return `${isPartial && total !== null ? "≥ " : ""}${valueText(total, metric)}`;
}

function colorClass(isOther, index) {
  return isOther ? "series-other" : `series-${index + 1}`;
}

/** The same values as a table, for screen readers. */
function Values({ chart: { times, series, metric, unit }, linkOf, zone }) {
  const [isOpen, setOpen] = useState(false);
  return html`
    <details onToggle=${(event) => setOpen(event.target.open)}>
      <summary class="soft small">Values as a table</summary>
      ${isOpen && html`
        <${TableBox} label=${`${metric.name} per ${unit}`}>
          <thead>
            <tr>
              <th scope="col">Time, ${zone}</th>
              ${series.map(({ name }, index) =>
                html`<th key=${index} scope="col" class="number">${name}</th>`
              )}
            </tr>
          </thead>
          <tbody>
            ${times.map((time, row) =>
              html`
                <tr key=${time}>
                  <th scope="row" class="name">
                    <a href=${linkOf(row)}>${timeText(time, unit)}</a>
                  </th>
                  ${series.map(({ values }, index) =>
                    html`
                      <td key=${index} class="number">${valueText(values[row], metric)}</td>
                    `
                  )}
                </tr>
              `
            )}
          </tbody>
          <//>
      `}
    </details>
  `;
}
