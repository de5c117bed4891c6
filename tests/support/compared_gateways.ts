/**
 * Two gateways that receive the same requests: an ordinary one, and one whose requests pass through
 * features that do nothing. All of their actions are compared.
 */

import { assertEquals } from "@std/assert";
import type { LedgerRow } from "../../src/governance/ledger/row.ts";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import type { Feature } from "../../src/gateway/feature.ts";
import type { FetchInit } from "../../src/upstream/transport.ts";
import { composed, CountedFeatures } from "./composed_features.ts";
import { hurry } from "./elapse.ts";
import { createTestGateway, type TestGateway } from "./gateway.ts";
import type { Sent } from "./scripted_vendor.ts";
import { textOf } from "./sent_body.ts";

/** A vendor's answer. */
export type Script = (sent: Pick<Sent, "url" | "body">) => Response;

/** One request of a caller. */
export interface Call {
  readonly path: string;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  /** Whether time advances until it is answered, for retries that wait. Default: false. */
  readonly waits?: boolean;
}

/** How the requests to the ordinary gateway were answered. */
export class Shares {
  /** Requests that were sent. */
  begun = 0;
  /** Those that the first attempt answered without any feature taking part. */
  plain = 0;
  /** Those that a feature took part in. */
  featured = 0;
  /** Those that continued after a failed attempt. */
  promoted = 0;
}

/** One of the two gateways, and its recorded actions. */
class Side {
  readonly gateway: TestGateway;
  readonly #sent: unknown[] = [];
  readonly #rows: LedgerRow[] = [];

  constructor(
    config: Record<string, unknown>,
    script: Script,
    features: (own: readonly Feature[]) => readonly Feature[],
  ) {
    this.gateway = createTestGateway({
      config,
      features,
      usage: new RecordingStore(this.#rows),
      fetch: async (url, init) => {
        const text = await textOf(init.body);
        this.#sent.push([url, init.method, headersOf(init), text]);
        return script({ url, body: text.startsWith("{") ? JSON.parse(text) : {} });
      },
    });
  }

  /** The results of a request for the vendor, the caller, the log, the ledger and the metrics. */
  async ask({ path, body, headers, waits = false }: Call) {
    const { clock, lines, bugs } = this.gateway;
    const passing = <Value>(promise: Promise<Value>) =>
      waits ? hurry(clock, promise, STEP_MS, 0) : promise;
    const answering = this.gateway.call(path, body, { "x-request-id": "req_test", ...headers });
    const response = await passing(answering);
    const text = await passing(response.text());
    this.gateway.flush();
    const metrics = await this.#metrics();
    assertEquals(bugs, []);
    return {
      attempts: Number(response.headers.get("x-sluice-attempts")),
      status: response.status,
      seen: {
        sent: this.#sent.splice(0),
        answer: [response.status, orderedHeaders(response), text],
        lines: lines.splice(0).map((line) => JSON.stringify(line)),
        rows: this.#rows.splice(0),
        metrics,
      },
    };
  }

  async #metrics(): Promise<string> {
    return await (await this.gateway.call("/metrics")).text();
  }
}

/** Milliseconds by which time advances while a request waits for a retry. */
const STEP_MS = 500;

/** In addition to storing rows, keeps them in order. */
class RecordingStore extends MemoryUsageStore {
  readonly #rows: LedgerRow[];

  constructor(rows: LedgerRow[]) {
    super();
    this.#rows = rows;
  }

  override write(rows: readonly LedgerRow[]): Promise<void> {
    this.#rows.push(...structuredClone(rows));
    return super.write(rows);
  }
}

/** Sends each request to both gateways, and fails if they differ. */
export class ComparedGateways {
  readonly #plain: Side;
  readonly #composed: Side;
  readonly #counted = new CountedFeatures();
  readonly #shares: Shares;

  /** @param createScript creates the vendor of each gateway, with a separate state */
  constructor(config: Record<string, unknown>, createScript: () => Script, shares: Shares) {
    this.#shares = shares;
    this.#plain = new Side(config, createScript(), this.#counted.of);
    this.#composed = new Side(config, createScript(), composed);
  }

  /** @returns the status of the answer */
  async ask(title: string, call: Call): Promise<number> {
    const before = this.#counted.started;
    const { attempts, seen, status } = await this.#plain.ask(call);
    const isFeatured = this.#counted.started > before;
    assertEquals((await this.#composed.ask(call)).seen, seen, title);
    const shares = this.#shares;
    shares.begun++;
    if (isFeatured) shares.featured++;
    if (attempts > 1) shares.promoted++;
    if (attempts === 1 && status === 200 && !isFeatured) shares.plain++;
    return status;
  }
}

function headersOf(init: FetchInit): unknown {
  const { headers } = init;
  return headers instanceof Headers ? orderedHeaders({ headers }) : headers;
}

/** The headers as they are written: a loop over them would sort them. */
function orderedHeaders({ headers }: Pick<Response, "headers">): unknown {
  const symbol = Object.getOwnPropertySymbols(headers)
    .find(({ description }) => description === "header list");
  if (symbol === undefined) throw new TypeError("The runtime keeps its headers elsewhere");
  return structuredClone(Reflect.get(headers, symbol));
}
