/** The clients, each with the arguments of a run without a terminal. */

import { assertStringIncludes } from "@std/assert";
import { KEY_VARIABLE } from "../../src/clients/client.ts";
import { type ClientProgram, IDLE_LIMIT_MS, type Loop, PROOF, shellLoop } from "./client.ts";

const CODEX_VERSION = "0.169.0";
const CLAUDE_CODE_VERSION = "2.1.332";
const GEMINI_CLI_VERSION = "0.61.0";
const COPILOT_CLI_VERSION = "1.0.102";
const OPENCODE_VERSION = "1.18.33";
const AIDER_VERSION = "0.86.2";
/** A library, which langchain4j.ts runs. */
export const LANGCHAIN4J_VERSION = "1.19.0";

const claudeCode: ClientProgram = {
  ...{ title: "Claude Code", version: CLAUDE_CODE_VERSION, connectId: "claude-code" },
  request: "POST /v1/messages",
  ...{ variable: "CLAUDE_CODE", command: npx("@anthropic-ai/claude-code", CLAUDE_CODE_VERSION) },
  launch: (prompt, ANTHROPIC_AUTH_TOKEN) => ({
    args: ["-p", prompt, "--allowedTools", "Bash,WebSearch"],
    variables: {
      ...{ ANTHROPIC_AUTH_TOKEN, DISABLE_AUTOUPDATER: "1" },
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  }),
  isConversation: (tools) => tools.includes("Bash"),
  loop: shellLoop((command) => ["Bash", { command, description: "Prints" }]),
  // It leaves out optional parts, one after the other.
  sendsFailed: 6,
  search: ["WebSearch", { query: "deno" }],
};

/** Codex calls its shell differently for each model. */
const codexLoop = shellLoop((command, tools) => {
  if (tools.includes("exec_command")) return ["exec_command", { cmd: command }];
  const name = tools.find((tool) => tool.includes("shell"));
  if (name === undefined) throw new TypeError(`Codex declares no shell: ${tools}`);
  return [name, { command: name === "shell_command" ? command : ["sh", "-c", command] }];
});

const codex: ClientProgram = {
  ...{ title: "Codex", version: CODEX_VERSION, connectId: "codex" },
  ...{ request: "POST /v1/responses", waitsForEvents: true },
  ...{ variable: "CODEX", command: npx("@openai/codex", CODEX_VERSION) },
  launch: (prompt, key) => ({
    args: [
      ...["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access"],
      ...["-c", `model_providers.sluice.stream_idle_timeout_ms=${IDLE_LIMIT_MS}`],
      prompt,
    ],
    variables: { [KEY_VARIABLE]: key },
  }),
  isConversation: () => true,
  loop: codexLoop,
};

const codexOverSocket: ClientProgram = {
  ...codex,
  ...{ title: "Codex over a WebSocket", request: "GET /v1/responses" },
  server: { websockets: "on" },
  launch(...options) {
    const [prompt] = options;
    const { args, variables } = codex.launch(...options);
    const option = ["-c", "model_providers.sluice.supports_websockets=true"];
    return { args: [...args.slice(0, -1), ...option, prompt], variables };
  },
};

const geminiCli: ClientProgram = {
  ...{ title: "Gemini CLI", version: GEMINI_CLI_VERSION, connectId: "gemini-cli" },
  request: "POST /v1beta/models/smart:streamGenerateContent",
  ...{ variable: "GEMINI_CLI", command: npx("@google/gemini-cli", GEMINI_CLI_VERSION) },
  launch: (prompt, GEMINI_API_KEY) => ({
    args: ["--yolo", "--skip-trust", "-p", prompt],
    variables: { GEMINI_API_KEY },
  }),
  isConversation: (tools) => tools.includes("run_shell_command"),
  loop: shellLoop((command) => ["run_shell_command", { command, description: "Prints" }]),
};

/**
 * Copilot CLI, which speaks three formats:
 * https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/use-byok-models
 * (2026-11-28).
 */
function copilotCli(
  title: string,
  request: string,
  toVariables: (url: string) => Readonly<Record<string, string>>,
): ClientProgram {
  return {
    ...{ title, version: COPILOT_CLI_VERSION, request },
    ...{ variable: "COPILOT_CLI", command: npx("@github/copilot", COPILOT_CLI_VERSION) },
    launch: (prompt, COPILOT_PROVIDER_API_KEY, url) => ({
      args: ["-p", prompt, "--allow-all-tools", "--no-auto-update", "--disable-builtin-mcps"],
      variables: {
        ...{ COPILOT_OFFLINE: "true", COPILOT_MODEL: "smart", COPILOT_PROVIDER_API_KEY },
        ...toVariables(url),
      },
    }),
    isConversation: (tools) => tools.includes("bash"),
    loop: shellLoop((command) => ["bash", { command, description: "Prints" }]),
  };
}

const COPILOT_CLIS = [
  copilotCli("Copilot CLI", "POST /v1/chat/completions", (url) => ({
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
  })),
  copilotCli("Copilot CLI by Responses", "POST /v1/responses", (url) => ({
    ...{ COPILOT_PROVIDER_BASE_URL: `${url}/v1`, COPILOT_PROVIDER_WIRE_API: "responses" },
  })),
  copilotCli("Copilot CLI by Messages", "POST /v1/messages", (url) => ({
    ...{ COPILOT_PROVIDER_BASE_URL: url, COPILOT_PROVIDER_TYPE: "anthropic" },
  })),
];

const opencode: ClientProgram = {
  ...{ title: "opencode", version: OPENCODE_VERSION, connectId: "opencode" },
  request: "POST /v1/chat/completions",
  ...{ variable: "OPENCODE", command: npx("opencode-ai", OPENCODE_VERSION) },
  launch: (prompt, key) => ({
    args: ["run", prompt],
    variables: {
      [KEY_VARIABLE]: key,
      ...{ OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    },
  }),
  isConversation: (tools) => tools.includes("bash"),
  loop: shellLoop((command) => ["bash", { command, description: "Prints" }]),
};

/** Aider has no tools: the answer edits a file, and what does not fit comes back. */
const editLoop: Loop = {
  answer: (api, _, turn) => api.text(edit(turn === 2 ? "" : "is not in the file\n")),
  async check(bodies, home) {
    assertStringIncludes(JSON.stringify(bodies[1]), "failed to match");
    assertStringIncludes(await Deno.readTextFile(`${home}/work/notes.txt`), PROOF);
  },
};

function edit(found: string): string {
  return `notes.txt\n\`\`\`\n<<<<<<< SEARCH\n${found}=======\n${PROOF}\n>>>>>>> REPLACE\n\`\`\`\n`;
}

const aider: ClientProgram = {
  ...{ title: "aider", version: AIDER_VERSION, connectId: "aider" },
  request: "POST /v1/chat/completions",
  ...{ variable: "AIDER", command: ["uvx", "--from", `aider-chat==${AIDER_VERSION}`, "aider"] },
  launch: (prompt, AIDER_OPENAI_API_KEY) => ({
    args: [
      ...["--message", prompt, "--yes-always", "--no-git", "--no-check-update", "--no-pretty"],
      ...["--no-show-model-warnings", "--analytics-disable", "--map-tokens", "0"],
      ...["--edit-format", "diff", "notes.txt"],
    ],
    variables: { AIDER_OPENAI_API_KEY },
  }),
  isConversation: () => true,
  loop: editLoop,
};

export const PROGRAMS: readonly ClientProgram[] = [
  claudeCode,
  codex,
  codexOverSocket,
  geminiCli,
  ...COPILOT_CLIS,
  opencode,
  aider,
];

function npx(name: string, version: string): string[] {
  return ["npx", "-y", `${name}@${version}`];
}
