/**
 * What Claude Code sends, before Claude at clouds and behind aliases: betas, members that need
 * them, and what a model does not take.
 */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/core/json/object.ts";
import { type Cloud, countedBody, refusalOf } from "../../support/claude_clouds.ts";
import { createTestGateway, VENDOR_KEY } from "../../support/gateway.ts";
import { ScriptedVendor, type Sent } from "../../support/scripted_vendor.ts";
import { serviceAccount, TOKEN_URI } from "../../support/service_account.ts";

const MESSAGE = {
  id: "msg_v",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "Hello." }],
  stop_reason: "end_turn",
  usage: { input_tokens: 5, output_tokens: 9 },
};
const PROVIDERS: Readonly<Record<string, JsonObject>> = {
  bedrock: { kind: "bedrock", region: "us-east-1", api_key: VENDOR_KEY },
  vertex: { kind: "vertex", credentials: serviceAccount().json },
  anthropic: { kind: "anthropic", api_key: VENDOR_KEY },
  foundry: { kind: "anthropic", base_url: "http://foundry/anthropic/v1", api_key: VENDOR_KEY },
  deepseek: { kind: "deepseek", api_key: VENDOR_KEY },
  qwen: { kind: "qwen", api_key: VENDOR_KEY },
  fireworks: { kind: "fireworks", api_key: VENDOR_KEY },
};

type Script = (sent: Sent) => Response | undefined;

function before(provider: JsonObject, upstream: string, script: Script) {
  const vendor = new ScriptedVendor((sent) => {
    const isCount = /count[-_]tokens/.test(sent.url);
    const count = { input_tokens: 17, inputTokens: 17 };
    return script(sent) ?? Response.json(isCount ? count : MESSAGE);
  });
  const gateway = createTestGateway({
    config: { providers: { p: { ...provider, models: [{ id: "m", upstream }] } } },
    fetch: (url, init) =>
      url === TOKEN_URI
        ? Promise.resolve(Response.json({ access_token: "token" }))
        : vendor.fetch(url, init),
  });
  const ask = async (
    members: JsonObject,
    headers: Record<string, string> = {},
    path = "/v1/messages",
  ) => {
    vendor.sent.length = 0;
    const limit = path.endsWith("count_tokens") ? {} : { max_tokens: 4000 };
    const body = { model: "m", ...limit, messages: [{ role: "user", content: "Hi" }], ...members };
    const answer = await gateway.call(path, body, headers);
    const list = (name: string) => answer.headers.get(name)?.split(", ") ?? [];
    return {
      status: answer.status,
      text: await answer.text(),
      sent: [...vendor.sent],
      body: vendor.sent.at(-1)?.body ?? {},
      ignored: list("x-sluice-ignored"),
      converted: list("x-sluice-converted"),
      estimated: answer.headers.get("x-sluice-estimated"),
    };
  };
  const learned = async (): Promise<string[]> => {
    const { data: [{ learned_rejections }] } = await (await gateway.call("/v1/providers")).json();
    return learned_rejections.map(({ parameter }: JsonObject) => String(parameter));
  };
  return { ask, learned };
}

const CLAUDES: Readonly<Record<Cloud, string>> = {
  bedrock: "us.anthropic.claude-opus-4-8",
  vertex: "claude-opus-4-8",
};
const KEPT = "interleaved-thinking-2025-05-14";
const DROPPED = [
  "claude-code-20250219",
  "prompt-caching-scope-2026-01-05",
  "advisor-tool-2026-03-01",
  "effort-2025-11-24",
  "redact-thinking-2026-02-12",
  "some-future-beta-2027-01-01",
];
const CLAUDE_CODE = { "anthropic-beta": [...DROPPED, KEPT].join(",") };
const marked = { type: "ephemeral", ttl: "1h", scope: "global" };
/** A request with every member that needs a beta. */
const GATED: JsonObject = {
  cache_control: marked,
  system: [{ type: "text", text: "S", cache_control: marked }],
  messages: [
    { role: "user", content: [{ type: "text", text: "Hi", cache_control: marked }] },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f", input: {} }] },
    {
      role: "user",
      content: [{
        type: "tool_result",
        tool_use_id: "t1",
        content: [{ type: "text", text: "1", cache_control: marked }],
      }],
    },
  ],
  tools: [
    {
      ...{ name: "f", input_schema: { type: "object" }, cache_control: marked },
      ...{ defer_loading: true, input_examples: [{}], allowed_callers: ["direct"] },
      eager_input_streaming: true,
    },
    { type: "advisor_20260301", name: "advisor", model: "claude-opus-5" },
    { type: "mcp_toolset", mcp_server_name: "s" },
  ],
  tool_choice: { type: "tool", name: "advisor" },
  context_management: { edits: [] },
  container: { skills: [] },
  diagnostics: {},
  fallbacks: "default",
  mcp_servers: [{ type: "url", url: "https://s", name: "s" }],
  speed: "fast",
  output_config: { effort: "high" },
  output_format: { type: "json_schema", schema: { type: "object" } },
};

function betasOf(cloud: Cloud, { headers, body }: Sent): unknown {
  return cloud === "bedrock" ? body.anthropic_beta : headers.get("anthropic-beta")?.split(",");
}

const TOOL_CHANGES = "mid-conversation-tool-changes-2026-07-01";
const OUTPUT_CHANGES = "mid-conversation-output-config-2026-07-01";

for (
  const [upstream, takes] of [
    ["anthropic.claude-3-5-haiku-20241022-v1:0", false],
    ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", false],
    ["us.anthropic.claude-haiku-4-5-20251001-v1:0", false],
    ["us.anthropic.claude-opus-4-20250514-v1:0", false],
    ["us.anthropic.claude-opus-4-7", false],
    ["us.anthropic.claude-sonnet-5", false],
    ["us.anthropic.claude-sonnet-5-20260630-v1:0", false],
    ["us.anthropic.claude-opus-4-8", true],
    ["us.anthropic.claude-opus-5", true],
    ["us.anthropic.claude-opus-5-5", true],
    ["us.anthropic.claude-fable-5", true],
    ["us.anthropic.claude-sonnet-5-5", true],
  ] as const
) {
  Deno.test(`bedrock: changes within conversations are for models that take them: ${upstream}`, async () => {
    const { ask } = before(PROVIDERS.bedrock ?? {}, upstream, () => undefined);
    const betas = [KEPT, OUTPUT_CHANGES, TOOL_CHANGES];
    const { sent, ignored } = await ask({}, { "anthropic-beta": betas.join(",") });
    assertEquals(
      sent.map((request) => betasOf("bedrock", request)),
      [takes ? betas : [KEPT]],
    );
    assertEquals(
      ignored.filter((name) => name.startsWith("anthropic-beta.")),
      takes ? [] : [`anthropic-beta.${OUTPUT_CHANGES}`, `anthropic-beta.${TOOL_CHANGES}`],
    );
  });
}

for (const cloud of ["bedrock", "vertex"] as const) {
  const create = (more: JsonObject = {}, script: Script = (sent) => refusalOf(cloud, sent)) =>
    before({ ...PROVIDERS[cloud], ...more }, CLAUDES[cloud], script);

  Deno.test(`${cloud}: betas that it does not know are left out, those that it knows stay`, async () => {
    const { ask, learned } = create();
    const { status, sent, ignored, text } = await ask({}, CLAUDE_CODE);
    assertEquals([status, sent.length], [200, 1], text);
    assertEquals(sent.map((request) => betasOf(cloud, request)), [[KEPT]]);
    assertEquals(ignored.toSorted(), DROPPED.map((beta) => `anthropic-beta.${beta}`).toSorted());
    assertEquals(await learned(), []);
  });

  Deno.test(`${cloud}: members whose beta is not sent are left out and reported`, async () => {
    const { ask } = create();
    const { status, sent, body, ignored, converted, text } = await ask(GATED);
    assertEquals([status, sent.length], [200, 1], text);
    const gone = ["context_management", "container", "diagnostics", "fallbacks", "mcp_servers"];
    for (const name of [...gone, "speed", "tool_choice", "output_format"]) {
      assert(!(name in body), name);
    }
    for (const name of [...gone, "speed", "cache_control.scope", "tools.defer_loading"]) {
      assert(ignored.includes(name), `${name} is reported`);
    }
    assert(converted.includes("output_format->output_config.format"));
    assertEquals(body.output_config, { format: GATED.output_format, effort: "high" });
    const cache_control = { type: "ephemeral", ttl: "1h" };
    assertEquals(body.system, [{ type: "text", text: "S", cache_control }]);
    assertEquals(body.tools, [{ name: "f", input_schema: { type: "object" }, cache_control }]);
  });

  Deno.test(`${cloud}: members stay with their beta, by the name that the cloud has for it`, async () => {
    const { ask } = create();
    const tools = [{ name: "f", input_schema: { type: "object" }, defer_loading: true }];
    const members = { tools, context_management: { edits: [] } };
    const betas = "advanced-tool-use-2025-11-20,context-management-2025-06-27";
    const { status, sent, body } = await ask(members, { "anthropic-beta": betas });
    assertEquals([status, sent.length], [200, 1]);
    assertEquals([body.tools, body.context_management], [tools, members.context_management]);
    const names = ["tool-search-tool-2025-10-19", "context-management-2025-06-27"];
    assertEquals(sent.map((request) => betasOf(cloud, request)), [names]);
    const unused = await ask({}, { "anthropic-beta": betas });
    assertEquals(unused.sent.map((request) => betasOf(cloud, request)), [[names[1]]]);
  });

  Deno.test(`${cloud}: count_tokens is the cloud's count`, async () => {
    const { ask } = create();
    const { max_tokens: _, ...counted } = { max_tokens: 1, ...GATED };
    for (const members of [{}, counted]) {
      const path = "/v1/messages/count_tokens";
      const { status, text, estimated, sent } = await ask(members, CLAUDE_CODE, path);
      assertEquals([status, JSON.parse(text).input_tokens, estimated], [200, 17, null], text);
      const [request] = sent;
      if (request === undefined) throw new RangeError("nothing was sent");
      const expected = cloud === "bedrock" ? [KEPT] : undefined;
      const body = cloud === "bedrock" ? countedBody(request.body) : request.body;
      assertEquals(betasOf(cloud, { ...request, body }), expected);
    }
  });

  Deno.test(`${cloud}: config.yaml allows further betas`, async () => {
    const allowed = "some-future-beta-2027-01-01";
    const { ask } = create({ allowed_betas: [allowed] }, () => undefined);
    const { sent } = await ask({}, CLAUDE_CODE);
    assertEquals(sent.map((request) => betasOf(cloud, request)), [[allowed, KEPT]]);
  });

  Deno.test(`${cloud}: an explanation shows the request that is sent`, async () => {
    const { ask } = create();
    const { body, ignored } = await ask(GATED, CLAUDE_CODE);
    const explained = await ask(GATED, { ...CLAUDE_CODE, "x-sluice-explain": "true" });
    assertEquals(explained.sent.length, 0);
    const [{ request, receipt }] = JSON.parse(explained.text).targets;
    assertEquals(request.body, body);
    const named = receipt.filter(({ fate }: JsonObject) => fate === "ignored")
      .map(({ parameter }: JsonObject) => parameter);
    assertEquals(named.toSorted(), ignored.toSorted());
  });

  Deno.test(`${cloud}: a thread is refused so that clients send the whole conversation`, async () => {
    const { ask } = create();
    const { status, text, sent } = await ask({ thread: { id: "t" } });
    assertEquals([status, sent.length], [400, 0]);
    assertEquals(JSON.parse(text).error.details.error_code, "thread_unsupported_request");
  });
}

Deno.test("bedrock: a model that refuses betas without naming them gets none, and what needs them goes", async () => {
  const { ask, learned } = before(
    PROVIDERS.bedrock ?? {},
    "us.anthropic.claude-opus-4-8",
    ({ body }) => {
      if (body.anthropic_beta !== undefined) {
        const message = "The model returned the following errors: invalid beta flag";
        return Response.json({ message }, { status: 400 });
      }
      return "context_management" in body
        ? Response.json({ message: "context_management: Extra inputs are not permitted" }, {
          status: 400,
        })
        : undefined;
    },
  );
  const betas = { "anthropic-beta": `${KEPT},context-management-2025-06-27` };
  const members = { context_management: { edits: [] } };
  const first = await ask(members, betas);
  assertEquals([first.status, first.sent.length], [200, 2], first.text);
  assert(first.ignored.includes(`anthropic-beta.${KEPT}`));
  assert(first.ignored.includes("context_management"));
  assertEquals(await learned(), ["anthropic-beta"]);
  assertEquals((await ask(members, betas)).sent.length, 1);
});

const unexpected = (betas: readonly string[]): Response =>
  Response.json({
    type: "error",
    error: {
      type: "invalid_request_error",
      message: `Unexpected value(s) ${betas.map((beta) => `\`${beta}\``).join(", ")} for the ` +
        "`anthropic-beta` header. Please consult our documentation.",
    },
  }, { status: 400 });

for (const host of ["anthropic", "foundry", "deepseek", "qwen", "fireworks"]) {
  const provider = PROVIDERS[host] ?? {};
  const model = host === "anthropic" ? "claude-opus-4-8" : "some-model";

  Deno.test(`${host}: betas and members pass as they came`, async () => {
    const { ask } = before(provider, model, () => undefined);
    const { sent, body } = await ask(GATED, CLAUDE_CODE);
    assertEquals(sent[0]?.headers.get("anthropic-beta"), CLAUDE_CODE["anthropic-beta"]);
    assertEquals(body, { model, max_tokens: 4000, ...GATED });
  });

  Deno.test(`${host}: a beta that it refuses by name is left out and learned, an invented one once`, async () => {
    const refused = ["advisor-tool-2026-03-01", "some-future-beta-2027-01-01"];
    const { ask, learned } = before(provider, model, ({ headers }) => {
      const names = headers.get("anthropic-beta")?.split(",") ?? [];
      const odd = names.filter((name) => refused.includes(name));
      return odd.length > 0 ? unexpected(odd) : undefined;
    });
    const known = { "anthropic-beta": `${KEPT},${refused[0]}` };
    const first = await ask({}, known);
    assertEquals([first.status, first.sent.length], [200, 2]);
    assertEquals(first.ignored, [`anthropic-beta.${refused[0]}`]);
    assertEquals(first.sent[1]?.headers.get("anthropic-beta"), KEPT);
    assertEquals((await ask({}, known)).sent.length, 1, "it is learned");
    const invented = { "anthropic-beta": `${refused[1]}` };
    for (let round = 0; round < 2; round++) {
      assertEquals((await ask({}, invented)).sent.length, 2, "an unknown one is not");
    }
    assertEquals(await learned(), [`anthropic-beta.${refused[0]}`]);
  });

  Deno.test(`${host}: members that it does not know are left out by their path`, async () => {
    const rows:
      readonly (readonly [path: string, name: string, gone: (body: JsonObject) => boolean])[] = [
        ["context_management", "context_management", (body) => !("context_management" in body)],
        [
          "tools.0.custom.defer_loading",
          "tools.defer_loading",
          ({ tools }) => !JSON.stringify(tools).includes("defer_loading"),
        ],
        [
          "system.0.cache_control.ephemeral.scope",
          "cache_control.scope",
          (body) => !JSON.stringify(body).includes("scope"),
        ],
      ];
    for (const [path, name, isGone] of rows) {
      const { ask, learned } = before(provider, model, ({ body }) => {
        const message = `${path}: Extra inputs are not permitted`;
        const error = { type: "invalid_request_error", message };
        return isGone(body) ? undefined : Response.json({ type: "error", error }, { status: 400 });
      });
      const first = await ask(GATED);
      assertEquals([first.status, first.sent.length, first.ignored], [200, 2, [name]], path);
      assertEquals((await ask(GATED)).sent.length, 1, path);
      assertEquals(await learned(), [name]);
    }
  });
}

Deno.test("a message that quotes the caller's text changes nothing", async () => {
  const words = "role 'system' is not supported on this model";
  const { ask, learned } = before(
    PROVIDERS.anthropic ?? {},
    "some-model",
    () =>
      Response.json({ type: "error", error: { type: "invalid_request_error", message: words } }, {
        status: 400,
      }),
  );
  const messages = [{ role: "user", content: words }, { role: "system", content: "S" }];
  const { status, sent } = await ask({ messages });
  assertEquals([status, sent.length, await learned()], [400, 1, []]);
});

/** What old models refuse, in the vendor's words. */
function refusesNew({ body }: Sent): Response | undefined {
  const thinking = body.thinking as JsonObject | undefined;
  const config = body.output_config as JsonObject | undefined;
  const roles = (body.messages as JsonObject[]).map(({ role }) => role);
  const message = roles.includes("system")
    ? "role 'system' is not supported on this model"
    : thinking?.type === "adaptive"
    ? "adaptive thinking is not supported on this model"
    : config?.effort !== undefined
    ? "This model does not support the effort parameter."
    : undefined;
  const error = { type: "invalid_request_error", message };
  return message === undefined
    ? undefined
    : Response.json({ type: "error", error }, { status: 400 });
}

const NEW: JsonObject = {
  thinking: { type: "adaptive" },
  output_config: { effort: "high", format: { type: "json_schema", schema: { type: "object" } } },
  messages: [{ role: "user", content: "Hi" }, { role: "system", content: "Be brief" }],
};
const OLD: JsonObject = {
  thinking: { type: "enabled", budget_tokens: 2400 },
  output_config: { format: { type: "json_schema", schema: { type: "object" } } },
  messages: [{
    role: "user",
    content: [{ type: "text", text: "Hi" }, { type: "text", text: "<system>Be brief</system>" }],
  }],
};

for (
  const [host, upstream] of [
    ["anthropic", "claude-haiku-4-5"],
    ["bedrock", "us.anthropic.claude-haiku-4-5-20251001-v1:0"],
    ["vertex", "claude-haiku-4-5@20251001"],
  ] as const
) {
  Deno.test(`${host}: what a known model does not take is converted before it is sent`, async () => {
    const { ask, learned } = before(PROVIDERS[host] ?? {}, upstream, refusesNew);
    const { status, sent, body, ignored, converted } = await ask(NEW);
    assertEquals([status, sent.length], [200, 1]);
    const { thinking, output_config, messages } = body;
    assertEquals({ thinking, output_config, messages }, OLD);
    assertEquals(ignored, ["output_config.effort"]);
    assertEquals(converted, ["thinking adaptive->enabled", "messages.role system->user"]);
    assertEquals(await learned(), []);
  });
}

Deno.test("what an unknown model does not take is converted after its refusals, and then at once", async () => {
  for (const host of ["anthropic", "foundry", "deepseek"]) {
    const { ask, learned } = before(PROVIDERS[host] ?? {}, "my-model", refusesNew);
    const first = await ask(NEW);
    assertEquals([first.status, first.sent.length], [200, 4], first.text);
    // Of several repairs of one request, the last is known to be the cause.
    const rounds = [];
    for (let round = 0; round < 3; round++) rounds.push((await ask(NEW)).sent.length);
    assertEquals(rounds, [3, 2, 1], host);
    const { thinking, output_config, messages } = (await ask(NEW)).body;
    assertEquals({ thinking, output_config, messages }, OLD);
    if (host !== "deepseek") {
      const counted = await ask(NEW, {}, "/v1/messages/count_tokens");
      assertEquals([counted.status, counted.sent.length], [200, 1], "its counter knows it, too");
    }
    const names = ["messages.system", "output_config.effort", "thinking.adaptive"];
    assertEquals((await learned()).toSorted(), names);
  }
});

Deno.test("a budget becomes adaptive thinking where a model has no budgets", async () => {
  const { ask } = before(PROVIDERS.anthropic ?? {}, "claude-opus-4-8", ({ body }) => {
    const { type } = body.thinking as JsonObject;
    const message = '"thinking.type.enabled" is not supported for this model. Use ' +
      '"thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';
    return type === "enabled"
      ? Response.json({ type: "error", error: { type: "invalid_request_error", message } }, {
        status: 400,
      })
      : undefined;
  });
  const { status, body, converted } = await ask({
    thinking: { type: "enabled", budget_tokens: 2000 },
  });
  assertEquals([status, body.thinking], [200, { type: "adaptive" }]);
  assertEquals(converted, ["thinking enabled->adaptive"]);
});

Deno.test("thinking is omitted where a budget would be refused as well", async () => {
  const calls = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "1" }] },
  ];
  const tools = [{ name: "f", input_schema: { type: "object" } }];
  const rows: readonly JsonObject[] = [
    { max_tokens: 1000 },
    { temperature: 0.5 },
    { top_k: 5 },
    { tools, tool_choice: { type: "any" } },
    { tools, messages: calls },
  ];
  for (const row of rows) {
    const { ask } = before(PROVIDERS.anthropic ?? {}, "claude-haiku-4-5", () => undefined);
    const { body, ignored } = await ask({ thinking: { type: "adaptive" }, ...row });
    assertEquals([body.thinking, ignored], [undefined, ["thinking"]], JSON.stringify(row));
  }
});

Deno.test("a system message in the conversation stays where the model takes it", async () => {
  const { ask } = before(PROVIDERS.anthropic ?? {}, "claude-opus-4-8", () => undefined);
  const { body } = await ask({ ...NEW });
  assertEquals([body.messages, body.thinking, body.output_config], [
    NEW.messages,
    NEW.thinking,
    NEW.output_config,
  ]);
});

Deno.test("an effort that a known model lacks becomes its nearest", async () => {
  const { ask } = before(PROVIDERS.anthropic ?? {}, "claude-opus-4-6", () => undefined);
  const { body, converted } = await ask({ output_config: { effort: "xhigh" } });
  assertEquals(body.output_config, { effort: "max" });
  assertEquals(converted, ["output_config.effort xhigh->max"]);
});
