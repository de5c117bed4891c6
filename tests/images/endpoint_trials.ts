import type { Trial } from "../support/read_trials.ts";

const IMAGES = {
  operation: "images",
  members: { prompt: "a cat" },
  answer: { created: 1, data: [{ b64_json: "aW1n" }] },
  limit: ["images_per_day", 1, "images"],
} as const;

export const trials: readonly Trial[] = [
  { ...IMAGES, name: "images", path: "/v1/images/generations" },
  { ...IMAGES, name: "image_edits", path: "/v1/images/edits", file: "image" },
];
