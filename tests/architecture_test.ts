/** The order of the house: imports go down one line, and every file has its place on it. */

import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";

const ROOT = new URL("../", import.meta.url);

/** Every file of the product from top to bottom. A file imports only what stands below it. */
const LINE: readonly string[] = [
  // The process.
  "src/main.ts",
  "src/workers.ts",
  "src/worker.ts",
  "src/serving.ts",
  "src/listener.ts",
  "src/accept_failures.ts",
  "src/machine.ts",
  "src/runtime_server.ts",
  "src/line_writer.ts",
  "src/dial.ts",
  "src/tls_connection.ts",
  "src/cli.ts",
  "src/dot_env.ts",
  "src/banner.ts",
  "src/warnings.ts",
  "src/vendor_facts.ts",
  "src/health.ts",
  // The HTTP edge.
  "src/reload.ts",
  "src/app.ts",
  "src/trace_context.ts",
  "src/caller.ts",
  "src/access_log.ts",
  "src/ledger.ts",
  "src/cors.ts",
  "src/receipt_headers.ts",
  "src/routes/admin.ts",
  "src/routes/about.ts",
  "src/routes/chat_completions.ts",
  "src/routes/early_reply.ts",
  "src/routes/models.ts",
  "src/routes/providers.ts",
  "src/routes/health.ts",
  "src/routes/metrics.ts",
  "src/routes/route.ts",
  "src/request_target.ts",
  "src/request_body.ts",
  "src/incoming_bodies.ts",
  "src/json_body.ts",
  "src/json_reader.ts",
  // The path of a request.
  "src/gateway.ts",
  "src/explain.ts",
  "src/pump.ts",
  "src/plan.ts",
  "src/request_keys.ts",
  "src/telemetry.ts",
  "src/metrics.ts",
  "src/metrics_sum.ts",
  "src/server_metrics.ts",
  "src/connections.ts",
  "src/telemetry_content.ts",
  "src/attempt.ts",
  "src/preparation.ts",
  "src/json_text.ts",
  "src/stream.ts",
  "src/event_reader.ts",
  "src/fast_lane.ts",
  "src/chain.ts",
  "src/admin.ts",
  "src/state.ts",
  "src/breaker.ts",
  "src/key_pool.ts",
  "src/backoff.ts",
  "src/verdict.ts",
  "src/exchange.ts",
  "src/learned_rejections.ts",
  "src/caller_words.ts",
  "src/deadline.ts",
  "src/shutdown.ts",
  "src/images.ts",
  "src/credentials.ts",
  "src/google_tokens.ts",
  "src/aws_signature.ts",
  // The configuration.
  "src/snapshot.ts",
  "src/config.ts",
  "src/config/check.ts",
  "src/config/cross_checks.ts",
  "src/config/names.ts",
  "src/config/suggestions.ts",
  "src/config/disabled_names.ts",
  "src/config/providers.ts",
  "src/config/schema.ts",
  "src/config/connection_rules.ts",
  "src/config/values.ts",
  "src/config/keys.ts",
  "src/config/yaml.ts",
  "src/config/off.ts",
  "src/config/env.ts",
  "src/config/faults.ts",
  // The network.
  "src/http_client.ts",
  "src/http_line.ts",
  "src/connection_pool.ts",
  "src/http_message.ts",
  "src/chunked_body.ts",
  "src/upstream.ts",
  "src/image_download.ts",
  "src/addresses.ts",
  // The vendors.
  "src/matrix.ts",
  "src/providers/registry.ts",
  "src/providers/vertex.ts",
  "src/providers/gemini.ts",
  "src/providers/gemini_support.ts",
  "src/providers/gemini_stream.ts",
  "src/providers/gemini_answer.ts",
  "src/providers/gemini_turns.ts",
  "src/providers/gemini_arguments.ts",
  "src/providers/gemini_errors.ts",
  "src/providers/gemini_models.ts",
  "src/providers/gemini_schema.ts",
  "src/providers/anthropic.ts",
  "src/providers/cerebras.ts",
  "src/providers/deepinfra.ts",
  "src/providers/deepseek.ts",
  "src/providers/fireworks.ts",
  "src/providers/groq.ts",
  "src/providers/huggingface.ts",
  "src/providers/llamacpp.ts",
  "src/providers/lmstudio.ts",
  "src/providers/moonshot.ts",
  "src/providers/moonshot_schema.ts",
  "src/providers/novita.ts",
  "src/providers/nvidia.ts",
  "src/providers/openrouter.ts",
  "src/providers/perplexity.ts",
  "src/providers/qwen.ts",
  "src/providers/sambanova.ts",
  "src/providers/together.ts",
  "src/providers/vllm.ts",
  "src/providers/xai.ts",
  "src/providers/zai.ts",
  "src/providers/anthropic_answers.ts",
  "src/providers/anthropic_messages.ts",
  "src/providers/azure.ts",
  "src/providers/bedrock.ts",
  "src/providers/bedrock_answer.ts",
  "src/providers/bedrock_content.ts",
  "src/providers/bedrock_errors.ts",
  "src/providers/bedrock_tools.ts",
  "src/providers/bedrock_models.ts",
  "src/providers/cohere.ts",
  "src/providers/cohere_answers.ts",
  "src/providers/cohere_messages.ts",
  "src/providers/cohere_plan.ts",
  "src/providers/mistral.ts",
  "src/providers/ollama.ts",
  "src/providers/ollama_answers.ts",
  "src/providers/ollama_messages.ts",
  "src/providers/ollama_plan.ts",
  "src/providers/mock.ts",
  "src/providers/mock_faults.ts",
  "src/providers/mock_schema.ts",
  "src/providers/mock_scalars.ts",
  "src/providers/mock_pattern.ts",
  "src/providers/dialect_row.ts",
  "src/providers/dialect_messages.ts",
  "src/providers/dialect_rewrites.ts",
  "src/providers/openai.ts",
  "src/providers/openai_stream.ts",
  "src/providers/openai_dialect.ts",
  "src/providers/openai_responses.ts",
  "src/providers/openai_responses_stream.ts",
  "src/providers/openai_responses_output.ts",
  "src/providers/openai_responses_input.ts",
  "src/providers/openai_responses_errors.ts",
  "src/providers/openai_errors.ts",
  "src/providers/error_codes.ts",
  "src/providers/openai_answers.ts",
  "src/providers/openai_models.ts",
  "src/providers/claude_models.ts",
  "src/providers/context_length.ts",
  "src/providers/usage.ts",
  "src/providers/answers.ts",
  "src/providers/turns.ts",
  "src/providers/legacy_functions.ts",
  "src/providers/schema_branches.ts",
  "src/providers/json_schema.ts",
  "src/providers/inline_refs.ts",
  "src/providers/json_size.ts",
  "src/providers/json_fence.ts",
  "src/providers/catalogue.ts",
  "src/providers/adapter.ts",
  "src/providers/content_support.ts",
  "src/providers/support.ts",
  // The wire.
  "src/envelope.ts",
  "src/whole_answer.ts",
  "src/chat_request.ts",
  "src/chat.ts",
  "src/content.ts",
  "src/efforts.ts",
  "src/first_fault.ts",
  "src/faults.ts",
  "src/framing.ts",
  "src/errors.ts",
  // What needs nothing.
  "src/printable.ts",
  "src/json_error.ts",
  "src/json_limits.ts",
  "src/json_characters.ts",
  "src/clock.ts",
  "src/ids.ts",
  "src/redactor.ts",
  "src/transport_error.ts",
  "src/version.ts",
  "src/providers/catalogue.json",
  "src/providers/sources.json",
  "config.yaml",
  "deno.json",
];

/** What the vendors of OpenAI's dialect are made of, OpenAI itself among it. */
const DIALECT = "src/providers/openai.ts";

/** Adapters: nothing but the registry knows them. */
const VENDORS = LINE.slice(
  LINE.indexOf("src/providers/registry.ts") + 1,
  LINE.indexOf("src/providers/dialect_row.ts"),
).filter((file) => !/_\w+\.ts$/.test(file) && file !== DIALECT);

/** Vendors that are made of another one. */
const BETWEEN_VENDORS: readonly string[] = [
  "src/providers/vertex.ts -> src/providers/anthropic.ts",
  "src/providers/vertex.ts -> src/providers/gemini.ts",
];

interface Edge {
  readonly from: string;
  readonly to: string;
}

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { readonly specifier: string };
    readonly type?: { readonly specifier: string };
  }[];
}

/** Every import between files of ours, type-only ones included, and every file that is reached. */
async function readGraph(): Promise<{ files: Set<string>; edges: Edge[] }> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", fileURLToPath(new URL("src/main.ts", ROOT))],
    stderr: "inherit",
  }).output();
  const { modules } = JSON.parse(new TextDecoder().decode(stdout)) as { modules: Module[] };
  const files = new Set<string>();
  const edges: Edge[] = [];
  for (const { specifier, dependencies = [] } of modules) {
    const from = placeOf(specifier);
    if (from === undefined) continue;
    files.add(from);
    for (const { code, type } of dependencies) {
      const to = placeOf(code?.specifier ?? type?.specifier ?? "");
      if (to !== undefined) edges.push({ from, to });
    }
  }
  return { files, edges };
}

/** A file's path from the repository's root, or undefined for a package. */
function placeOf(specifier: string): string | undefined {
  if (!specifier.startsWith(ROOT.href) || specifier.includes("/node_modules/")) return undefined;
  return decodeURIComponent(specifier.slice(ROOT.href.length));
}

function filesBelow(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${folder}${name}/`) : [`${folder}${name}`]
  );
}

const { files, edges } = await readGraph();

Deno.test("every file that the product reaches has a place on the line", () => {
  assertEquals([...files].filter((file) => !LINE.includes(file)).sort(), []);
  assertEquals(LINE.filter((file) => !files.has(file)), []);
  assertEquals(new Set(LINE).size, LINE.length);
});

Deno.test("every file below src is reached from main.ts", () => {
  assertEquals(filesBelow("src/").filter((file) => !files.has(file)).sort(), []);
});

Deno.test("imports go down the line, never up", () => {
  assert(edges.length > 100);
  const up = edges.filter(({ from, to }) => LINE.indexOf(to) <= LINE.indexOf(from));
  assertEquals(up.map(({ from, to }) => `${from} -> ${to}`), []);
});

Deno.test("only the registry imports vendors, but for what is named here", () => {
  const others = edges.filter(({ from, to }) =>
    VENDORS.includes(to) && from !== "src/providers/registry.ts"
  );
  assertEquals(others.map(({ from, to }) => `${from} -> ${to}`).sort(), BETWEEN_VENDORS);
});

Deno.test("only the process and the routes reach for the registry", () => {
  const users = edges.filter(({ to }) => to === "src/providers/registry.ts").map(({ from }) =>
    from
  );
  assertEquals(users.sort(), [
    "src/machine.ts",
    "src/main.ts",
    "src/routes/providers.ts",
    "src/worker.ts",
  ]);
});

/** What only some files may touch: everything else is handed to them. */
const WORLD: readonly (readonly [string, RegExp, readonly string[]])[] = [
  ["the network", /(?<![.\w])fetch\(/, ["src/upstream.ts"]],
  ["connections and names", /from "node:(?:https?|dns|net|tls)\b/, [
    "src/dial.ts",
    "src/tls_connection.ts",
    "src/health.ts",
    "src/image_download.ts",
    "src/addresses.ts",
  ]],
  ["Deno's own interface", /\bDeno\.(?!Serve|Signal|Net)\w/, [
    "src/main.ts",
    "src/serving.ts",
    "src/listener.ts",
    "src/machine.ts",
    "src/runtime_server.ts",
    "src/dial.ts",
  ]],
  ["the time", /\b(?:Date\.now|performance\.now|setTimeout|setInterval)\b|new Date\(\)/, [
    "src/clock.ts",
  ]],
  ["chance", /\bMath\.random\b|\bcrypto\.(?:getRandom|random)/, ["src/ids.ts"]],
  ["the console", /\bconsole\./, []],
];

for (const [what, pattern, allowed] of WORLD) {
  Deno.test(`${allowed.join(" and ") || "no file"} alone touches ${what}`, () => {
    const users = LINE.filter((file) => file.endsWith(".ts"))
      .filter((file) => pattern.test(codeOf(file)));
    assertEquals(users, allowed);
  });
}

/** A file's text without its comments. */
function codeOf(file: string): string {
  return Deno.readTextFileSync(new URL(file, ROOT)).replace(/\/\*[^]*?\*\/|\/\/ .*/g, "");
}
