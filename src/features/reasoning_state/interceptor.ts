/** Reasoning state as a feature. */

import type { Feature, NativeInterception } from "../../gateway/feature.ts";
import type { StateCarrier } from "./carrier.ts";
import { withVendorIds } from "./native_ids.ts";
import { mayUseTools } from "./tool_use.ts";

const native: NativeInterception = { request: ({ body }) => withVendorIds(body) };

/** Puts reasoning state into the IDs of tool calls, and restores it. */
export function reasoningState(carrier: StateCarrier): Feature {
  return {
    name: "reasoning_state",
    plan({ config: { server: { maxBody, reasoningState: settings } }, targets }, { operation }) {
      if (operation !== "chat") return undefined;
      const offersTools = targets.some(({ params }) => params !== undefined && mayUseTools(params));
      return {
        ...(!offersTools && { wakes: { body: mayUseTools } }),
        start: (caller) => ({
          chat: (request) => carrier.read(request, caller, settings, maxBody),
          native,
        }),
      };
    },
  };
}
