/**
 * Amazon Bedrock's lists of foundation models and inference profiles
 * (https://docs.aws.amazon.com/bedrock/latest/APIReference/API_ListFoundationModels.html and
 * API_ListInferenceProfiles.html, 2026-11-20). They tell neither limits nor prices.
 */

import type { JsonObject } from "../../core/json/object.ts";
import { isText, toList, toObject } from "../../core/json/values.ts";
import type { ProviderSettings, VendorRequest } from "../contract/adapter.ts";
import type { Capability } from "../contract/model_facts.ts";
import type { ListedModel, ModelListApi } from "../contract/model_list.ts";
import { awsHost } from "../shared/aws_hosts.ts";
import { entriesOf, includesWord, listRequest, toFacts } from "../shared/model_list.ts";

/**
 * The models that can be called on demand, and the profiles, through which most others are called.
 */
export const BEDROCK_MODELS: ModelListApi = {
  toRequests: (provider) => [
    toRequest(provider, "/foundation-models?byInferenceType=ON_DEMAND"),
    toRequest(provider, PROFILES),
  ],
  read(body, { url }, provider) {
    const page = toObject(body);
    if (!url.includes(PROFILES)) return { models: entriesOf(page.modelSummaries).flatMap(toModel) };
    const { nextToken: token } = page;
    return {
      models: entriesOf(page.inferenceProfileSummaries).flatMap(toProfile),
      ...(isText(token) && {
        next: [toRequest(provider, `${PROFILES}&nextToken=${encodeURIComponent(token)}`)],
      }),
    };
  },
};

const PROFILES = "/inference-profiles?maxResults=1000";

/** The lists are on another host than the models. */
function toRequest({ baseUrl, options }: ProviderSettings, path: string): VendorRequest {
  const region = String(options.region);
  const base = baseUrl.replace("//bedrock-runtime.", "//bedrock.") || awsHost("bedrock", region);
  return listRequest(`${base}${path}`, { type: "sigv4", service: "bedrock", region });
}

function toModel(entry: JsonObject): ListedModel[] {
  const { modelId: id, modelLifecycle, modelName } = entry;
  const { inputModalities: inputs, outputModalities: outputs } = entry;
  if (!isText(id) || toObject(modelLifecycle).status === "LEGACY") return [];
  const capability = capabilityOf(id, outputs);
  if (capability === "none") return [];
  return [{
    id,
    facts: toFacts({
      name: modelName,
      capabilities: capability === "chat"
        ? { vision: includesWord(inputs, "IMAGE") }
        : { [capability]: true },
    }),
  }];
}

function capabilityOf(id: string, outputs: unknown): Capability | "chat" | "none" {
  if (/rerank/.test(id)) return "rerank";
  if (includesWord(outputs, "EMBEDDING")) return "embeddings";
  if (includesWord(outputs, "TEXT")) return "chat";
  return includesWord(outputs, "IMAGE") ? "images" : "none";
}

/** A profile of the account has an ARN as its ID; its models tell what it is. */
function toProfile(entry: JsonObject): ListedModel[] {
  const { inferenceProfileArn: arn, inferenceProfileId: profileId, inferenceProfileName: name } =
    entry;
  const isOwn = entry.type === "APPLICATION";
  const id = isOwn ? arn : profileId;
  if (!isText(id) || entry.status !== "ACTIVE") return [];
  const [model] = toList(entry.models).map(toObject);
  const base = isText(model?.modelArn) ? model.modelArn.replace(/^.*\//, "") : undefined;
  return [{
    id,
    ...(isOwn && base !== undefined && { base }),
    facts: toFacts({ name }),
  }];
}
