/** WebSockets of one key: many connections, with messages that are complete and that never end. */

import { Buffer } from "node:buffer";
import { sleep } from "../bench/children.ts";
import { Wire } from "../bench/wire.ts";
import { toAnswer, toCompletion } from "./answers.ts";
import { call } from "./caller.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { residentOf } from "./process_limits.ts";
import { HELLO, toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

const MB = 1_000_000;
const OTHER_KEY = "sk-hostile-other-key";
const KEYS = [{ name: "hostile", key: SERVICE_KEY }, { name: "other", key: OTHER_KEY }];
const SOCKETS = 1000;
const SOCKETS_SHORT = 100;
const MAX_OPEN = 8;
const MESSAGE = 31 * MB;
/** Resident memory beside a heap of one GiB. */
const MAX_GROWTH = 1500 * MB;

const HANDSHAKE = Buffer.from(
  "GET /v1/responses HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n" +
    `authorization: Bearer ${SERVICE_KEY}\r\nsec-websocket-version: 13\r\n` +
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
);

/** A masked text frame; the mask is zero. */
function toFrame(text: string, isLast: boolean): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(14);
  head[0] = isLast ? 0x81 : 0x01;
  head[1] = 0xff;
  head.writeBigUInt64BE(BigInt(payload.length), 2);
  return Buffer.concat([head, payload]);
}

/** The process lives, and other keys are served. */
export const sockets: Scenario = {
  name: "WebSockets",
  alone: true,
  seconds: 60,
  async run(trial) {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    trial.own({ [Symbol.dispose]: resolve });
    const answer = toAnswer(200, toCompletion("Hello."));
    const vendor = trial.own(
      new RawVendor(async ({ body }, connection) => {
        if (body.includes("wait for it")) await over;
        await connection.send(answer);
      }),
    );
    const gateway = await trial.start({
      config: {
        // A message that never ends would otherwise free the place of its connection.
        server: { keys: KEYS, websockets: "on", body_timeout: "10m" },
        providers: toProvider(vendor.url),
      },
      env: { DENO_V8_FLAGS: "--max-old-space-size=1024" },
    });
    const before = residentOf(gateway.pid).now;
    const message = (input: string) =>
      JSON.stringify({ type: "response.create", model: HELLO.model, input });
    const wait = toFrame(message("wait for it"), true);
    const whole = toFrame(message("x".repeat(MESSAGE)), true);
    const part = toFrame("x".repeat(MESSAGE), false);
    const wires: Wire[] = [];
    trial.own({ [Symbol.dispose]: () => wires.forEach((wire) => wire.close()) });
    let open = 0;
    for (let count = 0; count < (trial.short ? SOCKETS_SHORT : SOCKETS); count++) {
      const wire = await Wire.open(gateway.port);
      wires.push(wire);
      await wire.write(HANDSHAKE);
      const reply = await wire.next();
      if (!reply?.head.startsWith("http/1.1 101")) continue;
      open++;
      const frames = open % 2 === 0 ? [wait, whole, whole, whole] : [part];
      void (async () => {
        for (const frame of frames) await wire.write(frame);
      })().catch(() => {});
    }
    let served = 0;
    for (let count = 0; count < 20; count++) {
      const headers = { authorization: `Bearer ${OTHER_KEY}` };
      const { status } = await call(gateway.port, HELLO, { headers });
      if (status === 200) served++;
      await sleep(100);
    }
    const growth = residentOf(gateway.pid).now - before;
    trial.report("open of one key", `${MAX_OPEN}`, `${open}`, open === MAX_OPEN);
    trial.report("other keys", "20 of 20", `${served} of 20`, served === 20);
    trial.report(
      "growth",
      `${MAX_GROWTH / MB} MB`,
      `${Math.round(growth / MB)} MB`,
      growth < MAX_GROWTH,
    );
  },
};
