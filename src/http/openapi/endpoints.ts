/** All endpoints of the description. */

import { chatEndpoints } from "./chat_endpoints.ts";
import type { Endpoint } from "./endpoint.ts";
import { gatewayEndpoints } from "./gateway_endpoints.ts";
import { operationEndpoints } from "./operation_endpoints.ts";
import { geminiEndpoints, ollamaEndpoints } from "./other_formats.ts";

/** The endpoints, by method and path. */
export function allEndpoints(): ReadonlyMap<string, Endpoint> {
  return new Map(Object.entries({
    ...chatEndpoints,
    ...geminiEndpoints,
    ...ollamaEndpoints,
    ...operationEndpoints,
    ...gatewayEndpoints,
  }));
}
