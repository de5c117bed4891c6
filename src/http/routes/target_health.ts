/** `GET /v1/admin/health`: the state of every target, since when, and its last day. */

import type { HealthAccess } from "../../console/health/health_board.ts";
import { toHealthAnswer } from "../../console/health/report.ts";
import { json, type RouteContext, type RouteResponse } from "./route.ts";

/** @param health exists where the console does */
export async function showHealth(
  { deps: { clock } }: RouteContext,
  health: HealthAccess,
): Promise<RouteResponse> {
  const [report, history] = await Promise.all([health.report(), health.history()]);
  const answer = toHealthAnswer(report, history, clock.wallTime());
  return json({ object: "health", ...answer }, { "cache-control": "no-store" });
}
