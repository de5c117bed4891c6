/** Formats numbers, times and amounts. */

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

const cents = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** A whole number, such as `12,345`. */
export function count(value) {
  return whole.format(value);
}

/** A number with its noun, such as `1 request` or `2,000 requests`. */
export function countOf(value, noun, plural = `${noun}s`) {
  return `${count(value)} ${value === 1 ? noun : plural}`;
}

/** A number of tokens in short form, such as `128k` or `1M`. */
export function short(value) {
  if (value >= 1_000_000) return `${trimmed(value / 1_000_000)}M`;
  if (value >= 1000) return `${trimmed(value / 1000)}k`;
  return String(value);
}

function trimmed(value) {
  return String(value >= 100 ? Math.round(value) : Math.round(value * 10) / 10);
}

/** A duration, such as `840 ms`, `1.24 s` or `2 min 5 s`. */
export function duration(ms) {
  if (ms < 1) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** An amount in US dollars. Small amounts have more digits. */
export function usd(value) {
  if (value < 0) return `−${usd(-value)}`;
  if (value === 0) return "$0";
  if (value < 0.000001) return "< $0.000001";
  return usdLike(value, value);
}

/** An amount of a column, with as many digits as the largest amount of the column. */
export function usdLike(value, largest) {
  if (value >= 1000) return `$${cents.format(value)}`;
  const digits = largest >= 1 ? 2 : largest >= 0.01 ? 4 : 6;
  const least = 10 ** -digits;
  return value < least ? `< $${least.toFixed(digits)}` : `$${value.toFixed(digits)}`;
}

/** A share, such as `4.2 %` or `87 %`; a dash for a share of nothing. */
export function percent(part, whole) {
  if (whole === 0) return "–";
  const share = part / whole;
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** A rate, such as `12` or `0.4`; a dash for an unknown one. */
export function rate(value) {
  if (value === null) return "–";
  return value >= 10 || value === 0 ? count(value) : value.toFixed(1);
}

/** A price per million tokens, such as `$0.25`. */
export function price(value) {
  return `$${value.toFixed(value !== 0 && value < 0.1 ? 3 : 2)}`;
}

/** A number of bytes, such as `1.2 MB`. */
export function bytes(value) {
  if (value < 1000) return `${value} B`;
  if (value < 1_000_000) return `${Math.round(value / 1000)} kB`;
  return `${(value / 1_000_000).toFixed(1)} MB`;
}
