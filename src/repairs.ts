/** What vendors have told us that a model does not take, so that it is asked only once. */

import { isObject, type JsonObject } from "./chat.ts";
import type { Target } from "./config.ts";
import type { Repair } from "./providers/adapter.ts";
import type { Receipt } from "./providers/support.ts";

/** Lives as long as the process; bounded by the configured models and the known parameters. */
export class RepairBook {
  readonly #learned = new Map<string, Map<string, Repair>>();

  /** Remembers a repair, and says whether it would change this body. */
  learn(target: Target, repair: Repair, body: JsonObject): boolean {
    if (!(repair.without in body)) return false;
    const key = keyOf(target);
    const known = this.#learned.get(key) ?? new Map<string, Repair>();
    known.set(repair.without, repair);
    this.#learned.set(key, known);
    return true;
  }

  /** Forgets targets that are not named, as `provider\nmodel`. */
  keep(names: ReadonlySet<string>): void {
    for (const name of this.#learned.keys()) if (!names.has(name)) this.#learned.delete(name);
  }

  /** A body without the fields that this target's model does not take; the same one if it is fine. */
  apply(target: Target, body: JsonObject, asked: JsonObject, receipt: Receipt): JsonObject {
    const known = this.#learned.get(keyOf(target));
    if (known === undefined) return body;
    const mended = { ...body };
    for (const { without, as } of known.values()) {
      if (!(without in mended)) continue;
      if (as !== undefined && !(as in mended)) mended[as] = mended[without];
      delete mended[without];
      if (!(without in asked) || isObject(asked[without]) && without === "stream_options") continue;
      if (as === undefined) receipt.ignore(without);
      else receipt.rename(without, as);
    }
    return mended;
  }
}

function keyOf(target: Target): string {
  return `${target.provider.settings.id}\n${target.model.upstream}`;
}
