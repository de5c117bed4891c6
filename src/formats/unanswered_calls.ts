/** The calls of a conversation whose results may follow, for formats whose results need no ID. */

import { isText } from "../core/json/values.ts";

/** The prefix of the IDs of calls and results that have none. */
export const OWN_CALL_ID = "call_gw_";

/** The calls of a model's turn whose results may follow. Looking one up takes constant time. */
export class UnansweredCalls {
  readonly #ids = new Set<string>();
  /** The IDs by the name of the function, in the order of the calls. */
  readonly #byName = new Map<string, { readonly ids: string[]; next: number }>();

  add(id: string, name: string): void {
    this.#ids.add(id);
    const known = this.#byName.get(name);
    if (known === undefined) this.#byName.set(name, { ids: [id], next: 0 });
    else known.ids.push(id);
  }

  /**
   * The ID of the call that a result belongs to: by its ID, else the first unanswered one of its
   * name; without either, the first of all.
   */
  take(id: string | undefined, name: string): string {
    if (isText(id) && this.#ids.delete(id)) return id;
    const named = this.#byName.get(name);
    while (named !== undefined && named.next < named.ids.length) {
      const first = named.ids[named.next++];
      if (first !== undefined && this.#ids.delete(first)) return first;
    }
    if (isText(id)) return id;
    return name === "" ? this.#takeFirst() : `${OWN_CALL_ID}${name}`;
  }

  #takeFirst(): string {
    for (const id of this.#ids) {
      this.#ids.delete(id);
      return id;
    }
    return OWN_CALL_ID;
  }
}
