/** A busy key in the queue, and one request of another key that the vendor refuses once more. */

import { sleep } from "../bench/children.ts";
import { toAnswer, toCompletion } from "./answers.ts";
import { call } from "./caller.ts";
import { SERVICE_KEY } from "./gateway_process.ts";
import { HELLO, toProvider } from "./providers.ts";
import { RawVendor } from "./raw_vendor.ts";
import type { Scenario } from "./trial.ts";

const RARE_KEY = "sk-hostile-rare-key";
/** In the text of the rare request. */
const RARE = "rare";
/** Requests of the busy key; all of them wait at first. */
const BUSY = 90;
/** The limit has room for this many; then dozens have a turn together. */
const ROOM = 31;
/** The time of an answer while it has room, in milliseconds. */
const ANSWER_MS = 40;
/** Requests that are refused together, and how long the rare one waits for them. */
const REFUSED_TOGETHER = 30;
const HELD_MS = 800;
/** From then on one request passes in this time. */
const INTERVAL_MS = 100;
/** Busy requests that may pass before the rare one: a few are on their way. */
const MAX_BEFORE = 10;
/** The time in which the busy requests have joined the queue. */
const JOINED_MS = 1000;
/** The time in which all are served, on a machine that is not busy. */
const MAX_WAIT_MS = 20_000;

const PASSED = toAnswer(200, toCompletion("Hi"));
const REFUSED = toAnswer(429, { error: { message: "Slow down" } });

/** A limit that is reached, then has room for a while, and then refuses all that have a turn together. */
class Limit {
  /** Busy requests that passed after the rare one was refused and before it passed. */
  before = 0;
  /** When the rare request was refused and when it passed. */
  refusedAt = Infinity;
  passedAt = Infinity;
  #phase: "closed" | "open" | "paced" = "closed";
  readonly #isOver = Promise.withResolvers<void>();
  #passed = 0;
  #held = 0;
  #freeAt = 0;

  open(): void {
    this.#phase = "open";
  }

  async answer(isRare: boolean): Promise<string> {
    if (this.#phase === "closed") return REFUSED;
    if (this.#phase === "paced") return this.#pace(isRare);
    if (isRare) return await this.#holdRare();
    if (++this.#passed <= ROOM) {
      await sleep(ANSWER_MS);
      return PASSED;
    }
    if (++this.#held >= REFUSED_TOGETHER) this.#isOver.resolve();
    await this.#isOver.promise;
    return REFUSED;
  }

  /** The rare request takes the first turn while there is room, and is the last one refused. */
  async #holdRare(): Promise<string> {
    await Promise.race([this.#isOver.promise, sleep(HELD_MS)]);
    this.#phase = "paced";
    this.#isOver.resolve();
    await sleep(ANSWER_MS);
    this.refusedAt = performance.now();
    return REFUSED;
  }

  #pace(isRare: boolean): string {
    const now = performance.now();
    if (now < this.#freeAt) return REFUSED;
    this.#freeAt = now + INTERVAL_MS;
    if (isRare) this.passedAt = now;
    else if (now > this.refusedAt && now < this.passedAt) this.before++;
    return PASSED;
  }
}

/** The request of a key that is put back keeps its turn among those of a busy key. */
export const putBack: Scenario = {
  name: "queue put_back",
  seconds: 40,
  async run(trial) {
    const limit = new Limit();
    const patience = MAX_WAIT_MS * trial.patience;
    const vendor = trial.own(
      new RawVendor(async ({ body }, connection) => {
        await connection.send(await limit.answer(body.includes(RARE)));
      }),
    );
    const { port } = await trial.start({
      config: {
        server: {
          keys: [{ name: "busy", key: SERVICE_KEY }, { name: "rare", key: RARE_KEY }],
        },
        providers: toProvider(vendor.url),
        routing: { queue: { max_wait: `${patience / 1000}s` } },
      },
    });
    const busy = Array.from({ length: BUSY }, () => call(port, HELLO, { patience }));
    await sleep(JOINED_MS);
    const request = { ...HELLO, messages: [{ role: "user", content: RARE }] };
    const headers = { authorization: `Bearer ${RARE_KEY}` };
    const asked = call(port, request, { headers, patience });
    await sleep(JOINED_MS);
    limit.open();
    const rare = await asked;
    const served = (await Promise.all(busy)).filter(({ status }) => status === 200).length;
    const { before, passedAt, refusedAt } = limit;
    trial.report(
      `a request that is put back among ${BUSY} of a busy key`,
      `200, at most ${MAX_BEFORE} others first; all served`,
      `${rare.status}, ${before} first, ${(passedAt - refusedAt).toFixed(0)} ms; ${served} served`,
      rare.status === 200 && before <= MAX_BEFORE && served === BUSY,
    );
  },
};
