/** What an examination of the gateway's surroundings has found. */

/** The areas of the report, in its order. */
export const AREAS = [
  "configuration",
  "vendors",
  "stores",
  "listeners",
  "clock",
  "system",
] as const;
export type Area = (typeof AREAS)[number];

/** One line of the report. */
export interface Finding {
  readonly area: Area;
  /** `fail` if something does not work, `warn` if it may not, `info` for what is only told. */
  readonly status: "ok" | "info" | "warn" | "fail";
  /** What was examined, such as a provider ID. */
  readonly subject: string;
  /** For the operator, without secrets. */
  readonly text: string;
}

/** Creates the findings of one area. */
export function findingsOf(area: Area) {
  const as = (status: Finding["status"]) => (subject: string, text: string): Finding => ({
    area,
    status,
    subject,
    text,
  });
  return { ok: as("ok"), info: as("info"), warn: as("warn"), fail: as("fail") };
}
