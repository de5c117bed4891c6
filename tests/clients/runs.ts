/** What is run with each client, and what must come of it. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { toTarget } from "../../src/tools/connect/connect.ts";
import { CLIENTS } from "../../src/clients/printed.ts";
import type { ClientModel } from "../../src/clients/client.ts";
import { applySettings } from "../../src/clients/settings_text.ts";
import type { JsonObject } from "../../src/contract/chat.ts";
import { SystemClock } from "../../src/core/clock.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { serveGatewayOn, serveVendor } from "../support/server.ts";
import { type ClientProgram, PROOF, SILENCE_MS } from "./client.ts";
import { PAGE, type VendorApi } from "./vendor_api.ts";

/** What one run of a client met and printed. */
interface Run extends Ended {
  /** The requests of the conversation. */
  readonly bodies: readonly JsonObject[];
  /** The home folder of the client. */
  readonly home: string;
}

/** The vendor's answers to the conversation; the turns begin at 1. */
type Script = (turn: number, request: Request, body: JsonObject) => Response | Promise<Response>;

/** One client in front of one vendor. */
export interface RunOptions {
  readonly program: ClientProgram;
  readonly api: VendorApi;
  readonly home: string;
  readonly server?: JsonObject;
  /** Interrupts the client when it resolves. */
  readonly interrupt?: Promise<void>;
}

export const RUNS: Readonly<Record<string, (options: RunOptions) => Promise<void>>> = {
  async "an answer"(options) {
    const { code, output, bodies, all } = await run(() => options.api.text("Hello."), options);
    assertEquals([code, bodies.length], [0, 1], all);
    assertStringIncludes(output, "Hello.");
  },

  async "a loop of two turns"(options) {
    const { api, program: { loop } } = options;
    const { code, output, bodies, home, all } = await run(
      (turn, _, body) => turn < 3 ? loop.answer(api, body, turn) : api.text("Done."),
      options,
    );
    assertEquals(code, 0, all);
    await loop.check(bodies, home);
    assert(bodies.length < 3 || output.includes("Done."), all);
  },

  async "a web search"(options) {
    const { api, program } = options;
    const [name, input] = program.search ?? ["", {}];
    const { code, output, bodies, all } = await run(
      (turn) => turn === 1 ? api.call("call_1", name, input) : api.text("Found."),
      options,
    );
    assertEquals([code, bodies.length], [0, 2], all);
    assertStringIncludes(output, "Found.");
    // What the client makes of the blocks of the search.
    assertStringIncludes(JSON.stringify(bodies[1]), PAGE);
  },

  async "an abort"(options) {
    const asked = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    let isAborted = false;
    const { all } = await run(async (_, request) => {
      request.signal.addEventListener("abort", () => {
        isAborted = true;
        aborted.resolve();
      });
      setTimeout(asked.resolve, 500);
      const late = setTimeout(aborted.resolve, 30_000);
      await aborted.promise;
      clearTimeout(late);
      return options.api.text("Late.");
    }, { ...options, interrupt: asked.promise });
    assert(!all.includes("Late."), all);
    assert(isAborted, "the vendor's request ends with the client");
  },

  async "an error"(options) {
    const error = { error: { message: "Bad weather", type: "invalid_request_error" } };
    const { all, bodies } = await run(() => Response.json(error, { status: 400 }), options);
    assertStringIncludes(all, "Bad weather");
    assertEquals(bodies.length, options.program.sendsFailed ?? 1, all);
  },

  async "a long silence"(options) {
    const { api, program } = options;
    // With it, the response begins before the vendor's.
    const early = program.waitsForEvents ? {} : { early_keep_alive: "2s" };
    const { code, output, bodies, all } = await run(async () => {
      await silence();
      return withSilence(await api.text("At last.").text());
    }, { ...options, server: { ...early, keep_alive: "2s" } });
    assertEquals([code, bodies.length], [0, 1], all);
    assertStringIncludes(output, "At last.");
  },
};

function silence(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
}

/** A stream that is silent before its last event. A stream of one event is silent after it. */
function withSilence(events: string): Response {
  const last = events.lastIndexOf("data: {");
  const at = last > "event: message_stop\n".length ? events.lastIndexOf("\n\n", last) + 2 : 0;
  const first = at < 2 ? events : events.slice(0, at);
  const body = new ReadableStream<string>({
    async start(controller) {
      controller.enqueue(first);
      await silence();
      try {
        controller.enqueue(events.slice(first.length));
        controller.close();
      } catch {
        // The gateway has left.
      }
    },
  });
  const headers = { "content-type": "text/event-stream" };
  return new Response(body.pipeThrough(new TextEncoderStream()), { headers });
}

async function run(script: Script, options: RunOptions): Promise<Run> {
  const { program, api, home, server, interrupt } = options;
  const bodies: JsonObject[] = [];
  const refusals: string[] = [];
  let hasAnswered = false;
  const answer = (request: Request, body: JsonObject) => {
    const found = api.search?.(body);
    if (found !== undefined) return found;
    if (!program.isConversation(api.toolsOf(body))) return api.text("Title");
    bodies.push(body);
    return script(bodies.length, request, body);
  };
  await using port = serveVendor(async (request) => {
    const { url, headers } = request;
    const body: JsonObject = await request.json();
    const refusal = api.refuse({ url, headers, body });
    if (refusal === undefined) {
      const answered = await answer(request, body);
      hasAnswered ||= answered.ok;
      return api.frame?.(answered, url) ?? answered;
    }
    if (hasAnswered || !api.teaches) refusals.push(await refusal.clone().text());
    return refusal;
  });
  const provider = {
    ...{ kind: api.kind, api_key: VENDOR_KEY, base_url: `${port.url}${api.path}` },
    ...{ models: [api.model], retries: 0, ...api.members },
  };
  const config = {
    server: { keys: [{ name: "k", key: SERVICE_KEY }], ...program.server, ...server },
    providers: { vendor: provider },
    aliases: { smart: api.model, fast: api.model },
  };
  const clock = new SystemClock();
  try {
    await using served = serveGatewayOn(clock, { config });
    const { url, gateway } = served;
    const requests = new Set<string>();
    const { app } = gateway;
    const handle = app.handle.bind(app);
    app.handle = (request) => {
      requests.add(`${request.method} ${new URL(request.url).pathname}`);
      return handle(request);
    };
    const ended = await runClient(program, { url, serviceKey: SERVICE_KEY, home, interrupt });
    assertEquals(gateway.bugs, []);
    assertEquals(refusals, []);
    const posts = [...requests].filter((one) => one.startsWith("POST "));
    assert(requests.has(program.request), [...requests].join(", "));
    assert(posts.length === 0 || program.request.startsWith("POST "), posts.join(", "));
    return { ...ended, bodies, home };
  } finally {
    clock.close();
  }
}

/** What a client printed, and how it ended. */
interface Ended {
  readonly code: number;
  readonly output: string;
  /** The same with its warnings and errors. */
  readonly all: string;
}

const MAX_RUN_MS = 120_000;

/**
 * Runs one prompt with the settings that `sluice connect` writes, in
 * a home folder.
 *
 * @param interrupt interrupts the client when it resolves
 */
async function runClient(
  program: ClientProgram,
  { url, serviceKey, home, interrupt }: {
    readonly url: string;
    readonly serviceKey: string;
    readonly home: string;
    readonly interrupt: Promise<void> | undefined;
  },
): Promise<Ended> {
  if (program.connectId !== undefined) await connect(program.connectId, url, home);
  const installed = Deno.env.get(program.variable);
  const [command = "", ...before] = installed ? [installed] : program.command;
  const { args, variables } = program.launch(`Print ${PROOF}`, serviceKey, url);
  const work = `${home}/work`;
  await Deno.mkdir(work);
  const child = new Deno.Command(command, {
    args: [...before, ...args],
    cwd: work,
    clearEnv: true,
    env: { HOME: home, PATH: Deno.env.get("PATH") ?? "", CI: "1", NO_COLOR: "1", ...variables },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    // A process group, which gets signals together, as in a terminal.
    detached: true,
  }).spawn();
  const end = (signal: Deno.Signal) => {
    try {
      Deno.kill(-child.pid, signal);
    } catch {
      // It has ended.
    }
  };
  const timer = setTimeout(() => end("SIGKILL"), MAX_RUN_MS);
  void interrupt?.then(() => end("SIGINT"));
  const { code, stdout, stderr } = await child.output();
  clearTimeout(timer);
  const decoder = new TextDecoder();
  const output = decoder.decode(stdout);
  return { code, output, all: output + decoder.decode(stderr) };
}

/** Writes what `sluice connect` writes. */
async function connect(id: string, url: string, home: string): Promise<void> {
  const models = ["smart", "fast"].map((name): ClientModel => ({
    ...{ id: name, name, contextWindow: 200_000, maxOutputTokens: 64_000, vision: true },
  }));
  const find = (name: string) => models.find((model) => model.id === name);
  const target = toTarget(url, { models, find }, new Map());
  const client = CLIENTS.get(id);
  if (client === undefined) throw new TypeError(id);
  const files = client.files(target, {
    os: "linux",
    env: (name) => name === "HOME" ? home : undefined,
    exists: () => false,
  });
  for (const { path, format, settings } of files) {
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, applySettings("", format, settings));
  }
}
