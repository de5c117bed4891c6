import { assertEquals, assertThrows } from "@std/assert";
import { toChain } from "../../src/gateway/fallback_chain.ts";
import type { ChatRequest } from "../../src/contract/chat.ts";
import { GatewayError } from "../../src/core/errors.ts";
import { contextOf } from "../support/order.ts";
import { loadTestConfig } from "../support/gateway.ts";

const CONFIG = loadTestConfig({
  server: {
    keys: [{ name: "all", key: "sk-all" }, { name: "few", key: "sk-few", models: ["a", "mix"] }],
  },
  providers: {
    p: { kind: "mock", models: ["a", "b", "c"] },
    q: { kind: "mock", models: ["b"] },
  },
  aliases: {
    list: ["c", "b@q"],
    mix: [{ model: "a", weight: 3 }, "b", { model: "c", weight: 1 }],
    long: ["a", { model: "b", when: ["context_length"] }],
    picky: [{ model: "c", when: ["context_length"] }, "b"],
    unweighted: [{ model: "a", weight: 0 }, "b"],
  },
});

function chain(members: Partial<ChatRequest>, token = "sk-all", random = () => 0): string[] {
  const key = CONFIG.authenticate(token);
  if (key === undefined) throw new TypeError("There is no such key");
  const request: ChatRequest = { model: "a", messages: [], ...members };
  return toChain(request, key, CONFIG, { ...contextOf(), random }).map(({ target, onFailures }) =>
    `${target.model.id}@${target.provider.settings.id}${
      onFailures.has("unavailable") ? "" : " rarely"
    }`
  );
}

Deno.test("a model is a chain of one target, an alias is a chain of its list", () => {
  assertEquals(chain({ model: "b" }), ["b@p"]);
  assertEquals(chain({ model: "list" }), ["c@p", "b@q"]);
  assertEquals(chain({ model: "long" }), ["a@p", "b@p rarely"]);
});

Deno.test("weights draw the first target, and the rest keep their order", () => {
  const drawn = (at: number) => chain({ model: "mix" }, "sk-all", () => at);
  assertEquals(drawn(0), ["a@p", "b@p", "c@p"]);
  assertEquals(drawn(0.7499), ["a@p", "b@p", "c@p"]);
  assertEquals(drawn(0.75), ["c@p", "a@p", "b@p"]);
  assertEquals(drawn(0.999999), ["c@p", "a@p", "b@p"]);
  assertEquals(chain({ model: "unweighted" }, "sk-all", () => 0.9), ["a@p", "b@p"]);
});

Deno.test("the models of the caller follow the first one, each target once", () => {
  assertEquals(chain({ models: ["b@q", "a", "c", "c"] }), ["a@p", "b@q", "c@p"]);
  assertEquals(chain({ model: "list", models: ["b", "b@p"] }), ["c@p", "b@q", "b@p"]);
  assertEquals(chain({ models: ["long", "list"] }), ["a@p", "b@p rarely", "c@p", "b@q"]);
  assertEquals(chain({ models: [] }), ["a@p"]);
  assertEquals(chain({ models: ["picky"] }), ["a@p", "c@p", "b@p"]);
});

Deno.test("the models of the caller must exist and be allowed, and the error names them", () => {
  const unknown = assertThrows(() => chain({ models: ["a", "nothing"] }), GatewayError);
  assertEquals([unknown.kind, unknown.param], ["model_not_found", "models[1]"]);
  const denied = assertThrows(() => chain({ models: ["b"] }, "sk-few"), GatewayError);
  assertEquals([denied.kind, denied.param], ["model_not_found", "models[0]"]);
  assertEquals(chain({ model: "mix" }, "sk-few"), ["a@p", "b@p", "c@p"]);
});

Deno.test("a request that only one provider can answer moves there, if the name and the key allow it", () => {
  const moved = (model: string, provider: string | undefined, token = "sk-all") => {
    const key = CONFIG.authenticate(token);
    if (key === undefined) throw new TypeError("There is no such key");
    return toChain({ model }, key, CONFIG, contextOf(), { providerOf: () => provider }).map((
      { target },
    ) => `${target.model.id}@${target.provider.settings.id}`);
  };
  assertEquals([moved("b", undefined), moved("b", "p"), moved("b", "q")], [
    ["b@p"],
    ["b@p"],
    ["b@q"],
  ]);
  assertEquals(moved("a", "q"), ["a@p"], "the provider has no such model");
  assertEquals(moved("b@p", "q"), ["b@p"], "the caller names another one");
  assertEquals(moved("list", "q"), ["c@p", "b@q"], "one of the chain is there");
});
