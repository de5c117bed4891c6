/** The IDs of containers that tools name: where a vendor runs code, with the files of a caller. */

import { isObject, type JsonObject } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import type { ProviderIds } from "./provider_ids.ts";

/** The provider that the tools are for, and the IDs of the caller. */
export interface ContainerContext {
  readonly ids: ProviderIds;
  readonly provider: string;
}

/**
 * The tools with the provider's own IDs of containers.
 *
 * @throws {GatewayError} `response_not_found` for a container that the caller did not get.
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
 * @throws {GatewayError} `response_not_found` for a container that the caller did not get.
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
 * The provider's own ID of a container.
 *
 * @throws {GatewayError} `response_not_found` for a container that the caller did not get.
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

/** The error for a container that the caller did not get. */
export function containerNotFound(id: string, param: string): GatewayError {
  const shown = id.slice(0, MAX_SHOWN);
  return new GatewayError("response_not_found", `Container with id '${shown}' not found`, {
    param,
  });
}

/** The containers that tools name, and where. */
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
