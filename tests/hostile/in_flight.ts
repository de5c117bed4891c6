/** Bodies that are held open together, and stored answers that push out those of others. */

import { Buffer } from "node:buffer";
import { eventually, sleep } from "../bench/children.ts";
import { toRequestBytes, Wire } from "../bench/wire.ts";
import { toAnswer, toCompletion } from "./answers.ts";
import { call } from "./caller.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { residentOf } from "./process_limits.ts";
import { HELLO, toProvider } from "./providers.ts";
import { createHelloVendor, RawVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

const MB = 1_000_000;
const OTHER_KEY = "sk-hostile-other-key";
const OTHER = { authorization: `Bearer ${OTHER_KEY}` };
const KEYS = [{ name: "hostile", key: SERVICE_KEY }, { name: "other", key: OTHER_KEY }];

const BODIES = 60;
const BODY = 8 * MB;
const MAX_BYTES = 100 * MB;
const MAX_GROWTH = 3 * MAX_BYTES;
const SENT_MS = 10_000;
const ARRIVAL_MS = 1000;

/** Requests that wait for a vendor, or for their last byte. */
export const heldBodies: Scenario = {
  name: "memory",
  alone: true,
  seconds: 30,
  async run(trial) {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    trial.own({ [Symbol.dispose]: resolve });
    const answer = toAnswer(200, toCompletion("Hello."));
    const vendor = trial.own(
      new RawVendor(async ({ body }, connection) => {
        if (body.length > MB) await over;
        await connection.send(answer);
      }),
    );
    const server = { keys: KEYS, max_in_flight_bytes: MAX_BYTES };
    const config = { server, providers: toProvider(vendor.url) };
    const gateway = await trial.start({ config });
    const content = "x".repeat(BODY);
    const bytes = toRequestBytes(
      "/v1/chat/completions",
      { authorization: `Bearer ${SERVICE_KEY}` },
      JSON.stringify({ ...HELLO, messages: [{ role: "user", content }] }),
    );
    const before = residentOf(gateway.pid).now;
    let refused = 0;
    const wires: Wire[] = [];
    trial.own({ [Symbol.dispose]: () => wires.forEach((wire) => wire.close()) });
    for (let count = 0; count < BODIES; count++) {
      const wire = await Wire.open(gateway.port);
      wires.push(wire);
      // Every second one keeps its last byte.
      void wire.write(count % 2 === 0 ? bytes : bytes.subarray(0, -1)).catch(() => {});
      void wire.next().then((reply) => {
        if (reply?.head.startsWith("http/1.1 503") && reply.head.includes("retry-after")) refused++;
      }, () => refused++);
    }
    // What is admitted: each byte counts three times, and a key has no more than its share.
    const most = Math.ceil(MAX_BYTES / (3 * BODY));
    await eventually(() => refused >= BODIES - most, SENT_MS);
    // The bodies that were admitted arrive.
    await sleep(ARRIVAL_MS);
    const growth = residentOf(gateway.pid).peak - before;
    const other = await call(gateway.port, HELLO, { headers: OTHER });
    trial.report(
      `${BODIES} requests of ${BODY / MB} MB held open, ${MAX_BYTES / MB} MB allowed`,
      `others 503; memory ${MAX_GROWTH / MB} MB; other key 200`,
      `${refused} refused; ${(growth / MB).toFixed(0)} MB; ${other.status}`,
      refused >= BODIES - most && growth <= MAX_GROWTH && other.status === 200,
    );
  },
};

const ANSWERS = 12;
const PATH = "/v1/responses";

/** One key's stored answers do not push out those of another one. */
export const storedAnswers: Scenario = {
  name: "stored",
  alone: true,
  seconds: 30,
  async run(trial) {
    const vendor = trial.own(createHelloVendor());
    const config = { server: { keys: KEYS }, providers: toProvider(vendor.url) };
    const gateway = await trial.start({ config });
    const own = await call(gateway.port, { model: "m", input: "Mine" }, {
      ...{ path: PATH, headers: OTHER },
    });
    const id = /"id":"(resp_[^"]+)"/.exec(own.body)?.[1];
    if (id === undefined) throw new TypeError(`No answer was stored: ${own.body.slice(0, 200)}`);
    const input = Buffer.alloc(27 * MB, "x").toString();
    let stored = 0;
    for (let count = 0; count < ANSWERS; count++) {
      const { status } = await call(gateway.port, { model: "m", input }, { path: PATH });
      if (status === 200) stored++;
    }
    const reply = await call(gateway.port, "", { path: `${PATH}/${id}`, headers: OTHER });
    trial.report(
      `${ANSWERS} stored answers of 27 MB: an answer of another key`,
      "200",
      `${reply.status} after ${stored}`,
      reply.status === 200 && stored > 0,
    );
  },
};
