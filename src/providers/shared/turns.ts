/** Turns of a conversation, for vendors that require the roles to alternate. */

import { type Message, textOf } from "../../chat/chat.ts";

/** Consecutive content of one role, as blocks in the vendor's format. */
export interface Turn<Role, Block> {
  readonly role: Role;
  readonly blocks: readonly Block[];
}

/** Joins consecutive turns of the same role and removes turns without blocks. */
export function mergeTurns<Role, Block>(
  turns: readonly Turn<Role, Block>[],
): Turn<Role, Block>[] {
  const merged: { role: Role; blocks: Block[] }[] = [];
  let last: { role: Role; blocks: Block[] } | undefined;
  for (const { role, blocks } of turns) {
    if (blocks.length === 0) continue;
    if (last?.role === role) { for (const block of blocks) last.blocks.push(block); }
    else merged.push(last = { role, blocks: blocks.slice() });
  }
  return merged;
}

/** The path of a content part in the request; the path of the whole content without `part`. */
export function contentPath(message: number, part?: number): string {
  return part === undefined
    ? `messages[${message}].content`
    : `messages[${message}].content[${part}]`;
}

/** Whether any message mentions JSON. Without that, a JSON mode may never end its answer. */
export function mentionsJson(messages: readonly Message[]): boolean {
  return messages.some(({ content }) => /json/i.test(textOf(content)));
}
