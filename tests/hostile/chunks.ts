/** Bodies in very small chunks, whose framing costs more than their content. */

import { Wire } from "../bench/wire.ts";
import { exchange, type Reply } from "./caller.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { maxGapOf } from "./held.ts";
import { toProvider } from "./providers.ts";
import { createHelloVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

const MB = 1_000_000;
const PATHS = ["/v1/providers/v/proxy/images/edits", "/v1/chat/completions"];
/** The size of chunks and of all of them, and the status of an upload in them. */
const UPLOADS = [
  [4096, 32 * MB, 200],
  [1024, 16 * MB, 200],
  [1, 100_000, 413],
] as const;
/** Gaps of other work on a busy machine; what the runtime once held took seconds. */
const SLACK_GAPS = 5;
const MAX_SECONDS = 15;

export const chunks: Scenario = {
  name: "chunks",
  seconds: 90,
  alone: true,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    const gateway = await trial.start({
      config: {
        server: { keys: [{ name: "hostile", key: SERVICE_KEY }], max_body: "64MiB" },
        providers: toProvider(vendor.url, { passthrough: true }),
      },
    });
    const pinger = trial.ping(gateway);
    const [passed = "", read = ""] = PATHS;
    const maxGap = SLACK_GAPS * maxGapOf(trial);
    for (const [size, total, status] of UPLOADS) {
      for (const path of [passed, read]) {
        await pinger.read();
        const reply = await upload(gateway.port, path, size, total);
        const { longest } = await pinger.read();
        // The body of the route is no JSON.
        const expected = status === 200 && path === read ? 400 : status;
        trial.report(
          `${total / MB} MB in chunks of ${size} to ${path}`,
          `${expected} in ${MAX_SECONDS} s, gap ${maxGap} ms`,
          `${reply.status} in ${(reply.ms / 1000).toFixed(1)} s, gap ${longest.toFixed(0)} ms`,
          reply.status === expected && longest <= maxGap,
        );
      }
    }
  },
};

async function upload(port: number, path: string, size: number, total: number): Promise<Reply> {
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n` +
    `authorization: Bearer ${SERVICE_KEY}\r\ntransfer-encoding: chunked\r\n\r\n`;
  const chunk = `${size.toString(16)}\r\n${"x".repeat(size)}\r\n`;
  const wire = await Wire.open(port);
  try {
    const text = `${head}${chunk.repeat(total / size)}0\r\n\r\n`;
    return await exchange(wire, new TextEncoder().encode(text), MAX_SECONDS * 1000);
  } finally {
    wire.close();
  }
}
