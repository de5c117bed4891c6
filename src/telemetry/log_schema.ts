/** The JSON Schema of the access log, for programs that read it: `sluice schema --log`. */

import * as z from "zod";
import { ALERT_NAMES } from "../config/alerts.ts";
import { UNIT_NAMES } from "../core/units.ts";

const level = z.enum(["debug", "info", "warn", "error"]);
const time = z.iso.datetime().describe("When the request ended or the line was written, in UTC");
const id = z.string().describe("The request ID: x-request-id");
const trace_id = z.string().regex(/^[\da-f]{32}$/).describe(
  "The trace ID in the traceparent " +
    "header",
);
const ms = z.number().describe("Milliseconds from start to end");
/** Negative in a request that corrects an earlier estimate. */
const count = z.number();
const names = z.array(z.string()).min(1);

const units = Object.fromEntries(
  UNIT_NAMES.map((unit) => [unit, count.optional().describe(`Billed ${unit}`)]),
);

const requestLine = z.strictObject({
  time,
  level,
  id,
  trace_id: trace_id.optional(),
  client_address: z.string().optional().describe(
    "The IP address of the client or its proxy (for IPv6, the /64 network); absent for a Unix socket",
  ),
  method: z.string(),
  path: z.string().describe("Without the query"),
  route: z.string().describe("The endpoint, or 'unknown'"),
  key: z.string().optional().describe("Name of the service key"),
  model: z.string().optional().describe("The model as requested"),
  provider: z.string().optional().describe("The provider that answered or was tried last"),
  upstream_model: z.string().optional().describe("The vendor's name for the model"),
  stream: z.literal(true).optional().describe("Absent if the answer was not a stream"),
  status: z.int().min(0).max(599).describe("The status; 499 if the client disconnected"),
  outcome: z.enum(["done", "failed", "client_gone"]),
  error: z.string().optional().describe("The gateway's error kind"),
  error_code: z.string().optional().describe("The code that the client received"),
  cause: z.string().optional()
    .describe("Host, port and cause of a network failure, or a vendor's message about credentials"),
  error_message: z.string().optional().describe("As sent to the client; only at level 'debug'"),
  attempts: z.int().min(1).optional().describe("Requests that were sent to vendors"),
  ms,
  first_token_ms: z.number().optional().describe("Milliseconds to a stream's first event"),
  prompt_tokens: count.optional()
    .describe("Negative if the request corrects an earlier one's estimate"),
  completion_tokens: count.optional(),
  ...units,
  usage_estimated: z.literal(true).optional().describe("The vendor did not report usage"),
  cost_usd: z.number().optional().describe("Cost at the known prices"),
  upstream_request_id: z.string().optional().describe("The vendor's request ID"),
  ignored: names.optional().describe("As x-sluice-ignored"),
  converted: names.optional().describe("As x-sluice-converted"),
  audit: z.looseObject({ action: z.string(), result: z.string() }).optional()
    .describe("An admin request: its action, target and result"),
}).describe("A request, logged when its response has ended");

const attemptLine = z.strictObject({
  time,
  level,
  id,
  trace_id: trace_id.optional(),
  attempt: z.int().min(1).describe("The attempt's number"),
  provider: z.string(),
  upstream_model: z.string(),
  outcome: z.string().describe("'done', 'abandoned', or an error kind"),
  cause: z.string().optional().describe("Host, port and cause of a network failure"),
  ms,
  next: z.string().optional().describe("The next step"),
}).describe("One of several attempts at a request, logged before the request");

const alertLine = z.strictObject({
  time,
  level: z.literal("warn"),
  message: z.string(),
  event: z.literal("alert"),
  rule: z.enum(ALERT_NAMES).describe("The rule in 'alerts'"),
  object: z.string().describe("The target, the key or the store; empty for the gateway"),
  state: z.enum(["firing", "resolved"]),
}).describe("The beginning or end of an alert");

const messageLine = z.looseObject({
  time,
  level,
  message: z.string(),
  dropped: z.int().min(1).optional().describe("Number of lines dropped before this one"),
}).describe("A message from the gateway");

/** Every line of the access log. Exported for tests. */
export const logLine = z.union([requestLine, attemptLine, alertLine, messageLine]);

/** The schema as JSON. */
export function logSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(logLine, { target: "draft-7", io: "input" });
  return { $schema, title: "Sluice access log", ...schema };
}
