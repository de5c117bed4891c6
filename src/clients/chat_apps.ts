/** Clients that run as a server with a page for people. */

import { isLoopback } from "../core/loopback.ts";
import { type Client, type ClientTarget, KEY_VARIABLE } from "./client.ts";
import { toFields } from "./coding_agents.ts";

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
