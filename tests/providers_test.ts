/**
 * Every adapter against every case below tests/fixtures. The goldens `sent.json`
 * and `answer.json` or `answer.sse` are compared by value; with UPDATE_GOLDENS=1
 * they are written instead, to be read before they are committed.
 */

import { assert, assertEquals } from "@std/assert";
import { createFold } from "../src/attempt.ts";
import { prepare } from "../src/preparation.ts";
import { readChatRequest } from "../src/chat_request.ts";
import type { Target } from "../src/config.ts";
import { isWhole, type Stamp, stampCompletion } from "../src/envelope.ts";
import { Receipt } from "../src/providers/support.ts";
import { configOf, exists, type Fixture, readFixtures } from "./support/fixtures.ts";
import { countedIds, createTestGateway, loadTestConfig, VENDOR_KEY } from "./support/gateway.ts";
import { TOKEN_URI } from "./support/service_account.ts";

const UPDATE = Deno.env.get("UPDATE_GOLDENS") === "1";
/** Streams up to this many bytes are cut at each of them. */
const CUT_EVERYWHERE = 8192;
const SEEDED_CUTS = 200;

for (const fixture of readFixtures()) {
  const title = `${fixture.vendor}/${fixture.name}`;

  Deno.test(`${title}: what is sent and what is answered are the goldens`, async () => {
    const { sent, answer } = await run(fixture);
    if (sent !== undefined) expectGolden(`${fixture.directory}/sent.json`, sent);
    if (typeof answer === "string") expectGolden(`${fixture.directory}/answer.sse`, answer);
    else expectGolden(`${fixture.directory}/answer.json`, answer);
  });

  const reached = exists(`${fixture.directory}/sent.json`);
  if (reached && fixture.upstream.type === "answer" && isWhole(fixture.upstream.body)) {
    const { body } = fixture.upstream;
    Deno.test(`${title}: an answer that is whole is what the long way would make of it`, () => {
      const { adapter, call, target } = prepared(fixture);
      if (!adapter.transparent) return;
      const answer = { status: 200, headers: new Headers(), body: structuredClone(body) };
      const stamped = stampCompletion(adapter.toCompletion(answer, call), stampFor(target));
      assertEquals(stamped, body);
    });
  }
  if (fixture.upstream.type !== "stream") continue;
  const { bytes } = fixture.upstream;

  Deno.test(`${title}: the short cut says what the long way says`, () => {
    const [quick, slow] = [fold(fixture, [bytes]), fold(fixture, [bytes], false)];
    assertEquals(quick.map(toValue), slow.map(toValue));
  });

  Deno.test(`${title}: any cut of the bytes gives the same events`, () => {
    const whole = fold(fixture, [bytes]);
    assertEquals(fold(fixture, [...bytes].map((byte) => Uint8Array.of(byte))), whole);
    for (const cut of cutsOf(bytes)) {
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
      const events = fold(fixture, pieces);
      // The deep comparison is slow, and there are thousands of cuts.
      if (JSON.stringify(events) !== JSON.stringify(whole)) {
        assertEquals(events, whole, `cut at ${cut}`);
      }
    }
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

/** Feeds a stream's bytes straight to the fold, without a network in between. */
function fold(fixture: Fixture, pieces: readonly Uint8Array[], fast = true): string[] {
  const { adapter, call, target } = prepared(fixture);
  const made = createFold({ adapter, call, stamp: stampFor(target), target }, fast);
  let text = "";
  for (const piece of pieces) {
    const output = made.push(piece);
    text += typeof output === "string" ? output : new TextDecoder().decode(output);
  }
  if (!made.ended) text += made.end();
  return [...text.split("\n\n"), String(made.failure?.kind), String(made.failure?.message)];
}

function prepared(fixture: Fixture) {
  const target = targetOf(fixture);
  const request = readChatRequest(structuredClone(fixture.request));
  return { ...prepare(target, request, new Receipt(), countedIds()), target };
}

function stampFor(target: Target): Stamp {
  return { id: "chatcmpl-test", created: 1_700_000_000, model: target.model.upstream };
}

/** Reading a configuration takes longer than reading a stream, and there are thousands of cuts. */
const targets = new Map<Fixture, Target>();

function targetOf(fixture: Fixture): Target {
  const known = targets.get(fixture);
  if (known !== undefined) return known;
  const [link] = loadTestConfig(configOf(fixture)).resolve(String(fixture.request.model)) ?? [];
  if (link === undefined) throw new TypeError("The case names no model that is configured");
  targets.set(fixture, link.target);
  return link.target;
}

/** An event by what it says: the order of members means nothing. */
function toValue(event: string): unknown {
  return event.startsWith("data: {") ? JSON.parse(event.slice("data: ".length)) : event;
}

function cutsOf(bytes: Uint8Array): number[] {
  if (bytes.length <= CUT_EVERYWHERE) return Array.from(bytes, (_, index) => index + 1);
  // A linear congruential generator: the same cuts in every run.
  let seed = bytes.length;
  return Array.from({ length: SEEDED_CUTS }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed % bytes.length;
  });
}

function expectGolden(path: string, value: unknown): void {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2) + "\n";
  if (UPDATE) return Deno.writeTextFileSync(path, text);
  assert(exists(path), `${path} is missing; run with UPDATE_GOLDENS=1 and read what it writes`);
  const golden = Deno.readTextFileSync(path);
  if (typeof value !== "string") return assertEquals(JSON.parse(text), JSON.parse(golden));
  assertEquals(text.split("\n\n").map(toValue), golden.split("\n\n").map(toValue));
}
