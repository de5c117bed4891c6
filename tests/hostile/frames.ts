/** WebSockets that break the protocol, and conversations of one key beside those of another. */

import { Buffer } from "node:buffer";
import { Wire } from "../bench/wire.ts";
import { closes } from "./caller.ts";
import { type GatewayProcess, SERVICE_KEY } from "./gateway_process.ts";
import { residentOf } from "./process_limits.ts";
import type { Scenario, Trial } from "./trial.ts";
import { within } from "./within.ts";

const OTHER_KEY = "sk-hostile-other-key";
const MODEL = "mock-echo";
const PATIENCE_MS = 5000;
const MIB = 2 ** 20;
const TURNS = 8;
const FRAGMENTS = 1_000_000;
const BLOCK = 10_000;
/** An array for each would take 200 MiB. */
const MAX_GROWTH = 100 * MIB;

const HANDSHAKE: Readonly<Record<string, string>> = {
  "connection": "Upgrade",
  "upgrade": "websocket",
  "authorization": `Bearer ${SERVICE_KEY}`,
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};

/** Handshakes that RFC 6455 (section 4.2) refuses. */
const HANDSHAKES: readonly Readonly<Record<string, string>>[] = [
  { "sec-websocket-version": "12" },
  { "sec-websocket-version": "" },
  { "sec-websocket-key": "YWJj" },
  { "sec-websocket-key": "!".repeat(24) },
  { authorization: "Bearer sk-wrong" },
];

/** Frames that end the connection: without a mask, with a reserved bit, and with wrong text. */
const FRAMES: readonly (readonly number[])[] = [
  [0x81, 2, 72, 105],
  [0xc1, 0x80, 0, 0, 0, 0],
  [0x81, 0x81, 0, 0, 0, 0, 0xff],
  [0x80, 0x80, 0, 0, 0, 0],
];

/** Wrong handshakes and frames are refused; no key takes what another one has prepared. */
export const frames: Scenario = {
  name: "frames",
  seconds: 30,
  async run(trial) {
    const keys = [{ name: "hostile", key: SERVICE_KEY }, { name: "other", key: OTHER_KEY }];
    const gateway = await trial.start({
      config: {
        server: { keys, websockets: "on", responses_memory: { size: "4MiB" } },
        providers: { mock: { kind: "mock", models: [MODEL] } },
      },
    });
    await breakProtocol(trial, gateway);
    await sendFragments(trial, gateway);
    await evict(trial, gateway);
  },
};

/** Opens a WebSocket. An empty header is left out. */
async function openWire(
  trial: Trial,
  port: number,
  headers: Readonly<Record<string, string>> = {},
) {
  const wire = await Wire.open(port);
  trial.own({ [Symbol.dispose]: () => wire.close() });
  const lines = Object.entries({ host: "localhost", ...HANDSHAKE, ...headers })
    .map(([name, value]) => value === "" ? "" : `${name}: ${value}\r\n`).join("");
  await wire.write(Buffer.from(`GET /v1/responses HTTP/1.1\r\n${lines}\r\n`));
  const reply = await within(PATIENCE_MS, wire.next());
  return { wire, status: reply?.head.split(" ")[1] };
}

/** A message in fragments of a byte, which does not end. */
async function sendFragments(trial: Trial, gateway: GatewayProcess): Promise<void> {
  const { wire } = await openWire(trial, gateway.port);
  const before = residentOf(gateway.pid).now;
  const block = Buffer.concat(Array(BLOCK).fill(Buffer.from([0, 0x81, 0, 0, 0, 0, 0x78])));
  await wire.write(Uint8Array.from([0x01, 0x80, 0, 0, 0, 0]));
  for (let sent = 0; sent < FRAGMENTS; sent += BLOCK) await wire.write(block);
  // The answer to a ping follows all that was sent before.
  await wire.write(Uint8Array.from([0x89, 0x80, 0, 0, 0, 0]));
  const hasPong = await within(6 * PATIENCE_MS, untilPong(wire)) ?? false;
  const growth = residentOf(gateway.pid).now - before;
  trial.report(
    `a message in ${FRAGMENTS} fragments of a byte: growth`,
    `${MAX_GROWTH / MIB} MiB`,
    `${hasPong ? "" : "no pong, "}${Math.round(growth / MIB)} MiB`,
    hasPong && growth <= MAX_GROWTH,
  );
  wire.close();
}

/** Whether a pong follows the pings of the server, which sends one every 30 seconds. */
async function untilPong(wire: Wire): Promise<boolean> {
  const received: number[] = [];
  for (let bytes = await wire.packet(); bytes !== undefined; bytes = await wire.packet()) {
    received.push(...bytes);
    const other = received.findIndex((byte, at) => byte !== (at % 2 === 0 ? 0x89 : 0));
    if (other !== -1) return received[other] === 0x8a;
  }
  return false;
}

async function breakProtocol(trial: Trial, { port }: GatewayProcess): Promise<void> {
  const open = (headers?: Readonly<Record<string, string>>) => openWire(trial, port, headers);
  const statuses: unknown[] = [];
  for (const headers of HANDSHAKES) statuses.push((await open(headers)).status);
  trial.report(
    `${HANDSHAKES.length} handshakes with a wrong version or key`,
    "426 426 400 400 401",
    statuses.join(" "),
    statuses.join(" ") === "426 426 400 400 401",
  );
  let closed = 0;
  for (const bytes of FRAMES) {
    const { wire, status } = await open();
    await wire.write(Uint8Array.from(bytes));
    if (status === "101" && await closes(wire, PATIENCE_MS)) closed++;
  }
  trial.report(
    `${FRAMES.length} frames that break the protocol`,
    `${FRAMES.length} connections closed`,
    `${closed} closed`,
    closed === FRAMES.length,
  );
}

/** Prepares more than fits; another key then continues what it has prepared before. */
async function evict(trial: Trial, { port }: GatewayProcess): Promise<void> {
  const open = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/responses`, { headers });
    trial.own({ [Symbol.dispose]: () => socket.close() });
    const { promise, resolve } = Promise.withResolvers<void>();
    socket.onopen = socket.onerror = () => resolve();
    await promise;
    return async (members: Record<string, unknown>) => {
      const last = Promise.withResolvers<Record<string, unknown>>();
      socket.onmessage = ({ data }) => {
        const event = JSON.parse(String(data));
        if (/^(error|response\.(completed|failed))$/.test(event.type)) last.resolve(event);
      };
      socket.send(JSON.stringify({ type: "response.create", model: MODEL, ...members }));
      return await within(PATIENCE_MS, last.promise);
    };
  };
  const ask = await open(OTHER_KEY);
  const kept = await ask({ input: "Remember this", generate: false });
  for (let turn = 0; turn < TURNS; turn++) {
    const greedy = await open(SERVICE_KEY);
    await greedy({ input: "x".repeat(MIB), generate: false });
  }
  const id = (kept?.response as { id?: string } | undefined)?.id;
  const next = await ask({ input: [], previous_response_id: id });
  trial.report(
    `one key prepares ${TURNS} MiB of 4: the next turn of another`,
    "response.completed",
    String(next?.type),
    id !== undefined && next?.type === "response.completed",
  );
}
