/** The queue of lines of the access log. */

import { systemClock } from "../../core/clock.ts";
import type { Counters } from "../../governance/counters.ts";
import { toLossLine } from "../../telemetry/access_log.ts";
import { LineWriter } from "../../telemetry/line_writer.ts";
import type { ServerMetrics } from "../../telemetry/server_metrics.ts";
import { hasReadableLines, writeLines } from "./stdio.ts";

/** The maximum size of the access log's queue over all workers, in UTF-16 units. */
const MAX_LOG_CHARS = 8 * 1024 * 1024;

/** The queue between the access log and standard output. */
export function createLines(
  counters: Pick<Counters, "workers">,
  metrics: ServerMetrics,
): LineWriter {
  return new LineWriter({
    // Lines of several workers do not mix: the runtime writes one text after the other.
    write: writeLines,
    maxChars: () => MAX_LOG_CHARS / counters.workers,
    toLossLine: (count) => toLossLine(count, systemClock.wallTime(), hasReadableLines()),
    onDrop: (count) => metrics.linesDropped(count),
  });
}
