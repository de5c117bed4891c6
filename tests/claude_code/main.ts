/**
 * Claude Code in front of scripted vendors: `deno task clients`. It is no part of the test suite,
 * since the package weighs 380 MB. `CLAUDE_CODE` names an installed executable; otherwise npm runs
 * the package.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { SystemClock } from "../../src/core/clock.ts";
import { type JsonObject } from "../../src/chat/chat.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { toEventStream } from "../support/scripted_vendor.ts";
import { serveGatewayOn, serveVendor } from "../support/server.ts";

const VERSION = "2.1.332";
const MODEL = "claude-through-the-gateway";
const PROOF = "proof-of-the-shell";
const PAGE = "https://deno.com/";
const MAX_RUN_MS = 120_000;

/** One vendor's streams: a text, and a call of a tool. */
interface Vendor {
  readonly kind: string;
  readonly model: string;
  readonly path: string;
  text(text: string): unknown[];
  call(id: string, input: JsonObject, name?: string): unknown[];
  /** The answer to a request for a web search; undefined for other requests. */
  search?(body: JsonObject): unknown[] | undefined;
}

const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
  ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" },
  choices: [{ index: 0, delta, finish_reason }],
});
const CHAT_USAGE = {
  ...{ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [] },
  usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
};
const message = (block: JsonObject, delta: JsonObject, stop_reason: string) => [
  {
    type: "message_start",
    message: {
      ...{ id: "msg_1", type: "message", role: "assistant", model: "m", content: [] },
      ...{ stop_reason: null, stop_sequence: null, usage: { input_tokens: 9, output_tokens: 1 } },
    },
  },
  { type: "content_block_start", index: 0, content_block: block },
  { type: "content_block_delta", index: 0, delta },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];

const VENDORS: readonly Vendor[] = [
  {
    ...{ kind: "anthropic", model: "claude-sonnet-4-5", path: "/v1" },
    text: (text) => message({ type: "text", text: "" }, { type: "text_delta", text }, "end_turn"),
    call: (id, input, name = "Bash") =>
      message(
        { type: "tool_use", id, name, input: {} },
        { type: "input_json_delta", partial_json: JSON.stringify(input) },
        "tool_use",
      ),
  },
  {
    ...{ kind: "openai_compatible", model: "gpt-5.4", path: "/v1" },
    text: (content) => [
      chunk({ role: "assistant", content }),
      chunk({}, "stop"),
      CHAT_USAGE,
      "[DONE]",
    ],
    call: (id, input, name = "Bash") => {
      const called = { name, arguments: JSON.stringify(input) };
      const call = { index: 0, id, type: "function", function: called };
      return [
        chunk({ role: "assistant", tool_calls: [call] }),
        chunk({}, "tool_calls"),
        CHAT_USAGE,
        "[DONE]",
      ];
    },
  },
  {
    ...{ kind: "gemini", model: "gemini-3-pro", path: "/v1beta" },
    text: (text) => candidates({ text }),
    call: (_, args, name = "Bash") =>
      candidates({ functionCall: { name, args }, thoughtSignature: "c2ln" }),
    search: ({ tools }) =>
      JSON.stringify(tools ?? []).includes("googleSearch")
        ? candidates({ text: "Deno is out." }, {
          groundingMetadata: {
            webSearchQueries: ["deno"],
            groundingChunks: [{ web: { uri: PAGE, title: "Deno" } }],
          },
        })
        : undefined,
  },
];

function candidates(part: JsonObject, members: JsonObject = {}): unknown[] {
  const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 };
  const content = { role: "model", parts: [part] };
  return [{ candidates: [{ content, finishReason: "STOP", ...members }], usageMetadata }];
}

/** What one run of Claude Code met and printed. */
interface Run {
  readonly code: number;
  readonly output: string;
  /** The same with its warnings and errors. */
  readonly all: string;
  /** The requests of the main conversation. */
  readonly bodies: readonly JsonObject[];
}

type Script = (turn: number, request: Request) => Response | Promise<Response>;

interface RunOptions {
  readonly server?: JsonObject;
  /** Interrupts the run when it resolves. */
  readonly interrupt?: Promise<void>;
}

/** Runs one prompt. Requests for titles and the like, without the shell, get a short text. */
async function run(vendor: Vendor, script: Script, options: RunOptions = {}): Promise<Run> {
  const bodies: JsonObject[] = [];
  await using port = serveVendor(async (request) => {
    const body: JsonObject = await request.json();
    const found = vendor.search?.(body);
    if (found !== undefined) return toEventStream(found);
    if (!JSON.stringify(body.tools ?? []).includes('"Bash"')) {
      return toEventStream(vendor.text("Title"));
    }
    bodies.push(body);
    return await script(bodies.length, request);
  });
  const provider = {
    ...{ kind: vendor.kind, api_key: VENDOR_KEY, base_url: `${port.url}${vendor.path}` },
    ...{ models: [vendor.model], retries: 0 },
  };
  const config = {
    ...options.server && { server: options.server },
    providers: { vendor: provider },
    aliases: { "claude-*": vendor.model },
  };
  const clock = new SystemClock();
  try {
    await using served = serveGatewayOn(clock, { config });
    const ended = await runClaude(served.url, options.interrupt);
    assertEquals(served.gateway.bugs, []);
    return { ...ended, bodies };
  } finally {
    clock.close();
  }
}

async function runClaude(url: string, interrupt: Promise<void> | undefined) {
  const home = await Deno.makeTempDir();
  const own = Deno.env.get("CLAUDE_CODE");
  const [command = "", ...before] = own
    ? [own]
    : ["npx", "-y", `@anthropic-ai/claude-code@${VERSION}`];
  const args = ["-p", `Print ${PROOF}`, "--model", MODEL, "--allowedTools", "Bash,WebSearch"];
  const child = new Deno.Command(command, {
    args: [...before, ...args],
    cwd: home,
    clearEnv: true,
    env: {
      ...{ HOME: home, PATH: Deno.env.get("PATH") ?? "", CLAUDE_CONFIG_DIR: `${home}/.claude` },
      ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: SERVICE_KEY },
      ...{ ANTHROPIC_DEFAULT_HAIKU_MODEL: MODEL, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
      ...{ DISABLE_AUTOUPDATER: "1", CI: "1" },
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const end = (signal: Deno.Signal) => {
    try {
      child.kill(signal);
    } catch {
      // It has ended.
    }
  };
  const timer = setTimeout(() => end("SIGKILL"), MAX_RUN_MS);
  void interrupt?.then(() => end("SIGINT"));
  const { code, stdout, stderr } = await child.output();
  clearTimeout(timer);
  await Deno.remove(home, { recursive: true });
  const decoder = new TextDecoder();
  const output = decoder.decode(stdout);
  return { code, output, all: output + decoder.decode(stderr) };
}

/** Each run, and what must come of it. */
const RUNS: Readonly<Record<string, (vendor: Vendor) => Promise<void>>> = {
  async "a plain answer"(vendor) {
    const { code, output, bodies } = await run(vendor, () => toEventStream(vendor.text("Hello.")));
    assertEquals([code, output.trim(), bodies.length], [0, "Hello.", 1]);
  },

  async "a tool loop of two turns"(vendor) {
    const command = (text: string) => ({ command: `echo ${text}`, description: "Prints" });
    const { code, output, bodies } = await run(vendor, (turn) =>
      toEventStream(
        turn < 3 ? vendor.call(`call_${turn}`, command(`${PROOF}-${turn}`)) : vendor.text("Done."),
      ));
    assertEquals([code, output.trim(), bodies.length], [0, "Done.", 3], output);
    for (const turn of [1, 2]) {
      const results = JSON.stringify(bodies[turn]);
      assertStringIncludes(results, `${PROOF}-${turn}`);
    }
  },

  async "a web search"(vendor) {
    const { code, output, bodies } = await run(vendor, (turn) =>
      toEventStream(
        turn === 1 ? vendor.call("call_1", { query: "deno" }, "WebSearch") : vendor.text("Found."),
      ));
    assertEquals([code, output.trim(), bodies.length], [0, "Found.", 2], output);
    // What Claude Code makes of the blocks of the search.
    assertStringIncludes(JSON.stringify(bodies[1]), PAGE);
  },

  async "an abort"(vendor) {
    const asked = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    let isAborted = false;
    const { all } = await run(vendor, async (_, request) => {
      request.signal.addEventListener("abort", () => {
        isAborted = true;
        aborted.resolve();
      });
      setTimeout(asked.resolve, 500);
      const late = setTimeout(aborted.resolve, 30_000);
      await aborted.promise;
      clearTimeout(late);
      return toEventStream(vendor.text("Late."));
    }, { interrupt: asked.promise });
    assert(!all.includes("Late."), all);
    assert(isAborted, "the vendor's request ends with Claude Code");
  },

  async "an error"(vendor) {
    const error = { error: { message: "Bad weather", type: "invalid_request_error" } };
    const { code, all } = await run(vendor, () => Response.json(error, { status: 400 }));
    assert(code !== 0, all);
    assertStringIncludes(all, "Bad weather");
  },

  async "a long silence"(vendor) {
    const server = { early_keep_alive: "2s", keep_alive: "2s", keys: KEYS };
    const { code, output, bodies } = await run(vendor, async () => {
      await new Promise((resolve) => setTimeout(resolve, 15_000));
      return toEventStream(vendor.text("At last."));
    }, { server });
    assertEquals([code, output.trim(), bodies.length], [0, "At last.", 1], output);
  },
};

const KEYS = [{ name: "k", key: SERVICE_KEY }];

const chosen = new Set(Deno.args);
for (const vendor of VENDORS) {
  for (const [what, test] of Object.entries(RUNS)) {
    if (chosen.size > 0 && !chosen.has(vendor.kind) && !chosen.has(what)) continue;
    if (what === "a web search" && vendor.search === undefined) continue;
    await test(vendor);
    // deno-lint-ignore no-console
    console.log(`Claude Code ${VERSION}, ${vendor.kind}: ${what}`);
  }
}
