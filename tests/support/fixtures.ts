/** The cases below tests/fixtures: what a caller sends, a vendor's bytes, and what comes of them. */

import { fileURLToPath } from "node:url";
import { encodeMessages, type EventMessage } from "./event_stream.ts";
import { VENDOR_KEY } from "./gateway.ts";
import { serviceAccount } from "./service_account.ts";

export interface Fixture {
  readonly vendor: string;
  readonly name: string;
  readonly directory: string;
  /** Where the vendor's bytes come from, its model entry and provider members, caller headers. */
  readonly about: {
    /** `observed`: written from a description of what the vendor really sent. */
    readonly origin: "docs" | "recorded" | "observed";
    readonly model: string | Record<string, unknown>;
    readonly provider?: Record<string, unknown>;
    readonly headers?: Record<string, string>;
  };
  readonly request: Record<string, unknown>;
  readonly upstream:
    | {
      readonly type: "stream";
      readonly contentType: string;
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
    | {
      readonly type: "answer";
      readonly status: number;
      readonly headers: Record<string, string>;
      /** JSON unless it is a string. */
      readonly body: unknown;
    };
}

const ROOT = fileURLToPath(new URL("../fixtures/", import.meta.url));

/** Every case, in the order of the alphabet. */
export function readFixtures(): Fixture[] {
  return namesIn(ROOT).flatMap((vendor) =>
    namesIn(`${ROOT}${vendor}`).map((name) => readFixture(vendor, name))
  );
}

/** A configuration with the one provider of a case. */
export function configOf({ vendor, about }: Fixture): Record<string, unknown> {
  const { credentials, ...members } = about.provider ?? {};
  const secret = credentials === undefined
    ? { api_key: VENDOR_KEY }
    : { credentials: serviceAccount().json };
  const provider = { kind: vendor, ...secret, models: [about.model], ...members };
  return { providers: { [vendor]: provider } };
}

function readFixture(vendor: string, name: string): Fixture {
  const directory = `${ROOT}${vendor}/${name}`;
  return {
    vendor,
    name,
    directory,
    about: readJson(`${directory}/case.json`) as Fixture["about"],
    request: readJson(`${directory}/request.json`) as Record<string, unknown>,
    upstream: readStream(directory) ??
      { type: "answer", ...readJson(`${directory}/upstream.json`) as object } as never,
  };
}

/** The bytes of a stream, as they are or as messages to encode; undefined for another answer. */
function readStream(directory: string): Fixture["upstream"] | undefined {
  for (const [file, contentType] of STREAMS) {
    const path = `${directory}/${file}`;
    if (!exists(path)) continue;
    const bytes = file.endsWith(".json")
      ? encodeMessages(readJson(path) as EventMessage[])
      : Deno.readFileSync(path);
    return { type: "stream", contentType, bytes };
  }
  return undefined;
}

const STREAMS = [
  ["upstream.sse", "text/event-stream"],
  ["upstream.ndjson", "application/x-ndjson"],
  ["events.json", "application/vnd.amazon.eventstream"],
] as const;

function namesIn(path: string): string[] {
  return [...Deno.readDirSync(path)].filter((entry) => entry.isDirectory)
    .map((entry) => entry.name).sort();
}

function readJson(path: string): unknown {
  return JSON.parse(Deno.readTextFileSync(path));
}

export function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
