/** The body of a request that is forwarded to a vendor, packet by packet. */

import { Buffer } from "node:buffer";
import type { Clock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import type { PacketRead } from "../upstream/transport.ts";
import type { BodyReader } from "./body_reader.ts";
import type { PassedUpload } from "../gateway/passed_request.ts";
import { MAX_PAUSES, MIN_BYTES_PER_MS } from "./request_body.ts";

/** A body that is read while it is sent, within both sides' limits. */
export class UploadBody implements PassedUpload {
  onVendorStalled = () => {};
  readonly #callerMs: number;
  readonly #vendorMs: number;
  readonly #clock: Clock;
  readonly #reader: BodyReader;
  /** The bytes that {@linkcode peek} has read. */
  readonly #peeked: Uint8Array[] = [];
  #isComplete = false;
  /** The number of bytes received, and the time spent waiting for them. */
  #bytes = 0;
  #waited = 0;

  /**
   * @param callerMs the caller's maximum pause, in milliseconds
   * @param vendorMs the maximum time without reads by the vendor, in milliseconds
   */
  constructor(reader: BodyReader, callerMs: number, vendorMs: number, clock: Clock) {
    this.#reader = reader;
    this.#callerMs = callerMs;
    this.#vendorMs = vendorMs;
    this.#clock = clock;
  }

  /** The number of bytes that have arrived. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the whole body has arrived. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * Reads the beginning of the body, which is still forwarded.
   *
   * @param onPacket called with the number of buffered bytes
   */
  async peek(maxBytes: number, onPacket: (bytes: number) => void): Promise<Uint8Array> {
    while (this.#bytes < maxBytes) {
      const packet = await this.read();
      if (packet.done) break;
      this.#peeked.push(packet.value);
      onPacket(this.#bytes);
    }
    return Buffer.concat(this.#peeked);
  }

  /** Cancels a body that is not sent. */
  cancel(): void {
    // Not awaited: the cancellation of a stalled body may never complete.
    void this.#reader.cancel().catch(() => {});
  }

  /**
   * @throws {GatewayError} `request_timeout` when the caller stalls, or is too slow; `client_gone`
   * when it disconnects.
   */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    let cancelVendor = () => {};
    return {
      next: async () => {
        cancelVendor();
        const peeked = this.#peeked.shift();
        const packet = peeked === undefined
          ? await this.read()
          : { done: false, value: peeked } as const;
        if (packet.done) return { done: true, value: undefined };
        cancelVendor = this.#clock.after(this.#vendorMs, () => this.onVendorStalled());
        return { done: false, value: packet.value };
      },
      return: () => {
        cancelVendor();
        this.cancel();
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  /**
   * Reads the next packet, without a limit for the vendor.
   *
   * @throws the errors of the iterator
   */
  async read(): Promise<PacketRead> {
    if (this.#isComplete) return { done: true };
    const began = this.#clock.now();
    const late = Promise.withResolvers<never>();
    const allowed = MAX_PAUSES * this.#callerMs + this.#bytes / MIN_BYTES_PER_MS;
    const left = Math.max(0, Math.ceil(allowed - this.#waited));
    const cancel = left < this.#callerMs
      ? this.#clock.after(left, () => late.reject(tooSlow(allowed, "took over")))
      : this.#clock.after(
        this.#callerMs,
        () => late.reject(tooSlow(this.#callerMs, "stalled for")),
      );
    try {
      const packet = await Promise.race([this.#reader.read(), late.promise]);
      this.#isComplete = packet.done;
      this.#bytes += packet.value?.length ?? 0;
      this.#waited += this.#clock.now() - began;
      return packet;
    } catch (thrown) {
      this.cancel();
      if (thrown instanceof GatewayError) throw thrown;
      throw new GatewayError("client_gone", "The client disconnected while it sent the body", {
        cause: thrown,
      });
    } finally {
      cancel();
    }
  }
}

function tooSlow(ms: number, what: string): GatewayError {
  const message = `The request body ${what} ${Math.round(ms / 1000)} s`;
  return new GatewayError("request_timeout", message, { headers: { connection: "close" } });
}

/** A body that has been read. */
export class WholeBody implements PassedUpload {
  onVendorStalled = () => {};
  readonly isComplete = true;
  readonly #content: Uint8Array<ArrayBuffer>;

  constructor(content: Uint8Array<ArrayBuffer>) {
    this.#content = content;
  }

  get bytes(): number {
    return this.#content.length;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.#content.length > 0) yield this.#content;
  }
}
