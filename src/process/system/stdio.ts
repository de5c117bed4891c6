/** Standard input, output and error, and the log of this thread. */

import type { LogSettings } from "../../config/schema.ts";
import { systemClock, within } from "../../core/clock.ts";
import { isLogged, LOG_LEVELS, type LogLevel } from "../../core/log_level.ts";
import { printable } from "../../core/text.ts";
import { LineWriter } from "../../telemetry/line_writer.ts";
import type { Counters } from "../../governance/counters.ts";
import { toLossLine } from "../../telemetry/access_log.ts";
import type { ServerMetrics } from "../../telemetry/server_metrics.ts";

const encoder = new TextEncoder();

/** Standard output or standard error. */
type StandardStream = typeof Deno.stdout | typeof Deno.stderr;

/** Writes a whole text synchronously, for commands that exit afterwards. */
export function write(to: StandardStream, text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(to.writeSync(bytes));
}

/** Writes a whole text asynchronously. Writes by several threads are not interleaved. */
async function writeLater(to: StandardStream, text: string): Promise<void> {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(await to.write(bytes));
}

/** Reads standard input to its end. */
export async function readInput(): Promise<string> {
  return await new Response(Deno.stdin.readable).text();
}

/** The default settings. */
export type LogDefaults = Partial<Pick<LogSettings, "level" | "format">>;

/** The state that all threads share. */
export interface SharedLog {
  readonly defaults: LogDefaults;
  /** One byte: 0, or the index plus one of the level that overrides the configured one. */
  readonly override: SharedArrayBuffer;
}

/** Creates the shared state. */
export function createSharedLog(defaults: LogDefaults): SharedLog {
  return { defaults, override: new SharedArrayBuffer(1) };
}

let shared: SharedLog = createSharedLog({});
let override = new Uint8Array(shared.override);
let readSettings: () => LogSettings = () => ({ stream: "stdout" });

/** Attaches the shared state. */
export function shareLog(log: SharedLog): void {
  shared = log;
  override = new Uint8Array(log.override);
}

/** Follows the settings of the current configuration. */
export function followLog(read: () => LogSettings): void {
  readSettings = read;
}

/** The lowest level that is logged. */
export function lowestLevel(): LogLevel {
  const index = Atomics.load(override, 0);
  return LOG_LEVELS[index - 1] ?? readSettings().level ?? shared.defaults.level ?? "info";
}

/** Switches all threads to the log level `debug`, or back to the configured level. */
export function toggleDebug(): void {
  const isOn = Atomics.load(override, 0) !== 0;
  Atomics.store(override, 0, isOn ? 0 : 1 + LOG_LEVELS.indexOf("debug"));
  logMessage(`the log level is now ${lowestLevel()}`, lowestLevel());
}

/** The format of the log. */
export function logFormat(): "auto" | "json" | "text" {
  return readSettings().format ?? shared.defaults.format ?? "auto";
}

/** Whether lines of the access log are text. */
export function hasReadableLines(): boolean {
  const format = logFormat();
  return format === "auto" ? Deno.stdout.isTerminal() : format === "text";
}

/** Writes lines of the access log. */
function writeLines(text: string): Promise<void> {
  return writeLater(logFormat() === "auto" ? Deno.stdout : stream(), text);
}

function stream(): StandardStream {
  return readSettings().stream === "stderr" ? Deno.stderr : Deno.stdout;
}

/** The maximum size of the queue of messages, in UTF-16 units. */
const MAX_REPORT_CHARS = 1024 * 1024;

const reports = new LineWriter({
  write: (text) => writeLater(logFormat() === "auto" ? Deno.stderr : stream(), text),
  maxChars: () => MAX_REPORT_CHARS,
  toLossLine: (count) =>
    toLine(
      `${count} lines before this one were dropped: they could not be written in time`,
      "warn",
    ),
});

/** Queues complete lines, each with its newline. Never blocks. */
export function report(lines: string): void {
  reports.push(printable(lines));
}

/**
 * Queues a message for the operator. Never blocks.
 *
 * @param members additional members of the JSON log line
 */
export function logMessage(
  text: string,
  level: LogLevel = "info",
  members?: Readonly<Record<string, string>>,
): void {
  if (isLogged(level, lowestLevel())) report(toLine(text, level, members));
}

function toLine(
  message: string,
  level: LogLevel,
  members?: Readonly<Record<string, string>>,
): string {
  if (logFormat() !== "json") return `sluice: ${message}\n`;
  const time = new Date(systemClock.wallTime()).toISOString();
  return JSON.stringify({ time, level, message, ...members }) + "\n";
}

/** Waits until all messages are written, for at most `ms` milliseconds. */
export async function flushReports(ms: number): Promise<void> {
  await within(ms, reports.flush());
}

/** The maximum size of the access log's queue over all workers, in UTF-16 units. */
const MAX_LOG_CHARS = 8 * 1024 * 1024;

/** The queue between the access log and standard output. */
export function createLines(
  counters: Pick<Counters, "workers">,
  metrics: ServerMetrics,
): LineWriter {
  return new LineWriter({
    // Lines of several workers are not interleaved, because the runtime writes one text at a time.
    write: writeLines,
    maxChars: () => MAX_LOG_CHARS / counters.workers,
    toLossLine: (count) => toLossLine(count, systemClock.wallTime(), hasReadableLines()),
    onDrop: (count) => metrics.droppedLines.add(count),
  });
}

/**
 * Logs an error with its stack. Clients never see it.
 *
 * @param where the request ID, or the part of the gateway
 */
export function reportBug(thrown: unknown, where = "unhandled error:"): void {
  const stack = thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown);
  logMessage(`${where}\n${stack}`, "error");
}

/** Prints a text, and asks a yes/no question. */
type Ask = (text: string, question: string) => Promise<boolean>;

/** Undefined if standard input and output are not a terminal, since nobody could answer. */
export function questioner(): Ask | undefined {
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) return undefined;
  return async (text, question) => {
    write(Deno.stdout, printable(`${text}\n${question} [y/N] `));
    const answer = new Uint8Array(256);
    const size = await Deno.stdin.read(answer);
    const word = new TextDecoder().decode(answer.subarray(0, size ?? 0)).trim().toLowerCase();
    return word === "y" || word === "yes";
  };
}

/** Thrown if the process cannot start as configured. */
export class StartError extends Error {
  override readonly name = "StartError";
}
