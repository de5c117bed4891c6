/** The shapes and ticks of a chart. */

/** The maximum width of a bar in pixels, and its share of its time slot. */
const MAX_BAR = 72;
const BAR_SHARE = 0.75;
/** The minimum distance between two time ticks, in pixels. */
const MARK_DISTANCE = 64;
/** The maximum number of steps on the value axis. */
const MAX_TICKS = 5;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
/** Candidate distances between two time ticks, in hours or days. */
const STEPS = { hour: [1, 2, 3, 6, 12, 24], day: [1, 2, 7, 14, 28, 56, 112, 364] };

/**
 * The path of each series: its bars are stacked on the previous series.
 *
 * @param {{ values: (number | null)[] }[]} series
 * @param {number} top the value at the top of the area
 * @param {{ left: number, top: number, width: number, height: number }} area in pixels
 */
export function barsOf(series, top, area) {
  const times = series[0]?.values.length ?? 0;
  const step = area.width / times;
  const width = Math.min(MAX_BAR, Math.max(1, step * BAR_SHARE));
  const below = Array(times).fill(0);
  const y = (value) => area.top + area.height * (1 - value / top);
  return series.map(({ values }) => {
    const bars = values.map((value, index) => {
      if (!value) return "";
      const start = below[index];
      below[index] += value;
      const x = area.left + step * (index + 0.5) - width / 2;
      const end = y(below[index]);
      return `M${round(x)} ${round(end)}h${round(width)}V${round(y(start))}h${round(-width)}z`;
    });
    return bars.join("");
  });
}

/** The path of each series as a line. A time without a value interrupts it. */
export function linesOf(series, top, area) {
  const step = area.width / (series[0]?.values.length ?? 1);
  return series.map(({ values }) =>
    values.map((value, index) => {
      if (value === null) return "";
      const x = round(area.left + step * (index + 0.5));
      const y = round(area.top + area.height * (1 - value / top));
      const isAlone = (values[index - 1] ?? null) === null;
      // A line of length zero is drawn as a dot.
      return isAlone ? `M${x} ${y}h0` : `L${x} ${y}`;
    }).join("")
  );
}

/** The size of the chart of a month and the space of its axes, in pixels. */
export const MONTH_AREA = { height: 240, left: 64, right: 8, top: 14, bottom: 26 };

/**
 * Returns the paths of a month's cost, its forecast and its budget, in pixels.
 *
 * @param {{ course: any, forecast: any, budget: number | undefined, width: number }} month
 */
export function monthShapes({ course: { start, end, points }, forecast, budget, width }) {
  const { bottom, height, left, top } = MONTH_AREA;
  const last = points.at(-1);
  const ticks = ticksOf([{ values: [last.usd, budget ?? 0, forecast?.high ?? 0] }], {
    isLines: true,
  });
  const most = ticks.at(-1);
  const right = width - MONTH_AREA.right;
  const x = (time) => round(left + (right - left) * (time - start) / (end - start));
  const y = (value) => round(top + (height - top - bottom) * (1 - value / most));
  const at = `M${x(last.time)} ${y(last.usd)}`;
  return {
    ...{ ticks, x, y, right },
    spent: points.map(({ time, usd }, index) => `${index === 0 ? "M" : "L"}${x(time)} ${y(usd)}`)
      .join(""),
    band: forecast && `${at}L${right} ${y(forecast.high)}V${y(forecast.low)}z`,
    line: forecast && `${at}L${right} ${y(forecast.usd)}`,
    budget: budget === undefined ? undefined : `M${left} ${y(budget)}H${right}`,
  };
}

/** The value ticks: round numbers from 0 to at least the highest bar or line. */
export function ticksOf(series, { isWhole, isLines = false }) {
  const sums = series[0]?.values.map((_, index) => {
    const values = series.map(({ values }) => values[index] ?? 0);
    return isLines ? Math.max(...values) : values.reduce((sum, value) => sum + value, 0);
  }) ?? [];
  const highest = sums.reduce((one, other) => Math.max(one, other), 0);
  if (highest === 0) return isWhole ? [0, 1] : [0, 0.01];
  const exponent = 10 ** Math.floor(Math.log10(highest / MAX_TICKS));
  const found = [1, 2, 5, 10].find((factor) => highest / (factor * exponent) <= MAX_TICKS) ?? 10;
  const step = isWhole ? Math.max(1, found * exponent) : found * exponent;
  const count = Math.ceil(highest / step - 1e-9);
  // Multiples, because sums of fractions would not be round.
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** The time ticks, as many as fit into the width in pixels. */
export function timeTicks(times, unit, width) {
  const room = Math.max(1, Math.floor(width / MARK_DISTANCE));
  const step = STEPS[unit].find((size) => times.length / size <= room) ?? STEPS[unit].at(-1);
  return times.flatMap((time, index) => {
    // Hour ticks are at whole multiples, such as 06:00.
    const position = unit === "hour" ? new Date(time * 1000).getUTCHours() : index;
    return position % step === 0 ? [{ index, text: markText(time, unit) }] : [];
  });
}

function markText(seconds, unit) {
  const date = new Date(seconds * 1000);
  if (unit === "hour") return date.toISOString().slice(11, 16);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

/** A time with its day, and with its hour if the unit is an hour. */
export function timeText(seconds, unit) {
  const iso = new Date(seconds * 1000).toISOString();
  return unit === "hour" ? `${iso.slice(0, 10)} ${iso.slice(11, 16)}` : iso.slice(0, 10);
}

function round(pixels) {
  return Math.round(pixels * 10) / 10;
}
