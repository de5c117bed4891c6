/** The settings for editors and chat applications. */

import {
  type Client,
  type ClientModel,
  type ClientTarget,
  KEY_VARIABLE,
  known,
  type Places,
} from "./client.ts";
import { toFields } from "./coding_agents.ts";
import { inAppData, inConfigHome, inHome } from "./edits.ts";
import { isLoopback } from "../core/loopback.ts";

/** Defaults for clients that require model sizes, if these are unknown. */
const ASSUMED_CONTEXT_WINDOW = 128_000;
const ASSUMED_OUTPUT_TOKENS = 16_000;

export const EDITORS: readonly Client[] = [
  {
    id: "zed",
    title: "Zed",
    source: "https://zed.dev/docs/ai/use-api-access",
    checked: "2026-11-25",
    files: ({ base, models }, places) => [{
      path: places.os === "windows"
        ? inAppData(places, "Zed", "settings.json")
        : places.os === "darwin"
        ? inHome(places, ".config", "zed", "settings.json")
        : inConfigHome(places, "zed", "settings.json"),
      format: "json",
      settings: [{
        // Zed derives the name of the key's environment variable from this name.
        path: ["language_models", "openai_compatible", "Sluice"],
        value: { api_url: base, available_models: models.map(toZedModel) },
      }],
    }],
    steps: () => [
      `It reads the key from ${KEY_VARIABLE}, or enter it in its settings under AI, LLM Providers.`,
      "Choose a model of Sluice in the agent panel.",
    ],
  },
  {
    id: "continue",
    title: "Continue",
    source: "https://docs.continue.dev/reference",
    checked: "2026-11-25",
    files({ base, models }, places) {
      const legacy = inHome(places, ".continue", "config.json");
      return [{
        path: inHome(places, ".continue", "config.yaml"),
        format: "yaml",
        ...(places.exists(legacy) && {
          whyNotCreated: `Continue would then ignore ${legacy}; ` +
            "see https://docs.continue.dev/yaml-migration",
        }),
        settings: [
          { path: ["name"], value: "Sluice", isDefault: true },
          { path: ["version"], value: "1.0.0", isDefault: true },
          { path: ["schema"], value: "v1", isDefault: true },
          {
            path: ["models"],
            entries: models.map((model) => toContinueModel(model, base)),
            identity: "name",
            isOurs: ({ name }) => typeof name === "string" && name.startsWith(CONTINUE_PREFIX),
          },
        ],
      }];
    },
    steps: (_, places) => [
      `Add ${KEY_VARIABLE}=<the service key> to ${inHome(places, ".continue", ".env")}: ` +
      "the extension does not read variables of the shell.",
    ],
  },
  {
    id: "vscode",
    title: "VS Code",
    source: "https://code.visualstudio.com/docs/agent-customization/language-models",
    checked: "2026-11-25",
    files: ({ base, models }, places) => [{
      path: pathOfVsCode(places),
      format: "json",
      settings: [{
        path: [],
        entries: [{
          name: "Sluice",
          vendor: VSCODE_VENDOR,
          apiType: "chat-completions",
          models: models.map((model) => toVsCodeModel(model, base)),
        }],
        identity: "name",
        isOurs: ({ name, vendor }) => name === "Sluice" && vendor === VSCODE_VENDOR,
      }],
    }],
    steps: () => [
      "Run 'Chat: Manage Language Models', choose the gear beside Sluice, and enter the service key: " +
      "VS Code keeps it in its secret storage.",
    ],
  },
  {
    id: "cursor",
    title: "Cursor",
    source: "https://cursor.com/docs/settings/api-keys",
    checked: "2026-11-25",
    files: () => [],
    steps: ({ base, model }) => [
      "In Cursor Settings, Models, API Keys:",
      toFields([["OpenAI API Key", "the service key"], ["Override OpenAI Base URL", base]]),
      `Add the model '${model.id}' to the list of models and choose it.`,
      "Cursor's servers send the requests: the gateway needs an address that they reach, with https.",
    ],
  },
];

const CONTINUE_PREFIX = "Sluice: ";
const VSCODE_VENDOR = "customendpoint";

function pathOfVsCode(places: Places): string {
  const rest = ["Code", "User", "chatLanguageModels.json"];
  switch (places.os) {
    case "windows":
      return inAppData(places, ...rest);
    case "darwin":
      return inHome(places, "Library", "Application Support", ...rest);
    case "linux":
      return inConfigHome(places, ...rest);
  }
}

function toZedModel({ id, name, contextWindow, maxOutputTokens, vision }: ClientModel) {
  return known({
    name: id,
    display_name: name,
    max_tokens: contextWindow ?? ASSUMED_CONTEXT_WINDOW,
    max_output_tokens: maxOutputTokens,
    capabilities: {
      tools: true,
      images: vision ?? false,
      parallel_tool_calls: true,
      prompt_cache_key: false,
    },
  });
}

function toContinueModel({ id, contextWindow, maxOutputTokens }: ClientModel, base: string) {
  const options = known({ contextLength: contextWindow, maxTokens: maxOutputTokens });
  return known({
    name: CONTINUE_PREFIX + id,
    provider: "openai",
    model: id,
    apiBase: base,
    apiKey: "${{ secrets." + KEY_VARIABLE + " }}",
    roles: ["chat", "edit", "apply"],
    defaultCompletionOptions: Object.keys(options).length === 0 ? undefined : options,
  });
}

function toVsCodeModel(
  { id, name, contextWindow, maxOutputTokens, vision }: ClientModel,
  base: string,
) {
  const window = contextWindow ?? ASSUMED_CONTEXT_WINDOW;
  const output = Math.min(maxOutputTokens ?? ASSUMED_OUTPUT_TOKENS, window / 2);
  return {
    id,
    name,
    url: `${base}/chat/completions`,
    toolCalling: true,
    vision: vision ?? false,
    maxInputTokens: window - output,
    maxOutputTokens: output,
  };
}

export const CHAT_APPS: readonly Client[] = [
  {
    id: "librechat",
    title: "LibreChat",
    source: "https://www.librechat.ai/docs/configuration/librechat_yaml",
    checked: "2026-11-25",
    files: ({ base, models, smallModel }) => [{
      path: "librechat.yaml",
      format: "yaml",
      whyNotCreated: "run this in the folder of LibreChat, or name its file with --file",
      settings: [{
        path: ["endpoints", "custom"],
        entries: [{
          name: "Sluice",
          apiKey: "${" + KEY_VARIABLE + "}",
          baseURL: base,
          models: { default: models.map(({ id }) => id), fetch: true },
          titleConvo: true,
          titleModel: smallModel.id,
          modelDisplayLabel: "Sluice",
        }],
        identity: "name",
        isOurs: ({ name }) => name === "Sluice",
      }],
    }],
    steps: (target) => [
      `Add ${KEY_VARIABLE}=<the service key> to LibreChat's .env, and restart it.`,
      ...containerSteps(target),
    ],
  },
  {
    id: "open-webui",
    title: "Open WebUI",
    source: "https://docs.openwebui.com/getting-started/env-configuration",
    checked: "2026-11-25",
    files: () => [],
    steps: (target) => [
      "Start it with these variables, or enter both in its admin panel under Connections:",
      toFields([["OPENAI_API_BASE_URL", target.base], ["OPENAI_API_KEY", "the service key"]]),
      ...containerSteps(target),
    ],
  },
  {
    id: "n8n",
    title: "n8n",
    source: "https://docs.n8n.io/integrations/builtin/credentials/openai/",
    checked: "2026-11-25",
    files: () => [],
    steps: (target) => [
      "Create a credential of the type 'OpenAi', and choose it in the nodes of models:",
      toFields([["API Key", "the service key"], ["Base URL", target.base]]),
      `Enter the model's ID in the node, such as '${target.model.id}'.`,
      ...containerSteps(target),
    ],
  },
];

/** A container cannot reach the loopback address of its host. */
function containerSteps({ origin }: ClientTarget): readonly string[] {
  const { hostname, port } = new URL(origin);
  if (!isLoopback(hostname)) return [];
  return [
    `In a container, use http://host.docker.internal:${
      port || 80
    }/v1 instead, let the gateway listen ` +
    "on an address that containers reach (server.host), and add the name to server.hosts.",
  ];
}
