/** Thousands of requests, a third of them left by their callers: nothing stays open behind them. */

import { assert, assertEquals } from "@std/assert";
import { turn, until } from "../support/elapse.ts";
import {
  type Fault,
  FaultyVendor,
  ROLE,
  silent,
  streamed,
  TOKENS,
  WELL,
} from "../support/faulty_vendor.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { serveGateway } from "../support/server.ts";

const REQUESTS = 2000;
const CALLERS = 50;

const HANGS = silent();
const STALLS = streamed([ROLE, ...TOKENS.slice(0, 2)], (wire) => wire.stall());

Deno.test("2,000 requests, a third of them aborted, leak no resources", async () => {
  // The vendor does what the number in the model's path says.
  const faults: readonly Fault[] = [WELL, HANGS, STALLS];
  await using vendors = new Vendors(faults);
  await abuse(vendors);
  await until(() => vendors.open === 0);
});

async function abuse(vendors: Vendors): Promise<void> {
  await using served = serveGateway({ config: { providers: vendors.providers() } });
  const { gateway } = served;
  let next = 0;
  let aborted = 0;
  const caller = async () => {
    while (next < REQUESTS) {
      const request = next++;
      const leaves = request % 3 === 0;
      const stream = request % 2 === 0;
      // Callers leave before there is an answer, or within a stream.
      const model = leaves ? (stream ? "stalls" : "hangs") : "well";
      const control = new AbortController();
      const answering = served.fetch(`${served.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${SERVICE_KEY}` },
        body: JSON.stringify({ model, stream, messages: [{ role: "user", content: "Hi" }] }),
        signal: control.signal,
      });
      if (!leaves) {
        await (await answering).bytes();
        continue;
      }
      aborted++;
      if (stream) await (await answering).body?.getReader().read();
      else await turn();
      control.abort();
      await answering.then((answer) => answer.body?.cancel()).catch(() => {});
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  await until(() => vendors.busy === 0);
  await gateway.app.drain();
  const counted = gateway.lines.filter(({ attempt }) => attempt === undefined);
  const gone = counted.filter(({ outcome }) => outcome === "client_gone").length;
  assert(aborted >= REQUESTS / 3);
  // A caller may be gone before its request has begun.
  assert(gone <= aborted && counted.length >= REQUESTS - aborted, `${gone} of ${aborted}`);
  assertEquals(counted.filter(({ outcome }) => outcome === "done").length, REQUESTS - aborted);
  assertEquals(gateway.clock.pending, 0, "timers are left");
  assertEquals(gateway.shutdown.listeners, 0, "listeners are left");
  assertEquals(gateway.bugs, []);
  assert(vendors.open <= CALLERS, `${vendors.open} connections are open`);
}

/** One vendor for each fault. */
class Vendors implements AsyncDisposable {
  readonly #all: readonly FaultyVendor[];

  constructor(faults: readonly Fault[]) {
    this.#all = faults.map((fault) => new FaultyVendor(() => fault));
  }

  get busy(): number {
    return this.#all.reduce((sum, { busy }) => sum + busy, 0);
  }

  get open(): number {
    return this.#all.reduce((sum, { open }) => sum + open, 0);
  }

  providers(): Record<string, unknown> {
    const models = ["well", "hangs", "stalls"];
    return Object.fromEntries(models.map((model, index) => [model, {
      kind: "openai_compatible",
      base_url: this.#all[index]?.url,
      api_key: VENDOR_KEY,
      models: [model],
    }]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const vendor of this.#all) await vendor[Symbol.asyncDispose]();
  }
}
