/**
 * The IDs of containers in which a vendor runs code. Vendors scope them to an account, so they are
 * bound to the service key that got them, as IDs of the Responses API are.
 */

import { writeJson } from "../../core/json/number_texts.ts";
import { isObject, type JsonObject } from "../../core/json/object.ts";
import { parsePassed } from "../../core/json/passed_json.ts";
import { isText, toList, toText } from "../../core/json/values.ts";
import type { NativeAnswers, NativeStreamReader } from "../native_answers.ts";
import { ownContainerId } from "../responses/container_ids.ts";
import type { IdMarker, ProviderIds } from "../responses/provider_ids.ts";

/** Whether the answer to a request may name a container. */
export function usesContainer({ container, tools }: JsonObject): boolean {
  const runsCode = (tool: unknown) => isObject(tool) && /code_execution/.test(toText(tool.type));
  return container != null || toList(tools).some(runsCode);
}

/**
 * The body with the provider's own ID of its container.
 *
 * @throws {GatewayError} `response_not_found` for a container that the caller did not get.
 */
export function withOwnContainer(body: JsonObject, ids: ProviderIds, provider: string): JsonObject {
  const { container } = body;
  const context = { ids, provider };
  if (isText(container)) {
    return { ...body, container: ownContainerId(container, "container", context) };
  }
  if (!isObject(container) || !isText(container.id)) return body;
  const id = ownContainerId(container.id, "container.id", context);
  return { ...body, container: { ...container, id } };
}

/** The same answers with marked containers. */
export function withMarkedContainers(answers: NativeAnswers, marker: IdMarker): NativeAnswers {
  return {
    createReader: () => markContainers(answers.createReader(), marker),
    readAnswer(body) {
      const read = answers.readAnswer(body);
      if ("error" in read || !isObject(body.container)) return read;
      return { ...read, text: writeJson(withMarked(body, marker)) };
    },
  };
}

/** Only the first and the last event of a stream name the container. */
function markContainers(reader: NativeStreamReader, marker: IdMarker): NativeStreamReader {
  return {
    get started() {
      return reader.started;
    },
    get complete() {
      return reader.complete;
    },
    get usage() {
      return reader.usage;
    },
    get serviceTier() {
      return reader.serviceTier;
    },
    get summary() {
      return reader.summary;
    },
    get outputChars() {
      return reader.outputChars;
    },
    rewrites: true,
    push(frame) {
      const read = reader.push(frame);
      if (read !== undefined || frame.event === "content_block_delta") return read;
      if (!frame.data.includes('"container"')) return undefined;
      const event = parsePassed(frame.data);
      if (!isObject(event)) return undefined;
      const { message, delta } = event;
      const marked = {
        ...event,
        ...(isObject(message) && { message: withMarked(message, marker) }),
        ...(isObject(delta) && { delta: withMarked(delta, marker) }),
      };
      return { data: writeJson(marked) };
    },
  };
}

function withMarked(object: JsonObject, marker: IdMarker): JsonObject {
  const { container } = object;
  if (!isObject(container) || !isText(container.id)) return object;
  return { ...object, container: { ...container, id: marker.id(container.id) } };
}
