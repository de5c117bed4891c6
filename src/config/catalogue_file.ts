/** The model catalog named in config.yaml. */

import { BUILT_IN, type Catalogue, readCatalogue } from "../providers/shared/catalogue.ts";
import type { Sources } from "./references.ts";
import type { PlacedError } from "./positions.ts";

/** The source of facts about models. */
export interface CatalogueSource {
  /** The path of the file; undefined for the built-in catalog. */
  readonly path: string | undefined;
  /** The date of the newest entry. */
  readonly date: string;
  /** Whether the built-in catalog is newer. */
  readonly isOlder: boolean;
}

/** A catalog, or the reason why its file cannot be used. */
export type CatalogueResult =
  | { readonly catalogue: Catalogue; readonly source: CatalogueSource }
  | PlacedError;

/** Loads a document's catalog; only its member `catalogue` is read. */
export function loadCatalogue(
  path: unknown,
  { readFile }: Pick<Sources, "readFile">,
): CatalogueResult {
  if (typeof path !== "string" || path === "") {
    return {
      catalogue: BUILT_IN,
      source: { path: undefined, date: BUILT_IN.date, isOlder: false },
    };
  }
  let text: string;
  try {
    text = readFile(path);
  } catch {
    return { path: ["catalogue"], message: "cannot be read" };
  }
  try {
    const catalogue = readCatalogue(text);
    const { date } = catalogue;
    return { catalogue, source: { path, date, isOlder: date < BUILT_IN.date } };
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return { path: ["catalogue"], message: `is not a model catalog: ${thrown.message}` };
  }
}
