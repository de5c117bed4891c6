/**
 * An independent emulator of vendors, with its answers and its failures: one suite for each vendor.
 */

import { LLMock } from "@copilotkit/aimock";
import { assert, assertEquals, AssertionError, assertRejects } from "@std/assert";
import { type Emulation, EMULATIONS } from "../support/emulations.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { type ServedGateway, serveGateway } from "../support/server.ts";

interface World extends AsyncDisposable {
  readonly vendor: LLMock;
  readonly served: ServedGateway;
  ask(text: string, members?: Record<string, unknown>): Promise<Response>;
}

async function createWorld({ provider, model, entry = {}, base }: Emulation): Promise<World> {
  const vendor = new LLMock({ port: 0, host: "127.0.0.1", logLevel: "silent" });
  await vendor.start();
  const there = { api_key: VENDOR_KEY, base_url: `${vendor.url}${base}` };
  const models = [{ id: model, ...entry }];
  const served = serveGateway({
    config: { providers: { vendor: { ...provider, ...there, models } } },
  });
  return {
    vendor,
    served,
    ask: (text, members = {}) =>
      served.fetch(`${served.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${SERVICE_KEY}` },
        body: JSON.stringify({
          model,
          messages: [{ role: "user", content: text }],
          ...members,
        }),
      }),
    async [Symbol.asyncDispose]() {
      // The emulator waits for connections that are kept alive, so they go first.
      await served[Symbol.asyncDispose]();
      await stop(vendor);
      assertEquals(served.gateway.bugs, []);
      assertEquals(served.gateway.clock.pending, 0, "a timer was left behind");
      assertEquals(served.gateway.lines.length, 1, "one request, one line in the log");
    },
  };
}

/** Stops an emulator, unless it has stopped before. */
async function stop(vendor: LLMock): Promise<void> {
  const instance = vendor["serverInstance"];
  if (instance === null) return;
  // aimock 1.43.0 leaves this map's interval running.
  instance.videoStates.destroy();
  await vendor.stop();
}

interface Said {
  content: string;
  reasoning: string;
  readonly calls: { name: string; arguments: string }[];
  finish: string | null;
  usage: Record<string, number> | undefined;
}

/** Reads an answer, streamed or not, and checks the order of the stream's chunks. */
async function said(response: Response): Promise<Said> {
  const text = await response.text();
  assertEquals(response.status, 200);
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    const { choices: [choice], usage } = JSON.parse(text);
    const { content, reasoning_content, tool_calls = [] } = choice.message;
    return {
      content: content ?? "",
      reasoning: reasoning_content ?? "",
      calls: tool_calls.map((call: { function: unknown }) => call.function),
      finish: choice.finish_reason,
      usage,
    };
  }
  const events = text.split("\n\n").slice(0, -1);
  assertEquals(events.pop(), "data: [DONE]");
  return collect(events.map((event) => JSON.parse(event.slice("data: ".length))));
}

interface Piece {
  readonly index: number;
  readonly function: { readonly name?: string; readonly arguments?: string };
}

interface Chunk {
  readonly choices: readonly {
    readonly delta: {
      readonly role?: string;
      readonly content?: string | null;
      readonly reasoning_content?: string;
      readonly tool_calls?: readonly Piece[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: Record<string, number>;
}

function collect(chunks: readonly Chunk[]): Said {
  const all: Said = { content: "", reasoning: "", calls: [], finish: null, usage: undefined };
  assertEquals(chunks[0]?.choices[0]?.delta.role, "assistant");
  for (const { choices: [choice], usage } of chunks) {
    if (choice === undefined) {
      all.usage = usage;
      continue;
    }
    assertEquals(all.finish, null, "a chunk after the finish reason");
    all.content += choice.delta.content ?? "";
    all.reasoning += choice.delta.reasoning_content ?? "";
    for (const { index, function: made } of choice.delta.tool_calls ?? []) {
      const call = all.calls[index] ??= { name: "", arguments: "" };
      call.name += made.name ?? "";
      call.arguments += made.arguments ?? "";
    }
    all.finish = choice.finish_reason;
  }
  return all;
}

const TOOLS = ["get_weather", "get_time"].map((name) => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: { city: { type: "string" } } } },
}));

const MODES = [
  { mode: "a completion", members: {} },
  { mode: "a stream", members: { stream: true, stream_options: { include_usage: true } } },
] as const;

for (const [name, emulation] of Object.entries(EMULATIONS)) {
  const title = `aimock, ${name}`;
  const { lacks = {} } = emulation;

  for (const { mode, members } of MODES) {
    Deno.test(`${title}: ${mode} of text`, async () => {
      await using world = await createWorld(emulation);
      world.vendor.onMessage("Hello", { content: "Hi there! 你好 🎉" });
      const { content, finish } = await said(await world.ask("Hello?", members));
      assertEquals([content, finish], ["Hi there! 你好 🎉", "stop"]);
      const { path } = world.vendor.getLastRequest() ?? { path: "" };
      assert(path.startsWith(emulation.path), path);
    });

    prove(`${title}: ${mode} with usage that adds up`, lacks.usage, async () => {
      await using world = await createWorld(emulation);
      world.vendor.onMessage("Hello", { content: "Hi there!", usage: emulation.usage });
      const { usage } = await said(await world.ask("Hello?", members));
      assertEquals(
        [usage?.prompt_tokens, usage?.completion_tokens, usage?.total_tokens],
        [11, 7, 18],
      );
    });

    Deno.test(`${title}: ${mode} of two tool calls`, async () => {
      await using world = await createWorld(emulation);
      const toolCalls = [
        { name: "get_weather", arguments: '{"city":"Oslo"}' },
        { name: "get_time", arguments: "{}" },
      ];
      world.vendor.onMessage("Oslo", { toolCalls });
      const { calls, finish } = await said(
        await world.ask("Oslo?", { ...members, tools: TOOLS }),
      );
      assertEquals(
        calls.map(({ name, arguments: text }) => [name, JSON.parse(text)]),
        [["get_weather", { city: "Oslo" }], ["get_time", {}]],
      );
      assertEquals(finish, "tool_calls");
    });

    Deno.test(`${title}: ${mode} of text beside a tool call keeps both`, async () => {
      await using world = await createWorld(emulation);
      world.vendor.onMessage("Oslo", {
        content: "Let me look.",
        toolCalls: [{ name: "get_weather", arguments: '{"city":"Oslo"}' }],
      });
      const { content, calls, finish } = await said(
        await world.ask("Oslo?", { ...members, tools: TOOLS }),
      );
      assertEquals([content, calls.length, finish], ["Let me look.", 1, "tool_calls"]);
    });

    prove(`${title}: ${mode} after a tool's result`, lacks["a tool's result"], async () => {
      await using world = await createWorld(emulation);
      world.vendor.onToolResult("call_1", { content: "It is cold." });
      const messages = [
        { role: "user", content: "Oslo?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{
            id: "call_1",
            type: "function",
            function: { name: "get_weather", arguments: '{"city":"Oslo"}' },
          }],
        },
        { role: "tool", tool_call_id: "call_1", content: "-3 °C" },
      ];
      const { content } = await said(await world.ask("", { ...members, messages, tools: TOOLS }));
      assertEquals(content, "It is cold.");
    });

    prove(`${title}: ${mode} with reasoning`, lacks.reasoning, async () => {
      await using world = await createWorld(emulation);
      world.vendor.onMessage("Hello", { content: "42", reasoning: "Six times seven." });
      const { content, reasoning } = await said(await world.ask("Hello?", members));
      assertEquals([content, reasoning], ["42", "Six times seven."]);
    });

    prove(`${title}: ${mode} that is cut by max_tokens`, lacks["a length"], async () => {
      await using world = await createWorld(emulation);
      world.vendor.onMessage("Hello", { content: "Once upon", finishReason: "length" });
      const { content, finish } = await said(await world.ask("Hello?", members));
      assertEquals([content, finish], ["Once upon", "length"]);
    });

    for (const { name, chaos, status, code } of CHAOS()) {
      Deno.test(`${title}: ${name} instead of ${mode} gives one error with status ${status}`, async () => {
        await using world = await createWorld(emulation);
        world.vendor.onMessage("Hello", { content: "Hi there!" }).setChaos(chaos);
        const response = await world.ask("Hello?", members);
        const { error } = await response.json();
        assertEquals([response.status, error.code], [status, code]);
        assertEquals(Object.keys(error), ["message", "type", "param", "code"]);
        assert(!error.message.includes("127.0.0.1"), "the vendor's address has leaked");
      });
    }

    const ownError = `${title}: a vendor's own error instead of ${mode} keeps its words`;
    prove(ownError, lacks["an error's words"], async () => {
      await using world = await createWorld(emulation);
      world.vendor.nextRequestError(429, { message: "Slow down, please" });
      const response = await world.ask("Hello?", members);
      const { error } = await response.json();
      assertEquals([response.status, error.message], [429, "Slow down, please"]);
      assertEquals(response.headers.get("retry-after"), "1");
    });
  }

  for (const chunks of [1, 2, 3, 4, 5, 6]) {
    Deno.test(`${title}: a stream cut after ${chunks} of its events is one error`, async () => {
      await using world = await createWorld(emulation);
      world.vendor.on({ userMessage: "Hello" }, { content: "One two three four five six." }, {
        chunkSize: 5,
        truncateAfterChunks: chunks,
      });
      const response = await world.ask("Hello?", { stream: true });
      const text = await response.text();
      if (response.status === 200) {
        const events = text.split("\n\n").slice(0, -1);
        const errors = events.filter((event) => event.startsWith('data: {"error":'));
        assertEquals([errors.length, errors[0]], [1, events.at(-1)]);
        assert(!events.includes("data: [DONE]"));
      } else {
        assertEquals(Object.keys(JSON.parse(text).error), ["message", "type", "param", "code"]);
        assert(response.status === 502 || response.status === 503);
      }
      assertEquals(world.served.gateway.lines[0]?.outcome, "failed");
    });
  }

  Deno.test(`${title}: a stopped vendor is 503`, async () => {
    await using world = await createWorld(emulation);
    await stop(world.vendor);
    const response = await world.ask("Hello?");
    const { error } = await response.json();
    assertEquals([response.status, error.code], [503, "upstream_unavailable"]);
  });
}

/**
 * A case that the emulator does not support must fail, so that the exception is removed once an
 * emulator supports it.
 */
function prove(title: string, lack: string | undefined, run: () => Promise<void>): void {
  if (lack === undefined) return Deno.test(title, run);
  Deno.test(`${title} (not emulated: ${lack})`, async () => {
    await assertRejects(run, AssertionError);
  });
}

/** Failure modes of the emulator, and the errors that callers get. */
function CHAOS() {
  return [
    { name: "an error 500", chaos: { dropRate: 1 }, status: 502, code: "upstream_error" },
    { name: "broken JSON", chaos: { malformedRate: 1 }, status: 502, code: "upstream_error" },
    { name: "a 429", chaos: { rateLimitRate: 1 }, status: 429, code: "rate_limit_exceeded" },
    {
      name: "a lost connection",
      chaos: { disconnectRate: 1 },
      status: 503,
      code: "upstream_unavailable",
    },
  ];
}
