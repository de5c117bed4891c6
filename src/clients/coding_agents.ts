/** Clients that run in a terminal. */

import { isLoopback } from "../core/loopback.ts";
import {
  type Client,
  type ClientModel,
  exportKey,
  KEY_VARIABLE,
  known,
  type Places,
} from "./client.ts";
import { inConfigHome, inHome, join } from "./edits.ts";

export const CODING_AGENTS: readonly Client[] = [
  {
    id: "claude-code",
    title: "Claude Code",
    source: "https://docs.anthropic.com/en/docs/claude-code/llm-gateway",
    checked: "2026-11-25",
    files: ({ origin, model, smallModel }, places) => [{
      path: join(
        places,
        places.env("CLAUDE_CONFIG_DIR") ?? inHome(places, ".claude"),
        "settings.json",
      ),
      format: "json",
      settings: [
        { path: ["model"], value: model.id },
        { path: ["env", "ANTHROPIC_BASE_URL"], value: origin },
        { path: ["env", "ANTHROPIC_DEFAULT_HAIKU_MODEL"], value: smallModel.id },
        // Without this, the model picker does not load the gateway's models.
        { path: ["env", "CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY"], value: "1" },
        // The client summarizes the conversation before the window is full.
        ...(model.contextWindow === undefined ? [] : [{
          path: ["env", "CLAUDE_CODE_AUTO_COMPACT_WINDOW"],
          value: String(model.contextWindow),
        }]),
      ],
    }],
    steps: (_, places) => [
      exportKey("ANTHROPIC_AUTH_TOKEN", places),
      "Unset ANTHROPIC_API_KEY, which would be sent to the gateway too.",
    ],
  },
  {
    id: "codex",
    title: "Codex",
    source: "https://developers.openai.com/codex/config-reference",
    checked: "2026-11-26",
    files: ({ base, model }, places) => [{
      path: join(places, places.env("CODEX_HOME") ?? inHome(places, ".codex"), "config.toml"),
      format: "toml",
      settings: [
        { path: ["model"], value: model.id },
        { path: ["model_provider"], value: "sluice" },
        // Codex knows only the context windows of OpenAI's models.
        ...(model.contextWindow === undefined
          ? []
          : [{ path: ["model_context_window"], value: model.contextWindow }]),
        {
          path: ["model_providers", "sluice"],
          value: {
            name: "Sluice",
            base_url: base,
            env_key: KEY_VARIABLE,
            wire_api: "responses",
            // The gateway has already retried.
            request_max_retries: 0,
            stream_max_retries: 1,
          },
        },
      ],
    }],
    steps: () => [`It reads the key from ${KEY_VARIABLE}.`],
  },
  {
    id: "gemini-cli",
    title: "Gemini CLI",
    source: "https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md",
    checked: "2026-11-25",
    files({ origin, model }, places) {
      const folder = join(places, places.env("GEMINI_CLI_HOME") ?? inHome(places), ".gemini");
      return [
        {
          path: join(places, folder, ".env"),
          format: "dotenv",
          settings: [
            { path: ["GOOGLE_GEMINI_BASE_URL"], value: origin },
            { path: ["GEMINI_MODEL"], value: model.id },
          ],
        },
        {
          path: join(places, folder, "settings.json"),
          format: "json",
          settings: [{ path: ["security", "auth", "selectedType"], value: "gemini-api-key" }],
        },
      ];
    },
    steps: ({ origin }, places) => [
      exportKey("GEMINI_API_KEY", places),
      ...(isPlainRemote(origin)
        ? ["It refuses http:// addresses of other machines: use https://."]
        : []),
    ],
  },
  {
    id: "opencode",
    title: "opencode",
    source: "https://opencode.ai/docs/providers",
    checked: "2026-11-25",
    files: (target, places) => [{
      path: pathOfOpencode(places),
      format: "json",
      settings: [
        {
          path: ["provider", "sluice"],
          value: {
            npm: "@ai-sdk/openai-compatible",
            name: "Sluice",
            options: { baseURL: target.base, apiKey: `{env:${KEY_VARIABLE}}` },
            models: Object.fromEntries(
              target.models.map((model) => [model.id, toOpencodeModel(model)]),
            ),
          },
        },
        { path: ["model"], value: `sluice/${target.model.id}` },
        { path: ["small_model"], value: `sluice/${target.smallModel.id}` },
      ],
    }],
    steps: () => [`It reads the key from ${KEY_VARIABLE}.`],
  },
  {
    id: "aider",
    title: "aider",
    source: "https://aider.chat/docs/config/aider_conf.html",
    checked: "2026-11-25",
    files: ({ base, model, smallModel }, places) => [{
      path: inHome(places, ".aider.conf.yml"),
      format: "yaml",
      settings: [
        { path: ["openai-api-base"], value: base },
        // The prefix selects its client for OpenAI's API.
        { path: ["model"], value: `openai/${model.id}` },
        { path: ["weak-model"], value: `openai/${smallModel.id}` },
      ],
    }],
    steps: (_, places) => [exportKey("AIDER_OPENAI_API_KEY", places)],
  },
  {
    id: "cline",
    title: "Cline",
    source: "https://docs.cline.bot/provider-config/openai-compatible",
    checked: "2026-11-25",
    files: () => [],
    steps: ({ base, model }) => [
      "In the settings of the extension, choose the API provider 'OpenAI Compatible':",
      toFields([["Base URL", base], ["API Key", "the service key"], ["Model ID", model.id], [
        "Context Window",
        String(model.contextWindow ?? "that of the model"),
      ]]),
      "The key is kept in the editor's secret storage, so there is no file to write.",
    ],
  },
  {
    id: "java",
    title: "Java: LangChain4j, Spring AI, the JDK's client",
    source: "https://docs.oracle.com/en/java/javase/21/docs/api/java.net.http/java/net/http/" +
      "HttpClient.Builder.html#version(java.net.http.HttpClient.Version)",
    checked: "2026-11-28",
    files: () => [],
    steps: ({ base, model, origin }) => [
      ...(origin.startsWith("https:") ? [] : [
        "At its defaults, the JDK's client asks for an upgrade to HTTP/2 over plain http, and gets an " +
        "empty 400. Choose HTTP/1.1 in the client, as below, or set 'compatible: true' of an entry in " +
        "'server.listeners'.",
      ]),
      [
        "LangChain4j:",
        "  var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);",
        "  var model = OpenAiChatModel.builder()",
        "      .httpClientBuilder(JdkHttpClient.builder().httpClientBuilder(http))",
        `      .baseUrl("${base}").modelName("${model.id}")`,
        `      .apiKey(System.getenv("${KEY_VARIABLE}")).build();`,
      ].join("\n"),
      [
        "Spring AI: a bean of the application, and application.properties",
        "  @Bean RestClientCustomizer http1() {",
        "    var http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();",
        "    return rest -> rest.requestFactory(new JdkClientHttpRequestFactory(http));",
        "  }",
        "  spring.ai.openai.base-url=" + origin,
        "  spring.ai.openai.api-key=${" + KEY_VARIABLE + "}",
        `  spring.ai.openai.chat.options.model=${model.id}`,
      ].join("\n"),
    ],
  },
];

/** Names and values, one per line. */
export function toFields(fields: readonly (readonly [string, string])[]): string {
  const width = Math.max(...fields.map(([name]) => name.length)) + 2;
  return fields.map(([name, value]) => `  ${name.padEnd(width)}${value}`).join("\n");
}

function isPlainRemote(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === "http:" && !isLoopback(hostname);
}

/** The existing file, which may contain comments if its name ends in `.jsonc`. */
function pathOfOpencode(places: Places): string {
  const named = places.env("OPENCODE_CONFIG");
  if (named !== undefined) return named;
  const commented = inConfigHome(places, "opencode", "opencode.jsonc");
  return places.exists(commented) ? commented : inConfigHome(places, "opencode", "opencode.json");
}

/** A limit needs both numbers. */
function toOpencodeModel({ name, contextWindow, maxOutputTokens, vision }: ClientModel) {
  const hasLimit = contextWindow !== undefined && maxOutputTokens !== undefined;
  return known({
    name,
    attachment: vision,
    limit: hasLimit ? { context: contextWindow, output: maxOutputTokens } : undefined,
  });
}
