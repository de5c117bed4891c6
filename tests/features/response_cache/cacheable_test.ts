/** Which requests may be answered from the cache, member by member. */

import { assertEquals } from "@std/assert";
import type { Config } from "../../../src/config/config.ts";
import type { JsonObject } from "../../../src/core/json/object.ts";
import { isCacheable, responseCache } from "../../../src/features/response_cache/response_cache.ts";
import type { RoutingPolicy } from "../../../src/config/routing_schema.ts";
import type { ApiKind } from "../../../src/gateway/feature.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const of = (members: JsonObject, format = "chat", anyTemperature = false) =>
  isCacheable({ temperature: 0, ...members }, format, anyTemperature);

Deno.test("members that refer to stored data or have effects prevent it, unless they are unset", () => {
  for (
    const name of [
      ...["background", "cachedContent", "cached_content", "container", "context_management"],
      ...["conversation", "mcp_servers", "plugins", "previous_response_id"],
      ...["search_parameters", "web_search_options"],
    ]
  ) {
    const seen = [true, "x", {}, 0, undefined, null, false].map((value) => of({ [name]: value }));
    assertEquals(seen, [false, false, false, false, true, true, true], name);
  }
});

Deno.test("a stored prompt, or a text beside messages, prevents it", () => {
  const messages = [{ role: "user", content: "Hi" }];
  assertEquals(of({ prompt: { id: "pmpt_1" } }), false);
  assertEquals(of({ prompt: "Hi", messages }), false);
  assertEquals(of({ prompt: "Hi" }), true);
  assertEquals(of({ messages, prompt: null }), true);
});

Deno.test("answers of the Responses API are stored unless store is false, others only if it is true", () => {
  assertEquals([true, false, undefined].map((store) => of({ store })), [false, true, true]);
  const responses = [true, false, undefined].map((store) => of({ store }, "responses"));
  assertEquals(responses, [false, true, false]);
});

Deno.test("the temperature is 0 where a format has it, or the configuration takes any", () => {
  for (const name of ["generationConfig", "generation_config", "options"]) {
    const settings = (temperature: number) => ({ temperature: undefined, [name]: { temperature } });
    assertEquals([of(settings(0)), of(settings(1))], [true, false], name);
    assertEquals(of(settings(1), "gemini", true), true);
  }
  assertEquals([of({ temperature: undefined }), of({ temperature: 0.1 })], [false, false]);
  assertEquals(of({ temperature: undefined }, "chat", true), true);
});

Deno.test("every tool is one that the caller runs", () => {
  const tools = (...tools: unknown[]) => of({ tools } as JsonObject);
  assertEquals(tools({ type: "function", function: { name: "f" } }, { type: "custom" }), true);
  assertEquals(tools({ name: "f", input_schema: {} }, { function: {} }), true);
  assertEquals(tools({ functionDeclarations: [] }), true);
  assertEquals(tools({ function_declarations: [] }), true);
  assertEquals(tools({ functionDeclarations: [], googleSearch: {} }), false);
  assertEquals(tools({ type: "function" }, { type: "web_search", name: "w" }), false);
  assertEquals([tools("web_search"), tools(null), tools(7)], [false, false, false]);
});

Deno.test("addresses and IDs in the content prevent it, but not in what the model reads as text", () => {
  const part = (part: JsonObject) => of({ messages: [{ role: "user", content: [part] }] });
  for (
    const name of ["fileUri", "file_data_url", "file_uri", "file_url", "image_url", "url"]
  ) {
    assertEquals(part({ [name]: "https://a.test/x" }), false, name);
    assertEquals(part({ [name]: "DATA:image/png;base64,AA==" }), true, name);
    assertEquals(part({ [name]: 5 }), true, name);
  }
  assertEquals(part({ text: "https://a.test/x" }), true);
  assertEquals(part({ type: "item_reference", id: "msg_1" }), false);
  assertEquals([part({ file_id: "f" }), part({ file_id: null })], [false, true]);
  const address = { url: "https://a.test/x" };
  assertEquals(part({ type: "tool_use", name: "open", input: address }), true);
  assertEquals(part({ type: "tool_use", name: "open", source: address }), false);
  assertEquals(part({ type: "image", input: address }), false);
  assertEquals(part({ name: "open", args: address }), true);
  assertEquals(part({ name: "open", response: address }), true);
  assertEquals(part({ args: address }), false, "no call");
  for (const name of ["input", "system", "instructions", "contents", "systemInstruction"]) {
    assertEquals(of({ [name]: [address] }), false, name);
  }
  assertEquals(of({ metadata: address }), true, "no content");
});

Deno.test("requests of up to 1 MiB are compared, where the route has a cache", () => {
  const cache = responseCache({
    ...{ store: undefined as never, secret: new Uint8Array(), clock: new ManualClock() },
    newId: (prefix) => prefix,
  });
  const api: ApiKind = { format: "chat", idPrefix: "", operation: "chat" };
  const plan = (policy: object, kind: Partial<ApiKind> = {}, cacheTtlMs = 1000) =>
    cache.plan({
      ...{ configuredName: "m", model: "m", targets: [], hasOneTarget: false },
      ...{ policy: policy as RoutingPolicy, route: { groups: [], policy: {} }, routes: [] },
      config: { cacheTtlMs } as Config,
    }, { ...api, ...kind });
  const planned = plan({ cache: { ttl: 1000 } });
  const isCompared = (members: object = {}, body: JsonObject = {}) =>
    planned?.start({
      ...{ api, model: "m", stream: false, key: "a", owner: "a", bytes: 1024 * 1024 },
      ...{ options: { strict: false }, body: { model: "m", temperature: 0, ...body } },
      ...members,
    }) !== undefined;
  assertEquals([isCompared(), isCompared({ bytes: 1024 * 1024 + 1 })], [true, false]);
  assertEquals(isCompared({ options: undefined }), false);
  const modes = ["ttl=1s", "refresh", "off"].map((choice) =>
    isCompared({ sent: { headers: new Headers({ "x-sluice-cache": choice }), body: {} } })
  );
  assertEquals(modes, [true, true, false]);
  assertEquals(isCompared({}, { temperature: 1 }), false);
  assertEquals([plan({}), plan({ cache: { ttl: 0 } })], [undefined, undefined]);
  assertEquals(plan({ cache: { ttl: 1000 } }, {}, 0), undefined);
  assertEquals(plan({ cache: { ttl: 1000 } }, { callsNoModel: true }), undefined);
  assertEquals(plan({ cache: { ttl: 1000 } }, { operation: "embeddings" }), undefined);
});
