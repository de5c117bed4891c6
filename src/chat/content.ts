/** What a message may hold: text, or parts of it and of other kinds. */

import { z } from "zod";
import { listOf } from "./first_fault.ts";

const textPart = z.looseObject({ type: z.literal("text"), text: z.string() });
const refusalPart = z.looseObject({
  type: z.literal("refusal"),
  refusal: z.string(),
});
/** An image, by its address or as data. */
const imagePart = z.looseObject({
  type: z.literal("image_url"),
  image_url: z.looseObject({
    url: z.string().min(1),
    // A word of the vendor's own as well.
    detail: z.string().nullish(),
  }),
});
const audioPart = z.looseObject({
  type: z.literal("input_audio"),
  input_audio: z.looseObject({ data: z.string(), format: z.string() }),
});
/** A file, as data or by the id that the vendor gave it. */
export const filePart = z.looseObject({
  type: z.literal("file"),
  file: z.looseObject({
    file_data: z.string().nullish(),
    file_id: z.string().nullish(),
    filename: z.string().nullish(),
  }),
});
/** A video by its address, or as data in a data URL (OpenRouter, Together and others). */
const videoPart = z.looseObject({
  type: z.literal("video_url"),
  video_url: z.looseObject({ url: z.string().min(1) }),
});
/** A document by its address, or as data in a data URL (Perplexity and others). */
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
 * A type of a part, or of a tool, that some vendor has and OpenAI does not. The literal stands for
 * all of them: by literals alone TypeScript tells the members of a union apart.
 */
export type VendorType = "(any other type)";
/** Takes any type that is not known here: the target's support table says what becomes of it. */
export function vendorType(known: ReadonlySet<string>) {
  return z.custom<VendorType>(
    (value) => typeof value === "string" && value !== "" && !known.has(value),
    { error: "must be a string" },
  );
}
/** Whether a part is of a type that only some vendor has. */
export function isVendorPart(part: { type: string }): part is { type: VendorType } {
  return !KNOWN_PARTS.has(part.type);
}
/** One part, whatever it is of. */
export const contentPart = z.union([
  knownPart,
  z.looseObject({ type: vendorType(KNOWN_PARTS) }),
]);
/** The content of a message. */
export const content = z.union([z.string(), listOf(contentPart)]);
