/** Reads the streamed body of a request, the same for every HTTP client. */

import { type RequestBody, RequestBodyError } from "./transport.ts";

/** Whether a body is sent as it is read, and so cannot be sent twice. */
export function isStreamed(
  body: RequestBody | undefined,
): body is Exclude<RequestBody, string | Uint8Array> {
  return body !== undefined && typeof body !== "string" && !(body instanceof Uint8Array);
}

/** Reads a streamed body once, and checks its size. */
export class RequestBodyReader {
  readonly #source: Source;
  /** Bytes that are missing from the declared size. */
  #left: number | undefined;
  #isCancelled = false;
  /** Whether all of it has been read. */
  isEnded = false;
  /** Why the body could not be read. */
  failure: RequestBodyError | undefined;

  /** @param size the size of the body in bytes, where it is declared */
  constructor(body: AsyncIterable<Uint8Array>, readonly size: number | undefined) {
    this.#source = sourceOf(body);
    this.#left = size;
  }

  /**
   * The next bytes, never empty; undefined at the end.
   *
   * @throws {RequestBodyError} when the body fails, or does not have the declared size.
   */
  async next(): Promise<Uint8Array | undefined> {
    try {
      for (;;) {
        const { done, value } = await this.#source.next();
        // A truncated body must not look complete.
        if (this.#isCancelled) throw new TypeError("The body is no longer read");
        if (done) {
          this.isEnded = true;
          if (this.#left) throw new TypeError(`The body is ${this.#left} bytes too short`);
          return undefined;
        }
        if (!(value instanceof Uint8Array)) {
          throw new TypeError("The body does not consist of bytes");
        }
        if (this.#left !== undefined && value.length > this.#left) {
          throw new TypeError("The body is longer than its content length");
        }
        if (this.#left !== undefined) this.#left -= value.length;
        if (value.length > 0) return value;
      }
    } catch (thrown) {
      this.failure = new RequestBodyError(thrown);
      this.cancel();
      throw this.failure;
    }
  }

  /** Cancels the source. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#source.cancel().catch(() => {});
  }
}

interface Source {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  cancel(): Promise<unknown>;
}

function sourceOf(body: AsyncIterable<Uint8Array>): Source {
  if (body instanceof ReadableStream) {
    // The iterator of a stream would wait for a pending read before it cancels.
    const reader = body.getReader();
    return { next: () => reader.read(), cancel: () => reader.cancel() };
  }
  const iterator = body[Symbol.asyncIterator]();
  return { next: () => iterator.next(), cancel: async () => await iterator.return?.() };
}
