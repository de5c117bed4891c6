/** The pass-through over real ports: large bodies in flat memory, and targets as they are written. */

import { assert, assertEquals } from "@std/assert";
import { SystemClock } from "../../src/core/clock.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { RawCaller } from "../support/raw_caller.ts";
import { type Port, serveGatewayOn, serveVendor } from "../support/server.ts";
import { until } from "../support/elapse.ts";

const MIB = 1024 * 1024;
const SIZE = Number(Deno.env.get("PASSTHROUGH_MIB") ?? 256) * MIB;

/**
 * How much memory may grow while a body passes: buffers of sockets and of three HTTP servers, and
 * packets that are not collected yet.
 */
const MAX_GROWTH = 192 * MIB;

const PIECE = new Uint8Array(256 * 1024).map((_, index) => index);

/** A body of this size, made as it is read. */
function bodyOf(
  size: number,
  onPiece: () => void = () => {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left = size;
  return new ReadableStream({
    pull(controller) {
      onPiece();
      if (left === 0) return controller.close();
      left -= PIECE.length;
      controller.enqueue(PIECE.slice());
    },
  }, { highWaterMark: 0 });
}

function memory(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

/** The most memory that is seen while something runs, over what there was before. */
async function growthOf(run: (sample: () => void) => Promise<void>): Promise<number> {
  const before = memory();
  let most = 0;
  await run(() => most = Math.max(most, memory() - before));
  return most;
}

async function countBytes(body: ReadableStream<Uint8Array> | null, onPacket = () => {}) {
  let size = 0;
  for await (const packet of body ?? []) {
    size += packet.length;
    onPacket();
  }
  return size;
}

function serve(vendor: Port) {
  const clock = new SystemClock();
  const openai = {
    kind: "openai",
    api_key: VENDOR_KEY,
    base_url: `${vendor.url}/v1`,
    models: ["m"],
    passthrough: true,
  };
  const served = serveGatewayOn(clock, { config: { providers: { openai } } });
  return { clock, served };
}

const HEADERS = { authorization: `Bearer ${SERVICE_KEY}` };

Deno.test("a large upload passes in flat memory", async () => {
  let size = 0;
  let sample = () => {};
  await using vendor = serveVendor(async (request) => {
    size = await countBytes(request.body, () => sample());
    assertEquals(request.headers.get("content-length"), null);
    return Response.json({ size });
  });
  const { clock, served } = serve(vendor);
  await using _ = served;
  const growth = await growthOf(async (take) => {
    sample = take;
    const response = await served.fetch(`${served.url}/v1/providers/openai/proxy/files`, {
      method: "POST",
      headers: HEADERS,
      body: bodyOf(SIZE),
    });
    assertEquals(await response.json(), { size: SIZE });
  });
  assert(growth < MAX_GROWTH, `memory grew by ${Math.round(growth / MIB)} MiB`);
  clock.close();
});

Deno.test("a large download passes in flat memory", async () => {
  await using vendor = serveVendor(() =>
    new Response(bodyOf(SIZE), { headers: { "content-length": String(SIZE) } })
  );
  const { clock, served } = serve(vendor);
  await using _ = served;
  const growth = await growthOf(async (sample) => {
    const url = `${served.url}/v1/providers/openai/proxy/files/x/content`;
    const response = await served.fetch(url, { headers: HEADERS });
    assertEquals(response.headers.get("content-length"), String(SIZE));
    assertEquals(await countBytes(response.body, sample), SIZE);
  });
  assert(growth < MAX_GROWTH, `memory grew by ${Math.round(growth / MIB)} MiB`);
  clock.close();
});

Deno.test("a caller that leaves a download ends it at the vendor", async () => {
  const left = Promise.withResolvers<void>();
  await using vendor = serveVendor(() =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(PIECE.slice()),
        cancel: () => left.resolve(),
      }),
    )
  );
  const { clock, served } = serve(vendor);
  await using _ = served;
  const controller = new AbortController();
  const url = `${served.url}/v1/providers/openai/proxy/files/x/content`;
  const response = await served.fetch(url, { headers: HEADERS, signal: controller.signal });
  await response.body?.getReader().read();
  controller.abort();
  await left.promise;
  clock.close();
});

Deno.test("dot segments in the target of a request are refused as they are written", async () => {
  const paths: string[] = [];
  await using vendor = serveVendor(({ url }) => {
    paths.push(url);
    return new Response("reached");
  });
  const { clock, served } = serve(vendor);
  await using _ = served;
  for (
    const path of ["../secret", "%2e%2e/secret", "a/%2e%2e%2f%2e%2e/secret", "a\\..\\..\\secret"]
  ) {
    await using caller = await RawCaller.connect(served.url);
    await caller.send(
      `GET /v1/providers/openai/proxy/${path} HTTP/1.1\nhost: gateway.test\n` +
        `authorization: Bearer ${SERVICE_KEY}\nconnection: close\n\n`,
    );
    await until(() => caller.isClosed);
    assert(/^HTTP\/1\.1 40[04]/.test(caller.text), `${path}: ${caller.text.slice(0, 100)}`);
  }
  assertEquals(paths, []);
  clock.close();
});
