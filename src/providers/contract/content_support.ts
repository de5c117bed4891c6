/** What a support table says of the content of a request: message parts and server tools. */

import { type ChatRequest, type ContentPart, isServerTool } from "../../chat/chat.ts";
import { GatewayError } from "../../core/errors.ts";
import { CONTENT_KINDS, type ContentKind, type SupportTable } from "./support.ts";

/** The kinds of content that a request holds, in the order in which tables print them. */
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
 * Refuses content that has no place at the vendor, or at this model.
 *
 * @param vision false when the model is known to take no images
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
      const blind = vision === false && part.type === "image_url";
      const why = refusalOf(table, kind, part.type) ??
        (blind ? "the model takes no images" : undefined);
      if (why === undefined) return;
      throw new GatewayError(
        "unsupported_content",
        `Content of type '${part.type}' cannot be conveyed: ${why}`,
        { param: `messages[${turn}].content[${index}]` },
      );
    });
  });
  tools?.forEach((tool, index) => {
    const why = isServerTool(tool) ? refusalOf(table, "server_tool", tool.type) : undefined;
    if (why === undefined) return;
    throw new GatewayError(
      "unsupported_content",
      `A tool of type '${tool.type}' cannot be conveyed: ${why}`,
      { param: `tools[${index}]` },
    );
  });
}

/** Why a vendor does not take content of a type; undefined when it does. */
function refusalOf(table: SupportTable, kind: ContentKind, type: string): string | undefined {
  const support = table.content[kind];
  if (support.verdict === "refused") return support.note;
  const only = support.verdict === "native" ? support.only : undefined;
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
