/** Finds out whether the numbers of a request or an answer are safe with `JSON.parse`. */

import { findChangingNumber } from "./exact_numbers.ts";
import { isObject } from "./object.ts";

/**
 * Settings of a model, which the gateway reads. They are common, and often end in `.0`: the time to
 * keep the text of such a number is spent only if it belongs to something else, such as a schema.
 */
const SETTING = /"(temperature|top_p|frequency_penalty|presence_penalty)"\s*$/;

/** The longest of their names with its quotes and some white space. */
const MAX_SETTING_LENGTH = 24;

/** Decides whether a text, searched in pieces, may be parsed by `JSON.parse`. */
export class NumberSearch {
  /** Names of settings with a number that would change. */
  readonly #settings = new Set<string>();
  #mayChange = false;

  /** Searches a piece of the text. Returns whether a number may change that is not a setting. */
  push(piece: string): boolean {
    for (let at = findChangingNumber(piece); at !== -1; at = findChangingNumber(piece, at + 1)) {
      const name = SETTING.exec(piece.slice(Math.max(0, at - MAX_SETTING_LENGTH), at))?.[1];
      if (name === undefined) return this.#mayChange = true;
      this.#settings.add(name);
    }
    return false;
  }

  /**
   * Whether `JSON.parse` returned a value in which only the settings of the request or the response
   * may have changed.
   */
  accepts(text: string, value: unknown): boolean {
    if (this.#mayChange) return false;
    for (const name of this.#settings) {
      if (!hasOnlySetting(name, text, value)) return false;
    }
    return true;
  }
}

/** Whether a name occurs once, and as a setting. */
function hasOnlySetting(name: string, text: string, value: unknown): boolean {
  const quoted = `"${name}"`;
  const isRepeated = text.includes(quoted, text.indexOf(quoted) + 1);
  if (isRepeated || !isObject(value)) return false;
  return isSetting(name, value) || isSetting(name, value.response) ||
    isSetting(name, value.generationConfig);
}

function isSetting(name: string, settings: unknown): boolean {
  return isObject(settings) && typeof settings[name] === "number";
}
