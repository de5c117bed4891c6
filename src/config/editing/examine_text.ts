/**
 * Checks the text of a config.yaml for an admin. An admin may not know the process's secrets, so a
 * reference is resolved only if the current configuration has the same one at the same path.
 * Otherwise error messages and comparisons would reveal information about any variable or file.
 */

import { isObject } from "../../contract/chat.ts";
import type { Adapter } from "../../contract/adapter.ts";
import { shortened } from "../../core/text.ts";
import { pathOf } from "../../core/validation_messages.ts";
import { ConfigErrors } from "../config_errors.ts";
import type { Snapshot } from "../snapshot.ts";
import { CONTAINS_ITSELF, MAX_VALUES } from "../references.ts";
import { checkText } from "../text_errors.ts";
import { readYaml } from "../yaml.ts";
import { changesBetween, type ConfigCheck, type ConfigProblem } from "./changes.ts";

const MAX_PROBLEMS = 100;
const MAX_CHANGES = 300;
const MAX_UNREAD = 50;
const MAX_MESSAGE_CHARS = 500;

/** A reference to a nonexistent secret manager, so that it has no value. */
const UNREAD = "unread:reference";
const UNREAD_REASON = "is not read";

/** The inputs for a check. */
export interface ExamineInput {
  readonly text: string;
  /** The current configuration. */
  readonly snapshot: Snapshot;
  /** Its text without secrets. */
  readonly maskedText: string;
  readonly adapters: ReadonlyMap<string, Adapter>;
}

/** Finds the problems in a text, and its changes. */
export async function examineText(
  { text, snapshot, maskedText, adapters }: ExamineInput,
): Promise<ConfigCheck> {
  const { variables, files, secrets } = snapshot;
  const running = readYaml(maskedText).value;
  const unread: string[] = [];
  const unreadFiles = new Set<string>();
  const checked = checkText(text, {
    adapters,
    env: (name) => variables.get(name),
    readFile(path) {
      const content = files.get(path);
      if (content !== undefined) return content;
      unreadFiles.add(path);
      throw new TypeError("The file is not read");
    },
    secret: (reference) =>
      reference === UNREAD
        ? { reason: UNREAD_REASON, publicReason: UNREAD_REASON }
        : secrets.get(reference),
  }, (document) => new ForeignReferences(unread).replace(document, running));
  const errors = checked.errors.filter(({ path, message }) => {
    if (message === UNREAD_REASON) return false;
    // References that are not in the current configuration are resolved only by a reload.
    const value = valueAt(checked.value, path);
    if (typeof value !== "string" || !unreadFiles.has(value)) return true;
    unread.push(pathOf(path));
    return false;
  });
  const problems = await toProblems(new ConfigErrors("", text, errors));
  // A document that cannot be resolved may have too many values to compare.
  const isFinite = isObject(checked.value) &&
    !errors.some(({ message }) => message === CONTAINS_ITSELF);
  const changes = isFinite ? changesBetween(running, readYaml(text).value) : [];
  return {
    problems: problems.slice(0, MAX_PROBLEMS),
    more_problems: Math.max(0, problems.length - MAX_PROBLEMS),
    changes: changes.slice(0, MAX_CHANGES),
    more_changes: Math.max(0, changes.length - MAX_CHANGES),
    unread: unread.slice(0, MAX_UNREAD),
  };
}

/** The errors in a text, with line numbers. */
export async function toProblems(errors: ConfigErrors): Promise<ConfigProblem[]> {
  const located = await errors.located();
  return located.errors.map(({ path, message, position }) => ({
    path: shortened(path, MAX_MESSAGE_CHARS),
    message: shortened(message, MAX_MESSAGE_CHARS),
    ...position,
  }));
}

/** Traverses a document, whose aliases may stand for any number of values. */
class ForeignReferences {
  readonly #unread: string[];
  readonly #open = new Set<unknown>();
  #values = 0;

  /** @param unread receives the paths of references that are not resolved */
  constructor(unread: string[]) {
    this.#unread = unread;
  }

  /**
   * Copies a document. References that are not at the same path in the other document are not
   * resolved.
   */
  replace(value: unknown, other: unknown, path: readonly (string | number)[] = []): unknown {
    // A document with more values is rejected.
    if (++this.#values > MAX_VALUES) return value;
    if (typeof value === "string") {
      if (!value.includes("${") || value === other) return value;
      this.#unread.push(pathOf(path));
      return `\${${UNREAD}}`;
    }
    // A value that contains itself is reported by the check.
    if (typeof value !== "object" || value === null || this.#open.has(value)) return value;
    this.#open.add(value);
    const convert = (member: unknown, step: string | number) =>
      this.replace(member, memberOf(other, step), [...path, step]);
    const copy = Array.isArray(value) ? value.map(convert) : Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, convert(member, name)]),
    );
    this.#open.delete(value);
    return copy;
  }
}

function memberOf(value: unknown, step: PropertyKey): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isObject(value) && Object.hasOwn(value, step) ? value[String(step)] : undefined;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(memberOf, value);
}
