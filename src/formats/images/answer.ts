/**
 * Writes the answer of `POST /v1/images/generations`, or its stream of events:
 * https://platform.openai.com/docs/api-reference/images/object and
 * https://platform.openai.com/docs/api-reference/images-streaming (2026-11).
 */

import type { ImageBody } from "../../providers/contract/images.ts";

/** The events with a whole image, of a new image and of one that was edited. */
export const COMPLETED = { made: "image_generation.completed", edited: "image_edit.completed" };

/** @param now Unix seconds, for an answer without a time */
export function writeImages({ created, images, usage, extra }: ImageBody, now: number): string {
  return JSON.stringify({
    created: created ?? now,
    ...extra,
    data: images,
    ...(usage && { usage }),
  });
}

/** The events of an answer that was not streamed: one for each image. */
export function writeImageEvents(
  { created, images, usage, extra }: ImageBody,
  type: string,
  now: number,
): string {
  return images.map((image, index) => {
    const event = {
      type,
      ...image,
      created_at: created ?? now,
      ...extra,
      // The usage is that of all images.
      ...(usage && index === images.length - 1 && { usage }),
    };
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  }).join("");
}
