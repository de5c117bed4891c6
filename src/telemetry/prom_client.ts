/**
 * The parts of prom-client that every process uses. Its main module also loads the metrics of
 * Node.js clusters and processes, which takes longer than all of these.
 */

import type * as client from "prom-client";
import aggregatorRegistry from "prom-client/lib/cluster.js";
import gauge from "prom-client/lib/gauge.js";
import registry from "prom-client/lib/registry.js";

export type { Aggregator } from "prom-client";

export const Gauge: typeof client.Gauge = gauge;
export type Gauge<Label extends string = string> = client.Gauge<Label>;

export const Registry: typeof client.Registry = registry;
export type Registry = client.Registry;

export const AggregatorRegistry: typeof client.AggregatorRegistry = aggregatorRegistry;
