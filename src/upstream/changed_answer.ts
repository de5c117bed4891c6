/** Changes the text of a passed answer. */

import { Buffer } from "node:buffer";
import type { Packets } from "./read_response.ts";

/** How the body of a passed answer is changed. */
export interface AnswerChange {
  /** The length in bytes up to which a body is changed; a longer one passes unchanged. */
  readonly maxBytes: number;
  readonly change: (bytes: Buffer) => Uint8Array;
}

/** The packets of a changed answer. The body is read before its first packet. */
export function changedAnswer(packets: Packets, { change, maxBytes }: AnswerChange): Packets {
  let waiting: Uint8Array[] | undefined;
  const read = async () => {
    const read: Uint8Array[] = [];
    let size = 0;
    for (let packet = await packets.next(); packet !== undefined; packet = await packets.next()) {
      // A packet is valid only until the next one is read.
      read.push(packet.slice());
      size += packet.length;
      if (size > maxBytes) return read;
    }
    return size === 0 ? [] : [change(Buffer.concat(read))];
  };
  return {
    async next() {
      waiting ??= await read();
      return waiting.shift() ?? await packets.next();
    },
    take: () => undefined,
    arrival: () => packets.arrival(),
    close: () => packets.close(),
    finish: (clock) => packets.finish(clock),
  };
}
