/** Checks of vendors: which request is sent, and what its answer proves. */

import { assertEquals } from "@std/assert";
import { Credentials } from "../../src/upstream/credentials/credentials.ts";
import type { VendorResponse } from "../../src/upstream/transport.ts";
import { checkVendor } from "../../src/upstream/vendor_check.ts";
import { ManualClock } from "../support/manual_clock.ts";
import { listingProvider, loadListed } from "../support/model_lists.ts";

type Entry = Readonly<Record<string, unknown>>;

async function check(
  entry: Entry,
  answer: () => Response = () => Response.json({ data: [] }),
  provider = listingProvider(entry),
) {
  const calls: string[] = [];
  const { outcome, detail, unlisted } = await checkVendor(provider, provider.keys[0], {
    clock: new ManualClock(),
    credentials: new Credentials({ readFile: () => "" }),
    signal: new AbortController().signal,
    fetch(url, { headers, method }) {
      const { authorization, "api-key": azure, "x-goog-api-key": google } = headers;
      calls.push(`${method} ${url} ${authorization ?? azure ?? google}`);
      return Promise.resolve(answer() as VendorResponse);
    },
  });
  return { calls, detail, outcome, unlisted };
}

const KEY = { api_key: "sk-1" };
const LISTS: readonly (readonly [entry: Entry, call: string, list?: unknown])[] = [
  [{ kind: "openai", ...KEY }, "GET https://api.openai.com/v1/models Bearer sk-1"],
  [
    { kind: "bedrock", region: "eu-west-1", ...KEY },
    "GET https://bedrock.eu-west-1.amazonaws.com/foundation-models?byInferenceType=ON_DEMAND " +
    "Bearer sk-1",
    { modelSummaries: [] },
  ],
  [
    { kind: "azure", base_url: "https://r.openai.azure.com", ...KEY },
    "GET https://r.openai.azure.com/openai/deployments?api-version=2023-03-15-preview sk-1",
  ],
  [
    { kind: "vertex", ...KEY },
    "GET https://aiplatform.googleapis.com/v1beta1/publishers/google/models?pageSize=100 sk-1",
    { publisherModels: [] },
  ],
  [{ kind: "ollama" }, "GET http://127.0.0.1:11434/api/tags undefined", {
    models: [],
  }],
];

for (const [entry, call, list = { data: [] }] of LISTS) {
  Deno.test(`${entry.kind} is checked with one request for the list that 'models: auto' uses`, async () => {
    const { calls, outcome } = await check(entry, () => Response.json(list));
    assertEquals([calls, outcome], [[call], "accepted"]);
  });
}

Deno.test("a provider kind without a known list is tried at the usual path of lists", async () => {
  const config = loadListed({ p: { kind: "perplexity", ...KEY, models: ["sonar"] } });
  const provider = config.providers.get("p");
  assertEquals(provider?.adapter.models, undefined);
  const { calls } = await check({}, undefined, provider);
  assertEquals(calls.length, 1);
  assertEquals(calls[0]?.endsWith("/models Bearer sk-1"), true, calls[0]);
});

Deno.test("a page is no list, and an unknown kind of list neither", async () => {
  const page = () => new Response("<p>Log in", { headers: { "content-type": "text/html; x=y" } });
  for (const kind of ["openai", "gemini", "anthropic"]) {
    const { detail, outcome } = await check({ kind, ...KEY }, page);
    assertEquals([outcome, detail], ["unreadable", "status 200, text/html"]);
  }
  const other = await check({ kind: "openai", ...KEY }, () => Response.json({ status: "ok" }));
  assertEquals([other.outcome, other.detail], ["unreadable", "status 200, application/json"]);
  const config = loadListed({ p: { kind: "perplexity", ...KEY, models: ["sonar"] } });
  const provider = config.providers.get("p");
  assertEquals((await check({}, page, provider)).outcome, "unreadable");
});

Deno.test("models that the vendor does not list are named, unless the list has more pages", async () => {
  const found = async (entry: Entry, list: unknown) => {
    const provider = loadListed({ p: entry }).providers.get("p");
    return (await check({}, () => Response.json(list), provider)).unlisted;
  };
  const openai = { kind: "openai", ...KEY, models: ["gpt-5.5", { id: "own", upstream: "gpt-x" }] };
  assertEquals(await found(openai, { data: [{ id: "gpt-5.5" }] }), ["gpt-x"]);
  assertEquals(await found(openai, { data: [{ id: "gpt-x" }, { id: "gpt-5.5" }] }), []);
  const local = { kind: "ollama", models: ["qwen3", "gone"] };
  assertEquals(await found(local, { models: [{ name: "qwen3:latest" }] }), ["gone"]);
  const paged = { kind: "gemini", ...KEY, models: ["gemini-x"] };
  assertEquals(await found(paged, { models: [], nextPageToken: "more" }), []);
});

const aws = (name: string, message: string) => () =>
  Response.json({ message }, { status: 403, headers: { "x-amzn-errortype": name } });

for (
  const [what, entry, answer, expected] of [
    [
      "AWS keys that may not list models",
      { kind: "bedrock", region: "eu-west-1", ...KEY },
      aws("AccessDeniedException", "not authorized to perform: bedrock:ListFoundationModels"),
      ["forbidden", "status 403: not authorized to perform: bedrock:ListFoundationModels"],
    ],
    [
      "unknown AWS keys",
      { kind: "bedrock", region: "eu-west-1", ...KEY },
      aws("UnrecognizedClientException", "The security token included in the request is invalid."),
      ["refused", "status 403: The security token included in the request is invalid."],
    ],
    [
      "a key with too few scopes",
      { kind: "openai", ...KEY },
      () => Response.json({ error: { message: "Missing scopes" } }, { status: 403 }),
      ["forbidden", "status 403: Missing scopes"],
    ],
    [
      "an account without money",
      { kind: "deepseek", ...KEY },
      () => Response.json({ error: { message: "Insufficient Balance" } }, { status: 402 }),
      ["refused", "status 402: Insufficient Balance"],
    ],
    [
      "a key that is refused with status 400",
      { kind: "gemini", ...KEY },
      () =>
        Response.json({
          error: {
            ...{ code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT" },
            details: [{
              "@type": "type.googleapis.com/google.rpc.ErrorInfo",
              reason: "API_KEY_INVALID",
            }],
          },
        }, { status: 400 }),
      ["refused", "status 400: API key not valid."],
    ],
  ] as const
) {
  Deno.test(`${what}: ${expected[0]}`, async () => {
    const { detail, outcome } = await check(entry, answer);
    assertEquals([outcome, detail], expected);
  });
}
