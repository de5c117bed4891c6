/** The HTTP client with connections in memory and a manual clock. */

import { assertEquals } from "@std/assert";
import { HttpClient } from "../../src/upstream/http1/client.ts";
import type { FetchInit, PacketReader, VendorResponse } from "../../src/upstream/transport.ts";
import { turn } from "./elapse.ts";
import { ManualClock } from "./manual_clock.ts";
import { MemoryVendor, type Serve } from "./memory_vendor.ts";

export const URL = "http://vendor.test/v1/chat";
export const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
export const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

const decoder = new TextDecoder();

export interface MemoryClient {
  readonly vendor: MemoryVendor;
  readonly client: HttpClient;
  readonly clock: ManualClock;
}

/** Runs a test with a separate vendor and client, and checks that nothing stays open. */
export async function withMemoryVendor(
  serve: Serve,
  test: (parts: MemoryClient) => Promise<void>,
  minCooldownMs = 0,
): Promise<void> {
  const vendor = new MemoryVendor(serve);
  const clock = new ManualClock();
  const client = new HttpClient({ dial: vendor.dial, clock, minCooldownMs });
  await test({ vendor, client, clock });
  client.close();
  await turn();
  assertEquals(vendor.open, 0, "connections are left open");
  assertEquals(clock.pending, 0, "timers are left");
  assertEquals(vendor.failures, []);
}

/** Answers every request of a connection with the same answer. */
export function answering(...packets: readonly string[]): Serve {
  return async (line) => {
    while (await line.request() !== undefined) line.say(...packets);
  };
}

export function toInit(init: Partial<FetchInit> = {}): FetchInit {
  const { signal } = new AbortController();
  return { method: "POST", headers: {}, body: "{}", signal, ...init };
}

export function readerOf({ body }: VendorResponse): PacketReader {
  if (body === null) throw new TypeError("There is no body");
  return body.getReader();
}

export async function readAll(reader: PacketReader): Promise<string> {
  let text = "";
  for (let packet = await reader.read(); !packet.done; packet = await reader.read()) {
    text += decoder.decode(packet.value, { stream: true });
  }
  return text;
}

/** A request and its complete answer. */
export async function ask(
  client: HttpClient,
  init: Partial<FetchInit> = {},
  url = URL,
): Promise<string> {
  const response = await client.fetch(url, toInit(init));
  return response.body === null ? "" : await readAll(readerOf(response));
}
