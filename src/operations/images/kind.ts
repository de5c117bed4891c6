/** Image generation. */

import { IMAGE_PARAMETERS } from "../../providers/contract/images.ts";
import type { OperationKind } from "../../routing/operation_kind.ts";
import { readImages } from "./model_request.ts";

/** Notes that say nothing of one kind. */
const USUAL_NOTES = new Set(["no such field", "one event for each image"]);

/** Image generation. Some of the models chat, too. */
export const images: OperationKind = {
  name: "images",
  noun: "image generation",
  endpoints: [{ path: "/v1/images/generations", explainedAs: "images", read: readImages }],
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
