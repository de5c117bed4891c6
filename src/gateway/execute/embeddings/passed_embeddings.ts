/**
 * Long answers whose vectors have the caller's format and encoding: they are forwarded as they
 * arrive. Only the parts around the vectors are parsed.
 */

import { Buffer } from "node:buffer";
import type { Usage } from "../../../contract/chat.ts";
import { unreadable } from "../../../core/errors.ts";
import { ListScan } from "../../../core/json/list_scan.ts";
import type { JsonObject } from "../../../core/json/object.ts";
import { isText } from "../../../core/json/values.ts";
import type { EmbeddingsBody, Encoding } from "../../../contract/embeddings.ts";
import type { OpenStream } from "../../../streaming/fold.ts";
import { ListFold } from "../../../streaming/list_fold.ts";
import type { ArrivingOptions } from "../../../upstream/arriving_json.ts";
import type { Packets } from "../../../upstream/read_response.ts";

/** The size in bytes below which answers are read completely. */
const MIN_BYTES = 64 * 1024;

/** The parts around the vectors of an answer. */
export interface PassedAnswer {
  readonly encoding: Encoding;
  /** The number of requested vectors. */
  readonly inputs: number;
  /** Reads the members of an answer. Its vectors are an empty list. */
  read(members: JsonObject): PassedMembers;
}

/** The members of an answer as returned to the caller. */
export interface PassedMembers extends Pick<EmbeddingsBody, "extra"> {
  readonly id: string;
  readonly model: string;
  /** The usage that the caller gets. */
  readonly usage: JsonObject;
  /** The usage that the vendor reports. */
  readonly billed: Usage | undefined;
}

/** An answer whose beginning has been read: a stream to forward, or all packets. */
export type BegunAnswer =
  | { readonly stream: OpenStream }
  | { readonly packets: Pick<Packets, "next" | "close"> };

/**
 * Reads the first packets of an answer.
 *
 * @throws any read error.
 */
export async function beginAnswer(
  packets: Packets,
  answer: PassedAnswer,
  { wait }: Pick<ArrivingOptions, "wait">,
): Promise<BegunAnswer> {
  const scan = new ListScan({ list: "data", long: "embedding" });
  const read: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    while (size < MIN_BYTES && !scan.isUnknown) {
      const packet = await wait(packets.next());
      if (packet === undefined) return { packets: replayed(read, packets) };
      size += packet.length;
      // A copy: packets are valid until the next one.
      const copy = new Uint8Array(packet);
      read.push(copy);
      // A short answer is read completely at no cost.
      scan.push(copy);
    }
  } catch (thrown) {
    packets.close();
    throw thrown;
  }
  if (!passes(scan, answer)) return { packets: replayed(read, packets) };
  const fold = new ListFold(scan, (tail) => complete(scan, tail, answer));
  const first = Buffer.concat(read);
  return { stream: { fold, packets, first, contentType: "application/json" } };
}

/** Whether the part of an answer read so far has the caller's format. */
function passes(scan: ListScan, { encoding, inputs }: PassedAnswer): boolean {
  const { head } = scan;
  const isEncoded = scan.opening === (encoding === "base64" ? '"' : "[");
  const isUsual = !scan.isUnknown && !scan.isReordered && !scan.isBehindList;
  const isPlain = head.model === undefined || isText(head.model);
  return isEncoded && isUsual && isPlain && scan.count <= inputs &&
    !READ_AT_END.some((name) => Object.hasOwn(head, name));
}

/**
 * Members that are parsed, and may be changed: an answer that begins with one is read completely.
 */
const READ_AT_END = ["usage", "error", "id"];

function complete(scan: ListScan, tail: JsonObject, { inputs, read }: PassedAnswer) {
  const { head, count } = scan;
  if (count !== inputs) {
    throw unreadable(`The provider returned ${count} vectors for ${inputs} inputs`);
  }
  const { id, model, usage, billed, extra } = read({ ...head, ...tail });
  const members: JsonObject = { object: "list", model, usage, ...extra, id };
  for (const name of Object.keys(head)) delete members[name];
  return { members, usage: billed, summary: { id, model, finishReasons: [] } };
}

/** All packets of an answer that has been read in part. */
function replayed(
  read: readonly Uint8Array[],
  packets: Packets,
): Pick<Packets, "next" | "close"> {
  const first = read.values();
  return {
    next: () => {
      const { done, value } = first.next();
      return done ? packets.next() : Promise.resolve(value);
    },
    close: () => packets.close(),
  };
}
