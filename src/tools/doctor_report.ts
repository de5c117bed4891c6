/** Writes the findings of `sluice doctor` as text that can be pasted, or as JSON. */

import { counted } from "../core/text.ts";
import { VERSION } from "../core/version.ts";
import { AREAS, type Finding } from "./doctor/system.ts";
import { aligned } from "../providers/support_matrix.ts";

/** What the report says about the process itself. */
export interface DoctorHead {
  /** The time in ISO 8601. */
  readonly time: string;
  /** The system and the runtime, such as `linux x86_64, deno 2.9.6`. */
  readonly system: string;
}

/** The report as text: a heading for each area, and a line for each finding. */
export function toDoctorText(findings: readonly Finding[], { time, system }: DoctorHead): string {
  return [`sluice ${VERSION}, ${system}, ${time}`, "", toFindingsText(findings)].join("\n");
}

/** The findings without a head. */
export function toFindingsText(findings: readonly Finding[]): string {
  const parts = AREAS.flatMap((area) => {
    const own = findings.filter((finding) => finding.area === area);
    if (own.length === 0) return [];
    const rows = own.map(({ status, subject, text }) => [status.toUpperCase(), subject, text]);
    const lines = aligned(rows).split("\n").map((line) => `  ${line}`.trimEnd());
    return [[area.toUpperCase(), ...lines, ""].join("\n")];
  });
  return `${parts.join("\n")}\n${toSummary(findings)}\n`;
}

/** The report as JSON. */
export function toDoctorJson(findings: readonly Finding[], head: DoctorHead): string {
  const report = { version: VERSION, ...head, ok: !hasFailed(findings), findings };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** Whether something does not work. Warnings are no failure. */
export function hasFailed(findings: readonly Finding[]): boolean {
  return findings.some(({ status }) => status === "fail");
}

function toSummary(findings: readonly Finding[]): string {
  const count = (status: Finding["status"]) =>
    findings.filter((finding) => finding.status === status).length;
  return `${counted(count("fail"), "failure")}, ${counted(count("warn"), "warning")}`;
}
