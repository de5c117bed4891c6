/** Takes a case of tests/fixtures through the whole gateway. */

import type { FetchInit } from "../../src/upstream/transport.ts";
import { assertEquals } from "@std/assert";
import { configOf, type Fixture } from "./fixtures.ts";
import { createTestGateway, VENDOR_KEY } from "./gateway.ts";
import { TOKEN_URI } from "./service_account.ts";
import { sentText } from "./sent_text.ts";

/** The result of one case. */
export interface CaseRun {
  readonly sent: Record<string, unknown> | undefined;
  /** The text of a stream, or status, headers and body. */
  readonly answer: string | Record<string, unknown>;
}

/** Takes one case through the whole gateway; by default its own request for a chat completion. */
export async function runCase(
  fixture: Fixture,
  path = "/v1/chat/completions",
  request: Record<string, unknown> = fixture.request,
): Promise<CaseRun> {
  let sent: CaseRun["sent"];
  const gateway = createTestGateway({
    config: configOf(fixture),
    fetch: (url, init) => {
      if (url === TOKEN_URI) return Promise.resolve(Response.json({ access_token: VENDOR_KEY }));
      sent = toSent(url, init);
      return Promise.resolve(toVendorResponse(fixture));
    },
  });
  const response = await gateway.call(path, request, {
    "x-request-id": "req_test",
    ...fixture.about.headers,
  });
  const text = await response.text();
  assertEquals(gateway.bugs, []);
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
  const type = response.headers.get("content-type") ?? "";
  if (/^(?:text\/event-stream|application\/x-ndjson)/.test(type)) return { sent, answer: text };
  return {
    sent,
    answer: { status: response.status, headers: headersOf(response), body: JSON.parse(text) },
  };
}

/** Headers that are the same for every request are omitted from the goldens, as are all keys. */
function toSent(url: string, init: FetchInit): Record<string, unknown> {
  const headers = Object.fromEntries(
    [...new Headers(init.headers)].filter(([name]) => !COMMON_HEADERS.has(name))
      .map(([name, value]) => [name, value.replaceAll(VENDOR_KEY, "<key>")]),
  );
  return { method: init.method, url, headers, body: JSON.parse(sentText(init.body)) };
}

const COMMON_HEADERS = new Set(["accept-encoding", "content-type", "user-agent"]);

/** Headers that say nothing about a vendor. */
const TOLD_OF_ALL = new Set([
  "cache-control",
  "content-type",
  "x-content-type-options",
  "x-sluice-cost-usd",
  "x-sluice-overhead-ms",
]);

function headersOf(response: Response): Record<string, string> {
  return Object.fromEntries([...response.headers].filter(([name]) => !TOLD_OF_ALL.has(name)));
}

function toVendorResponse({ upstream }: Fixture): Response {
  if (upstream.type === "stream") {
    return new Response(upstream.bytes, { headers: { "content-type": upstream.contentType } });
  }
  const { status, headers, body } = upstream;
  return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
}
