/** How each parameter of a request is handled, for an explanation. */

import type { JsonObject } from "../core/json/object.ts";
import type { FieldSupport } from "../contract/operation_api.ts";
import type { Conversion, RequestChanges } from "../contract/request_changes.ts";
import { native } from "../contract/support.ts";
import type { AdditionTable } from "../contract/vendor_request.ts";

/** How one parameter is handled, and the deciding rule in the vendor's table. */
export interface Row {
  readonly parameter: string;
  readonly fate: "as is" | "renamed" | "converted" | "ignored" | "added";
  /** The vendor's name for it, or its value before and after. */
  readonly to?: string;
  readonly change?: string;
  readonly rule?: string;
  /** `config` if the value comes from config.yaml. */
  readonly from?: "config";
}

/** The rows for members that the gateway added. */
export function addedRows({ added }: RequestChanges, adds: AdditionTable): Row[] {
  return [...added].map((path): Row => ({
    parameter: path,
    fate: "added",
    ...(Object.hasOwn(adds, path) && { rule: adds[path] ?? "" }),
  }));
}

/** Members that contain the prompt, which receipts do not list. */
const QUESTION: ReadonlySet<string> = new Set(["model", "messages", "input", "system"]);

/** The rows for a body that is forwarded unchanged. */
export function explainUnchanged(
  body: JsonObject,
  params: JsonObject,
  changes: RequestChanges,
  adds: AdditionTable,
): Row[] {
  const entries = new ChangeEntries(changes);
  const own = Object.keys(body).filter((name) => body[name] !== undefined && !QUESTION.has(name));
  const configured = Object.keys(params).filter((name) => body[name] == null);
  return [
    ...own.map((name) => entries.take(name, native)),
    ...configured.map((name): Row => ({ ...entries.take(name, native), from: "config" })),
    ...entries.remaining(),
    ...addedRows(changes, adds),
  ];
}

/** The note in a support table entry, as the `rule` of a row. */
export function ruleOf({ note }: { readonly note?: string }): { readonly rule?: string } {
  return note === undefined ? {} : { rule: note };
}

/** The change entries, by parameter. */
export class ChangeEntries {
  readonly #ignored: Set<string>;
  readonly #converted: Map<string, Conversion>;

  constructor({ ignored, conversions }: RequestChanges) {
    this.#ignored = new Set(ignored);
    this.#converted = new Map(conversions.map((conversion) => [conversion.parameter, conversion]));
  }

  /** Removes the entry of one parameter, so that {@linkcode remaining} does not return it. */
  take(parameter: string, rule: FieldSupport | undefined): Row {
    const why = rule === undefined ? { rule: NOT_KNOWN } : ruleOf(rule);
    const isIgnored = this.#ignored.delete(parameter);
    const conversion = this.#converted.get(parameter);
    this.#converted.delete(parameter);
    if (isIgnored) {
      // A note about support does not apply if the vendor has rejected the parameter.
      const isRefused = rule?.level === "native" || rule?.level === "renamed";
      return { parameter, fate: "ignored", ...(isRefused ? { rule: REFUSED } : why) };
    }
    if (conversion !== undefined) return { ...toRow(conversion), ...why };
    if (rule === undefined || rule.level === "ignored") {
      // Headers do not report default values.
      return { parameter, fate: "ignored", rule: `${why.rule}; the value is the default` };
    }
    return { parameter, fate: rule.level === "converted" ? "converted" : "as is", ...why };
  }

  /** All other entries, which concern parts of messages or tools. */
  remaining(): readonly Row[] {
    return [
      ...[...this.#converted.values()].map(toRow),
      ...[...this.#ignored].map((parameter): Row => ({ parameter, fate: "ignored" })),
    ];
  }
}

const REFUSED = "the vendor has rejected it";
const NOT_KNOWN = "the vendor has no such parameter";

function toRow({ parameter, name, change }: Conversion): Row {
  if (name !== undefined) return { parameter, fate: "renamed", to: name };
  if (change === undefined) return { parameter, fate: "converted" };
  return { parameter, fate: "converted", change: `${change.from}->${change.to}` };
}
