/** Standard input, output and error. */

import { printable } from "../../core/printable.ts";
import { LineWriter } from "../../telemetry/line_writer.ts";
import { within } from "./time_limit.ts";

const encoder = new TextEncoder();

/** Standard output or standard error. */
export type StandardStream = typeof Deno.stdout | typeof Deno.stderr;

/** Writes a whole text synchronously, for commands that exit afterwards. */
export function write(to: StandardStream, text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(to.writeSync(bytes));
}

/** Writes a whole text asynchronously. Texts of several threads are written one after the other. */
export async function writeLater(to: StandardStream, text: string): Promise<void> {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(await to.write(bytes));
}

/** The maximum size of the queue for standard error, in UTF-16 units. */
const MAX_REPORT_CHARS = 1024 * 1024;

const reports = new LineWriter({
  write: (text) => writeLater(Deno.stderr, text),
  maxChars: () => MAX_REPORT_CHARS,
  toLossLine: (count) =>
    `sluice: ${count} lines before this one were dropped: they could not be written in time\n`,
});

/** Queues lines for standard error, each with its newline. It never blocks. */
export function report(lines: string): void {
  reports.push(printable(lines));
}

/** Writes a message for the operator to standard error. */
export function logMessage(text: string): void {
  report(`sluice: ${text}\n`);
}

/** Reads standard input to its end. */
export async function readInput(): Promise<string> {
  return await new Response(Deno.stdin.readable).text();
}

/** Waits until the queue for standard error is written, but at most `ms` milliseconds. */
export async function flushReports(ms: number): Promise<void> {
  await within(ms, reports.flush());
}
