/** Image generation in the OpenAI dialect: `POST /images/generations`. */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import type { ImageApi, ImageBody, ImageCall, ImageParameter } from "../../contract/media.ts";
import type { OperationTables } from "../../contract/operation_api.ts";
import { ignored, native, type Support } from "../../contract/support.ts";
import { type FormImage, toFormFields } from "../../contract/form.ts";
import { ALWAYS_DATA, AS_EVENTS, readImages } from "../shared/images.ts";
import type {
  Auth,
  ProviderSettings,
  TargetModel,
  VendorAnswer,
} from "../../contract/vendor_request.ts";

/** How a vendor's image generation differs from OpenAI's. */
export interface DialectImages {
  readonly parameters?: Readonly<Partial<Record<ImageParameter, Support>>>;
  readonly extensions?: OperationTables["extensions"];
  readonly supportFor?: (
    model: TargetModel,
    provider: ProviderSettings,
  ) => Readonly<Record<string, Support>>;
  readonly auth?: Auth;
  /**
   * The members of a JSON body that carry the images to edit, for vendors that do not accept forms.
   */
  edits?(call: ImageCall): JsonObject;
  /** The URL of a resource, such as `images/edits`, if it is not below the base URL. */
  url?(call: ImageCall, resource: string): string;
  /** The model name for the vendor, if it is not the model's `upstream`. */
  model?(call: ImageCall): string;
  /** Changes the complete body before it is sent. */
  request?(body: JsonObject, call: ImageCall): JsonObject;
}

/**
 * The rules for OpenAI's models: https://platform.openai.com/docs/api-reference/images/create
 * (2026-11).
 */
export const OPENAI_IMAGES: DialectImages = {
  supportFor({ base }) {
    if (/dall-e/.test(base)) {
      const only = ignored("GPT image models only");
      return {
        background: only,
        moderation: only,
        output_format: only,
        output_compression: only,
        partial_images: only,
        stream: AS_EVENTS,
        ...(base.includes("dall-e-2") && { style: ignored("dall-e-3 only") }),
      };
    }
    if (!/gpt-image|chatgpt-image/.test(base)) return {};
    return { response_format: ALWAYS_DATA, style: ignored("dall-e-3 only") };
  },
};

/** Image generation for a vendor of the dialect. */
export function dialectImages(row: DialectImages): ImageApi {
  return {
    supports: {
      parameters: {
        n: native,
        size: native,
        quality: native,
        style: native,
        background: native,
        moderation: native,
        output_format: native,
        output_compression: native,
        response_format: native,
        stream: native,
        partial_images: native,
        user: native,
        ...row.parameters,
      },
      extensions: row.extensions ?? "all",
    },
    adds: {},
    ...(row.supportFor && { supportFor: row.supportFor }),
    toRequest(call) {
      const { fields, model, provider, request } = call;
      const { images, mask } = request;
      const own = {
        model: row.model?.(call) ?? model.upstream,
        prompt: request.prompt,
        ...fields,
        ...(images && row.edits?.(call)),
      };
      const body = row.request?.(own, call) ?? own;
      const resource = `images/${images === undefined ? "generations" : "edits"}`;
      return {
        url: row.url?.(call, resource) ?? `${provider.baseUrl}/${resource}`,
        headers: {},
        ...(images === undefined || row.edits ? { body } : toForm(body, images, mask)),
        auth: row.auth ?? { type: "bearer" },
      };
    },
    toBody,
  };
}

/** A form with the images, and its representation in explanations. */
function toForm(body: JsonObject, images: readonly FormImage[], mask: FormImage | undefined) {
  const name = images.length === 1 ? "image" : "image[]";
  const named = images.map((image) => ({ ...image, name }));
  return {
    body: {
      ...body,
      image: images.map(({ filename }) => filename),
      ...(mask && { mask: mask.filename }),
    },
    form: { fields: toFormFields(body), images: mask === undefined ? named : [...named, mask] },
  };
}

/** Members of answers that only some vendors have, and that clients do not expect. */
const DROPPED: ReadonlySet<string> = new Set(["id", "model", "object"]);

function toBody({ body }: VendorAnswer): ImageBody | undefined {
  if (!isObject(body)) return undefined;
  const { created, data, usage, ...others } = body;
  const images = readImages(data);
  return images && {
    images,
    created: typeof created === "number" ? created : undefined,
    usage: isObject(usage) ? usage : undefined,
    extra: Object.fromEntries(Object.entries(others).filter(([name]) => !DROPPED.has(name))),
  };
}
