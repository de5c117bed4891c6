/**
 * Suggests a configured model name for an unknown one: a different case, the upstream
 * name, `vendor/model` as other gateways write it, a date suffix, or a misspelling.
 */

import { eachInSteps, type Steps } from "../core/steps.ts";
import { didYouMean } from "../core/validation_messages.ts";

/** A name that can be suggested, with its other spellings. */
export interface Candidate {
  readonly name: string;
  /** Other names of the same model, such as its upstream name. */
  readonly spellings: readonly string[];
  /** Vendor prefixes in `vendor/model` that refer to this model. */
  readonly vendors: readonly string[];
}

/** The maximum length of a name that gets a suggestion, in UTF-16 code units. */
const MAX_NAME_LENGTH = 100;

/** A suffix that other services add to a model name: a date, `-latest`, or `:free`. */
const VERSION_SUFFIX = /(?:-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|:[a-z]+)$/;

/** Finds the most similar configured name. */
export class Suggestions {
  readonly #names: readonly string[];
  readonly #bySpelling: ReadonlyMap<string, readonly Candidate[]>;

  private constructor(
    names: readonly string[],
    bySpelling: ReadonlyMap<string, readonly Candidate[]>,
  ) {
    this.#names = names;
    this.#bySpelling = bySpelling;
  }

  /** @param candidates in order of preference */
  static *create(candidates: readonly Candidate[]): Steps<Suggestions> {
    const bySpelling = new Map<string, Candidate[]>();
    yield* eachInSteps(candidates, (candidate) => {
      for (const spelling of spellingsOf(candidate)) {
        const others = bySpelling.get(spelling);
        if (others === undefined) bySpelling.set(spelling, [candidate]);
        else others.push(candidate);
      }
    });
    return new Suggestions(candidates.map(({ name }) => name), bySpelling);
  }

  /** The most similar name that the client's key may use; undefined if none is similar. */
  nearest(requested: string, isAllowed: (name: string) => boolean): string | undefined {
    const last = lastSegment(requested);
    return didYouMean(requested, this.#names, isAllowed) ??
      (last === requested ? undefined : didYouMean(last, this.#names, isAllowed));
  }

  /** Looks up the normalized name, then the part after each slash. */
  spelledAs(requested: string, isAllowed: (name: string) => boolean): string | undefined {
    if (requested.length > MAX_NAME_LENGTH) return undefined;
    const segments = requested.toLowerCase().split("/");
    for (const start of segments.keys()) {
      const rest = segments.slice(start).join("/");
      const vendor = start === 0 ? undefined : normalizeVendor(segments[start - 1] ?? "");
      for (const spelling of new Set([rest, rest.replace(VERSION_SUFFIX, "")])) {
        const found = (this.#bySpelling.get(spelling) ?? []).filter(({ name }) => isAllowed(name));
        const ofVendor = found.find(({ vendors }) =>
          vendors.some((one) => vendor?.startsWith(normalizeVendor(one)))
        );
        if (found.length > 0) return (ofVendor ?? found[0])?.name;
      }
    }
    return undefined;
  }
}

function spellingsOf({ name, spellings }: Candidate): Set<string> {
  const all = [name, ...spellings].map((spelling) => spelling.toLowerCase());
  return new Set([...all, ...all.map(lastSegment)]);
}

function lastSegment(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** Removes separators: `vertex_ai` becomes `vertexai`, `x-ai` becomes `xai`. */
function normalizeVendor(vendor: string): string {
  return vendor.toLowerCase().replace(/[-_. ]/g, "");
}
