/** Replaces levels of detail of images that a vendor does not have. */

import type { ContentPart, Message } from "../../../chat/chat.ts";
import type { Receipt } from "../../contract/receipt.ts";

/** Messages with levels that the vendor has. Messages without others are not copied. */
export function withImageDetails(
  messages: readonly Message[],
  details: ReadonlyMap<string, string>,
  receipt: Receipt,
): readonly Message[] {
  const sentFor = (part: ContentPart) =>
    part.type === "image_url" ? details.get(part.image_url.detail ?? "") : undefined;
  const isChanged = ({ content }: Message) =>
    Array.isArray(content) && content.some((part) => sentFor(part) !== undefined);
  if (!messages.some(isChanged)) return messages;
  const toSent = (part: ContentPart): ContentPart => {
    const detail = sentFor(part);
    if (detail === undefined || part.type !== "image_url") return part;
    receipt.convert("image_url.detail", part.image_url.detail ?? "", detail);
    return { ...part, image_url: { ...part.image_url, detail } };
  };
  return messages.map((message): Message => {
    const { content } = message;
    if (!isChanged(message) || !Array.isArray(content)) return message;
    return { ...message, content: content.map(toSent) };
  });
}
