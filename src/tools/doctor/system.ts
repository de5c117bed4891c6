/** Examines the system's limits: file descriptors, memory and processors. */

import { counted } from "../../core/text.ts";
import { closeSync, openSync } from "node:fs";
import { getHeapStatistics } from "node:v8";
import type { Config } from "../../config/config.ts";
import { isOutOfDescriptors } from "../../process/system/files.ts";
import { planWorkers } from "../../process/workers/scaling.ts";

/** The areas of the report, in order. */
export const AREAS = [
  "configuration",
  "vendors",
  "stores",
  "listeners",
  "clock",
  "system",
] as const;
type Area = (typeof AREAS)[number];

/** One line of the report. */
export interface Finding {
  readonly area: Area;
  /** `fail` if something does not work, `warn` if it may not, `info` for information. */
  readonly status: "ok" | "info" | "warn" | "fail";
  /** The subject, such as a provider ID. */
  readonly subject: string;
  /** For the operator, without secrets. */
  readonly text: string;
}

/** Creates the findings of one area. */
export function findingsOf(area: Area) {
  const as = (status: Finding["status"]) => (subject: string, text: string): Finding => ({
    area,
    status,
    subject,
    text,
  });
  return { ok: as("ok"), info: as("info"), warn: as("warn"), fail: as("fail") };
}

/** The number of descriptors for vendors, files and stores, in addition to those for clients. */
const OTHER_DESCRIPTORS = 1000;
const MEBIBYTE = 1024 * 1024;
/** A smaller heap, in MiB, leaves little room for large requests. */
const MIN_HEAP = 512;

const { ok, info, warn } = findingsOf("system");

/** Compares the system's resources with the possible needs of the configuration. */
export function examineSystem(config: Config | undefined): readonly Finding[] {
  return [
    ...(config === undefined ? [] : [examineDescriptors(config.server.max_connections)]),
    examineMemory(config),
    examineProcessors(config),
  ];
}

/** Opens as many files as there may be connections, since the limit itself cannot be read. */
function examineDescriptors(maxConnections: number): Finding {
  // A stream to a client has a connection to its vendor.
  const wanted = 2 * maxConnections + OTHER_DESCRIPTORS;
  const subject = "file descriptors";
  if (Deno.build.os === "windows") return info(subject, "are not limited");
  const opened: number[] = [];
  try {
    while (opened.length < wanted) opened.push(openSync("/dev/null", "r"));
  } catch (thrown) {
    if (!isOutOfDescriptors(thrown)) throw thrown;
  } finally {
    for (const descriptor of opened) closeSync(descriptor);
  }
  return opened.length === wanted
    ? ok(subject, `at least ${wanted} can be open, for server.max_connections: ${maxConnections}`)
    : warn(
      subject,
      `only ${opened.length} more can be open, and server.max_connections: ${maxConnections} may ` +
        `need ${wanted}: raise the limit (ulimit -n, LimitNOFILE) or lower the setting`,
    );
}

function examineMemory(config: Config | undefined): Finding {
  const heap = Math.round(getHeapStatistics().heap_size_limit / MEBIBYTE);
  const inFlight = config?.server.max_in_flight_bytes;
  const setting = inFlight === undefined
    ? "half of it for large requests"
    : `server.max_in_flight_bytes: ${Math.round(inFlight / MEBIBYTE)} MiB`;
  const container = Deno.env.get("DENO_USE_CGROUPS") === undefined
    ? "it follows the machine: set DENO_USE_CGROUPS=1 in a container"
    : "it follows the container";
  const text = `the heap may take ${heap} MiB (${setting}); ${container}`;
  return heap < MIN_HEAP ? warn("memory", text) : ok("memory", text);
}

function examineProcessors(config: Config | undefined): Finding {
  const cores = navigator.hardwareConcurrency;
  const text = `${cores} for this process`;
  if (config === undefined) return ok("processors", text);
  const { max } = planWorkers(config.server.workers, { cores, os: Deno.build.os });
  return max > cores
    ? warn("processors", `${text}, and up to ${max} workers`)
    : ok("processors", `${text}, up to ${counted(max, "worker")}`);
}
