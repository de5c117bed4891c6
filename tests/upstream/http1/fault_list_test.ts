/**
 * Faults of a vendor on a loopback port: what the caller of a chat gets, what the log says, and how
 * many connections and requests the vendor sees.
 */

import { assert, assertEquals } from "@std/assert";
import { DEFAULT_CONNECTION_RULES } from "../../../src/config/connection_rules.ts";
import { HttpClient } from "../../../src/upstream/http1/client.ts";
import { dial } from "../../../src/upstream/http1/dial.ts";
import { turn, until } from "../../support/elapse.ts";
import { createGatewayOn, VENDOR_KEY } from "../../support/gateway.ts";
import { ManualClock } from "../../support/manual_clock.ts";
import { listenRaw, type VendorConnection } from "../../support/raw_vendor.ts";
import { CHUNKS, sayHello } from "../../support/scripted_vendor.ts";

const JSON_TEXT = await sayHello({ url: "/chat/completions", body: {} }).text();
const HEAD = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n` +
  `content-length: ${JSON_TEXT.length}\r\n\r\n`;
const WHOLE = HEAD + JSON_TEXT;
const HALF = Math.floor(JSON_TEXT.length / 2);
const EVENTS = [...CHUNKS.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), "data: [DONE]\n\n"];
const STREAM_HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
const CHUNKED_HEAD = `${STREAM_HEAD}transfer-encoding: chunked\r\n\r\n`;
const toChunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const CHUNKED_JSON = HEAD.replace(/content-length: \d+/, "transfer-encoding: chunked");

/** What the caller of a chat gets. */
interface Expected {
  readonly status: number;
  /** The answer's text, or the error's code. */
  readonly says: string;
  /** What the log has for the cause. */
  readonly cause?: RegExp;
  /** Requests that the vendor sees, on each connection. Default: one on one connection. */
  readonly requests?: readonly number[];
  /** Attempts by the header of the answer. */
  readonly attempts?: number;
}

/** A way in which a vendor answers the requests of one connection. */
interface Fault extends Expected {
  readonly what: string;
  /** Plays one request of the connection, both counted from 1; then the connection is closed. */
  readonly play: (line: VendorConnection, request: number, connection: number) => Promise<unknown>;
  readonly stream?: boolean;
  /** Sends a good request first, and waits this many milliseconds on its kept connection. */
  readonly idleMs?: number;
}

const GOOD = { status: 200, says: "Hello." };
const BROKEN_OFF = { status: 502, says: "upstream_error" };
const UNANSWERED = {
  status: 503,
  says: "upstream_unavailable",
  cause: /^connection closed without an answer/,
};

/** Sends each piece in a separate packet. */
const saying = (...pieces: readonly string[]) => async (line: VendorConnection) => {
  for (const piece of pieces) {
    await line.write(piece);
    await turn();
  }
};

/** The same, and waits until the client closes the connection. */
const holding = (...pieces: readonly string[]) => async (line: VendorConnection) => {
  await saying(...pieces)(line);
  await line.readToEnd();
};

/** Answers the first request well, and then plays. */
const second =
  (play: (line: VendorConnection, connection: number) => Promise<unknown>): Fault["play"] =>
  async (line, request, connection) => {
    if (request === 1 && connection === 1) return await line.write(WHOLE);
    await play(line, connection);
  };

const FAULTS: readonly Fault[] = [
  { what: "closes before its head", play: () => Promise.resolve(), ...UNANSWERED },
  { what: "closes within its first line", play: saying("HTTP/1."), ...UNANSWERED },
  {
    what: "closes within its head",
    play: saying("HTTP/1.1 200 OK\r\ncontent-type: application/j"),
    ...UNANSWERED,
  },
  {
    what: "closes after its head",
    play: saying(HEAD),
    ...BROKEN_OFF,
    cause: /was lost during the response/,
  },
  {
    what: "closes within its body",
    play: saying(HEAD + JSON_TEXT.slice(0, HALF)),
    ...BROKEN_OFF,
    cause: /was lost during the response/,
  },
  {
    what: "closes within its body, which came after the head",
    play: saying(HEAD, JSON_TEXT.slice(0, HALF)),
    ...BROKEN_OFF,
    cause: /was lost during the response/,
  },
  {
    what: "closes within a chunk",
    play: saying(CHUNKED_JSON + toChunk(JSON_TEXT).slice(0, HALF)),
    ...BROKEN_OFF,
    cause: /was lost during the response/,
  },
  {
    what: "closes before the last chunk",
    play: saying(CHUNKED_JSON + toChunk(JSON_TEXT)),
    ...BROKEN_OFF,
    cause: /was lost during the response/,
  },
  { what: "answers whole", play: holding(WHOLE), ...GOOD },
  { what: "splits its answer into bytes", play: holding(...WHOLE), ...GOOD },
  { what: "splits its head and its body", play: holding(HEAD, JSON_TEXT), ...GOOD },
  {
    what: "splits its head within a line, and its body in two",
    play: holding(
      HEAD.slice(0, 30),
      HEAD.slice(30) + JSON_TEXT.slice(0, HALF),
      JSON_TEXT.slice(HALF),
    ),
    ...GOOD,
  },
  {
    what: "ends its body with the connection",
    play: saying(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n${JSON_TEXT}`),
    ...GOOD,
  },
  {
    what: "answers in chunks",
    play: holding(`${CHUNKED_JSON}${toChunk(JSON_TEXT)}0\r\n\r\n`),
    ...GOOD,
  },
  {
    what: "answers in two chunks, in five packets",
    play: holding(
      CHUNKED_JSON,
      toChunk(JSON_TEXT.slice(0, HALF)).slice(0, 3),
      toChunk(JSON_TEXT.slice(0, HALF)).slice(3),
      toChunk(JSON_TEXT.slice(HALF)),
      "0\r\n\r\n",
    ),
    ...GOOD,
  },
  {
    what: "sends chunks of a faulty size",
    play: saying(`${CHUNKED_JSON}zz\r\n${JSON_TEXT}`),
    ...BROKEN_OFF,
    cause: /faulty size/,
  },
  {
    what: "sends 100 and 103 before its answer",
    play: holding("HTTP/1.1 100 Continue\r\n\r\n", `HTTP/1.1 103 Early\r\nlink: a\r\n\r\n${WHOLE}`),
    ...GOOD,
  },
  {
    what: "sends 103 and closes",
    play: saying("HTTP/1.1 103 Early\r\nlink: a\r\n\r\n"),
    ...UNANSWERED,
  },
  { what: "answers twice", play: holding(WHOLE + WHOLE), ...GOOD },
  {
    what: "speaks another protocol",
    play: saying("SSH-2.0-OpenSSH\r\n\r\n"),
    ...BROKEN_OFF,
    cause: /not HTTP/,
  },
  {
    what: "answers a kept connection anew",
    play: second((line) => line.write(WHOLE)),
    idleMs: 5000,
    requests: [2],
    ...GOOD,
  },
  {
    what: "closes a connection, kept for long, at the next request",
    play: second((line, connection) => connection === 1 ? Promise.resolve() : line.write(WHOLE)),
    idleMs: 5000,
    requests: [2, 1],
    attempts: 2,
    ...GOOD,
  },
  {
    what: "closes a connection, kept for a moment, at the next request",
    play: second(() => Promise.resolve()),
    idleMs: 500,
    requests: [2],
    ...UNANSWERED,
  },
  {
    what: "closes a connection, kept for long, within the next head",
    play: second(saying("HTTP/1.1 2")),
    idleMs: 5000,
    requests: [2],
    ...UNANSWERED,
  },
  {
    what: "closes both the kept connection and the new one",
    play: second(() => Promise.resolve()),
    idleMs: 5000,
    requests: [2, 1],
    attempts: 2,
    ...UNANSWERED,
  },
  {
    what: "streams whole",
    play: holding(`${CHUNKED_HEAD}${EVENTS.map(toChunk).join("")}0\r\n\r\n`),
    stream: true,
    ...GOOD,
  },
  {
    what: "streams each event in a separate packet",
    play: holding(CHUNKED_HEAD, ...EVENTS.map(toChunk), "0\r\n\r\n"),
    stream: true,
    ...GOOD,
  },
  {
    what: "streams until it closes",
    play: saying(`${STREAM_HEAD}\r\n`, ...EVENTS),
    stream: true,
    ...GOOD,
  },
  {
    what: "closes before the first event",
    play: saying(CHUNKED_HEAD),
    stream: true,
    ...BROKEN_OFF,
    cause: /was lost during the response/,
  },
  {
    what: "closes within its stream",
    play: saying(CHUNKED_HEAD, ...EVENTS.slice(0, 2).map(toChunk)),
    stream: true,
    status: 200,
    says: "Hello.|upstream_error",
    cause: /was lost during the response/,
  },
];

/** The text of a chat's answer or stream, and the code of its error. */
function saidBy(text: string, isStream: boolean): string {
  const events = isStream && text.startsWith("data: ")
    ? text.split("\n\n").map((event) => event.replace(/^data: /, "")).filter((data) =>
      data !== "" && data !== "[DONE]"
    )
    : [text];
  const bodies = events.map((event) => JSON.parse(event));
  const content = bodies.map(({ choices }) =>
    choices?.[0]?.delta?.content ?? choices?.[0]?.message?.content ?? ""
  ).join("");
  const codes = bodies.flatMap(({ error }) => error?.code ?? []);
  return [...(content === "" ? [] : [content]), ...codes].join("|");
}

for (const { what, play, stream = false, idleMs, requests = [1], ...expected } of FAULTS) {
  Deno.test(`a vendor that ${what}: what the caller gets`, async () => {
    const seen: number[] = [];
    await using vendor = listenRaw(async (line, connection) => {
      seen[connection - 1] = 0;
      for (let request = 1; await line.readTo("}]"); request++) {
        // The rest of the request's body arrives with it.
        await line.readTo("}");
        seen[connection - 1] = request;
        await play(line, request, connection);
        if (request > 1 || idleMs === undefined || connection > 1) return;
      }
    });
    const clock = new ManualClock();
    const client = new HttpClient({ dial, clock });
    const gateway = createGatewayOn(clock, {
      config: {
        providers: {
          v: {
            kind: "openai_compatible",
            base_url: `${vendor.url}/v1`,
            api_key: VENDOR_KEY,
            models: ["m"],
            retries: 0,
          },
        },
      },
      fetch: client.fetch,
    });
    const ask = async (isStream: boolean) => {
      const messages = [{ role: "user", content: "Hi" }];
      const body = isStream ? { model: "m", stream: true, messages } : { model: "m", messages };
      const response = await gateway.call("/v1/chat/completions", body);
      return { response, said: saidBy(await response.text(), isStream) };
    };
    if (idleMs !== undefined) {
      assertEquals((await ask(false)).said, "Hello.");
      clock.advance(idleMs);
      gateway.lines.length = 0;
    }
    const { response, said } = await ask(stream);
    assertEquals([response.status, said], [expected.status, expected.says]);
    assertEquals(response.headers.get("x-sluice-attempts"), String(expected.attempts ?? 1));
    await until(() => gateway.lines.some(({ attempt }) => attempt === undefined));
    const cause = String(gateway.lines.at(-1)?.cause ?? "");
    assert(expected.cause?.test(cause) ?? cause === "", cause);
    assertEquals(seen, requests);
    client.close();
    await vendor.played();
    await turn();
    assertEquals([clock.pending, gateway.bugs], [0, []]);
  });
}

Deno.test("a connection whose vendor answered twice serves no other request", async () => {
  await using vendor = listenRaw(async (line) => {
    while (await line.readTo("{}")) {
      await line.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".repeat(2));
    }
  });
  const client = new HttpClient({ dial, clock: new ManualClock() });
  for (let number = 1; number <= 2; number++) {
    const { signal } = new AbortController();
    const init = {
      method: "POST",
      headers: {},
      body: "{}",
      signal,
      connection: DEFAULT_CONNECTION_RULES,
    };
    const reader = (await client.fetch(`${vendor.url}/`, init)).body?.getReader();
    while (!(await reader?.read())?.done);
    await vendor.played();
    assertEquals(vendor.connections, number);
  }
  client.close();
});
