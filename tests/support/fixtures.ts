/** The cases below tests/fixtures: what a caller sends, a vendor's bytes, and what comes of them. */

import { fileURLToPath } from "node:url";

export interface Fixture {
  readonly vendor: string;
  readonly name: string;
  readonly directory: string;
  /** Where the vendor's bytes come from, its model entry and provider members, caller headers. */
  readonly about: {
    readonly origin: "docs" | "recorded";
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

/** What a stream's bytes say they are, by the name of their file. */
const CONTENT_TYPES = new Map([
  ["upstream.sse", "text/event-stream"],
  ["upstream.ndjson", "application/x-ndjson"],
  ["upstream.bin", "application/vnd.amazon.eventstream"],
]);

const ROOT = fileURLToPath(new URL("../fixtures/", import.meta.url));

/** Every case, in the order of the alphabet. */
export function readFixtures(): Fixture[] {
  return namesIn(ROOT).flatMap((vendor) =>
    namesIn(`${ROOT}${vendor}`).map((name) => readFixture(vendor, name))
  );
}

function readFixture(vendor: string, name: string): Fixture {
  const directory = `${ROOT}${vendor}/${name}`;
  const stream = [...CONTENT_TYPES].find(([file]) => exists(`${directory}/${file}`));
  return {
    vendor,
    name,
    directory,
    about: readJson(`${directory}/case.json`) as Fixture["about"],
    request: readJson(`${directory}/request.json`) as Record<string, unknown>,
    upstream: stream === undefined
      ? { type: "answer", ...readJson(`${directory}/upstream.json`) as object } as never
      : {
        type: "stream",
        contentType: stream[1],
        bytes: Deno.readFileSync(`${directory}/${stream[0]}`),
      },
  };
}

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
