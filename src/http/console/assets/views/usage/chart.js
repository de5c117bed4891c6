/** A chart of stacked bars over time, with a legend that shows the values below the pointer. */

import { html, useEffect, useRef, useState } from "../../lib/preact.js";
import uPlot from "../../lib/uplot.js";
import { TableBox } from "../shared/parts.js";
import { stack } from "./figures.js";

const HEIGHT = 240;
/** The width of a bar as a share of its time, and its maximum in pixels. */
const BARS = uPlot.paths.bars({ size: [0.75, 72] });

export function Chart({ chart }) {
  const [hovered, setHovered] = useState(null);
  const { metric, unit, times, series, unpriced } = chart;
  // A time that the chart no longer has is not shown.
  const index = hovered !== null && hovered < times.length ? hovered : null;
  return html`
    <figure class="card chart">
      <figcaption class="row spread">
        <strong>${metric.name} per ${unit}</strong>
        <span class="soft small">
          ${index === null ? "Times in UTC" : `${timeText(times[index], unit)} UTC`}
        </span>
      </figcaption>
      <${Canvas} chart=${chart} onHover=${setHovered} />
      <ul class="legend">
        ${series.map(({ name, total, values, isOther }, position) =>
          html`
            <li key=${`${position}${name}`}>
              <span class=${`swatch ${colorClass(isOther, position)}`} aria-hidden="true"></span>
              <span class="wrap-anywhere">${name}</span>
              <strong>${valueText(index === null ? total : values[index], metric)}</strong>
            </li>
          `
        )}
      </ul>
      ${unpriced > 0 && html`
        <p class="hint">
          The price of ${unpriced} requests is unknown. Their cost is not in the chart.
        </p>
      `}
      <${Values} chart=${chart} />
    </figure>
  `;
}

/** The drawing itself. */
function Canvas({ chart, onHover }) {
  const box = useRef(null);
  const theme = useTheme();
  useEffect(() => {
    const plot = new uPlot(
      optionsOf(chart, box.current, onHover),
      dataOf(chart),
      box.current,
    );
    const observer = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry.contentRect.width);
      if (width > 0 && width !== plot.width) plot.setSize({ width, height: HEIGHT });
    });
    observer.observe(box.current);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [chart.metric.id, chart.unit, JSON.stringify(chart.series), chart.times[0], theme]);
  const { metric, unit, series } = chart;
  const label = `${metric.name} per ${unit}: ${
    series.map(({ name, total }) => `${name} ${valueText(total, metric)}`).join(", ")
  }`;
  return html`<div class="plot" ref=${box} role="img" aria-label=${label}></div>`;
}

/** The largest sums are drawn first, so that the smaller ones cover their lower parts. */
function dataOf({ times, series }) {
  return [times, ...stack(series).reverse()];
}

function optionsOf({ metric, unit, series }, box, onHover) {
  const text = colorOf(box, "chart-text");
  const grid = colorOf(box, "chart-grid");
  const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { show: false } };
  const drawn = series.map(({ name, isOther }, index) => ({
    label: name,
    fill: colorOf(box, colorClass(isOther, index)),
    width: 0,
    paths: BARS,
    points: { show: false },
  }));
  return {
    width: Math.max(200, Math.floor(box.clientWidth)),
    height: HEIGHT,
    padding: [12, 8, 0, 0],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false }, y: false },
    hooks: { setCursor: [({ cursor }) => onHover(cursor.idx ?? null)] },
    scales: {
      x: { time: true, range: (_, first, last) => [first - half(unit), last + half(unit)] },
      y: { range: (_, _first, last) => [0, last > 0 ? last * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        font: FONT,
        size: 28,
        incrs: STEPS.get(unit),
        values: (_, times) => times.map((time) => axisTime(time, unit)),
      },
      {
        ...axis,
        font: FONT,
        size: 64,
        values: (_, values) => values.map((value) => axisValue(value, metric)),
      },
    ],
    series: [{}, ...drawn.reverse()],
  };
}

/** The steps between the marks of the time axis, in seconds. */
const STEPS = new Map([
  ["hour", [1, 2, 3, 6, 12, 24].map((hours) => hours * 3600)],
  ["day", [1, 2, 7, 14, 28, 56, 112, 364].map((days) => days * 86_400)],
]);

const FONT = "12px system-ui, sans-serif";

/** Half of a unit in seconds: bars are centered at the start of their time. */
function half(unit) {
  return unit === "hour" ? 1800 : 43_200;
}

function axisValue(value, metric) {
  // Half a request is no value.
  if (metric.id !== "cost" && !Number.isInteger(value)) return "";
  return metric.format(value);
}

function axisTime(seconds, unit) {
  const iso = new Date(seconds * 1000).toISOString();
  if (unit === "hour") return iso.slice(11, 16);
  const date = new Date(seconds * 1000);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

function timeText(seconds, unit) {
  const iso = new Date(seconds * 1000).toISOString();
  return unit === "hour" ? `${iso.slice(0, 10)} ${iso.slice(11, 16)}` : iso.slice(0, 10);
}

function valueText(value, metric) {
  return value === null ? "unknown" : metric.format(value);
}

function colorClass(isOther, index) {
  return isOther ? "series-other" : `series-${index + 1}`;
}

/** The color of a class as the theme has it: a canvas knows no variables. */
function colorOf(box, name) {
  const probe = document.createElement("span");
  probe.className = name;
  box.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Changes with the theme, so that the chart is drawn again in its colors. */
function useTheme() {
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const update = () => setVersion((count) => count + 1);
    const system = matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", update);
    const observer = new MutationObserver(update);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      system.removeEventListener("change", update);
      observer.disconnect();
    };
  }, []);
  return version;
}

/** The same values as a table, for those who do not see the chart. */
function Values({ chart: { times, series, metric, unit } }) {
  const [isOpen, setOpen] = useState(false);
  return html`
    <details onToggle=${(event) => setOpen(event.target.open)}>
      <summary class="soft small">Values as a table</summary>
      ${isOpen && html`
        <${TableBox} label=${`${metric.name} per ${unit}`}>
          <thead>
            <tr>
              <th scope="col">Time, UTC</th>
              ${series.map(({ name }, index) =>
                html`
                  <th key=${index} scope="col" class="number">${name}</th>
                `
              )}
            </tr>
          </thead>
          <tbody>
            ${times.map((time, row) =>
              html`
                <tr key=${time}>
                  <th scope="row" class="name">${timeText(time, unit)}</th>
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
