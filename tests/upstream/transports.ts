/** The clients for vendors under the same test: each case runs against every one of them. */

import { assertEquals } from "@std/assert";
import { FetchTransport } from "../../src/upstream/fetch_transport.ts";
import { type Dial, HttpClient } from "../../src/upstream/http1/client.ts";
import { dial } from "../../src/upstream/http1/dial.ts";
import { readText } from "../../src/upstream/read_response.ts";
import type { FetchInit, Transport, VendorResponse } from "../../src/upstream/transport.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { listenRaw, type PlayVendor, type RawVendor } from "../support/raw_vendor.ts";
import { turn } from "../support/elapse.ts";

/** The clients by name. */
const TRANSPORTS: readonly (readonly [string, (clock: ManualClock, dial: Dial) => Transport])[] = [
  ["native", (clock, dial) => new HttpClient({ dial, clock })],
  ["fetch", (clock, probe) => new FetchTransport({ clock, probe })],
];

/** What a case is given. */
export interface TransportCase {
  readonly name: string;
  readonly transport: Transport;
  readonly clock: ManualClock;
  readonly vendor: RawVendor;
  /** Sends a request without headers; a POST of `{}` unless more is given. */
  send(init?: Partial<FetchInit>, path?: string): Promise<VendorResponse>;
}

/** Tests every client against this vendor. Afterwards no timer is left and every connection ends. */
export function testTransports(
  title: string,
  play: PlayVendor,
  test: (parts: TransportCase) => Promise<void>,
  dialWith: Dial = dial,
): void {
  for (const [name, create] of TRANSPORTS) {
    Deno.test(`${name}: ${title}`, async () => {
      await using vendor = listenRaw(play);
      const clock = new ManualClock();
      const transport = create(clock, dialWith);
      try {
        await test({
          name,
          transport,
          clock,
          vendor,
          send: (init = {}, path = "/v1") => transport.fetch(vendor.url + path, toInit(init)),
        });
      } finally {
        transport.close();
      }
      // The vendor sees the end of every connection, or the test does not end.
      await vendor.played();
      await turn();
      assertEquals(clock.pending, 0, "timers are left");
    });
  }
}

function toInit(init: Partial<FetchInit>): FetchInit {
  const { signal } = new AbortController();
  const body = init.method === undefined ? "{}" : undefined;
  return { method: "POST", headers: {}, body, signal, ...init };
}

/** All of a response's body. */
export async function textOf(response: VendorResponse): Promise<string> {
  return await readText(response, new AbortController().signal);
}
