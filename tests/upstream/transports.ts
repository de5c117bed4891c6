/** The client for vendors on real ports: what each case is given. */

import { assertEquals } from "@std/assert";
import { type Dial, HttpClient } from "../../src/upstream/http1/client.ts";
import { dial } from "../../src/upstream/http1/dial.ts";
import { readText } from "../../src/upstream/read_response.ts";
import type { FetchInit, Transport, VendorResponse } from "../../src/upstream/transport.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { listenRaw, type PlayVendor, type RawVendor } from "../support/raw_vendor.ts";
import { turn } from "../support/elapse.ts";

/** What a case is given. */
export interface TransportCase {
  readonly transport: Transport;
  readonly clock: ManualClock;
  readonly vendor: RawVendor;
  /** Sends a request without headers; a POST of `{}` unless more is given. */
  send(init?: Partial<FetchInit>, path?: string): Promise<VendorResponse>;
}

/** Tests the client against this vendor. Afterwards no timer is left and every connection ends. */
export function testTransport(
  title: string,
  play: PlayVendor,
  test: (parts: TransportCase) => Promise<void>,
  dialWith: Dial = dial,
): void {
  Deno.test(title, async () => {
    await using vendor = listenRaw(play);
    const clock = new ManualClock();
    const transport = new HttpClient({ dial: dialWith, clock });
    try {
      await test({
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

function toInit(init: Partial<FetchInit>): FetchInit {
  const { signal } = new AbortController();
  const body = init.method === undefined ? "{}" : undefined;
  return { method: "POST", headers: {}, body, signal, ...init };
}

/** All of a response's body. */
export async function textOf(response: VendorResponse): Promise<string> {
  return await readText(response, new AbortController().signal);
}
