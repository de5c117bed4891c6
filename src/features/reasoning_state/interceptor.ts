/** Reasoning state as an interceptor. */

import type { Interceptor, NativeInterception } from "../../gateway/feature.ts";
import type { ReasoningStateSettings } from "../../config/reasoning_state.ts";
import type { StateCarrier } from "./carrier.ts";
import { withVendorIds } from "./native_ids.ts";

/** The part of the configuration that the interceptor reads. */
interface StateConfig {
  readonly server: {
    readonly reasoningState: ReasoningStateSettings;
    /** The maximum size of a request, in bytes. */
    readonly maxBody: number;
  };
}

const native: NativeInterception = { request: ({ body }) => withVendorIds(body) };

/** Puts reasoning state into the IDs of tool calls, and restores it. */
export function reasoningState(carrier: StateCarrier): Interceptor<StateConfig> {
  return {
    name: "reasoning_state",
    intercept: (caller, { server: { maxBody, reasoningState: settings } }) => ({
      chat: (request) => carrier.read(request, caller, settings, maxBody),
      native,
    }),
  };
}
