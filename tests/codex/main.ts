/**
 * One turn of Codex with a call of its shell, in front of scripted vendors: `deno task codex`. It is
 * no part of the test suite, since the package weighs 400 MB. `CODEX` names an installed executable;
 * otherwise npm runs the package.
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { isObject, type JsonObject } from "../../src/chat/chat.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { sayHello, toEventStream } from "../support/scripted_vendor.ts";
import { serveGateway, serveVendor } from "../support/server.ts";

const VERSION = "0.169.0";
const PROOF = "proof-of-the-shell";

interface Vendor {
  readonly kind: string;
  readonly model: string;
  readonly path: string;
  readonly members?: JsonObject;
  /** The names of the tools that a request declares. */
  toolsOf(body: JsonObject): readonly string[];
  /** A stream with one call. */
  call(name: string, text: string): Response;
}

const named = (entries: unknown, inside?: string): string[] =>
  (Array.isArray(entries) ? entries : []).filter(isObject).map((entry) => {
    const tool = inside === undefined ? entry : entry[inside];
    return isObject(tool) ? String(tool.name) : "";
  });

const VENDORS: readonly Vendor[] = [
  {
    kind: "openai_compatible",
    model: "gpt-5.4",
    path: "/v1",
    toolsOf: ({ tools }) => named(tools, "function"),
    call: (name, text) => {
      const call = {
        index: 0,
        id: "call_1",
        type: "function",
        function: { name, arguments: text },
      };
      return toEventStream([
        { choices: [{ index: 0, delta: { role: "assistant", tool_calls: [call] } }] },
        { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
        "[DONE]",
      ]);
    },
  },
  {
    kind: "anthropic",
    model: "claude-sonnet-4-5",
    path: "/v1",
    toolsOf: ({ tools }) => named(tools),
    call: (name, text) => {
      const message = {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content: [],
        stop_reason: null,
        usage: { input_tokens: 9, output_tokens: 1 },
      };
      const block = { type: "tool_use", id: "toolu_1", name, input: {} };
      const delta = { type: "input_json_delta", partial_json: text };
      return toEventStream([
        { type: "message_start", message },
        { type: "content_block_start", index: 0, content_block: block },
        { type: "content_block_delta", index: 0, delta },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
        { type: "message_stop" },
      ]);
    },
  },
  {
    kind: "gemini",
    model: "gemini-3-pro",
    path: "/v1beta",
    toolsOf: ({ tools }) =>
      (Array.isArray(tools) ? tools : []).flatMap((entry) => named(entry.functionDeclarations)),
    call: (name, text) => {
      const part = { functionCall: { name, args: JSON.parse(text) }, thoughtSignature: "c2ln" };
      const content = { role: "model", parts: [part] };
      return toEventStream([{ candidates: [{ content, finishReason: "STOP" }] }]);
    },
  },
  {
    kind: "openai",
    model: "gpt-5.4",
    path: "/v1",
    members: { api: "responses" },
    toolsOf: ({ tools }) => named(tools),
    call: (name, text) => {
      const item = {
        type: "function_call",
        id: "fc_1",
        call_id: "call_1",
        name,
        arguments: text,
        status: "completed",
      };
      const response = {
        id: "resp_1",
        object: "response",
        created_at: 1,
        model: "m",
        status: "completed",
      };
      return toEventStream([
        { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
        { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: { ...response, output: [item] } },
      ]);
    },
  },
];

/** The shell as Codex calls it for this model, and arguments that print the proof. */
function toShellCall(names: readonly string[]): [name: string, text: string] {
  if (names.includes("exec_command")) {
    return ["exec_command", JSON.stringify({ cmd: `echo ${PROOF}` })];
  }
  const name = names.find((name) => /shell/.test(name));
  assert(name !== undefined, `Codex declares no shell: ${names}`);
  const command = name === "shell_command" ? `echo ${PROOF}` : ["echo", PROOF];
  return [String(name), JSON.stringify({ command })];
}

async function runTurn(vendor: Vendor): Promise<void> {
  const bodies: JsonObject[] = [];
  await using port = serveVendor(async (request) => {
    const body: JsonObject = await request.json();
    bodies.push(body);
    if (bodies.length > 1) return sayHello({ url: request.url.replace(/\?.*/, ""), body });
    return vendor.call(...toShellCall(vendor.toolsOf(body)));
  });
  const provider = {
    kind: vendor.kind,
    api_key: VENDOR_KEY,
    base_url: `${port.url}${vendor.path}`,
    models: [vendor.model],
    ...vendor.members,
  };
  await using served = serveGateway({ config: { providers: { vendor: provider } } });
  const output = await runCodex(`${served.url}/v1`, vendor.model);
  assertEquals(served.gateway.bugs, []);
  assertEquals(bodies.length, 2, output);
  assertStringIncludes(JSON.stringify(bodies[1]), PROOF);
  assertStringIncludes(output, "Hello.");
  // deno-lint-ignore no-console
  console.log(`${vendor.kind}: one turn with a call, ${bodies.length} requests`);
}

async function runCodex(baseUrl: string, model: string): Promise<string> {
  const home = await Deno.makeTempDir();
  const gateway =
    `{ name = "gw", base_url = "${baseUrl}", env_key = "GW_KEY", wire_api = "responses" }`;
  const options = ["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "-m", model];
  const config = ["-c", 'model_provider="gw"', "-c", `model_providers.gw=${gateway}`];
  const own = Deno.env.get("CODEX");
  const [command, ...before] = own ? [own] : ["npx", "-y", `@openai/codex@${VERSION}`];
  const child = new Deno.Command(command as string, {
    args: [...before, ...options, ...config, `Print ${PROOF}`],
    cwd: home,
    env: { CODEX_HOME: home, GW_KEY: SERVICE_KEY },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(MAX_TURN_MS),
  });
  const { stdout, stderr } = await child.output();
  await Deno.remove(home, { recursive: true });
  const decoder = new TextDecoder();
  return decoder.decode(stdout) + decoder.decode(stderr);
}

const MAX_TURN_MS = 60_000;

for (const vendor of VENDORS) await runTurn(vendor);
