/** Image generation. */

import { isObject } from "../../core/json/object.ts";
import type { FormImage } from "../../providers/contract/form.ts";
import { IMAGE_PARAMETERS } from "../../providers/contract/images.ts";
import type { OperationKind } from "../../routing/operation_kind.ts";
import { readEdits, readImages, readJsonEdits } from "./model_request.ts";

/** Notes that say nothing of one kind. */
const USUAL_NOTES = new Set(["no such field", "one event for each image"]);

/** The image of an explanation. */
const EXPLAINED_IMAGE: readonly FormImage[] = [{
  name: "image",
  filename: "image.png",
  type: "image/png",
  bytes: new Uint8Array(0),
}];

/** Image generation. Some of the models chat, too. */
export const images: OperationKind = {
  name: "images",
  noun: "image generation",
  endpoints: [
    { path: "/v1/images/generations", explainedAs: "images", read: readImages },
    {
      path: "/v1/images/edits",
      explainedAs: "image_edits",
      read: (body) => readEdits(isObject(body) ? body : {}, EXPLAINED_IMAGE),
      readFiles: readEdits,
      readJson: readJsonEdits,
    },
  ],
  models: { capability: "images", noun: "an image model" },
  support: {
    group: { member: "images", title: "Image generation" },
    parameters: IMAGE_PARAMETERS,
    contentMember: "contents",
    contents: [],
    tablesOf({ images: api }) {
      if (api === undefined) return undefined;
      const { supports: { parameters, extensions }, adds } = api;
      return { parameters, contents: {}, extensions, adds };
    },
    isUsual: ({ note = "" }) => USUAL_NOTES.has(note),
  },
};
