/** The thread of the pinger. */

import { sleep } from "../bench/children.ts";
import { statusOf, toRequestBytes, Wire } from "../bench/wire.ts";

const PAUSE_MS = 5;
const PING = toRequestBytes("/healthz", {}, "");

let longest = 0;
/** The start time of the open request. */
let openSince: number | undefined;

interface Scope {
  onmessage: (event: MessageEvent) => void;
  postMessage(message: unknown): void;
}

const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data }) => {
  if (typeof data === "object") return void ping(data.port);
  const open = openSince === undefined ? 0 : performance.now() - openSince;
  scope.postMessage({ longest: Math.max(longest, open) });
  longest = 0;
};

async function ping(port: number): Promise<void> {
  let wire: Wire | undefined;
  for (;;) {
    // A failed request counts as open until one is answered.
    openSince ??= performance.now();
    try {
      wire ??= await Wire.open(port);
      await wire.write(PING);
      const answer = await wire.next();
      if (answer === undefined || statusOf(answer) !== 200) throw new Error("No answer");
      longest = Math.max(longest, performance.now() - openSince);
      openSince = undefined;
    } catch {
      wire?.close();
      wire = undefined;
    }
    await sleep(PAUSE_MS);
  }
}
