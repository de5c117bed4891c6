/** How lists of models name and describe a model or an alias to people. */

import * as z from "zod";
import type { ModelFacts } from "../providers/contract/model_facts.ts";

/** The members of a model entry and of an alias object that describe it. */
export const labelMembers = {
  display_name: z.string().min(1).max(200).optional()
    .describe("The name that pickers of clients show; defaults to the ID"),
  description: z.string().min(1).max(1000).optional()
    .describe("One sentence for people who choose a model"),
};

/** A name and a description, as far as they are known. */
export type ModelLabel = Pick<ModelFacts, "description" | "display_name">;

/** The label in an entry of config.yaml or in a model's facts; undefined if there is none. */
export function toLabel(
  { display_name: name, description }: { [Name in keyof ModelLabel]: string | undefined },
): ModelLabel | undefined {
  if (name === undefined && description === undefined) return undefined;
  return {
    ...(name !== undefined && { display_name: name }),
    ...(description !== undefined && { description }),
  };
}
