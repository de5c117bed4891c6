import { isObject } from "../../../core/json/object.ts";
import { nearestOf } from "../rewrites.ts";
import { dialectOf } from "../row.ts";
import { openAiCompatible } from "../openai_compatible_adapter.ts";
import { dialectEmbeddings, NUMBERS_ALONE } from "../embeddings.ts";
import { dialectRerank } from "../rerank.ts";
import { hintAt, SESSION_NOTE } from "../../shared/session_hints.ts";
import {
  converted,
  ignored,
  native,
  nativeAs,
  refused,
  type Support,
} from "../../../contract/support.ts";
import { isText, present } from "../../../core/json/values.ts";
import { GatewayError } from "../../../core/errors.ts";
import type { ImageApi, ImageBody, ImageCall } from "../../../contract/media.ts";
import { memberOf } from "../../shared/embeddings.ts";
import {
  ALWAYS_DATA,
  AS_EVENTS,
  AS_RATIO,
  aspectRatioOf,
  dataImages,
  dataUrlOf,
  editedImages,
  ignoreMask,
  imagesOf,
  NO_FIELD,
  refuseEdits,
} from "../../shared/images.ts";
import { toUpstreamError } from "../errors.ts";
import type {
  Failure,
  UpstreamError,
  VendorAnswer,
  VendorRequest,
} from "../../../contract/vendor_request.ts";

// Image models at Fireworks:
// https://docs.fireworks.ai/api-reference/generate-a-new-image-from-a-text-prompt (2026-11).

const RATIOS = ["1:1", "21:9", "16:9", "3:2", "5:4", "4:5", "2:3", "9:16", "9:21", "4:3", "3:4"];

const WORKFLOWS_ONLY = ignored("not FLUX Kontext");
const JOBS_ONLY = ignored("FLUX Kontext only");

/**
 * The fields of FLUX Kontext, which also edits:
 * https://docs.fireworks.ai/api-reference/generate-or-edit-image-using-flux-kontext (2026-11).
 */
const JOB_FIELDS: Readonly<Record<string, Support>> = {
  output_format: nativeAs("jpeg or png"),
  response_format: converted("images are addresses"),
  guidance_scale: WORKFLOWS_ONLY,
  num_inference_steps: WORKFLOWS_ONLY,
  prompt_upsampling: native,
  safety_tolerance: native,
};

/** Images by workflows or, with FLUX Kontext, by jobs; one image for each request. */
const fireworksImages: ImageApi = {
  supports: {
    parameters: {
      n: converted("one image"),
      size: AS_RATIO,
      quality: NO_FIELD,
      style: NO_FIELD,
      background: NO_FIELD,
      moderation: NO_FIELD,
      output_format: JOBS_ONLY,
      output_compression: NO_FIELD,
      response_format: ALWAYS_DATA,
      stream: AS_EVENTS,
      partial_images: NO_FIELD,
      user: NO_FIELD,
    },
    extensions: {
      seed: native,
      guidance_scale: native,
      num_inference_steps: native,
      prompt_upsampling: JOBS_ONLY,
      safety_tolerance: JOBS_ONLY,
    },
  },
  adds: {},
  supportFor: (model) => isJobModel(model) ? JOB_FIELDS : {},
  toRequest(call) {
    const isJob = isJobModel(call.model);
    if (!isJob) refuseEdits(call);
    imagesOf(call, 1);
    return {
      url: isJob ? jobUrl(call) : `${jobUrl(call)}/text_to_image`,
      // Without it, a workflow returns an image file.
      headers: { accept: "application/json" },
      auth: { type: "bearer" },
      body: {
        prompt: call.request.prompt,
        ...present({ aspect_ratio: aspectRatioOf(call, RATIOS) }),
        ...call.fields,
        ...(isJob && toJobMembers(call)),
      },
    };
  },
  pollFor,
  toBody: (answer, { model }) => isJobModel(model) ? fromJob(answer) : fromWorkflow(answer),
  toError: toFireworksError,
};

function isJobModel({ base }: ImageCall["model"]): boolean {
  return /kontext/i.test(base);
}

function jobUrl({ model, provider }: ImageCall): string {
  return `${provider.baseUrl}/workflows/${encodeURI(model.upstream)}`;
}

function toJobMembers(call: ImageCall) {
  ignoreMask(call);
  const { changes, request: { response_format: format } } = call;
  if (format === "b64_json") changes.convert("response_format", format, "url");
  const [image] = editedImages(call, 1) ?? [];
  return image === undefined ? {} : { input_image: dataUrlOf(image) };
}

/** A job that has just been created may not be found yet. */
const MAX_POLLS_UNTIL_FOUND = 10;

/** https://docs.fireworks.ai/api-reference/get-generated-image-from-flux-kontex (2026-11). */
function pollFor(
  { body }: VendorAnswer,
  call: ImageCall,
  polls: number,
): VendorRequest | undefined {
  if (!isJobModel(call.model) || !isObject(body)) return undefined;
  const { id, request_id, status } = body;
  const job = polls === 0 ? request_id : id;
  const isPending = polls === 0 || status === "Pending" ||
    status === "Task not found" && polls <= MAX_POLLS_UNTIL_FOUND;
  if (!isPending || !isText(job)) return undefined;
  return {
    url: `${jobUrl(call)}/get_result`,
    headers: { accept: "application/json" },
    auth: { type: "bearer" },
    body: { id: job },
  };
}

function fromWorkflow({ body }: VendorAnswer): ImageBody | undefined {
  const data = memberOf(body, "base64");
  const images = dataImages(isText(data) ? [data] : data);
  return images && { images };
}

/** @throws {GatewayError} `content_filter` for a blocked prompt or image. */
function fromJob({ body }: VendorAnswer): ImageBody | undefined {
  const status = memberOf(body, "status");
  if (status === "Request Moderated" || status === "Content Moderated") {
    throw new GatewayError("content_filter", `The provider made no image: ${status}`);
  }
  const sample = memberOf(memberOf(body, "result"), "sample");
  if (status !== "Ready" || !isText(sample)) return undefined;
  const [, data] = /^data:[^,]{1,100};base64,(.+)$/s.exec(sample) ?? [];
  return { images: [data === undefined ? { url: sample } : { b64_json: data }] };
}

/** An error of a job has its text in `error_message`, or it is the status of the job. */
function toFireworksError(failure: Failure): UpstreamError {
  const { body } = failure;
  if (!isObject(body) || body.error !== undefined) return toUpstreamError(failure);
  const { error_message: text, status } = body;
  const said = isText(status) ? `The job of the provider ended with '${status}'` : undefined;
  const message = isText(text) ? text : said;
  return toUpstreamError(
    message === undefined ? failure : { ...failure, body: { error: { message } } },
  );
}

const AFFINITY = "x-session-affinity";

/** Fireworks (https://docs.fireworks.ai/api-reference/post-chatcompletions, 2026-07-21). */
export const fireworks = openAiCompatible(dialectOf({
  kind: "fireworks",
  apis: {
    embeddings: dialectEmbeddings({ parameters: { encoding_format: NUMBERS_ALONE } }),
    images: fireworksImages,
    // https://docs.fireworks.ai/api-reference/rerank-documents (2026-11).
    rerank: dialectRerank({ return_documents: native }, { texts: true }),
  },
  completions: true,
  baseUrl: "https://api.fireworks.ai/inference/v1",
  rendersTemplates: true,
  // https://docs.fireworks.ai/tools-sdks/anthropic-compatibility (2026-11).
  messagesApi: { path: "/inference/v1/messages", byDefault: true },
  responses: true,
  anyParts: true,
  streamUsage: false,
  ranges: { top_logprobs: [0, 5] },
  stops: 4,
  // https://github.com/langchain-ai/langchain/issues/38388 (2026-06-23).
  content: { input_audio: refused("no audio input"), file: refused("no files") },
  tiers: { auto: "auto", default: "default", flex: "flex", priority: "priority" },
  alsoTakes: ["metadata", "prediction", "prompt_cache_key"],
  // https://docs.fireworks.ai/guides/rollout-inference (2026-11-24).
  sessionHint: hintAt(/^(?:.+\.)?fireworks\.ai$/, { header: AFFINITY }),
  adds: { [AFFINITY]: SESSION_NOTE },
  replays: "reasoning_content",
  efforts: [[/./, nearestOf("none", "low", "medium", "high")]],
  rewrites: [
    // The format `text` combined with tools is rejected. It is the default anyway.
    ({ response_format: format, ...body }) =>
      isObject(format) && format.type !== "text" ? { ...body, response_format: format } : body,
  ],
}));
