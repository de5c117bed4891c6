/** Time zones by their IANA names: their offsets from UTC, and how these change. */

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
/** The minimum time between two changes in a zone. */
const STEP_MS = 7 * DAY_MS;
/** Earlier changes are ignored, since there is no older data. */
const FIRST_CHANGE = Date.UTC(2000, 0, 1);
/** All changes since 2000 occur at multiples of this. */
const PRECISION_MS = 15 * MINUTE_MS;

/** A zone's offset, and the time from which it applies. */
export interface ZoneOffset {
  /** Milliseconds since the Unix epoch; the first offset of a list also applies before it. */
  readonly since: number;
  /** The offset from UTC, in milliseconds. */
  readonly ms: number;
}

/**
 * A zone's offsets in a period, in order; undefined if the name is unknown.
 *
 * @param zone an IANA name, such as `Europe/Paris`
 */
export function zoneOffsets(
  zone: string,
  from: number,
  to: number,
): readonly ZoneOffset[] | undefined {
  const read = offsetReader(zone);
  if (read === undefined) return undefined;
  const start = Math.max(from - from % PRECISION_MS, FIRST_CHANGE);
  const stop = Math.ceil(to / PRECISION_MS) * PRECISION_MS;
  const offsets: ZoneOffset[] = [{ since: start, ms: read(start) }];
  for (let at = start; at < stop; at += STEP_MS) {
    const end = Math.min(at + STEP_MS, stop);
    const [before, after] = [offsets.at(-1)?.ms ?? 0, read(end)];
    if (before !== after) offsets.push({ since: changeBetween(at, end, before, read), ms: after });
  }
  return offsets;
}

/** The offset at a time, in milliseconds; 0 without offsets. */
export function offsetAt(offsets: readonly ZoneOffset[], time: number): number {
  let ms = offsets[0]?.ms ?? 0;
  for (const offset of offsets) if (time >= offset.since) ms = offset.ms;
  return ms;
}

/** The first time after `from` at which a zone's offset differs from that at `from`. */
function changeBetween(
  from: number,
  to: number,
  ms: number,
  read: (time: number) => number,
): number {
  let [same, changed] = [from, to];
  while (changed - same > PRECISION_MS) {
    const middle = same + Math.floor((changed - same) / 2 / PRECISION_MS) * PRECISION_MS;
    if (read(middle) === ms) same = middle;
    else changed = middle;
  }
  return changed;
}

/** Reads a zone's offset at a time; undefined for an unknown name. */
function offsetReader(zone: string): ((time: number) => number) | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  } catch {
    return undefined;
  }
  return (time) => {
    const parts = format.formatToParts(time);
    const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
    const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
    const ms = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
    return sign === "-" ? -ms : ms;
  };
}
