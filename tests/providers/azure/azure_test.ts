/** Where Azure's deployments are. */

import { assertEquals } from "@std/assert";
import { prepare } from "../../../src/gateway/execute/chat/prepare_request.ts";
import { readChatRequest } from "../../../src/apis/chat/read_request.ts";
import { ConfigErrors } from "../../../src/config/config.ts";
import { RequestChanges } from "../../../src/contract/request_changes.ts";
import { loadTestConfig, VENDOR_KEY } from "../../support/gateway.ts";

function urlOf(members: Record<string, unknown>): string {
  const provider = { kind: "azure", api_key: VENDOR_KEY, models: ["gpt-4.1"], ...members };
  const [link] = loadTestConfig({ providers: { azure: provider } }).resolve("gpt-4.1") ?? [];
  if (link === undefined) throw new TypeError("The model is configured");
  const request = readChatRequest({
    model: "gpt-4.1",
    messages: [{ role: "user", content: "Hello" }],
  });
  return prepare(link.target, request, new RequestChanges(), (prefix) => prefix).unsigned.url;
}

const HOST = "https://res.openai.azure.com";
const DATED = { api_version: "2025-04-01-preview" };

const CASES: readonly (readonly [members: Record<string, unknown>, url: string])[] = [
  [{ base_url: `${HOST}/openai/v1` }, `${HOST}/openai/v1/chat/completions`],
  [{ base_url: HOST }, `${HOST}/openai/v1/chat/completions`],
  [{ base_url: "https://apim.example/team/v1" }, "https://apim.example/team/v1/chat/completions"],
  [
    { base_url: `${HOST}/`, api_version: "preview" },
    `${HOST}/openai/v1/chat/completions?api-version=preview`,
  ],
  [
    { base_url: HOST, ...DATED },
    `${HOST}/openai/deployments/gpt-4.1/chat/completions?api-version=2025-04-01-preview`,
  ],
  [
    { base_url: `${HOST}/openai/v1`, ...DATED, deployments: { "gpt-4.1": "ours" } },
    `${HOST}/openai/deployments/ours/chat/completions?api-version=2025-04-01-preview`,
  ],
  [{ base_url: `${HOST}/openai`, api: "responses" }, `${HOST}/openai/responses`],
  [
    { base_url: `${HOST}/openai`, api: "responses", ...DATED },
    `${HOST}/openai/responses?api-version=2025-04-01-preview`,
  ],
];

for (const [members, url] of CASES) {
  Deno.test(`azure with ${JSON.stringify(members)} is at ${url}`, () => {
    assertEquals(urlOf(members), url);
  });
}

Deno.test("azure reports its invalid members", () => {
  const wrong = { base_url: HOST, api_version: "2025", deployments: { a: "" }, api: "both" };
  let paths: string[] = [];
  try {
    urlOf(wrong);
  } catch (thrown) {
    if (!(thrown instanceof ConfigErrors)) throw thrown;
    paths = thrown.errors.map(({ path }) => path);
  }
  assertEquals(paths.sort(), [
    "providers.azure.api",
    "providers.azure.api_version",
    "providers.azure.deployments.a",
  ]);
});

Deno.test("an `api` that a kind does not have is an error of the model", () => {
  let faults: unknown[] = [];
  try {
    urlOf({ base_url: HOST, models: [{ id: "gpt-4.1", api: "completions" }] });
  } catch (thrown) {
    if (!(thrown instanceof ConfigErrors)) throw thrown;
    faults = thrown.errors.map(({ path, message }) => [path, message]);
  }
  assertEquals(faults, [
    ["providers.azure.models[0].api", "must be 'auto', 'chat' or 'responses'"],
  ]);
});
