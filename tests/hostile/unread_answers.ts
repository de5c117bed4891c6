/** Callers that request long streams and do not read. */

import { eventually } from "../bench/children.ts";
import { toRequestBytes } from "../bench/wire.ts";
import { toAnswer, toCompletion } from "./answers.ts";
import { Crowd } from "./crowd.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { descriptorsOf, residentOf } from "./process_limits.ts";
import { HELLO, toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario, Trial } from "./trial.ts";

const WRITE_TIMEOUT_MS = 1000;
const SLACK_MS = 3000;
const MB = 2 ** 20;
/** More than the system's buffers take on the loopback: what they take counts as read. */
const ANSWER_SIZE = 16 * MB;

/** After `write_timeout` all resources are free again. */
export const unreadAnswers: Scenario = {
  name: "unread",
  seconds: 40,
  async run(trial) {
    const endless = trial.own(createEndlessVendor());
    await attack(trial, endless, { callers: 20, what: "streams", stream: true, megabytes: 100 });
    const large = toAnswer(200, toCompletion("x".repeat(ANSWER_SIZE)));
    const vendor = trial.own(new RawVendor((_, connection) => connection.send(large)));
    const unary = { callers: 5, what: "answers of 16 MB", stream: false, megabytes: 640 };
    await attack(trial, vendor, unary);
  },
};

interface Unread {
  readonly callers: number;
  readonly what: string;
  readonly stream: boolean;
  /** The limit of their total memory, in megabytes. */
  readonly megabytes: number;
}

async function attack(trial: Trial, vendor: RawVendor, unread: Unread): Promise<void> {
  const { callers, what, stream, megabytes } = unread;
  const server = { write_timeout: `${WRITE_TIMEOUT_MS}ms` };
  const gateway = await trial.start({ config: { server, providers: toProvider(vendor.url) } });
  const before = descriptorsOf(gateway.pid) ?? 0;
  const idle = residentOf(gateway.pid).now;
  const headers = { authorization: `Bearer ${SERVICE_KEY}` };
  const body = JSON.stringify({ ...HELLO, stream });
  const ask = new TextDecoder().decode(toRequestBytes("/v1/chat/completions", headers, body));
  using crowd = new Crowd();
  await crowd.add(gateway.port, callers, ask);
  await eventually(() => vendor.connections === callers, SLACK_MS);
  const limit = WRITE_TIMEOUT_MS + SLACK_MS * trial.patience;
  if (stream) {
    await eventually(() => vendor.open === 0, limit);
    trial.report(
      `${callers} ${what}: the vendor's connections`,
      `closed in ${limit} ms`,
      `${vendor.open} of ${vendor.connections} are open`,
      vendor.open === 0 && vendor.connections === callers,
    );
  }
  const sockets = () => (descriptorsOf(gateway.pid) ?? 0) - before;
  // Idle connections to the vendor are not a leak.
  const left = () => sockets() - vendor.open;
  await eventually(() => left() <= 2, limit);
  const extra = (residentOf(gateway.pid).peak - idle) / MB;
  trial.report(
    `${callers} ${what}: memory`,
    `at most ${megabytes} MB more`,
    `${extra.toFixed(0)} MB more`,
    extra <= megabytes,
  );
  const name = `${callers} ${what}: the callers' sockets`;
  const measured = `${left()} are open`;
  trial.report(name, `closed in ${limit} ms`, measured, left() <= 2);
}

/** An endless stream, as fast as it is read. */
function createEndlessVendor(): RawVendor {
  const { choices: _, usage: __, ...envelope } = toCompletion("");
  const choices = [{ index: 0, delta: { content: "x".repeat(1000) }, finish_reason: null }];
  const event = `data: ${JSON.stringify({ ...envelope, choices })}\n\n`;
  return new RawVendor(async (_, connection) => {
    await connection.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n");
    for (;;) await connection.send(event.repeat(50));
  });
}
