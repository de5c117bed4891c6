/** Reads the body of `POST /v1/images/generations`: https://platform.openai.com/docs/api-reference/images/create (2026-11). */

import * as z from "zod";
import { invalidValue } from "../../core/invalid_value.ts";
import type { JsonObject } from "../../core/json/object.ts";
import type { FormImage } from "../../providers/contract/form.ts";
import type { ImageRequest } from "../../providers/contract/images.ts";
import { modelMembers, readFields, readObject, withoutNulls } from "../read_fields.ts";

const MAX_IMAGES = 10;
const MAX_PARTIAL_IMAGES = 3;

const word = z.string().min(1);

/** The members of a request that a schema checks. */
export const imageRequest = z.looseObject({
  ...modelMembers,
  prompt: z.string().min(1),
  n: z.int().min(1).max(MAX_IMAGES).nullish(),
  size: z.string().regex(/^(?:auto|\d{1,5}x\d{1,5})$/, {
    error: "must be 'auto', or a width and a height such as '1024x1024'",
  }).nullish(),
  quality: word.nullish(),
  style: word.nullish(),
  background: word.nullish(),
  moderation: word.nullish(),
  output_format: word.nullish(),
  output_compression: z.int().min(0).max(100).nullish(),
  response_format: z.enum(["b64_json", "url"]).nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.int().min(0).max(MAX_PARTIAL_IMAGES).nullish(),
  user: z.string().nullish(),
});

/** Fields of a form that are numbers or flags in JSON. */
const NUMBERS: ReadonlySet<string> = new Set([
  ...["n", "output_compression", "partial_images"],
  // Vendors' own fields.
  ...["seed", "strength", "steps", "guidance_scale", "safety_tolerance"],
]);
const FORM_NUMBER = /^-?\d{1,16}(?:\.\d{1,16})?(?:[eE][+-]?\d{1,3})?$/;
const SWITCHES: ReadonlySet<string> = new Set(["stream", "prompt_upsampling"]);

/**
 * Checks a form of `POST /v1/images/edits`:
 * https://platform.openai.com/docs/api-reference/images/createEdit (2026-11).
 *
 * @throws {GatewayError} `invalid_value` with the name of the first faulty field in `param`.
 */
export function readEditRequest(form: JsonObject, files: readonly FormImage[]): ReadImages {
  const members = Object.entries(form).map(([name, value]) => [name, toMember(name, value)]);
  const { request } = readImageRequest(Object.fromEntries(members));
  const other = files.find(({ name }) => name !== "image" && name !== "mask");
  if (other !== undefined) throw invalidValue(other.name.slice(0, 100), "must not be a file");
  const images = files.filter(({ name }) => name === "image");
  const [mask] = files.filter(({ name }) => name === "mask");
  if (images.length === 0) throw invalidValue("image", "is required");
  return { request: { ...request, images, ...(mask && { mask }) }, models: undefined };
}

function toMember(name: string, value: unknown): unknown {
  if (NUMBERS.has(name) && FORM_NUMBER.test(String(value))) return Number(value);
  return SWITCHES.has(name) && (value === "true" || value === "false") ? value === "true" : value;
}

/** A request, and the models to fall back to. */
export interface ReadImages {
  readonly request: ImageRequest;
  readonly models: readonly string[] | undefined;
}

/**
 * Checks a parsed request body.
 *
 * @throws {GatewayError} `invalid_value` with the path of the first fault in `param`.
 */
export function readImageRequest(body: unknown): ReadImages {
  const { models, ...members } = readFields(readObject(body), imageRequest);
  return {
    request: withoutNulls(members) as unknown as ImageRequest,
    models: models ?? undefined,
  };
}
