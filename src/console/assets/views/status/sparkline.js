/** A small line of the last values. The number beside it is the accessible value. */

import { html } from "../../lib/preact.js";

const WIDTH = 120;
const HEIGHT = 26;
/** The number of values that fit. */
const SLOTS = 60;

export function Sparkline({ values, tone = "" }) {
  const top = Math.max(1, ...values);
  const first = SLOTS - values.length;
  const x = (index) => (((first + index) / (SLOTS - 1)) * WIDTH).toFixed(1);
  const points = values.map((value, index) => {
    const y = HEIGHT - 1 - (value / top) * (HEIGHT - 3);
    return `${x(index)},${y.toFixed(1)}`;
  }).join(" ");
  return html`
    <svg
      class=${`sparkline ${tone}`}
      height=${HEIGHT}
      viewBox=${`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polygon
        points=${`${x(0)},${HEIGHT} ${points} ${WIDTH},${HEIGHT}`}
        fill="currentColor"
      />
      <polyline
        points=${points}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linejoin="round"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  `;
}
