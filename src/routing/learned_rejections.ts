/** What vendors have told us that a model does not take, so that it is asked only once. */

import { isObject, type JsonObject } from "../chat/chat.ts";
import type { Target } from "../config/config.ts";
import type { Repair } from "../providers/contract/adapter.ts";
import type { Receipt } from "../providers/contract/support.ts";

/** Lives as long as the process; bounded by the configured models and the known parameters. */
export class RepairBook {
  readonly #learned = new Map<string, Map<string, Repair>>();

  /** Remembers a repair, and says whether it would change this body. */
  learn(target: Target, repair: Repair, body: JsonObject): boolean {
    if (!pathsOf(repair).some((path) => has(body, path.split(".")))) return false;
    const key = keyOf(target);
    const known = this.#learned.get(key) ?? new Map<string, Repair>();
    known.set(pathsOf(repair).join(), repair);
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
    let mended = body;
    for (const repair of known.values()) {
      const paths = pathsOf(repair).filter((path) => has(mended, path.split(".")));
      if (paths.length === 0) continue;
      for (const path of paths) mended = without(mended, path.split("."), repair.as);
      for (const name of repair.parameters ?? paths) {
        if (!(name in asked) || isObject(asked[name]) && name === "stream_options") continue;
        if (repair.as === undefined) receipt.ignore(name);
        else receipt.rename(name, repair.as);
      }
    }
    return mended;
  }
}

function pathsOf({ without }: Repair): readonly string[] {
  return typeof without === "string" ? [without] : without;
}

/** Whether there is a member at a path, which goes through every entry of a list. */
function has(value: unknown, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((entry) => has(entry, path));
  const [step = "", ...others] = path;
  if (!isObject(value) || !(step in value)) return false;
  return others.length === 0 || has(value[step], others);
}

/** A copy without a member; an object that is left empty goes too. */
function without(
  object: JsonObject,
  [step = "", ...others]: readonly string[],
  as: string | undefined,
): JsonObject {
  const { [step]: value, ...rest } = object;
  if (others.length === 0) return as === undefined || as in rest ? rest : { ...rest, [as]: value };
  const mend = (inner: unknown) => isObject(inner) ? without(inner, others, as) : inner;
  if (Array.isArray(value)) return { ...rest, [step]: value.map(mend) };
  const inner = isObject(value) ? without(value, others, as) : {};
  return Object.keys(inner).length === 0 ? rest : { ...rest, [step]: inner };
}

function keyOf(target: Target): string {
  return `${target.provider.settings.id}\n${target.model.upstream}`;
}
