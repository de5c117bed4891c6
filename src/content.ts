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
    detail: z.enum(["auto", "low", "high"]).nullish(),
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
/** One part, whatever it is of. */
export const contentPart = z.discriminatedUnion("type", [
  textPart,
  imagePart,
  audioPart,
  filePart,
  refusalPart,
]);
/** The content of a message. */
export const content = z.union([z.string(), listOf(contentPart)]);
