/** Standard input, output and error. */

import { printable } from "../core/printable.ts";
import { LineWriter } from "../telemetry/line_writer.ts";
import { within } from "./time_limit.ts";

const encoder = new TextEncoder();

/** Standard output or standard error. */
export type StandardStream = typeof Deno.stdout | typeof Deno.stderr;

/** Writes a text to its end, however long the reader takes: for commands that do nothing else. */
export function write(to: StandardStream, text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(to.writeSync(bytes));
}

/** The same, while the process goes on. Several threads write one after the other. */
export async function writeLater(to: StandardStream, text: string): Promise<void> {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(await to.write(bytes));
}

/** The most characters that wait for whoever reads standard error. */
const MAX_REPORT_CHARS = 1024 * 1024;

const reports = new LineWriter({
  write: (text) => writeLater(Deno.stderr, text),
  maxChars: MAX_REPORT_CHARS,
  toLossLine: (count) =>
    `sluice: ${count} lines before this one were dropped: they could not be written in time\n`,
});

/** Writes lines to standard error, each with its newline. Nobody waits until they are read. */
export function report(lines: string): void {
  reports.push(printable(lines));
}

/** Tells the operator. */
export function tell(text: string): void {
  report(`sluice: ${text}\n`);
}

/** Reads standard input to its end. */
export async function readInput(): Promise<string> {
  return await new Response(Deno.stdin.readable).text();
}

/** Waits until what was reported is written, but no longer than this. */
export async function flushReports(ms: number): Promise<void> {
  await within(ms, reports.flush());
}
