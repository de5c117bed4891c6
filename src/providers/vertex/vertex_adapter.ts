/**
 * Google's Vertex AI: Gemini with nearly the same API as Google's developer API, and Claude with
 * Anthropic's Messages API.
 *
 * Shapes: https://docs.cloud.google.com/vertex-ai/docs/reference/rest,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/learn/locations and
 * https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai (2026-11-20).
 */

import * as z from "zod";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { GatewayError } from "../../core/errors.ts";
import type { Adapter, ListedModel, ModelListApi } from "../../contract/adapter.ts";
import { anthropic } from "../anthropic/anthropic_adapter.ts";
import { escapePath, geminiAdapter, withYouTube } from "../gemini/gemini_adapter.ts";
import { toGeminiTier } from "../gemini/support.ts";
import { nativeGenerate } from "../gemini/native.ts";
import { vertexEmbeddings } from "./embeddings.ts";
import { vertexRerank } from "./rerank.ts";
import { ALLOWED_BETAS, toHeader, VERTEX_CLAUDE } from "../shared/claude/betas.ts";
import { nativeMessages } from "../shared/native_messages.ts";
import { converted, ignored, refused } from "../../contract/support.ts";
import { isText, present, toObject } from "../../core/json/values.ts";
import { entriesOf, listRequest } from "../shared/model_list.ts";
import type {
  Auth,
  Call,
  Failure,
  ProviderSettings,
  TargetModel,
  UpstreamError,
  VendorRequest,
} from "../../contract/vendor_request.ts";
import { type MemberFault, withCheck } from "../../core/validation_messages.ts";

// The publisher models of Vertex AI
// (https://docs.cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/publishers.models, 2026-11-20).
//
// The list contains neither limits nor prices, and does not show which models the project may use.

/** The publishers whose models the adapter can call. */
const PUBLISHERS = ["google", "anthropic"] as const;

/** Families whose models the adapter can call, by the start of their IDs. */
const FAMILIES =
  /^(?:gemini-|gemma-|claude-|imagen-|text-embedding-|text-multilingual-embedding-|textembedding-)/;

/** @param baseOf the base URL of a provider, up to the version */
function vertexModels(
  auth: Auth,
  baseOf: (provider: ProviderSettings) => string,
  projectOf: (provider: ProviderSettings) => string | undefined,
): ModelListApi {
  const toRequest = (
    provider: ProviderSettings,
    publisher: string,
    token?: string,
  ): VendorRequest => {
    // Only this version has the list.
    const base = baseOf(provider).replace(/\/v1$/, "/v1beta1");
    const page = token === undefined ? "" : `&pageToken=${encodeURIComponent(token)}`;
    const project = projectOf(provider);
    return {
      ...listRequest(`${base}/publishers/${publisher}/models?pageSize=100${page}`, auth),
      headers: project === undefined ? {} : { "x-goog-user-project": project },
    };
  };
  return {
    toRequests: (provider) => PUBLISHERS.map((publisher) => toRequest(provider, publisher)),
    read(body, { url }, provider) {
      const { nextPageToken: token, publisherModels } = toObject(body);
      // The answer for a publisher without models is empty.
      const isEmpty = publisherModels === undefined && JSON.stringify(body) === "{}";
      const publisher = /\/publishers\/(\w+)\/models\?/.exec(url)?.[1] ?? "";
      return {
        models: isEmpty ? [] : entriesOf(publisherModels).flatMap(toModel),
        ...(isText(token) && { next: [toRequest(provider, publisher, token)] }),
      };
    },
  };
}

function toModel({ launchStage, name, versionId: version }: JsonObject): ListedModel[] {
  const id = isText(name) ? name.replace(/^.*\//, "") : "";
  if (!FAMILIES.test(id) || launchStage === "DEPRECATED") return [];
  // Versions of Claude models are part of their IDs.
  const isVersioned = id.startsWith("claude-") && isText(version) && version !== "default";
  return [{ id: isVersioned ? `${id}@${version}` : id, facts: {} }];
}

const KIND = "vertex";
const AUTH: Auth = { type: "google", keyHeader: "x-goog-api-key" };
const DEFAULT_URL = "https://aiplatform.googleapis.com/v1";

const options = withCheck(
  z.strictObject({
    project: z.string().min(1).optional()
      .describe(
        "Google Cloud project ID; defaults to that of 'credentials', or to GOOGLE_CLOUD_PROJECT, " +
          "else to that of the machine's credentials",
      ),
    location: z.string().regex(/^[a-z0-9-]+$/, {
      error: "must be 'global', a region such as 'europe-west4', 'us' or 'eu'",
    }).optional().describe(
      "Google Cloud location: a region, 'us', 'eu' or 'global'; defaults to 'global'",
    ),
    credentials: z.string().min(1).meta({ writeOnly: true }).optional()
      .describe(
        "Google credentials of any type, such as a service account key: the path of the JSON file, " +
          "or the JSON itself; defaults to the machine's application default credentials",
      ),
    allowed_betas: ALLOWED_BETAS,
  }),
  optionErrors,
);

const geminiOnVertex = geminiAdapter({
  kind: KIND,
  genAiName: "gcp.vertex_ai",
  defaults: {
    baseUrl: DEFAULT_URL,
    credentials: "optional",
    ambient: "google",
    needsProject: true,
  },
  options,
  parameters: {
    metadata: converted("labels: lower case, at most 63 characters"),
    store: ignored("no such field"),
    service_tier: converted("a header: flex, priority or standard"),
  },
  ownFiles: withYouTube(/^gs:\/\//i),
  typedFiles: true,
  candidates: true,
  // Observed to be accepted (2026-08), although the developer API rejects them.
  penalties: /gemini-2\.5-pro/,
  passthrough: (provider) => ({ baseUrl: placeOf(provider).base, auth: AUTH }),
  embeddings: vertexEmbeddings({ resource: toResource, auth: () => AUTH }),
  models: { resource: toResource, auth: () => AUTH },
  resource: toResource,
  auth: () => AUTH,
  extras(call) {
    const tier = toGeminiTier(call, TIER_HEADER);
    const headers = tier === undefined ? {} : { [TIER_HEADER]: tier, [TRAFFIC_HEADER]: "shared" };
    return { headers, body: present({ labels: toLabels(call) }) };
  },
});

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/priority-paygo (2026-11-20). */
const TIER_HEADER = "x-vertex-ai-llm-shared-request-type";
const TRAFFIC_HEADER = "x-vertex-ai-llm-request-type";

/** Claude through `rawPredict`: the Messages API, with the model in the URL. */
const claudeOnVertex: Adapter = {
  ...anthropic,
  kind: KIND,
  defaults: geminiOnVertex.defaults,
  options,
  imageSources: { https: false, http: false },
  supports: {
    ...anthropic.supports,
    // https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai (2026-11-20).
    content: {
      ...anthropic.supports.content,
      file_url: refused("Google downloads no files for Claude"),
    },
  },
  supportFor: (request, model, provider) =>
    anthropic.supportFor(request, ofVertex(model), provider),
  adds: {
    ...anthropic.adds,
    anthropic_version: "the vendor requires it: the version of the Messages API",
  },
  toRequest(call): VendorRequest {
    call.changes.add("anthropic_version");
    const { headers, body } = anthropic.toRequest(onVertex(call));
    const { "anthropic-version": _, ...others } = headers;
    const { model: __, ...message } = body;
    return {
      url: `${toResource(call)}:${call.stream ? "streamRawPredict" : "rawPredict"}`,
      headers: others,
      body: { anthropic_version: "vertex-2023-10-16", ...message },
      auth: AUTH,
    };
  },
  toCompletion: (answer, call) => anthropic.toCompletion(answer, onVertex(call)),
  decoder: (call) => anthropic.decoder(onVertex(call)),
  toError: (failure) =>
    isGoogleError(failure) ? geminiOnVertex.toError(failure) : toUpstreamError(failure),
};

/** The model that counts Claude's tokens. */
const COUNTER = "publishers/anthropic/models/count-tokens";

/** The Messages API as Google serves it: the model is part of the address. */
const MESSAGES = nativeMessages({
  framing: "sse",
  cloud: VERTEX_CLAUDE,
  request: (call, betas) => ({
    url: `${toResource(call)}:${call.stream ? "streamRawPredict" : "rawPredict"}`,
    headers: toHeader(betas),
    auth: AUTH,
  }),
  body({ model: _, ...body }, { changes }) {
    if (body.anthropic_version === undefined) changes.add("anthropic_version");
    return { anthropic_version: "vertex-2023-10-16", ...body };
  },
  // https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai (2026-11-20): the
  // model is part of the body here.
  countUrl: (call) =>
    `${toResource({ ...call, model: { ...call.model, upstream: COUNTER } })}:rawPredict`,
  toError: claudeOnVertex.toError,
});

/** Vertex requires the role of each content. */
const GENERATE = nativeGenerate({ resource: toResource, auth: () => AUTH, requiresRoles: true });

/** Google's Vertex AI. */
export const vertex: Adapter = {
  ...geminiOnVertex,
  apis: {
    ...geminiOnVertex.apis,
    rerank: vertexRerank({ address: rankingAddress, auth: () => AUTH }),
  },
  models: vertexModels(AUTH, (provider) => placeOf(provider).base, (provider) => {
    const { project } = placeOf(provider);
    return typeof project === "string" && project !== "" ? project : undefined;
  }),
  route: ({ model: { base, upstream } }) =>
    isClaude(base) || isClaude(upstream) ? claudeOnVertex : geminiOnVertex,
  promptMarks: (model) =>
    isClaude(model.base) || isClaude(model.upstream)
      ? claudeOnVertex.promptMarks?.(model)
      : undefined,
  prefills: (model) =>
    (isClaude(model.base) || isClaude(model.upstream)) && claudeOnVertex.prefills?.(model) === true,
  native(format, { base, upstream }) {
    if (isClaude(base) || isClaude(upstream)) return format === "messages" ? MESSAGES : undefined;
    return format === "gemini" ? GENERATE : undefined;
  },
};

function isClaude(id: string): boolean {
  return /(?:^|\/)claude/.test(id);
}

/** The errors in the credentials of a provider's entry. */
function optionErrors(entry: JsonObject): MemberFault[] {
  const { api_key, credentials } = entry;
  if (typeof credentials !== "string") return [];
  const errors: MemberFault[] = [];
  if (api_key !== undefined) {
    errors.push({ path: ["credentials"], message: "cannot be combined with 'api_key'" });
  }
  if (readInline(credentials) === "unreadable") {
    errors.push({
      path: ["credentials"],
      message: "is neither a path nor JSON of Google credentials",
    });
  }
  return errors;
}

/** The credentials when the option holds their JSON, and undefined when it is a path. */
function readInline(credentials: string): JsonObject | "unreadable" | undefined {
  if (!credentials.trimStart().startsWith("{")) return undefined;
  try {
    const account: unknown = JSON.parse(credentials);
    return isObject(account) && typeof account.type === "string" ? account : "unreadable";
  } catch {
    return "unreadable";
  }
}

/** The URL before the method: project and location, if they are known, publisher and model. */
function toResource(
  { provider, model: { upstream } }: Pick<Call, "model" | "provider">,
): string {
  const { base, location, project } = placeOf(provider);
  if (project === "") throw withoutProject(provider);
  const name = upstream.replace(/^models\//, "");
  if (name.startsWith("projects/")) return `${base}/${escapePath(name)}`;
  const place = project ? `projects/${project}/locations/${location}/` : "";
  return `${base}/${place}${escapePath(toPath(name))}`;
}

/** The error for requests until the metadata service has returned the project. */
function withoutProject({ id }: ProviderSettings): GatewayError {
  return new GatewayError(
    "upstream_unavailable",
    `The Google Cloud project of provider '${id}' is not known yet`,
  );
}

/** The base URL, with the location and the project, which is empty until it is known. */
function placeOf({ baseUrl, options }: ProviderSettings) {
  const location = typeof options.location === "string" ? options.location : "global";
  const account = typeof options.credentials === "string" ? readInline(options.credentials) : {};
  const project = options.project ?? (isObject(account) ? account.project_id : undefined);
  // The default address depends on the location, since every location has its own host.
  const base = baseUrl === DEFAULT_URL ? hostOf(project ? location : "global") : baseUrl;
  return { base, location, project };
}

/** The address of the ranking API, without its method. The API has a separate host. */
function rankingAddress(provider: ProviderSettings): string {
  const { project } = placeOf(provider);
  if (project === "") throw withoutProject(provider);
  if (project === undefined) {
    const message = `Reranking needs the 'project' of the provider '${provider.id}'`;
    throw new GatewayError("unsupported_operation", message, { param: "model" });
  }
  const { baseUrl } = provider;
  const base = baseUrl === DEFAULT_URL ? "https://discoveryengine.googleapis.com/v1" : baseUrl;
  return `${base}/projects/${project}/locations/global/rankingConfigs/default_ranking_config`;
}

/** https://docs.cloud.google.com/vertex-ai/docs/general/locations (2026-11-20). */
function hostOf(location: string): string {
  switch (location) {
    case "global":
      return DEFAULT_URL;
    case "us":
    case "eu":
      return `https://aiplatform.${location}.rep.googleapis.com/v1`;
    default:
      return `https://${location}-aiplatform.googleapis.com/v1`;
  }
}

/** The path of a publisher's model, or of the customer's endpoint. */
function toPath(name: string): string {
  if (/^\d+$/.test(name)) return `endpoints/${name}`;
  if (/^(?:endpoints|publishers)\//.test(name)) return name;
  const [, publisher, model] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
  if (model !== undefined) return `publishers/${publisher}/models/${toVersion(model)}`;
  return `publishers/${isClaude(name) ? "anthropic" : "google"}/models/${toVersion(name)}`;
}

/** Anthropic writes the date after a hyphen, as in `claude-opus-4-5-20251101`; Google after `@`. */
function toVersion(model: string): string {
  return isClaude(model) ? model.replace(/-(\d{8})$/, "@$1") : model;
}

/** https://docs.cloud.google.com/resource-manager/docs/labels-overview (2026-11-20). */
function toLabels({ request: { metadata }, changes }: Call): JsonObject | undefined {
  if (metadata === undefined) return undefined;
  const labels = new Map<string, string>();
  let changed = false;
  for (const [key, value] of Object.entries(metadata)) {
    const [name, text] = [toLabel(key), toLabel(value)];
    const fits = /^[a-z]/.test(name) && (labels.has(name) || labels.size < MAX_LABELS);
    if (!fits || name !== key || text !== value) changed = true;
    if (fits) labels.set(name, text);
  }
  if (labels.size === 0) {
    if (Object.keys(metadata).length > 0) changes.ignore("metadata");
    return undefined;
  }
  if (changed) changes.convert("metadata");
  else changes.rename("metadata", "labels");
  return Object.fromEntries(labels);
}

const MAX_LABELS = 64;

function toLabel(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9_-]/g, "_").slice(0, 63);
}

/** The call for Anthropic's adapter, with the model's limits on Vertex. */
function onVertex(call: Call): Call {
  return { ...call, model: ofVertex(call.model) };
}

/**
 * Schemas for answers and strict tools are disabled unless the project has requested them:
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/structured_outputs
 * (2026-11-20). A forced tool works everywhere.
 */
function ofVertex(model: TargetModel): TargetModel {
  const { facts } = model;
  const capabilities = { ...facts.capabilities, json_schema: false };
  return { ...model, facts: { ...facts, capabilities } };
}

/** Whether an error has Google's format; the others have Anthropic's. */
function isGoogleError({ body }: Failure): boolean {
  const inner: unknown = Array.isArray(body) ? body[0] : body;
  const error = isObject(inner) ? inner.error : undefined;
  return isObject(error) && (typeof error.status === "string" || typeof error.code === "number");
}

function toUpstreamError(failure: Failure): UpstreamError {
  return anthropic.toError(failure);
}
