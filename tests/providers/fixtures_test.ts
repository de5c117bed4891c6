/**
 * Every adapter against every case below tests/fixtures. The goldens `sent.json`
 * and `answer.json` or `answer.sse` are compared by value; with UPDATE_GOLDENS=1
 * they are written instead, to be read before they are committed.
 */

import { assert, assertEquals } from "@std/assert";
import { stampCompletion } from "../../src/formats/chat_completions/envelope.ts";
import { isWhole } from "../../src/formats/chat_completions/passable_answer.ts";
import { fold, prepared, toValue } from "../support/folding.ts";
import { configOf, exists, type Fixture, pathOf, readFixtures } from "../support/fixtures.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { TOKEN_URI } from "../support/service_account.ts";

const UPDATE = Deno.env.get("UPDATE_GOLDENS") === "1";

for (const fixture of readFixtures()) {
  const title = `${fixture.vendor}/${fixture.name}`;

  Deno.test(`${title}: what is sent and what is answered are the goldens`, async () => {
    const { sent, answer } = await run(fixture);
    assertEquals(sent !== undefined, fixture.about.sent ?? true, "sent, as case.json says");
    if (sent !== undefined) expectGolden(fixture, "sent.json", sent);
    expectGolden(fixture, typeof answer === "string" ? "answer.sse" : "answer.json", answer);
  });

  if (
    fixture.about.sent !== false && fixture.upstream.type === "answer" &&
    isWhole(fixture.upstream.body)
  ) {
    const { body } = fixture.upstream;
    Deno.test(`${title}: an answer that is whole is what the long way would make of it`, () => {
      const { adapter, call, stamp } = prepared(fixture);
      if (!adapter.transparent) return;
      const answer = { status: 200, headers: new Headers(), body: structuredClone(body) };
      const stamped = stampCompletion(adapter.toCompletion(answer, call), stamp);
      assertEquals(stamped, body);
    });
  }
  if (fixture.upstream.type !== "stream") continue;
  const { bytes } = fixture.upstream;

  Deno.test(`${title}: the short cut says what the long way says`, () => {
    const one = prepared(fixture);
    const [quick, slow] = [fold(one, [bytes]), fold(one, [bytes], false)];
    assertEquals(quick.split("\n\n").map(toValue), slow.split("\n\n").map(toValue));
  });
}

interface Run {
  readonly sent: Record<string, unknown> | undefined;
  /** The text of a stream, or status, headers and body. */
  readonly answer: string | Record<string, unknown>;
}

/** Takes one case through the whole gateway. */
async function run(fixture: Fixture): Promise<Run> {
  let sent: Run["sent"];
  const gateway = createTestGateway({
    config: configOf(fixture),
    fetch: (url, init) => {
      if (url === TOKEN_URI) return Promise.resolve(Response.json({ access_token: VENDOR_KEY }));
      sent = toSent(url, init);
      return Promise.resolve(toVendorResponse(fixture));
    },
  });
  const response = await gateway.call("/v1/chat/completions", fixture.request, {
    "x-request-id": "req_test",
    ...fixture.about.headers,
  });
  const text = await response.text();
  assertEquals(gateway.bugs, []);
  assertEquals(gateway.clock.pending, 0, "a timer was left behind");
  const streams = response.headers.get("content-type")?.startsWith("text/event-stream");
  if (streams) return { sent, answer: text };
  return {
    sent,
    answer: { status: response.status, headers: headersOf(response), body: JSON.parse(text) },
  };
}

/** Headers that say the same for every request are left out of the goldens, and keys always. */
function toSent(url: string, init: RequestInit): Record<string, unknown> {
  const headers = Object.fromEntries(
    [...new Headers(init.headers)].filter(([name]) => !COMMON_HEADERS.has(name))
      .map(([name, value]) => [name, value.replaceAll(VENDOR_KEY, "<key>")]),
  );
  return { method: init.method, url, headers, body: JSON.parse(String(init.body)) };
}

const COMMON_HEADERS = new Set(["accept-encoding", "content-type", "user-agent"]);

/** Headers that say nothing of a vendor. */
const TOLD_OF_ALL = new Set(["content-type", "x-sluice-overhead-ms"]);

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

function expectGolden(fixture: Fixture, file: string, value: unknown): void {
  const path = pathOf(fixture, file);
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2) + "\n";
  if (UPDATE) {
    // The default of other cases is not changed for this one.
    if (exists(path) && Deno.readTextFileSync(path) === text) return;
    return Deno.writeTextFileSync(`${fixture.directory}/${file}`, text);
  }
  assert(exists(path), `${path} is missing; run with UPDATE_GOLDENS=1 and read what it writes`);
  const golden = Deno.readTextFileSync(path);
  if (typeof value !== "string") return assertEquals(JSON.parse(text), JSON.parse(golden));
  assertEquals(text.split("\n\n").map(toValue), golden.split("\n\n").map(toValue));
}
