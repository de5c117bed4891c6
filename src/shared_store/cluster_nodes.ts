/** The nodes of a cluster, and which of them is the primary of a slot. */

import { messageOf } from "../core/errors.ts";
import type { Address } from "./client.ts";
import { SLOTS } from "./hash_slot.ts";

/** The name of a node in the maps of a client. */
export function toKey({ host, port }: Address): string {
  return `${host}:${port}`;
}

/** The address in a name of {@linkcode toKey}. */
export function toAddress(key: string): Address {
  const at = key.lastIndexOf(":");
  return { host: key.slice(0, at), port: Number(key.slice(at + 1)) };
}

/**
 * The primaries of `CLUSTER SLOTS`: lists of the first and the last slot, and the nodes, the primary
 * first. A node without a host is the one that replied.
 */
export function toPrimaries(reply: unknown, replied: Address): (string | undefined)[] {
  const primaries: (string | undefined)[] = Array(SLOTS).fill(undefined);
  for (const range of Array.isArray(reply) ? reply : []) {
    const [first, last, node] = range as [number, number, [Uint8Array | null, number]];
    const host = String(node?.[0] ?? "");
    const key = toKey({ host: host === "" || host === "?" ? replied.host : host, port: node[1] });
    primaries.fill(key, Number(first), Number(last) + 1);
  }
  return primaries;
}

/** Whether an error is the reply of a server: it begins with a word in capitals. */
export function isReply(thrown: unknown): boolean {
  return /^[A-Z]{2,}\b/.test(messageOf(thrown));
}
