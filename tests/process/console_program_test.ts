/** The console in a real process, with one worker and with two: its page, the ledger, the state. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { addressOf, startSluice } from "../support/process.ts";
import { CHAT, MESSAGES } from "../support/stage.ts";
import { needs } from "../support/needs.ts";

const KEY = { authorization: "Bearer sk-own" };
const HTML = { accept: "text/html" };
/** Enough connections that each of two workers has some, but for a chance of 2^-39. */
const MANY = 40;

const fileOf = (server: Record<string, unknown>) =>
  JSON.stringify({
    server: { port: 0, keys: [{ name: "own", key: "sk-own" }], ...server },
    providers: { mock: { kind: "mock", models: ["mock-echo", "mock-hang"] } },
  });

/** Sends a request on a new connection, so that the system chooses a worker again. */
async function send(
  url: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string }> {
  using client = Deno.createHttpClient({});
  const response = await fetch(url, { ...init, client });
  return { status: response.status, text: await response.text() };
}

const chat = (model: string): RequestInit => ({
  method: "POST",
  headers: KEY,
  body: JSON.stringify({ model, messages: MESSAGES }),
});

interface State {
  readonly in_flight: number;
  readonly workers: number;
  readonly requests_per_second: number | null;
  readonly providers: readonly { readonly attempts: number }[];
}

/** How long an expected state may take, in milliseconds. */
const MAX_WAIT_MS = 60_000;

/**
 * Reads states until one is as expected; undefined if the stream ends before. Rejects with the last
 * state if none is in time.
 */
async function readUntil(
  states: AsyncIterator<State>,
  isExpected: (state: State) => boolean,
): Promise<State | undefined> {
  let last: State | undefined;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`No state is as expected; the last is ${JSON.stringify(last)}`)),
    MAX_WAIT_MS,
  );
  try {
    for (;;) {
      const next = await Promise.race([states.next(), late]);
      if (next.done) return undefined;
      if (isExpected(last = next.value)) return last;
    }
  } finally {
    clearTimeout(timer);
  }
}

async function* readStates(body: ReadableStream<Uint8Array>): AsyncGenerator<State> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of body) {
    text += decoder.decode(part, { stream: true });
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      yield JSON.parse(text.slice(text.indexOf("data: ") + "data: ".length, end));
      text = text.slice(end + 2);
    }
  }
}

for (const workers of [1, 2]) {
  Deno.test({
    ...needs(
      "Linux",
      Deno.build.os === "linux",
      `the page, the requests and the state are those of the process: ${workers} workers`,
    ),
    async fn() {
      await using running = startSluice([], { files: { "config.yaml": fileOf({ workers }) } });
      const base = await addressOf(running);

      // Each worker has the same files, whichever sent the page.
      const { text: page } = await send(base, { headers: HTML });
      const [link = ""] = /\/console\/[^"]+main\.js/.exec(page) ?? [];
      const files = await Promise.all(
        Array.from({ length: MANY }, () => send(`${base}${link}`)),
      );
      assertEquals(new Set(files.map(({ status }) => status)), new Set([200]));
      assertEquals(new Set(files.map(({ text }) => text)).size, 1);

      using client = Deno.createHttpClient({ poolMaxIdlePerHost: MANY });
      const live = await fetch(`${base}/v1/live`, { headers: KEY, client });
      const states = readStates(live.body ?? new ReadableStream());
      const first = (await states.next()).value as State;
      assertEquals([first.workers, first.requests_per_second], [workers, null]);

      await Promise.all(
        Array.from({ length: MANY }, () => send(`${base}${CHAT}`, chat("mock-echo"))),
      );
      const used = await readUntil(states, ({ providers: [mock] }) => mock?.attempts === MANY);
      assert(used !== undefined);
      const { text } = await send(`${base}/v1/requests?limit=100`, { headers: KEY });
      const { data } = JSON.parse(text);
      assertEquals(new Set(data.map(({ id }: { id: string }) => id)).size, MANY);

      const left = new AbortController();
      const hanging = Array.from(
        { length: MANY },
        () =>
          fetch(`${base}${CHAT}`, { ...chat("mock-hang"), client, signal: left.signal }).then(
            (response) => response.body?.cancel(),
            () => {},
          ),
      );
      assert(await readUntil(states, (state) => state.in_flight === MANY) !== undefined);
      left.abort();
      await Promise.all(hanging);
      assert(await readUntil(states, (state) => state.in_flight === 0) !== undefined);

      // The stream ends with the drain, and does not hold it up.
      running.signal("SIGTERM");
      assertEquals(await readUntil(states, () => false), undefined);
      const { code, stdout } = await running.finished;
      assertEquals(code, 0);
      assertStringIncludes(stdout, '"route":"/v1/live","key":"own"');
    },
  });
}

Deno.test("a gateway that others can reach has no page unless it is enabled", async () => {
  for (const [server, isOn] of [[{}, false], [{ console: "on" }, true]] as const) {
    await using running = startSluice([], {
      files: { "config.yaml": fileOf({ ...server, host: "0.0.0.0", workers: 1 }) },
    });
    await running.logged("\n    -d ");
    const [, port] = /^Sluice listens on http:\S+:(\d+)$/m.exec(running.stderr()) ?? [];
    const { text } = await send(`http://127.0.0.1:${port}/`, { headers: HTML });
    assertEquals(text.startsWith("<!DOCTYPE html>"), isOn);
    assertEquals(/^ +console +http:\/\/127\.0\.0\.1:\d+\/$/m.test(running.stderr()), isOn);
    running.signal("SIGTERM");
    assertEquals((await running.finished).code, 0);
  }
});
