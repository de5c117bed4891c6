/** The requests that the guard counts: gateways without ports, and vendors in the process. */

import type { CallerConnection } from "../../src/gateway/request_record.ts";
import { SystemClock, type TimeLimit, type TimeLimited } from "../../src/core/clock.ts";
import { MemoryUsageStore } from "../../src/governance/ledger/memory_store.ts";
import type { Connection } from "../../src/upstream/http1/connection.ts";
import { HttpClient } from "../../src/upstream/http1/client.ts";
import type {
  ArrivingPackets,
  Fetch,
  PacketRead,
  PacketReader,
} from "../../src/upstream/transport.ts";
import { HEADERS } from "../bench/vendor_answers.ts";
import { createGatewayOn, SERVICE_KEY } from "../support/gateway.ts";

/** One kind of request, and what is subtracted from its counts. */
export interface GuardCase {
  readonly name: string;
  /** Sends one request and reads its answer. */
  readonly ask: () => Promise<unknown>;
  /** Its counts are subtracted: those of the loop, or of a shorter stream. */
  readonly without: () => Promise<unknown>;
  /** The counts are divided by this number, of events. */
  readonly units: number;
  /** Writes the log lines, metrics and ledger rows of the requests so far. */
  readonly settle: () => void;
}

/** The answer of a vendor. */
interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly packets: readonly Uint8Array[];
}

/** The name of the request that the path is taken of. */
export const PLAIN = "chat JSON over HTTP/1.1";

const OTHER_EVENTS = 20;
const EVENTS = 120;
const LIMITED_KEY = "sk-test-limited-key";
const MESSAGES = [{ role: "user", content: "Hello! What can you do for me?" }];
const CHAT = { model: "gpt-5.4-mini", messages: MESSAGES };
const READY = Promise.resolve();

const { "content-type": _json, ...RATE_LIMITS } = HEADERS.openai;

const encoder = new TextEncoder();

function toAnswer(body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  const bytes = encoder.encode(JSON.stringify(body));
  const length = String(bytes.length);
  const own = { "content-type": "application/json", "content-length": length };
  return { headers: { server: "nginx", ...own, ...headers }, packets: [bytes] };
}

const COMPLETION = toAnswer({
  ...{ id: "chatcmpl-1", object: "chat.completion", created: 1_763_600_000 },
  model: CHAT.model,
  choices: [{
    index: 0,
    message: { role: "assistant", content: "I answer questions.", refusal: null },
    logprobs: null,
    finish_reason: "stop",
  }],
  usage: {
    ...{ prompt_tokens: 19, completion_tokens: 37, total_tokens: 56 },
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  },
  service_tier: "default",
});

const MESSAGE = toAnswer({
  ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-haiku-4-5" },
  content: [{ type: "text", text: "I answer questions." }],
  ...{ stop_reason: "end_turn", stop_sequence: null },
  usage: { input_tokens: 19, output_tokens: 37 },
});

const RESPONSE = toAnswer({
  ...{ id: "resp_1", object: "response", created_at: 1_763_600_000, status: "completed" },
  ...{ model: CHAT.model, error: null, incomplete_details: null, instructions: null },
  output: [{
    ...{ id: "msg_1", type: "message", role: "assistant", status: "completed" },
    content: [{ type: "output_text", text: "I answer questions.", annotations: [] }],
  }],
  ...{ metadata: {}, parallel_tool_calls: true, tool_choice: "auto", tools: [] },
  ...{ temperature: 1, top_p: 1 },
  usage: {
    ...{ input_tokens: 19, output_tokens: 37, total_tokens: 56 },
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  },
});

const VECTORS = toAnswer({
  object: "list",
  model: "text-embedding-3-small",
  data: [{ object: "embedding", index: 0, embedding: [0.125, -0.5, 0.25, 0.75] }],
  usage: { prompt_tokens: 3, total_tokens: 3 },
});

/** A stream with an event in each packet. */
function toStream(events: number): Answer {
  const event = (members: unknown) => encoder.encode(`data: ${JSON.stringify(members)}\n\n`);
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_763_600_000 };
  const chunk = (delta: unknown, reason: string | null = null) =>
    event({
      ...head,
      model: CHAT.model,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
    });
  return {
    headers: { "content-type": "text/event-stream" },
    packets: [
      chunk({ role: "assistant", content: "" }),
      ...Array.from({ length: events }, () => chunk({ content: " word" })),
      chunk({}, "stop"),
      encoder.encode("data: [DONE]\n\n"),
    ],
  };
}

/** A body whose packets arrive one after the other: each is waited for. */
class ArrivingBody implements PacketReader, ArrivingPackets {
  readonly #packets: readonly Uint8Array[];
  #next = 0;
  #hasArrived = false;

  constructor(packets: readonly Uint8Array[]) {
    this.#packets = packets;
  }

  take(): Uint8Array | null | undefined {
    if (this.#next === this.#packets.length) return null;
    if (!this.#hasArrived) return undefined;
    this.#hasArrived = false;
    return this.#packets[this.#next++];
  }

  arrival(): Promise<void> {
    this.#hasArrived = true;
    return READY;
  }

  read(): Promise<PacketRead> {
    const value = this.#packets[this.#next++];
    return Promise.resolve(value === undefined ? { done: true } : { done: false, value });
  }

  cancel(): Promise<void> {
    return READY;
  }
}

function createFetch({ headers, packets }: Answer): Fetch {
  const fields = new Map(Object.entries(headers));
  const answered = {
    get: (name: string) => fields.get(name) ?? null,
    [Symbol.iterator]: () => fields.entries(),
  };
  return () => {
    const reader = new ArrivingBody(packets);
    const body = { getReader: () => reader, cancel: () => READY };
    return Promise.resolve({ status: 200, ok: true, headers: answered, body });
  };
}

/** A connection to a vendor that answers each request once its body has arrived. */
class VendorConnection implements Connection {
  readonly #answer: Uint8Array;
  #isAnswered = true;
  #wake = () => {};

  constructor({ headers, packets }: Answer) {
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const [body = new Uint8Array()] = packets;
    const head = encoder.encode(`HTTP/1.1 200 OK\r\n${fields.join("")}\r\n`);
    this.#answer = new Uint8Array([...head, ...body]);
  }

  async read(into: Uint8Array): Promise<number | null> {
    if (this.#isAnswered) await new Promise<void>((resolve) => this.#wake = resolve);
    this.#isAnswered = true;
    into.set(this.#answer);
    return this.#answer.length;
  }

  write(bytes: Uint8Array): Promise<number> {
    const isWhole = bytes.at(-1) === "}".charCodeAt(0);
    if (isWhole) {
      this.#isAnswered = false;
      this.#wake();
    }
    return Promise.resolve(bytes.length);
  }

  close(): void {
    this.#wake();
  }
}

/** Milliseconds between two requests: enough for a connection to be used again. */
const STEP_MS = 50;
const HOUR_MS = 3_600_000;

/** A clock that only requests advance, so that nothing depends on the speed of the machine. */
class StepClock extends SystemClock {
  #now = 1_700_000_000_000;

  step(): void {
    this.#now += STEP_MS;
  }

  /** Real time must not end a wait on a slow machine. */
  override limit<Name>(ms: number, owner: TimeLimited<Name>, name: Name): TimeLimit {
    return super.limit(ms + HOUR_MS, owner, name);
  }

  override now(): number {
    return this.#now;
  }

  override wallTime(): number {
    return this.#now;
  }
}

/** The members of a request that are read, without what the runtime needs to make one. */
class CallerRequest {
  readonly method = "POST";
  readonly body = null;
  readonly url: string;
  readonly headers: Headers;
  readonly signal: AbortSignal;
  readonly #bytes: Uint8Array;
  bodyUsed = false;

  constructor(url: string, headers: Headers, bytes: Uint8Array, signal: AbortSignal) {
    this.url = url;
    this.headers = headers;
    this.#bytes = bytes;
    this.signal = signal;
  }

  bytes(): Promise<Uint8Array> {
    this.bodyUsed = true;
    return Promise.resolve(this.#bytes);
  }
}

const CONNECTION: CallerConnection = {
  address: "127.0.0.1",
  isMoving: false,
  requestEnded() {},
  closeAfterAnswer() {},
  closeUnread() {},
};

const PRICES = { input: 1, output: 2 };
const OPENAI = {
  kind: "openai",
  models: [
    { id: CHAT.model, prices: PRICES },
    { id: "text-embedding-3-small", capabilities: { embeddings: true }, prices: PRICES },
  ],
};
const ANTHROPIC = { kind: "anthropic", models: [{ id: "claude-haiku-4-5", prices: PRICES }] };

/** What a case sends, and to whom. */
interface CaseOptions {
  readonly path?: string;
  readonly body?: unknown;
  readonly key?: string;
  readonly provider?: Readonly<Record<string, unknown>>;
  readonly status?: number;
}

/** Creates a gateway with one vendor. @returns what sends one request, and what settles it */
function createCaller(
  fetch: Fetch,
  clock: StepClock,
  { path = "/v1/chat/completions", body = CHAT, key = SERVICE_KEY, ...options }: CaseOptions,
): Pick<GuardCase, "ask" | "settle"> {
  const { provider = OPENAI, status = 200 } = options;
  const limited = {
    ...{ name: "limited", key: LIMITED_KEY, limits: { requests_per_minute: 1_000_000_000 } },
    budget: { usd: 1_000_000, per: "day" },
  };
  const gateway = createGatewayOn(clock, {
    config: {
      server: { keys: [{ name: "test", key: SERVICE_KEY }, limited] },
      providers: { vendor: { ...provider, base_url: "http://vendor.test/v1", api_key: "k" } },
    },
    usage: new ForgetfulStore(),
    writeLog() {},
    // Longer than the program runs: the requests are settled when the guard says so.
    ...{ fetch, lag: HOUR_MS },
  });
  const bytes = encoder.encode(JSON.stringify(body));
  const headers = new Headers({
    ...{ authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...{ "content-length": String(bytes.length), host: "gateway.test" },
  });
  const { signal } = new AbortController();
  return {
    async ask() {
      clock.step();
      const request = new CallerRequest(`http://gateway.test${path}`, headers, bytes, signal);
      const response = await gateway.app.handle(request as unknown as Request, CONNECTION);
      if (response.status !== status) throw new Error(await response.text());
      const type = response.headers.get("content-type");
      if (type?.startsWith("text/event-stream")) {
        const reader = response.body?.getReader();
        while (reader !== undefined && !(await reader.read()).done);
      }
      return response;
    },
    settle: () => gateway.flush(),
  };
}

/** Takes the rows of the ledger, and keeps none. */
class ForgetfulStore extends MemoryUsageStore {
  override write(): Promise<void> {
    return READY;
  }
}

/** What the loop of the guard itself takes. */
async function loopOnly(): Promise<void> {
  await READY;
}

/** Creates all cases. The clock is closed by the caller. */
export function createCases(): { readonly cases: readonly GuardCase[]; readonly clock: Closable } {
  const clock = new StepClock();
  const create = (name: string, fetch: Fetch, options: CaseOptions = {}): GuardCase => ({
    ...{ name, units: 1, without: loopOnly, ...createCaller(fetch, clock, options) },
  });
  const plain = createFetch(COMPLETION);
  const stream = { body: { ...CHAT, stream: true } };
  const long = create("stream, an event", createFetch(toStream(EVENTS)), stream);
  const short = create("", createFetch(toStream(OTHER_EVENTS)), stream);
  const http = new HttpClient({
    dial: () => Promise.resolve(new VendorConnection(COMPLETION)),
    clock,
  });
  const messages = { model: "claude-haiku-4-5", messages: MESSAGES, max_tokens: 64 };
  return {
    clock,
    cases: [
      create("chat JSON", plain),
      create(PLAIN, http.fetch),
      {
        ...long,
        without: short.ask,
        units: EVENTS - OTHER_EVENTS,
        settle() {
          long.settle();
          short.settle();
        },
      },
      create("Messages", createFetch(MESSAGE), {
        ...{ path: "/v1/messages", body: messages, provider: ANTHROPIC },
      }),
      create("Responses", createFetch(RESPONSE), {
        path: "/v1/responses",
        body: { model: CHAT.model, input: "Hello!", store: false },
      }),
      create("embeddings", createFetch(VECTORS), {
        path: "/v1/embeddings",
        body: { model: "text-embedding-3-small", input: "Hello!" },
      }),
      create("limits and budget", plain, { key: LIMITED_KEY }),
      create(
        "rate limit headers",
        createFetch({
          ...COMPLETION,
          headers: { ...RATE_LIMITS, ...COMPLETION.headers },
        }),
      ),
      create("401", plain, { key: "sk-unknown", status: 401 }),
    ],
  };
}

/** What has to be closed. */
type Closable = Pick<StepClock, "close">;
