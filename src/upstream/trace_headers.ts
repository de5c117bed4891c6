/** Passes a trace on to vendors: the headers of the active span in each request. */

import { context, propagation } from "@opentelemetry/api";
import type { Transport } from "./transport.ts";

/** A transport that adds `traceparent`, `tracestate` and `baggage`, as `OTEL_PROPAGATORS` says. */
export function passTracesOn(transport: Transport): Transport {
  return {
    fetch(url, init) {
      const traced: Record<string, string> = {};
      propagation.inject(context.active(), traced);
      return transport.fetch(url, { ...init, headers: { ...init.headers, ...traced } });
    },
    close: () => transport.close(),
  };
}
