/** Images that the user adds by file, paste or drop. They are sent as data URLs. */

import { bytes } from "../../lib/format.js";

/** The types that vendors accept. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** The maximum size of an image, and of all images of a message, in bytes. */
const MAX_IMAGE_BYTES = 10_000_000;
const MAX_MESSAGE_BYTES = 20_000_000;

/**
 * The reason why a file cannot be added; undefined if it can.
 *
 * @param {{ name: string, type: string, size: number }} file
 * @param {number} present bytes of the images already added
 */
export function faultOfImage({ name, type, size }, present) {
  if (!IMAGE_TYPES.includes(type)) {
    return `'${name}' is ${type || "of an unknown type"}: use PNG, JPEG, WebP or GIF`;
  }
  if (size > MAX_IMAGE_BYTES) {
    return `'${name}' is ${bytes(size)}: the limit of an image is ${bytes(MAX_IMAGE_BYTES)}`;
  }
  if (present + size > MAX_MESSAGE_BYTES) {
    return `'${name}' is too much: the limit of a message's images is ${bytes(MAX_MESSAGE_BYTES)}`;
  }
  return undefined;
}

/** The number of bytes that determine the type of an image. */
const HEAD_BYTES = 12;

/**
 * The first bytes of each type.
 * https://mimesniff.spec.whatwg.org/#image-type-pattern-matching-algorithm, 2026-11-25
 */
const SIGNATURES = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
];

/**
 * The type of an image by its first bytes; undefined if it is not in {@linkcode IMAGE_TYPES}.
 *
 * @param {Uint8Array} head
 */
export function typeOfBytes(head) {
  const text = String.fromCharCode(...head.subarray(0, HEAD_BYTES));
  return SIGNATURES.find(([, pattern]) => pattern.test(text))?.[0];
}

/**
 * Reads files as images.
 *
 * @param {Iterable<File>} files
 * @param {{ size: number }[]} present the images already added
 * @returns {Promise<{ images: { name: string, size: number, url: string }[], faults: string[] }>}
 */
export async function readImages(files, present) {
  let total = present.reduce((sum, { size }) => sum + size, 0);
  const images = [];
  const faults = [];
  for (const file of files) {
    const fault = faultOfImage(file, total);
    if (fault !== undefined) {
      faults.push(fault);
      continue;
    }
    total += file.size;
    try {
      const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer());
      const type = typeOfBytes(head);
      if (type === undefined) {
        faults.push(
          `'${file.name}' is not an image: its content is none of PNG, JPEG, WebP and GIF`,
        );
        total -= file.size;
        continue;
      }
      // Browsers derive the type from the name; vendors check the content.
      const image = file.type === type ? file : new Blob([file], { type });
      images.push({ name: file.name || "image", size: file.size, url: await toDataUrl(image) });
    } catch {
      faults.push(`'${file.name}' cannot be read`);
    }
  }
  return { images, faults };
}

function toDataUrl(file) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result);
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
  return promise;
}
