/** Images that a person adds by file, paste or drop. They travel as data URLs. */

import { bytes } from "../../lib/format.js";

/** The types that vendors accept. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];

/** The largest image, and all images of a message together, in bytes. */
export const MAX_IMAGE_BYTES = 10_000_000;
export const MAX_MESSAGE_BYTES = 20_000_000;

/**
 * Why a file cannot be added; undefined if it can.
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

/**
 * Reads files as images.
 *
 * @param {Iterable<File>} files
 * @param {{ size: number }[]} present the images that are there already
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
      images.push({ name: file.name || "image", size: file.size, url: await toDataUrl(file) });
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
