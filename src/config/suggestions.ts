/**
 * The name that a caller meant by one that is not configured: another case, the
 * upstream name, `vendor/model` as other gateways write it, a date behind it, or
 * a misspelling.
 */

import { didYouMean } from "../core/validation_messages.ts";

/** A name that can be suggested, with the spellings that mean it. */
export interface Candidate {
  readonly name: string;
  /** Other names of the same model, such as its upstream name. */
  readonly spellings: readonly string[];
  /** What may stand before the slash of `vendor/model` to mean this one. */
  readonly vendors: readonly string[];
}

/** The longest name that is compared with others, in UTF-16 units. */
const MAX_NAME_LENGTH = 100;

/** What other services put behind the name of a model: a date, `-latest`, or `:free`. */
const VERSION = /(?:-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|:[a-z]+)$/;

/** Compares unknown names with those that are configured. */
export class Suggestions {
  readonly #candidates: readonly Candidate[];
  readonly #bySpelling: ReadonlyMap<string, readonly Candidate[]>;

  /** @param candidates in the order in which they are preferred */
  constructor(candidates: readonly Candidate[]) {
    this.#candidates = candidates;
    const bySpelling = new Map<string, Candidate[]>();
    for (const candidate of candidates) {
      for (const spelling of spellingsOf(candidate)) {
        const others = bySpelling.get(spelling);
        if (others === undefined) bySpelling.set(spelling, [candidate]);
        else others.push(candidate);
      }
    }
    this.#bySpelling = bySpelling;
  }

  /** The name that is nearest to a misspelling of it. */
  nearest(asked: string, isAllowed: (name: string) => boolean): string | undefined {
    const names = this.#candidates.map(({ name }) => name).filter(isAllowed);
    const last = lastSegment(asked);
    return didYouMean(asked, names) ?? (last === asked ? undefined : didYouMean(last, names));
  }

  /** The name that has this spelling as a whole, else what is left of it behind a slash. */
  spelledAs(asked: string, isAllowed: (name: string) => boolean): string | undefined {
    if (asked.length > MAX_NAME_LENGTH) return undefined;
    const segments = asked.toLowerCase().split("/");
    for (const start of segments.keys()) {
      const rest = segments.slice(start).join("/");
      const vendor = start === 0 ? undefined : wordOf(segments[start - 1] ?? "");
      for (const spelling of new Set([rest, rest.replace(VERSION, "")])) {
        const found = (this.#bySpelling.get(spelling) ?? []).filter(({ name }) => isAllowed(name));
        const meant = found.find(({ vendors }) =>
          vendors.some((one) => vendor?.startsWith(wordOf(one)))
        );
        if (found.length > 0) return (meant ?? found[0])?.name;
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

/** `vertex_ai` and `x-ai` as `vertexai` and `xai`. */
function wordOf(vendor: string): string {
  return vendor.toLowerCase().replace(/[-_. ]/g, "");
}
