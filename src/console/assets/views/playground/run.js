/** One request to one model, from its start to its receipt. */

import { getJson, send, toErrorOf } from "../../lib/api.js";
import { readEvents } from "../../lib/sse.js";
import { AnswerFold } from "./answer_fold.js";
import { readReceiptHeaders } from "./receipt_facts.js";

const PATH = "/v1/chat/completions";

/** Delays before the finished request is read from the ledger, in milliseconds. */
const RECORD_PAUSES_MS = [60, 200, 500, 1000, 2000, 4000, 8000];

/** Shorter times, in milliseconds, are too short to compute a model's speed. */
const MIN_WRITING_MS = 50;

/** The members of a run that a copy has. */
const COPIED = [
  ...["error", "explanation", "explanationError", "fold", "headers", "isRestored", "record"],
  ...["requestId", "state", "startedAt", "firstTextAt", "endedAt"],
];

/** An ID that no other request has. */
export function newRequestId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `req_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** The number of the last run. */
let last = 0;

/**
 * A run. Components listen for changes of its state. Text is sent to separate listeners, so that a
 * long answer is not rendered again for each piece.
 */
export class Run {
  id = ++last;
  /** `waiting`, `streaming`, `done`, `stopped` or `failed`; `preview` without an answer. */
  state = "waiting";
  /** @type {import("../../lib/api.js").ApiError | null} */
  error = null;
  /** The facts in the response headers; null until they have arrived. */
  headers = null;
  /** The answer to the same request with `x-sluice-explain`, or its error. */
  explanation = null;
  explanationError = null;
  /** The request in the ledger; null until it arrives. */
  record = null;
  /** Whether it is from before the page was reloaded. */
  isRestored = false;
  /** The results of the tool calls, by the ID of the call. */
  toolAnswers = new Map();
  /** The ID that is sent with the request, so that it is known even without an answer. */
  requestId = newRequestId();
  startedAt = performance.now();
  firstTextAt = null;
  endedAt = null;
  /** The number of changes. */
  version = 0;
  #listeners = new Set();
  #textListeners = new Set();
  #abort = new AbortController();
  #isExplained = false;

  /** @param {{ model: string, body: object, headers: Record<string, string> }} request */
  constructor(request) {
    this.request = request;
    this.fold = new AnswerFold((part, text) => this.#addText(part, text));
  }

  /** Sends the request. Resolves when everything has arrived, also after a failure. */
  async start() {
    const { body, headers } = this.request;
    try {
      const response = await send(PATH, {
        body,
        headers: { ...headers, "x-request-id": this.requestId },
        signal: this.#abort.signal,
      });
      this.#setHeaders(response.headers);
      await this.#read(response);
      this.#end("done");
    } catch (thrown) {
      if (thrown.headers?.has("x-request-id")) this.#setHeaders(thrown.headers);
      if (!this.#abort.signal.aborted) this.error = thrown;
      this.#end(this.#abort.signal.aborted ? "stopped" : "failed");
    }
    await this.#loadRecord();
  }

  /** A copy of a run that has ended, for another column: what is answered there stays there. */
  copy() {
    const run = new Run(this.request);
    for (const name of COPIED) run[name] = this[name];
    run.toolAnswers = new Map(this.toolAnswers);
    if (this.record === null && !this.isRestored) void run.#loadRecord();
    return run;
  }

  /** Requests the explanation once, when the receipt is shown. */
  async explain() {
    if (this.#isExplained || this.isRestored) return;
    this.#isExplained = true;
    const { body, headers } = this.request;
    try {
      const explained = { ...headers, "x-sluice-explain": "true" };
      this.explanation = await getJson(PATH, { body, headers: explained });
    } catch (thrown) {
      this.explanationError = thrown;
    }
    this.#changed();
  }

  /** Stops the answer: the connection is closed, and the gateway closes the vendor's. */
  stop() {
    if (this.isOpen) this.#abort.abort();
  }

  /** Whether the answer may still grow. */
  get isOpen() {
    return this.state === "waiting" || this.state === "streaming";
  }

  /** The message for the next turn; undefined if there is none. */
  toMessage() {
    return this.fold.toMessage();
  }

  async #read(response) {
    const { fold } = this;
    if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
      fold.addCompletion(await response.json());
      return;
    }
    let isComplete = false;
    await readEvents(response, ({ data }) => {
      if (data === "[DONE]") {
        isComplete = true;
        return;
      }
      const event = JSON.parse(data);
      const error = toErrorOf(event, {
        requestId: response.headers.get("x-request-id"),
        headers: response.headers,
      });
      if (error !== undefined) throw error;
      fold.addChunk(event);
    });
    if (!isComplete) throw new Error("The stream ended before the answer was complete");
  }

  /** A request is written to the ledger shortly after its end. */
  async #loadRecord() {
    for (const pause of RECORD_PAUSES_MS) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      try {
        this.record = await getJson(`/v1/requests/${this.requestId}`);
        break;
      } catch (thrown) {
        if (thrown.status !== 404) break;
      }
    }
    this.#changed();
  }

  #addText(part, text) {
    if (this.firstTextAt === null) {
      this.firstTextAt = performance.now();
      this.state = "streaming";
      this.#changed();
    }
    for (const listener of this.#textListeners) listener(part, text);
  }

  #setHeaders(headers) {
    this.headers = readReceiptHeaders(headers);
    this.#changed();
  }

  #end(state) {
    this.endedAt = performance.now();
    this.state = state;
    this.#changed();
  }

  /** Stores the result of a tool call. */
  answerTool(id, text) {
    this.toolAnswers.set(id, text);
    this.#changed();
  }

  /** Calls a function after each change of the state. Returns a function that unsubscribes. */
  onChange(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls a function with each new piece of text. Returns a function that unsubscribes. */
  onText(listener) {
    this.#textListeners.add(listener);
    return () => this.#textListeners.delete(listener);
  }

  #changed() {
    this.version++;
    for (const listener of this.#listeners) listener();
  }

  /** Times and speed in milliseconds and tokens per second; null where it is unknown. */
  get timing() {
    const { startedAt, firstTextAt, endedAt } = this;
    const isStream = this.request.body.stream === true;
    const total = endedAt === null ? null : endedAt - startedAt;
    const tokens = this.fold.usage?.completion_tokens;
    const writing = endedAt === null || firstTextAt === null ? 0 : endedAt - firstTextAt;
    const speed = isStream && tokens > 0 && writing >= MIN_WRITING_MS
      ? tokens / (writing / 1000)
      : null;
    return {
      first: isStream && firstTextAt !== null ? firstTextAt - startedAt : null,
      total,
      speed,
    };
  }

  /** The target that answered: from the headers, else from the ledger. Null while it is unknown. */
  get target() {
    const { headers, record } = this;
    if (headers?.provider) return { provider: headers.provider, model: headers.model ?? "" };
    if (!record?.provider) return null;
    return { provider: record.provider, model: record.upstream ?? "" };
  }

  /** The number of attempts; null while it is unknown. */
  get attempts() {
    return this.headers?.attempts ?? this.record?.attempt_count ?? null;
  }

  /** The cost in US dollars, from the first source that has it; null if none does. */
  get cost() {
    const amount = this.fold.usage?.cost ?? this.headers?.cost ?? this.record?.cost_usd ?? null;
    return typeof amount === "number" ? amount : null;
  }
}
