/**
 * A client for a cluster of Valkey or Redis servers. A script runs on the primary that owns its
 * keys' slot. It is sent again only if nothing was executed, so a request never waits longer than
 * with a single server. While one primary is down, the others keep serving.
 */

import type { Clock } from "../../core/clock.ts";
import { messageOf } from "../../core/errors.ts";
import {
  type Address,
  connect,
  loadScripts,
  type ServerConnection,
  type StoreServer,
} from "./client.ts";
import { NodeLostError, type ScriptClient, type StoreArgument } from "./connection.ts";

// A cluster's hash slots (https://valkey.io/topics/cluster-spec/, 2026-11-26).

/** The number of slots. */
const SLOTS = 16_384;

/** CRC-16/XMODEM for each byte value. */
const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 8;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1;
  return crc;
});

const encoder = new TextEncoder();

/**
 * The slot of a key: the hash of the text between its first braces, or of the whole key if there
 * are none. Exported for tests.
 */
export function slotOf(key: string): number {
  const start = key.indexOf("{");
  const end = start === -1 ? -1 : key.indexOf("}", start + 1);
  const hashed = end > start + 1 ? key.slice(start + 1, end) : key;
  let crc = 0;
  for (const byte of encoder.encode(hashed)) {
    crc = ((crc << 8) ^ (TABLE[(crc >> 8) ^ byte] ?? 0)) & 0xffff;
  }
  return crc % SLOTS;
}

/** A node's name in a client's maps. */
function toKey({ host, port }: Address): string {
  return `${host}:${port}`;
}

/** The address in a name from {@linkcode toKey}. */
function toAddress(key: string): Address {
  const at = key.lastIndexOf(":");
  return { host: key.slice(0, at), port: Number(key.slice(at + 1)) };
}

/**
 * The primaries from `CLUSTER SLOTS`: lists of the first and the last slot, and the nodes, the
 * primary first. A node without a host is the one that replied.
 */
function toPrimaries(reply: unknown, replied: Address): (string | undefined)[] {
  const primaries: (string | undefined)[] = Array(SLOTS).fill(undefined);
  for (const range of Array.isArray(reply) ? reply : []) {
    const [first, last, node] = range as [number, number, [Uint8Array | null, number]];
    const host = String(node?.[0] ?? "");
    const key = toKey({ host: host === "" || host === "?" ? replied.host : host, port: node[1] });
    primaries.fill(key, Number(first), Number(last) + 1);
  }
  return primaries;
}

/** Whether an error is a server's reply: such errors begin with a word in capitals. */
function isReply(thrown: unknown): boolean {
  return /^[A-Z]{2,}\b/.test(messageOf(thrown));
}

/** The time limit for reading the slots from the nodes, in milliseconds. */
const SLOTS_MS = 300;
/** Milliseconds between two attempts to find a missing primary. */
const REFRESH_MS = 100;
/** A node without replies for this long, in milliseconds, counts as failed. */
const MAX_SILENCE_MS = 400;
/** Errors about one node or slot: it has lost its role, or lacks its data. Nothing has run. */
const WRONG_NODE = /^(?:READONLY|LOADING|MASTERDOWN|TRYAGAIN|CLUSTERDOWN Hash slot)\b/;
const REDIRECTION = /^(MOVED|ASK) (\d+) (.*):(\d+)$/;

/** The options for following a cluster. */
interface ClusterOptions<Script extends string> {
  readonly server: StoreServer;
  readonly scripts: Readonly<Record<Script, string>>;
  readonly clock: Pick<Clock, "now" | "after">;
}

/** Connects to all reachable primaries. @throws {Error} if no node returns the slots. */
export async function openCluster<Script extends string, Reply>(
  options: ClusterOptions<Script>,
  signal: AbortSignal,
): Promise<ScriptClient<Script, StoreArgument, Reply>> {
  const cluster = new Cluster<Script, Reply>(options);
  const abort = () => cluster.close("it was closed");
  signal.addEventListener("abort", abort, { once: true });
  try {
    await cluster.open();
    return cluster;
  } catch (thrown) {
    cluster.close(messageOf(thrown));
    throw thrown;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** A connection to one primary. */
interface Node<Script extends string> {
  readonly key: string;
  readonly connection: ServerConnection;
  readonly hashes: Readonly<Record<Script, string>>;
  /** The number of calls without a reply, and the time of the oldest one. */
  waiting: number;
  since: number;
}

class Cluster<Script extends string, Reply> implements ScriptClient<Script, StoreArgument, Reply> {
  readonly ended: Promise<string>;
  readonly #options: ClusterOptions<Script>;
  readonly #end: (reason: string) => void;
  /** The connected nodes, by key. */
  readonly #nodes = new Map<string, Node<Script>>();
  readonly #closing = new AbortController();
  /** The primary of each slot, by its key. */
  #primaries: readonly (string | undefined)[] = [];
  #refreshing: Promise<void> | undefined;
  #cancelRefresh = () => {};
  #onChange = () => {};

  constructor(options: ClusterOptions<Script>) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    this.#end = resolve;
  }

  async open(): Promise<void> {
    const failures = await this.#readSlots(this.#options.server.cluster ?? []);
    if (this.#primaries.length === 0) throw new Error(failures);
    if (this.#nodes.size === 0) throw new Error("no primary of the cluster can be reached");
    this.#refreshLater();
  }

  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  close(reason = "closed"): void {
    this.#closing.abort();
    this.#cancelRefresh();
    for (const { connection } of this.#nodes.values()) connection.close();
    this.#nodes.clear();
    this.#end(reason);
  }

  async run(
    script: Script,
    keys: readonly string[],
    args: readonly StoreArgument[],
  ): Promise<Reply> {
    const slot = slotOf(keys[0] ?? "");
    const node = this.#nodes.get(this.#primaries[slot] ?? "");
    if (node === undefined) {
      this.#refreshLater();
      throw new NodeLostError(`no primary of the cluster has the slot ${slot}`);
    }
    return await this.#runAt(node, script, keys, args)
      .catch((thrown) => this.#redirect(thrown, script, keys, args));
  }

  /** Sends a call to the node named in a redirection. The call has not run before. */
  async #redirect(
    thrown: unknown,
    script: Script,
    keys: readonly string[],
    args: readonly StoreArgument[],
  ): Promise<Reply> {
    const reason = messageOf(thrown);
    const [, kind, , host, port] = REDIRECTION.exec(reason) ?? [];
    if (kind === undefined) {
      if (!WRONG_NODE.test(reason)) throw thrown;
      this.#refreshLater(true);
      throw new NodeLostError(reason);
    }
    if (kind === "MOVED") this.#refreshLater(true);
    const other = this.#nodes.get(`${host}:${port}`);
    if (other === undefined) throw new NodeLostError(reason);
    return await this.#runAt(other, script, keys, args, kind === "ASK");
  }

  async #runAt(
    node: Node<Script>,
    script: Script,
    keys: readonly string[],
    args: readonly StoreArgument[],
    isAsking = false,
  ): Promise<Reply> {
    this.#checkSilence(node);
    const { connection, hashes } = node;
    const values = [keys.length, ...keys, ...args];
    // The commands of a connection run in the order in which they are sent.
    if (isAsking) connection.call("ASKING").catch(() => {});
    try {
      return await this.#answered(node, connection.call("EVALSHA", hashes[script], ...values));
    } catch (thrown) {
      if (!/^NOSCRIPT\b/.test(messageOf(thrown))) throw thrown;
      // A replica that became the primary: nothing has run. This also loads the script.
      if (isAsking) connection.call("ASKING").catch(() => {});
      const text = this.#options.scripts[script];
      return await this.#answered(node, connection.call("EVAL", text, ...values));
    }
  }

  /** Records since when a reply has been pending. */
  async #answered(node: Node<Script>, call: Promise<unknown>): Promise<Reply> {
    const { clock } = this.#options;
    if (node.waiting++ === 0) node.since = clock.now();
    try {
      return await call as Reply;
    } catch (thrown) {
      // A closed connection says nothing about the rest of the cluster.
      throw this.#nodes.get(node.key) === node && isReply(thrown)
        ? thrown
        : new NodeLostError(messageOf(thrown));
    } finally {
      node.waiting--;
      node.since = clock.now();
    }
  }

  /** @throws {NodeLostError} when the node has not replied for some time. */
  #checkSilence(node: Node<Script>): void {
    const silence = this.#options.clock.now() - node.since;
    if (node.waiting === 0 || silence < MAX_SILENCE_MS) return;
    this.#remove(node);
    throw new NodeLostError(`no reply for ${Math.round(silence)} ms`);
  }

  #remove(node: Node<Script>): void {
    if (this.#nodes.get(node.key) !== node) return;
    this.#nodes.delete(node.key);
    node.connection.close();
    if (!this.#closing.signal.aborted) this.#refreshLater(true);
  }

  /** Searches for missing primaries until all are found. @param isStale whether slots moved */
  #refreshLater(isStale = false): void {
    const isComplete = !this.#primaries.some((key) => key === undefined || !this.#nodes.has(key)) &&
      this.#primaries.length === SLOTS;
    if ((isComplete && !isStale) || this.#refreshing !== undefined) return;
    this.#refreshing = this.#refresh().finally(() => {
      this.#refreshing = undefined;
      if (this.#closing.signal.aborted) return;
      this.#cancelRefresh();
      this.#cancelRefresh = this.#options.clock.after(REFRESH_MS, () => this.#refreshLater());
    });
  }

  async #refresh(): Promise<void> {
    const before = this.#primaries;
    const known = new Set(this.#nodes.keys());
    const keys = new Set([...known, ...before.filter((key) => key !== undefined)]);
    const nodes = [...keys].map(toAddress);
    const failures = await this.#readSlots([...nodes, ...this.#options.server.cluster ?? []]);
    if (this.#closing.signal.aborted) return;
    if (this.#nodes.size === 0) return this.close(failures);
    if ([...this.#nodes.keys()].some((key) => !known.has(key))) this.#onChange();
  }

  /**
   * Reads the slots from the first node that returns them, and connects to the primaries.
   *
   * @returns the reasons why nodes failed
   */
  async #readSlots(addresses: readonly Address[]): Promise<string> {
    const failures: string[] = [];
    for (const address of addresses) {
      const reply = await this.#askSlots(address).catch((thrown) => messageOf(thrown));
      if (typeof reply === "string") {
        failures.push(`${toKey(address)}: ${reply}`);
        continue;
      }
      this.#primaries = toPrimaries(reply, address);
      const keys = new Set(this.#primaries.filter((key) => key !== undefined));
      for (const node of this.#nodes.values()) if (!keys.has(node.key)) this.#remove(node);
      await Promise.all([...keys].map((key) => this.#connectTo(key)));
      break;
    }
    return failures.join(", ");
  }

  async #askSlots(address: Address): Promise<unknown> {
    const node = this.#nodes.get(toKey(address));
    if (node !== undefined) {
      return await this.#inTime(() => node.connection.call("CLUSTER", "SLOTS"));
    }
    let connection: ServerConnection | undefined;
    try {
      return await this.#inTime(async (signal) => {
        connection = await connect({ ...this.#options.server, ...address, database: 0 }, signal);
        return await connection.call("CLUSTER", "SLOTS");
      });
    } finally {
      connection?.close();
    }
  }

  async #connectTo(key: string): Promise<void> {
    if (this.#nodes.has(key)) return;
    try {
      const node = await this.#inTime(async (signal): Promise<Node<Script>> => {
        const server = { ...this.#options.server, ...toAddress(key), database: 0 };
        const connection = await connect(server, signal);
        // A hanging node is also abandoned.
        signal.addEventListener("abort", connection.close, { once: true });
        const hashes = await loadScripts(connection, this.#options.scripts);
        return { key, connection, hashes, waiting: 0, since: 0 };
      });
      if (this.#closing.signal.aborted) return node.connection.close();
      this.#nodes.set(key, node);
      node.connection.ended.then(() => this.#remove(node));
    } catch {
      // The next refresh tries it again, or finds another primary.
    }
  }

  /** Runs with a time limit, and until the cluster is closed. */
  async #inTime<Result>(run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const limit = new AbortController();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    aborted.catch(() => {});
    const abort = (reason: string) => {
      reject(new Error(reason));
      limit.abort();
    };
    const cancel = this.#options.clock.after(SLOTS_MS, () => abort(`no reply in ${SLOTS_MS} ms`));
    const onClose = () => abort("closed");
    this.#closing.signal.addEventListener("abort", onClose, { once: true });
    try {
      return await Promise.race([run(limit.signal), aborted]);
    } catch (thrown) {
      limit.abort();
      throw thrown;
    } finally {
      cancel();
      this.#closing.signal.removeEventListener("abort", onClose);
    }
  }
}
