/**
 * Azure OpenAI: OpenAI's models under names that the operator chooses, called deployments.
 *
 * Both APIs are supported: `…/openai/v1`, which equals OpenAI's API, and the older one with a dated
 * `api-version` and the deployment in the URL
 * (https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle, 2026-11).
 */

import * as z from "zod";
import type { ChatRequest } from "../../contract/chat.ts";
import { isText } from "../../core/json/values.ts";
import { dialectModels } from "../openai_compatible/model_list.ts";
import { hostTest } from "../shared/session_hints.ts";
import { dialectEmbeddings } from "../openai_compatible/embeddings.ts";
import { dialectImages, OPENAI_IMAGES } from "../openai_compatible/images.ts";
import {
  dialectSpeech,
  dialectTranscriptions,
  OPENAI_SPEECH,
  OPENAI_TRANSCRIPTIONS,
} from "../openai_compatible/audio.ts";
import { OPENAI_EMBEDDINGS, openAiModels, withResponses } from "../openai/openai_adapter.ts";
import { ignored, nativeAs, refused, type Support } from "../../contract/support.ts";
import type { Auth, Call, ProviderSettings, TargetModel } from "../../contract/vendor_request.ts";
import { withCheck } from "../../core/validation_messages.ts";

const AUTH: Auth = { type: "azure", keyHeader: "api-key" };

/** Azure OpenAI. */
export const azure = withResponses({
  ...openAiModels,
  kind: "azure",
  genAiName: "azure.ai.openai",
  defaults: { credentials: "required", ambient: "azure" },
  options: withCheck(
    openAiModels.options.safeExtend({
      api_version: z.string()
        .regex(/^(?:\d{4}-\d\d-\d\d(?:-preview)?|v1|preview|latest)$/, {
          error: "must be a date such as '2024-10-21' or '2024-10-21-preview', " +
            "or one of 'v1', 'preview', 'latest'",
        })
        .optional()
        .describe(
          "API version; a dated version selects the deployment-based API of older resources",
        ),
      deployments: z.record(z.string().min(1), z.string().min(1)).optional()
        .describe("Deployment names by model, where they differ"),
      tenant_id: z.string().regex(/^[\w.-]+$/, { error: "must be an ID or a domain" }).optional()
        .describe("Microsoft Entra tenant, for 'client_secret' or a workload identity"),
      client_id: z.string().regex(/^[\w-]+$/, { error: "must be an ID" }).optional()
        .describe("Application ID for 'client_secret', or client ID of the managed identity"),
      client_secret: z.string().min(1).meta({ writeOnly: true }).optional()
        .describe("Secret of the application 'client_id', unless 'api_key' is set"),
    }),
    ({ client_id: client, client_secret: secret, tenant_id: tenant }) =>
      secret === undefined || (client !== undefined && tenant !== undefined)
        ? []
        : [{ path: ["client_secret"], message: "needs 'tenant_id' and 'client_id'" }],
  ),
  credentialSets: [{ needs: ["client_secret"] }],
  parameters: { service_tier: nativeAs("auto or default") },
  content: { file: refused("Azure's chat completions do not support files") },
  auth: AUTH,
  requestIdHeader: "apim-request-id",
  // Grok reports cached tokens of earlier requests: they may exceed the prompt, and are not billed
  // in addition (32 of 42 recorded answers, 2026-11).
  counts: { cachedIsIncluded: true },
  supportFor,
  model: deploymentOf,
  url: (call) => toUrl(call, "chat/completions"),
  // The resource's model list contains the models that could be deployed. Its list of deployments
  // uses an API version that is still available but no longer documented (2026-11).
  models: dialectModels({
    auth: AUTH,
    url: (provider) => `${rootOf(provider)}/openai/deployments?api-version=2023-03-15-preview`,
    isUsable: ({ status }) => status === undefined || status === "succeeded",
    hasDates: false,
    base: ({ model }) => isText(model) ? model : undefined,
  }),
  passthrough(provider) {
    const version = versionOf(provider);
    return {
      baseUrl: isDated(provider) ? `${rootOf(provider)}/openai` : v1Of(provider),
      auth: AUTH,
      ...(version !== "" && { query: { "api-version": version } }),
    };
  },
  apis: {
    embeddings: dialectEmbeddings({
      ...OPENAI_EMBEDDINGS,
      auth: AUTH,
      model: deploymentOf,
      url: (call) => toUrl(call, "embeddings"),
    }),
    images: dialectImages({
      ...OPENAI_IMAGES,
      auth: AUTH,
      model: deploymentOf,
      url: toUrl,
    }),
    speech: dialectSpeech({
      ...OPENAI_SPEECH,
      auth: AUTH,
      model: deploymentOf,
      url: (call) => toUrl(call, "audio/speech"),
    }),
    transcriptions: dialectTranscriptions({
      ...OPENAI_TRANSCRIPTIONS,
      auth: AUTH,
      model: deploymentOf,
      url: (call) => toUrl(call, `audio/${call.request.task}`),
    }),
  },
}, {
  // The Responses API is never below a deployment: https://github.com/openai/openai-node, azure.ts (2026-08-21).
  url: ({ provider }) => {
    const path = isDated(provider) ? `${rootOf(provider)}/openai` : v1Of(provider);
    return `${path}/responses${queryOf(provider)}`;
  },
  isThere: (provider) =>
    isOwnHost(provider.baseUrl) &&
    !(isDated(provider) && versionOf(provider) < FIRST_WITH_RESPONSES),
});

const isOwnHost = hostTest(
  /\.(?:openai|services\.ai|cognitiveservices)\.azure\.(?:com|us|cn)$/,
);

/** The oldest known dated version with the Responses API. */
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

function toUrl(call: Deployed, resource: string): string {
  const { provider } = call;
  const path = isDated(provider)
    ? `${rootOf(provider)}/openai/deployments/${encodeURIComponent(deploymentOf(call))}`
    : v1Of(provider);
  return `${path}/${resource}${queryOf(provider)}`;
}

/** The parts of a call that select the deployment. */
type Deployed = Pick<Call, "model" | "provider">;

function deploymentOf({ model, provider }: Deployed): string {
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

/** The URL of the resource, even if `base_url` contains the path of the other API. */
function rootOf({ baseUrl }: ProviderSettings): string {
  return baseUrl.replace(/\/openai(?:\/v1)?$/, "");
}

/** The URL of the v1 API. `base_url` may also be only the host. */
function v1Of({ baseUrl }: ProviderSettings): string {
  return new URL(baseUrl).pathname === "/" ? `${baseUrl}/openai/v1` : baseUrl;
}
