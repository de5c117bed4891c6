/** The body of a request on its way to a vendor, packet by packet. */

import type { Clock } from "../core/clock.ts";
import { GatewayError } from "../core/errors.ts";
import type { PassedUpload } from "../routing/passed_request.ts";

/** A body that is read as it is sent, within the limits of both sides. */
export class UploadBody implements PassedUpload {
  onVendorStalled = () => {};
  readonly #body: ReadableStream<Uint8Array>;
  readonly #callerMs: number;
  readonly #vendorMs: number;
  readonly #clock: Clock;

  /**
   * @param callerMs the longest pause of the caller, in milliseconds
   * @param vendorMs the longest time in which the vendor reads nothing, in milliseconds
   */
  constructor(body: ReadableStream<Uint8Array>, callerMs: number, vendorMs: number, clock: Clock) {
    this.#body = body;
    this.#callerMs = callerMs;
    this.#vendorMs = vendorMs;
    this.#clock = clock;
  }

  /**
   * @throws {GatewayError} `request_timeout` when the caller stalls; `client_gone` when it
   * disconnects.
   */
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const reader = this.#body.getReader();
    let cancelVendor = () => {};
    return {
      next: async () => {
        cancelVendor();
        const packet = await this.#read(reader);
        if (packet.done) return { done: true, value: undefined };
        cancelVendor = this.#clock.after(this.#vendorMs, () => this.onVendorStalled());
        return { done: false, value: packet.value };
      },
      return: () => {
        cancelVendor();
        // Not awaited: the cancellation of a stalled body may never complete.
        void reader.cancel().catch(() => {});
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  }

  async #read(
    reader: ReadableStreamDefaultReader<Uint8Array>,
  ): Promise<ReadableStreamReadResult<Uint8Array>> {
    const stalled = Promise.withResolvers<never>();
    const cancel = this.#clock.after(this.#callerMs, () => stalled.reject(tooSlow(this.#callerMs)));
    try {
      return await Promise.race([reader.read(), stalled.promise]);
    } catch (thrown) {
      void reader.cancel().catch(() => {});
      if (thrown instanceof GatewayError) throw thrown;
      throw new GatewayError("client_gone", "The client disconnected while it sent the body", {
        cause: thrown,
      });
    } finally {
      cancel();
    }
  }
}

function tooSlow(ms: number): GatewayError {
  const message = `The request body stalled for ${Math.round(ms / 1000)} s`;
  return new GatewayError("request_timeout", message, { headers: { connection: "close" } });
}
