/**
 * The cases below tests/fixtures: what a caller sends, a vendor's bytes, and the expected result.
 *
 * A case contains only the files that are specific to it. Missing `case.json`, `request.json` and
 * `sent.json` come from the vendor's folder `_default`, with `_stream` before the dot for cases
 * whose vendor answers with a stream.
 */

import { fileURLToPath } from "node:url";
import { encodeMessages, type EventMessage } from "./event_stream.ts";
import { VENDOR_KEY } from "./gateway.ts";
import { serviceAccount } from "./service_account.ts";

export interface Fixture {
  readonly vendor: string;
  readonly name: string;
  readonly directory: string;
  /** The origin of the vendor's bytes, its model entry and provider members, and caller headers. */
  readonly about: {
    /** `observed`: written from a description of what the vendor actually sent. */
    readonly origin: "docs" | "recorded" | "observed";
    readonly model: string | Record<string, unknown>;
    readonly provider?: Record<string, unknown>;
    readonly headers?: Record<string, string>;
    /** False for a case that fails before anything is sent to the vendor. */
    readonly sent?: boolean;
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

/** Every case, in alphabetical order. */
export function readFixtures(): Fixture[] {
  return namesIn(ROOT).flatMap((vendor) =>
    namesIn(`${ROOT}${vendor}`).map((name) => readFixture(vendor, name))
  );
}

/** A configuration with only the provider of a case. */
export function configOf({ vendor, about }: Fixture): Record<string, unknown> {
  const { credentials, ...members } = about.provider ?? {};
  const secret = credentials === undefined
    ? { api_key: VENDOR_KEY }
    : { credentials: serviceAccount().json };
  const provider = { kind: vendor, ...secret, models: [about.model], ...members };
  // The vendors' call IDs, as returned by the adapters.
  const server = { reasoning_state: { enabled: false } };
  return { server, providers: { [vendor]: provider } };
}

function readFixture(vendor: string, name: string): Fixture {
  const directory = `${ROOT}${vendor}/${name}`;
  const upstream: Fixture["upstream"] = readStream(directory) ??
    { type: "answer", ...readJson(`${directory}/upstream.json`) as object } as never;
  const read = (file: string) => readJson(pathOf({ directory, upstream }, file));
  return {
    vendor,
    name,
    directory,
    about: read("case.json") as Fixture["about"],
    request: read("request.json") as Record<string, unknown>,
    upstream,
  };
}

/** The path of a case's file, or of its vendor's default if it has none. */
export function pathOf(
  { directory, upstream }: Pick<Fixture, "directory" | "upstream">,
  file: string,
): string {
  const own = `${directory}/${file}`;
  if (exists(own)) return own;
  const name = upstream.type === "stream" ? file.replace(".", "_stream.") : file;
  const shared = `${directory}/../_default/${name}`;
  return exists(shared) ? shared : own;
}

/**
 * The bytes of a stream, given directly or as messages to encode; undefined if the answer is not a
 * stream.
 */
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
    .map((entry) => entry.name).filter((name) => name !== "_default").sort();
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
