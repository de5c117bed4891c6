/** `GET /`: the console for browsers, the description of the API for other clients. */

import { sendPage } from "../../console/page.ts";
import { about } from "./about.ts";
import type { RouteResponse } from "./route.ts";

/** @param hasConsole whether the listener serves the console */
export async function home(
  request: Request,
  hasConsole: boolean,
  endpoints: readonly string[],
): Promise<RouteResponse> {
  if (!hasConsole) return about(endpoints);
  const isBrowser = request.headers.get("accept")?.includes("text/html") ?? false;
  if (isBrowser) return await sendPage(request);
  const response = about(endpoints);
  return { ...response, headers: { ...response.headers, vary: "accept" } };
}
