/** A gateway on a port in front of one vendor, which first calls the tool and then says "Hello." */

import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { sayHello } from "../scripted_vendor.ts";
import { type ServedGateway, serveGateway, serveVendor } from "../server.ts";
import type { Called, Loop } from "./loop.ts";

/** One request that the vendor received. */
export interface Arrived {
  readonly path: string;
  readonly body: JsonObject;
}

/** A conversation of two turns that a client can have. */
export interface LoopWorld extends AsyncDisposable {
  readonly served: ServedGateway;
  readonly arrived: readonly Arrived[];
}

/** The parts of a vendor that are needed to serve it. */
export type ServedLoop = Pick<Loop, "provider" | "answer" | "stream">;

/** Serves a vendor, and a gateway in front of it. Leaving the scope checks for leaked resources. */
export function createLoopWorld(
  { provider, answer, stream }: ServedLoop,
  calls: readonly Called[],
  server: JsonObject = {},
): LoopWorld {
  const arrived: Arrived[] = [];
  const vendor = serveVendor(async (request) => {
    const body: JsonObject = await request.json();
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    arrived.push({ path, body });
    if (arrived.length > 1) return sayHello({ url: path, body });
    const streamed = body.stream === true || /converse-stream$|:stream/.test(path);
    return streamed ? stream(calls) : Response.json(answer(calls));
  });
  const served = serveGateway({
    config: {
      server,
      providers: { vendor: provider(vendor.url) },
      // Cache marks would be added to what vendors must get back.
      routing: { prompt_caching: "client" },
    },
  });
  const { gateway } = served;
  return {
    served,
    arrived,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(gateway.bugs, []);
      assertEquals(gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}
