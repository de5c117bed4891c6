/** The setting `log`: which lines are logged, how and where. */

import * as z from "zod";
import { LOG_LEVELS } from "../core/log_level.ts";

/** The formats of the log. */
export const LOG_FORMATS = ["auto", "json", "text"] as const;

/** The schema of `log`. */
export const logSection = z.strictObject({
  level: z.enum(LOG_LEVELS).optional().describe(
    "Lowest level that is logged; SLUICE_LOG_LEVEL if omitted, else 'info'. SIGUSR2 switches to 'debug' and back",
  ),
  format: z.enum(LOG_FORMATS).optional().describe(
    "Format of the access log and of messages: 'json' or 'text', both on one stream; 'auto' writes messages as text to standard error, and the access log to standard output, as JSON unless that is a terminal. SLUICE_LOG_FORMAT if omitted, else 'auto'",
  ),
  stream: z.enum(["stdout", "stderr"]).default("stdout")
    .describe("Stream of the log, unless 'format' is 'auto'"),
});

/** The validated `log`. */
export type LogSettings = z.infer<typeof logSection>;
