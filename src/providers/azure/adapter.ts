/**
 * Azure OpenAI: OpenAI's models under names of the operator's own, called deployments.
 *
 * Both surfaces are served: `…/openai/v1`, which is OpenAI's own API, and the
 * older one with a dated `api-version` and the deployment in the address
 * (https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle, 2026-11).
 */

import { z } from "zod";
import type { ChatRequest } from "../../chat/chat.ts";
import type { Call, ProviderSettings, TargetModel } from "../contract/adapter.ts";
import { openAiModels, withResponses } from "../openai/adapter.ts";
import { ignored, nativeAs, refused, type Support } from "../contract/support.ts";

/** Azure OpenAI. */
export const azure = withResponses({
  ...openAiModels,
  kind: "azure",
  genAiName: "azure.ai.openai",
  defaults: { credentials: "required" },
  options: openAiModels.options.safeExtend({
    api_version: z.string()
      .regex(/^(?:\d{4}-\d\d-\d\d(?:-preview)?|v1|preview|latest)$/, {
        error: "must be a date such as '2024-10-21', with '-preview' behind it or not, " +
          "or one of 'v1', 'preview', 'latest'",
      })
      .optional()
      .describe("API version; a dated version selects the deployment-based API of older resources"),
    deployments: z.record(z.string().min(1), z.string().min(1)).optional()
      .describe("Deployment names by model, where they differ"),
  }),
  parameters: { service_tier: nativeAs("auto or default") },
  content: { file: refused("Azure's chat completions take no files") },
  auth: { type: "header", name: "api-key" },
  requestIdHeader: "apim-request-id",
  supportFor,
  model: deploymentOf,
  url: (call) => {
    const { provider } = call;
    const path = isDated(provider)
      ? `${rootOf(provider)}/openai/deployments/${encodeURIComponent(deploymentOf(call))}`
      : v1Of(provider);
    return `${path}/chat/completions${queryOf(provider)}`;
  },
}, {
  // Never below a deployment: https://github.com/openai/openai-node, azure.ts (2026-08-21).
  url: ({ provider }) => {
    const path = isDated(provider) ? `${rootOf(provider)}/openai` : v1Of(provider);
    return `${path}/responses${queryOf(provider)}`;
  },
  isThere: (provider) =>
    OWN_HOST.test(new URL(provider.baseUrl).hostname) &&
    !(isDated(provider) && versionOf(provider) < FIRST_WITH_RESPONSES),
});

const OWN_HOST = /\.(?:openai|services\.ai|cognitiveservices)\.azure\.(?:com|us|cn)$/;

/** The oldest dated version with the Responses API, as far as is known. */
const FIRST_WITH_RESPONSES = "2025-03-01-preview";

function supportFor(
  request: ChatRequest,
  model: TargetModel,
): Readonly<Record<string, Support>> {
  const { service_tier: tier } = request;
  const known = tier === undefined || tier === "auto" || tier === "default";
  return {
    ...openAiModels.supportFor(request, model),
    ...(!known && { service_tier: ignored("auto or default only") }),
  };
}

function deploymentOf({ model, provider }: Call): string {
  const { deployments } = provider.options;
  const names = new Map(Object.entries(deployments ?? {}));
  return String(names.get(model.id) ?? names.get(model.upstream) ?? model.upstream);
}

function versionOf({ options }: ProviderSettings): string {
  return typeof options.api_version === "string" ? options.api_version : "";
}

function isDated(provider: ProviderSettings): boolean {
  return /^\d/.test(versionOf(provider));
}

function queryOf(provider: ProviderSettings): string {
  const version = versionOf(provider);
  return version === "" ? "" : `?api-version=${version}`;
}

/** The resource's root, also where `base_url` goes on to the other surface. */
function rootOf({ baseUrl }: ProviderSettings): string {
  return baseUrl.replace(/\/openai(?:\/v1)?$/, "");
}

/** The bare host works too. */
function v1Of({ baseUrl }: ProviderSettings): string {
  return new URL(baseUrl).pathname === "/" ? `${baseUrl}/openai/v1` : baseUrl;
}
