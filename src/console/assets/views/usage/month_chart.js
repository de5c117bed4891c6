/** What the month has cost day by day, against the budget, and where it will end. */

import { html, useRef } from "../../lib/preact.js";
import { usd } from "../../lib/format.js";
import { dayOf, formatterOf } from "../../lib/zone.js";
import { useWidth } from "../shared/width.js";
import { MONTH_AREA, monthShapes } from "./chart_shapes.js";
import { round } from "./forecast.js";

/** The space that a text above or below a line needs, in pixels. */
const LINE = 14;

/** @param {{ data: any }} props a loaded report of this month */
export function MonthChart({ data: { budget, course, forecast, period: { zone } } }) {
  const box = useRef(null);
  const width = useWidth(box);
  const { start, end, points } = course;
  const { height, left, top } = MONTH_AREA;
  const { right, ticks, x, y, ...paths } = monthShapes({ course, forecast, budget, width });
  const day = formatterOf(zone, { day: "numeric", month: "short" });
  const last = points.at(-1);
  const marks = [start, (start + end) / 2, end - 1];
  const label = [
    `${usd(last.usd)} on ${day.format(last.time)}`,
    forecast && `forecast ${round(forecast.usd)} on ${day.format(end - 1)}, between ` +
      `${round(forecast.low)} and ${round(forecast.high)}`,
    budget !== undefined && `the budget is ${usd(budget)}`,
  ].filter(Boolean).join("; ");
  return html`
    <figure class="card chart month-chart">
      <figcaption class="row spread">
        <strong>Cost of the month</strong>
        <span class="soft small">
          ${forecast
            ? `Forecast of ${day.format(end - 1)}: ${round(forecast.usd)}`
            : `Until ${day.format(last.time)}, ${zone}`}
        </span>
      </figcaption>
      <div class="plot" ref=${box}>
        <svg width=${width} height=${height} viewBox=${`0 0 ${width} ${height}`} role="img"
          aria-label=${label}>
          ${ticks.map((value) =>
            html`
              <g key=${value}>
                <line class="grid" x1=${left} x2=${right} y1=${y(value)} y2=${y(value)} />
                <text x=${left - 8} y=${y(value) + 4} text-anchor="end">${usd(value)}</text>
              </g>
            `
          )}
          ${marks.map((time, index) =>
            html`
              <text key=${dayOf(time, zone)} x=${x(time)} y=${height - 8}
                text-anchor=${["start", "middle", "end"][index]}>${day.format(time)}</text>
            `
          )}
          ${paths.band && html`<path class="band" d=${paths.band} />`}
          ${paths.budget && html`<path class="budget-line" d=${paths.budget} />`}
          <path class="spent" d=${paths.spent} />
          ${paths.line && html`<path class="forecast" d=${paths.line} />`}
          ${paths.budget && html`
            <text x=${left + 4} y=${y(budget) + (y(budget) < top + LINE ? LINE : -4)}
            >Budget ${usd(budget)}</text>
          `}
        </svg>
      </div>
      ${forecast === undefined && html`<p class="hint">A forecast needs three full days.</p>`}
    </figure>
  `;
}
