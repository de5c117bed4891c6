/** The content of a message: text, or a list of parts. */

import * as z from "zod";
import { listOf } from "./first_fault.ts";

const textPart = z.looseObject({ type: z.literal("text"), text: z.string() });
const refusalPart = z.looseObject({
  type: z.literal("refusal"),
  refusal: z.string(),
});
/** An image as a URL or a data URL. */
const imagePart = z.looseObject({
  type: z.literal("image_url"),
  image_url: z.looseObject({
    url: z.string().min(1),
    // Vendor-specific values are also possible.
    detail: z.string().nullish(),
  }),
});
const audioPart = z.looseObject({
  type: z.literal("input_audio"),
  input_audio: z.looseObject({ data: z.string(), format: z.string() }),
});
/** A file as data, or by the ID that the vendor assigned. */
export const filePart = z.looseObject({
  type: z.literal("file"),
  file: z.looseObject({
    file_data: z.string().nullish(),
    file_id: z.string().nullish(),
    filename: z.string().nullish(),
  }),
});
/** A video as a URL or a data URL (OpenRouter, Together and others). */
const videoPart = z.looseObject({
  type: z.literal("video_url"),
  video_url: z.looseObject({ url: z.string().min(1) }),
});
/** A document as a URL or a data URL (Perplexity and others). */
const fileUrlPart = z.looseObject({
  type: z.literal("file_url"),
  file_url: z.looseObject({ url: z.string().min(1) }),
});
const knownPart = z.discriminatedUnion("type", [
  textPart,
  imagePart,
  audioPart,
  filePart,
  videoPart,
  fileUrlPart,
  refusalPart,
]);
const KNOWN_PARTS = new Set<string>(
  knownPart.options.flatMap(({ shape }) => [...shape.type.values]),
);
/**
 * A vendor-specific type of part or tool. A single literal stands for all such types, because
 * TypeScript can discriminate the members of a union only by literals.
 */
export type VendorType = "(any other type)";
/** Accepts any unknown type. The support table of the target decides how it is handled. */
export function vendorType(known: ReadonlySet<string>) {
  return z.custom<VendorType>(
    (value) => typeof value === "string" && value !== "" && !known.has(value),
    { error: "must be a string" },
  ).meta({ type: "string" });
}
/** Whether a part has a vendor-specific type. */
export function isVendorPart(part: { type: string }): part is { type: VendorType } {
  return !KNOWN_PARTS.has(part.type);
}
/** A part of any type. */
export const contentPart = z.union([
  knownPart,
  z.looseObject({ type: vendorType(KNOWN_PARTS) }),
]);
/** The content of a message. */
export const content = z.union([z.string(), listOf(contentPart)]);
