/**
 * The IDs of a provider, as clients see them: `resp_1.TAG@openai`. The tag binds the ID to the
 * owner of the service key that received it, because vendors scope IDs to an account, which all
 * service keys share. Requests that refer to such an ID go only to the provider behind the `@`.
 */

import { isObject, type JsonObject } from "../../core/json/object.ts";
import { GatewayError } from "../../core/errors.ts";

/** An ID that a caller may use. */
export interface OwnedId {
  /** The provider's own ID. */
  readonly id: string;
  /** Absent for an ID without a provider. */
  readonly provider?: string;
}

/** Whether an ID names a provider. Whether the caller may use it is checked elsewhere. */
export function namesProvider(id: string): boolean {
  const at = id.lastIndexOf("@");
  return at > 0 && at < id.length - 1;
}

/** The IDs of providers that the caller may use. */
export interface ProviderIds {
  /** The provider's own ID; undefined for one that does not belong to the caller. */
  read(id: string): OwnedId | undefined;
  /** Adds the provider and the tag to the IDs in a provider's answers. */
  marker(provider: string): IdMarker;
}

/** The maximum number of IDs whose marked form is remembered. */
const MAX_REMEMBERED = 1000;

/** Puts the provider and the tag into the IDs of a response. */
export class IdMarker {
  readonly #mark: (id: string) => string;
  readonly #markResponse: (id: string) => string;
  /** A cache: the events of a stream repeat few IDs. */
  readonly #marked = new Map<string, string>();

  /** @param markResponse marks the IDs of responses; like all others if omitted */
  constructor(mark: (id: string) => string, markResponse = mark) {
    this.#mark = mark;
    this.#markResponse = markResponse;
  }

  /** A marked ID. */
  id(id: string): string {
    let marked = this.#marked.get(id);
    if (marked === undefined) {
      marked = this.#mark(id);
      if (this.#marked.size < MAX_REMEMBERED) this.#marked.set(id, marked);
    }
    return marked;
  }

  /** A response with its own ID and those of its items, its conversation and its answer marked. */
  response(response: JsonObject): JsonObject {
    const { output, conversation } = response;
    const marked = { ...response };
    for (const name of RESPONSE_MEMBERS) {
      const id = response[name];
      if (typeof id === "string" && id !== "") marked[name] = this.#markResponse(id);
    }
    return {
      ...marked,
      ...(isObject(conversation) && { conversation: this.#members(conversation, ["id"]) }),
      ...(Array.isArray(output) && { output: output.map((item: unknown) => this.item(item)) }),
    };
  }

  /** Marks the IDs of an item, including those in the annotations of its text. */
  item(item: unknown): unknown {
    if (!isObject(item)) return item;
    const marked = this.#members(item, ITEM_MEMBERS);
    const { content } = item;
    if (!Array.isArray(content) || !content.some(hasAnnotations)) return marked;
    return { ...marked, content: content.map((part: unknown) => this.part(part)) };
  }

  /** An event with the ID of its item marked, and those in its annotations. */
  event(event: JsonObject): JsonObject {
    const { part, annotation } = event;
    return {
      ...this.#members(event, ["item_id"]),
      ...(part !== undefined && { part: this.part(part) }),
      ...(annotation !== undefined && { annotation: this.annotation(annotation) }),
    };
  }

  /** A part of a message with the containers of its annotations marked. */
  part(part: unknown): unknown {
    if (!hasAnnotations(part)) return part;
    return { ...part, annotations: part.annotations.map((one) => this.annotation(one)) };
  }

  /** An annotation with its container marked. */
  annotation(annotation: unknown): unknown {
    return isObject(annotation) ? this.#members(annotation, ["container_id"]) : annotation;
  }

  /**
   * An event as JSON text with the ID of its item marked. The first `"item_id"` that is not within
   * a string is that of the event: quotes within strings are escaped.
   */
  eventText(data: string): string {
    const found = ITEM_ID.exec(data);
    const [whole, beginning = "", id = ""] = found ?? [];
    if (found === null || whole === undefined) return data;
    const start = found.index + beginning.length;
    return `${data.slice(0, start)}${this.id(id)}${data.slice(start + id.length)}`;
  }

  #members(object: JsonObject, names: readonly string[]): JsonObject {
    const marked = { ...object };
    for (const name of names) {
      const id = object[name];
      if (typeof id === "string" && id !== "") marked[name] = this.id(id);
    }
    return marked;
  }
}

const RESPONSE_MEMBERS = ["id", "previous_response_id"];
/** The item members that contain the provider's IDs. */
export const ITEM_MEMBERS = ["id", "container_id", "approval_request_id"] as const;
const ITEM_ID = /("item_id": ?")([^"\\]{1,4096})"/;

function hasAnnotations(part: unknown): part is JsonObject & { annotations: readonly unknown[] } {
  return isObject(part) && Array.isArray(part.annotations);
}

/** The provider that receives the tools, and the IDs of the caller. */
interface ContainerContext {
  readonly ids: ProviderIds;
  readonly provider: string;
}

/**
 * The tools with the provider's own container IDs.
 *
 * @throws {GatewayError} `response_not_found` for a container that does not belong to the caller.
 */
export function withOwnContainers(
  tools: readonly JsonObject[],
  context: ContainerContext,
): readonly JsonObject[] {
  return tools.map((tool, index) => {
    const { container, environment } = tool;
    if (typeof container === "string") {
      return {
        ...tool,
        container: ownContainerId(container, `tools[${index}].container`, context),
      };
    }
    if (!isObject(environment) || typeof environment.container_id !== "string") return tool;
    const path = `tools[${index}].environment.container_id`;
    const own = ownContainerId(environment.container_id, path, context);
    return { ...tool, environment: { ...environment, container_id: own } };
  });
}

/**
 * A message with the provider's own IDs in the annotations of its text.
 *
 * @throws {GatewayError} `response_not_found` for a container that does not belong to the caller.
 */
export function withOwnAnnotations(
  item: JsonObject,
  path: string,
  context: ContainerContext,
): JsonObject {
  const { content } = item;
  if (!Array.isArray(content) || !content.some(namesContainer)) return item;
  const own = content.map((part: unknown, index) => {
    if (!namesContainer(part)) return part;
    const annotations = part.annotations.map((one, at) => {
      if (!isObject(one) || typeof one.container_id !== "string") return one;
      const place = `${path}.content[${index}].annotations[${at}].container_id`;
      return { ...one, container_id: ownContainerId(one.container_id, place, context) };
    });
    return { ...part, annotations };
  });
  return { ...item, content: own };
}

function namesContainer(part: unknown): part is JsonObject & { annotations: readonly unknown[] } {
  return isObject(part) && Array.isArray(part.annotations) &&
    part.annotations.some((one) => isObject(one) && typeof one.container_id === "string");
}

/**
 * The provider's own container ID.
 *
 * @throws {GatewayError} `response_not_found` for a container that does not belong to the caller.
 */
export function ownContainerId(
  id: string,
  path: string,
  { ids, provider }: ContainerContext,
): string {
  const owned = ids.read(id);
  if (owned !== undefined && (owned.provider ?? provider) === provider) return owned.id;
  throw containerNotFound(id, path);
}

/** The error for a container that does not belong to the caller. */
export function containerNotFound(id: string, param: string): GatewayError {
  const shown = id.slice(0, MAX_SHOWN);
  return new GatewayError("response_not_found", `Container with id '${shown}' not found`, {
    param,
  });
}

/** The containers that tools name, and their locations. */
export function* containersIn(
  tools: readonly unknown[],
): Iterable<{ readonly id: string; readonly path: string }> {
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) continue;
    const { container, environment } = tool;
    if (typeof container === "string") yield { id: container, path: `tools[${index}].container` };
    if (isObject(environment) && typeof environment.container_id === "string") {
      yield { id: environment.container_id, path: `tools[${index}].environment.container_id` };
    }
  }
}

/** The maximum length of an ID in a message, in characters. */
const MAX_SHOWN = 100;
