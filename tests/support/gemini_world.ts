/** Clients of Gemini's API with other vendors, whose first answer is a tool call. */

import { GoogleGenAI } from "@google/genai";
import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/contract/chat.ts";
import { SERVICE_KEY } from "./gateway.ts";
import { anthropic, bedrock } from "./loops/claude.ts";
import { openai } from "./loops/dialect.ts";
import { gemini } from "./loops/google.ts";
import type { Loop } from "./loops/loop.ts";
import { openaiResponses } from "./loops/responses.ts";
import { sayHello } from "./scripted_vendor.ts";
import { type ServedGateway, serveGateway, serveVendor } from "./server.ts";

/** The vendors. */
export const LOOPS: readonly Loop[] = [openai, openaiResponses, anthropic, bedrock, gemini];

/** A vendor behind a gateway, and a client of its Gemini API. */
export interface World extends AsyncDisposable {
  readonly served: ServedGateway;
  readonly client: GoogleGenAI;
  readonly arrived: JsonObject[];
}

type Script = (body: JsonObject, path: string) => Response;

/** Serves both. Leaving the scope checks for leaked resources. */
function createWorld(loop: Loop, script: Script): World {
  const arrived: JsonObject[] = [];
  const vendor = serveVendor(async (request) => {
    const body: JsonObject = await request.json();
    arrived.push(body);
    const { pathname, search } = new URL(request.url);
    return script(body, pathname + search);
  });
  const served = serveGateway({ config: { providers: { vendor: loop.provider(vendor.url) } } });
  const { url, fetch, gateway } = served;
  const httpOptions = { baseUrl: url, retryOptions: { attempts: 1 } };
  return {
    served,
    client: new GoogleGenAI({
      apiKey: SERVICE_KEY,
      httpOptions: { ...httpOptions, fetch } as never,
    }),
    arrived,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
      assertEquals(gateway.bugs, []);
      assertEquals(gateway.clock.pending, 0, "a timer was left behind");
    },
  };
}

/** The vendor calls the tool until it receives results, and then says "Hello." */
export function createLoopWorld(loop: Loop): World {
  return createWorld(loop, (body, path) => {
    const history = body[loop.history];
    if (Array.isArray(history) && history.length > 1) return sayHello({ url: path, body });
    const streamed = body.stream === true || /[:-]stream/.test(path);
    return streamed ? loop.stream(loop.calls) : Response.json(loop.answer(loop.calls));
  });
}
