/** Plain chats that are converted by their shape, compared with the usual conversion. */

import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import type { JsonObject } from "../../../src/contract/chat.ts";
import { readChatRequest } from "../../../src/apis/chat/read_request.ts";
import type { Target } from "../../../src/config/config.ts";
import { preparePlain } from "../../../src/gateway/execute/chat/plain_call.ts";
import { prepare } from "../../../src/gateway/execute/chat/prepare_request.ts";
import { RequestChanges } from "../../../src/contract/request_changes.ts";
import { countedIds, loadTestConfig, VENDOR_KEY } from "../../support/gateway.ts";
import { readTargets } from "../../support/growth/targets.ts";
import { Random } from "../../support/random.ts";

const random = new Random(7);
const pick = <Value>(values: readonly Value[]): Value =>
  values[random.below(values.length)] as Value;

/** A valid value of each parameter, the least and the greatest among them. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  temperature: [0, 0.3, 1, 2],
  top_p: [0, 0.01, 0.5, 1],
  max_tokens: [1, 16, 100_000_000],
  max_completion_tokens: [1, 16, 100_000_000],
  frequency_penalty: [-2, 0, 0.5, 2],
  presence_penalty: [-2, 0, 1.5, 2],
  user: ["", "ana", "x".repeat(300)],
  seed: [0, 1, -5, 2 ** 40],
  stream: [true, false],
  stream_options: [{}, { include_usage: true }, { include_usage: false }],
};

const ROLES = ["system", "developer", "user", "user", "assistant"];
const TEXTS = ["", " ", "Hello", "Wörld\n", "x".repeat(2000)];

function randomRequest(): JsonObject {
  const messages = Array.from({ length: 1 + random.below(4) }, () => ({
    role: pick(ROLES),
    content: pick(TEXTS),
  }));
  const rare = random.below(4);
  const members = Object.entries(VALUES)
    .filter(() => random.below(4) < rare)
    .map(([name, values]) => [name, pick(values)]);
  return { model: "m", messages, ...Object.fromEntries(members) };
}

/** Models of OpenAI with other rules each, and a server of the dialect. */
function moreTargets(): Target[] {
  const models = ["gpt-4o", "gpt-4o-search-preview", "o3", "gpt-5.1", "gpt-6-sol", "gpt-5-codex"];
  const config = loadTestConfig({
    providers: {
      openai: { kind: "openai", api_key: VENDOR_KEY, models },
      elsewhere: {
        ...{ kind: "openai", base_url: "https://else.example/v1" },
        ...{ api_key: VENDOR_KEY, models: ["gpt-4o"] },
      },
      azure: {
        ...{ kind: "azure", base_url: "https://res.openai.azure.com", api_key: VENDOR_KEY },
        ...{ models: ["gpt-4.1", "o3"], deployments: { o3: "ours" } },
      },
    },
  });
  const names = [...models.map((id) => `${id}@openai`), "gpt-4o@elsewhere", "gpt-4.1@azure"];
  return names.flatMap((name) => config.resolve(name)?.map(({ target }) => target) ?? []);
}

const TARGETS = [...readTargets().map(({ target }) => target), ...moreTargets()]
  .filter(({ provider }) => provider.adapter.convertsByPresence);

/** How often a request was prepared by its shape. */
function compare(target: Target): number {
  let plain = 0;
  for (let index = 0; index < 200; index++) {
    const request = readChatRequest(randomRequest());
    const [own, usual] = [new RequestChanges(), new RequestChanges()];
    const prepared = preparePlain(target, request, own, countedIds());
    if (prepared === undefined) continue;
    plain++;
    const expected = prepare(target, request, usual, countedIds());
    assertEquals(prepared.unsigned, expected.unsigned);
    // The order of members, too.
    assertEquals(JSON.stringify(prepared.unsigned.body), JSON.stringify(expected.unsigned.body));
    assertEquals(own, usual);
    assertStrictEquals(prepared.adapter, expected.adapter);
    assertEquals(prepared.call.fields, expected.call.fields);
    assertEquals({ ...prepared.call, newId: 0, changes: 0 }, {
      ...{ ...expected.call, newId: 0, changes: 0 },
    });
  }
  return plain;
}

Deno.test("the shape of a request gives what the usual conversion makes of it", () => {
  assert(TARGETS.length > 10, `${TARGETS.length} targets`);
  for (const target of TARGETS) {
    const plain = compare(target);
    const name = `${target.model.id}@${target.provider.settings.id}`;
    if (/^(?:gpt-4o|gpt-4\.1)@(?:openai|azure|elsewhere)$/.test(name)) {
      assert(plain > 100, `${name} ${plain}`);
    }
  }
});

Deno.test("a request that is not plain has no shape", () => {
  const target = TARGETS.find(({ model }) => model.id === "gpt-4o");
  if (target === undefined) throw new TypeError("A target has gpt-4o");
  const hello = { role: "user", content: "Hi" };
  const plain = { model: "m", messages: [hello] };
  const isPlain = (more: JsonObject, from: Target = target) =>
    preparePlain(
      from,
      readChatRequest({ ...plain, ...more }),
      new RequestChanges(),
      countedIds(),
    ) !==
      undefined;
  assert(isPlain({}));
  for (
    const more of [
      { n: 2 },
      { stop: ["a"] },
      { reasoning_effort: "low" },
      { web_search_options: {} },
      { tools: [{ type: "function", function: { name: "look" } }] },
      { messages: [{ ...hello, name: "ana" }] },
      { messages: [{ ...hello, cache_control: { type: "ephemeral" } }] },
      { messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] },
      { messages: [hello, { role: "assistant", content: "a", reasoning_content: "b" }] },
      { unknown: 1 },
    ] as readonly JsonObject[]
  ) assert(!isPlain(more), JSON.stringify(more));
  assert(!isPlain({}, { ...target, params: { temperature: 0 } }));
});
