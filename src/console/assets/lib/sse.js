/**
 * Parses server-sent events from bytes that may be split anywhere, in linear time.
 *
 * The package `eventsource-parser` does the same, but exports one of its two modules: a page
 * without a build step cannot load it, and it is 24 kB instead of 3 kB (4.1.3, 2026-11-24).
 */

/** An event: its name and its data. The lines of the data are joined with a line feed. */

/** Collects bytes and returns the completed events. */
export class EventReader {
  #decoder = new TextDecoder();
  /** The pieces of the line that has not ended yet. */
  #line = [];
  /** True after a carriage return: a following line feed belongs to it. */
  #afterReturn = false;
  #name = "";
  #data = [];

  /**
   * Reads the next bytes.
   *
   * @param {Uint8Array} bytes
   * @returns {Generator<{ name: string, data: string }>} the events that are complete now
   */
  *push(bytes) {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text === "") return;
    let start = this.#afterReturn && text.startsWith("\n") ? 1 : 0;
    this.#afterReturn = false;
    let feed = text.indexOf("\n", start);
    let carriage = text.indexOf("\r", start);
    while (feed !== -1 || carriage !== -1) {
      const isReturn = carriage !== -1 && (feed === -1 || carriage < feed);
      const end = isReturn ? carriage : feed;
      this.#line.push(text.slice(start, end));
      const line = this.#line.length === 1 ? this.#line[0] : this.#line.join("");
      this.#line = [];
      start = end + 1;
      if (isReturn) {
        if (start === text.length) this.#afterReturn = true;
        else if (feed === start) start++;
      }
      // Each position is searched once; otherwise a search to the end would repeat for each line.
      if (feed !== -1 && feed < start) feed = text.indexOf("\n", start);
      if (carriage !== -1 && carriage < start) carriage = text.indexOf("\r", start);
      const event = this.#read(line);
      if (event !== undefined) yield event;
    }
    if (start < text.length) this.#line.push(text.slice(start));
  }

  /** Reads one line. An empty line ends an event; events without data are ignored. */
  #read(line) {
    if (line === "") {
      const event = { name: this.#name || "message", data: this.#data.join("\n") };
      const isEmpty = this.#data.length === 0;
      this.#name = "";
      this.#data = [];
      return isEmpty ? undefined : event;
    }
    const colon = line.indexOf(":");
    // A line that starts with a colon is a comment, such as a keep-alive.
    if (colon === 0) return undefined;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "data") this.#data.push(value);
    else if (field === "event") this.#name = value;
    return undefined;
  }
}

/** The longest work between two pauses, in milliseconds: the page stays responsive. */
const SLICE_MS = 5;

/**
 * Calls a function for each event of a response. It pauses regularly, so that a fast stream does
 * not block the page.
 *
 * @param {Response} response
 * @param {(event: { name: string, data: string }) => void} onEvent
 */
export async function readEvents(response, onEvent) {
  const reader = response.body.getReader();
  const events = new EventReader();
  let began = performance.now();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const event of events.push(value)) {
        onEvent(event);
        if (performance.now() - began > SLICE_MS) {
          await pause();
          began = performance.now();
        }
      }
    }
  } finally {
    // After an error, the rest is not read: canceling closes the connection.
    await reader.cancel().catch(() => {});
  }
}

/** Resolves after the browser has had time to handle input and to paint. */
function pause() {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
