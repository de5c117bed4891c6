/** Checks the content of a request against a support table: message parts and server tools. */

import { type ChatRequest, type ContentPart, isServerTool } from "./chat.ts";
import { GatewayError } from "../core/errors.ts";
import { CONTENT_KINDS, type ContentKind, type SupportTable } from "./support.ts";

/** The kinds of content in a request, in the order of {@linkcode CONTENT_KINDS}. */
export function contentKindsIn({ messages, tools }: ChatRequest): readonly ContentKind[] {
  const found = new Set<ContentKind | undefined>();
  for (const { role, name, content } of messages) {
    if (role === "developer") found.add("developer_message");
    if (name) found.add("message_name");
    for (const part of Array.isArray(content) ? content : []) found.add(contentKindOf(part));
  }
  if (tools?.some(isServerTool)) found.add("server_tool");
  return CONTENT_KINDS.filter((kind) => found.has(kind));
}

/**
 * Refuses content that the vendor or this model does not support.
 *
 * @param vision false if the model is known to support no images
 * @throws {GatewayError} `unsupported_content` with the path of the first such part or tool.
 */
export function checkContent(
  { messages, tools }: ChatRequest,
  table: SupportTable,
  vision: boolean | undefined,
): void {
  messages.forEach(({ content }, turn) => {
    if (!Array.isArray(content)) return;
    content.forEach((part, index) => {
      const kind = contentKindOf(part);
      if (kind === undefined) return;
      const isUnseen = vision === false && part.type === "image_url";
      const why = refusalOf(table, kind, part.type) ??
        (isUnseen ? "the model does not support images" : undefined);
      if (why === undefined) return;
      throw new GatewayError(
        "unsupported_content",
        `Content of type '${part.type}' is not supported: ${why}`,
        { param: `messages[${turn}].content[${index}]` },
      );
    });
  });
  tools?.forEach((tool, index) => {
    const why = isServerTool(tool) ? refusalOf(table, "server_tool", tool.type) : undefined;
    if (why === undefined) return;
    throw new GatewayError(
      "unsupported_content",
      `A tool of type '${tool.type}' is not supported: ${why}`,
      { param: `tools[${index}]` },
    );
  });
}

/** Why a vendor refuses content of a type; undefined if it accepts the content. */
function refusalOf(table: SupportTable, kind: ContentKind, type: string): string | undefined {
  const support = table.content[kind];
  if (support.level === "refused") return support.note;
  const only = support.level === "native" ? support.only : undefined;
  return only === undefined || only.test(type) ? undefined : support.note;
}

function contentKindOf(part: ContentPart): ContentKind | undefined {
  switch (part.type) {
    case "text":
    case "refusal":
      return undefined;
    case "image_url":
      return /^data:/i.test(part.image_url.url) ? "image_data" : "image_url";
    case "input_audio":
    case "file":
    case "video_url":
    case "file_url":
      return part.type;
    default:
      return "other_part";
  }
}
