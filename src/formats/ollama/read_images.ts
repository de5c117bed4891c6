/** Images of a request: base64 without a media type. */

import type { ContentPart } from "../../chat/chat.ts";
import { invalidValue } from "../../core/invalid_value.ts";
import { sniffMediaType } from "../../providers/shared/media.ts";

/**
 * The maximum number of images of a request that is converted. No other vendor takes more (Gemini
 * 3,600: https://ai.google.dev/gemini-api/docs/image-understanding, 2026-11), and 90,000 tiny ones in
 * 1.3 MB held the event loop for 140 to 291 ms.
 */
const MAX_IMAGES = 4000;

/** Converts the images of one request. */
export class ImageReader {
  #count = 0;

  /**
   * Converts the images of a message. Ollama takes sound there too.
   *
   * @param path of the list
   * @throws {GatewayError} `invalid_value` for data of another kind, and for too many images.
   */
  toParts(images: readonly unknown[], path: string): ContentPart[] {
    this.#count += images.length;
    if (this.#count > MAX_IMAGES) {
      throw invalidValue(path, `a request may have at most ${MAX_IMAGES} images`);
    }
    return images.map((image, index) => toPart(image, `${path}[${index}]`));
  }
}

function toPart(image: unknown, path: string): ContentPart {
  if (typeof image !== "string" || image === "") {
    throw invalidValue(path, "must be an image as base64");
  }
  const comma = image.startsWith("data:") ? image.indexOf(",") : -1;
  const data = image.slice(comma + 1);
  const type = sniffMediaType(data);
  if (type?.startsWith("image/")) {
    return { type: "image_url", image_url: { url: `data:${type};base64,${data}` } };
  }
  if (isWave(data)) return { type: "input_audio", input_audio: { data, format: "wav" } };
  throw invalidValue(path, "must be a jpeg, png, webp or gif image as base64");
}

/** Whether a file begins as a WAVE file does: "RIFF", its size, "WAVE". */
function isWave(base64: string): boolean {
  try {
    return /^RIFF[^]{4}WAVE/.test(atob(base64.slice(0, 16)));
  } catch {
    return false;
  }
}
