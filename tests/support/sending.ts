/** Sends requests through a gateway, with members added to a valid request. */

import { assert, assertEquals } from "@std/assert";
import { createTestGateway, VENDOR_KEY } from "./gateway.ts";
import { ScriptedVendor } from "./scripted_vendor.ts";

const CONFIG = {
  providers: {
    server: { kind: "openai_compatible", base_url: "http://vendor.test/v1", models: ["m"] },
    claude: { kind: "anthropic", api_key: VENDOR_KEY, models: ["claude-haiku-4-5"] },
  },
};

export type Json = Record<string, unknown>;

export const MESSAGES = [{ role: "user", content: "Hi" }];
export const FUNCTION = {
  type: "function",
  function: { name: "look", parameters: { type: "object" } },
};

/** The result of a request. */
export interface Sent {
  readonly response: Response;
  readonly text: string;
  readonly vendor: ScriptedVendor;
}

/** Sends a request with these members and the valid ones. */
export async function send(members: Json, headers: Record<string, string> = {}): Promise<Sent> {
  const vendor = new ScriptedVendor();
  const gateway = createTestGateway({ config: CONFIG, fetch: vendor.fetch });
  const request = { model: "m", messages: MESSAGES, ...members };
  const response = await gateway.call("/v1/chat/completions", request, headers);
  const text = await response.text();
  assertEquals(gateway.bugs, []);
  return { response, text, vendor };
}

/** A user message with one content part. */
export function part(content: unknown): Json {
  return { messages: [{ role: "user", content: [content] }] };
}

/** An assistant message with these members. */
export function assistant(members: Json): Json {
  return { messages: [...MESSAGES, { role: "assistant", ...members }] };
}

/** Sends chat requests to one provider. @returns what the vendor receives; undefined after a 400 */
export type Sender = (request: Json, headers?: Record<string, string>) => Promise<Json | undefined>;

/** Makes one gateway for many requests, with this provider. */
export function senderTo(provider: Json): Sender {
  const vendor = new ScriptedVendor();
  const config = { providers: { v: { api_key: VENDOR_KEY, ...provider } } };
  const gateway = createTestGateway({ config, fetch: vendor.fetch });
  return async (request, headers) => {
    vendor.sent.length = 0;
    const response = await gateway.call("/v1/chat/completions", request, headers);
    const text = await response.text();
    assertEquals(gateway.bugs, []);
    if (response.status === 200) return vendor.body;
    assert(response.status === 400 && vendor.sent.length === 0, text);
    return undefined;
  };
}
