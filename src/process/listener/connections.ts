/** Tracks client connections, with limits on their number and timeouts. */

import type { CloseReason, RefusalReason } from "../../telemetry/server_metrics.ts";
import type { Clock } from "../../core/clock.ts";
import type { ServerSettings } from "../../config/server_settings.ts";
import type { CallerConnection } from "../../gateway/request_record.ts";

/** The settings of connections. */
export type ConnectionLimits = Pick<
  ServerSettings,
  | "head_timeout"
  | "idle_timeout"
  | "max_connections"
  | "max_connections_per_address"
  | "write_timeout"
>;

/** The options of {@linkcode Connections}. */
export interface ConnectionsOptions {
  /** Returns the limits of the current configuration. */
  readonly limits: () => ConnectionLimits;
  readonly clock: Clock;
  readonly onOpen?: () => void;
  readonly onRefuse?: (reason: RefusalReason) => void;
  /** @param reason undefined when the client closed the connection or the process shuts down */
  readonly onClose?: (reason: CloseReason | undefined) => void;
}

/** The interval at which connections are checked for timeouts. */
const SWEEP_MS = 1000;

/** How long a connection stays open after a response with `connection: close`. */
const LINGER_MS = 2000;

/** How long a connection without a request stays open when the listener closes. */
const QUIET_MS = 500;

/** The time limit of a response grows by one second per this many characters. */
const CHARS_PER_SECOND = 64 * 1024;

/**
 * A response up to this size fits into the system's buffers, even if the client does not read it.
 */
const MAX_BUFFERED_CHARS = 64 * 1024;

/**
 * The share of connections that are closed together when a limit is reached, because each search is
 * slow.
 */
const EVICTED_SHARE = 1 / 16;

/** The share of file descriptors to keep free for vendors after descriptors have run out. */
const RESERVE_SHARE = 1 / 8;
const MIN_RESERVE = 8;
/** How long these file descriptors are kept free. */
const RESERVE_MS = 60_000;

/** The time until the file descriptors of closed connections are released. */
export const RELIEF_MS = 20;

/**
 * All open connections of one listener. At a limit, idle connections are closed: first those that
 * never had a request, then those that have been idle the longest.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Connection>();
  readonly #perAddress = new Map<string, number>();
  /** The last relief of file descriptors: its time, the closed and the remaining connections. */
  #relief = { at: -Infinity, closed: 0, remaining: 0 };
  #cancelSweep = () => {};

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Registers an accepted connection.
   *
   * @param address identifies the client; undefined for a Unix socket, whose only client is usually
   * a proxy and to which the limit per address does not apply
   * @param abort closes the connection at once
   * @returns undefined when the connection is refused because of a limit
   */
  admit(address: string | undefined, abort: () => void): Connection | undefined {
    const { limits, clock, onOpen, onRefuse } = this.#options;
    const {
      max_connections: maxConnections,
      max_connections_per_address: maxConnectionsPerAddress,
    } = limits();
    const addressCount = address === undefined ? -1 : this.#perAddress.get(address) ?? 0;
    if (
      addressCount >= maxConnectionsPerAddress &&
      this.#evict(addressCount * EVICTED_SHARE, address) === 0
    ) {
      return void onRefuse?.("max_connections_per_address");
    }
    const { size } = this.#open;
    if (size >= maxConnections && this.#evict(size * EVICTED_SHARE) === 0) {
      return void onRefuse?.("max_connections");
    }
    const { at, remaining } = this.#relief;
    if (size >= remaining && clock.now() - at < RESERVE_MS) this.#evict(size * EVICTED_SHARE);
    const connection = new Connection(address, abort, this.#options, (closed, reason) => {
      this.#remove(closed, reason);
    });
    if (this.#open.size === 0) this.#scheduleSweep();
    this.#open.add(connection);
    if (address !== undefined) {
      this.#perAddress.set(address, (this.#perAddress.get(address) ?? 0) + 1);
    }
    onOpen?.();
    return connection;
  }

  /** Makes clients reconnect: their next response has `Connection: close`. */
  move(): void {
    for (const connection of this.#open) connection.isMoving = true;
  }

  /**
   * Milliseconds until every connection has been idle long enough for requests in transit to have
   * arrived.
   */
  quietMs(): number {
    const now = this.#options.clock.now();
    let longest = 0;
    for (const { idleSince } of this.#open) longest = Math.max(longest, idleSince + QUIET_MS - now);
    return longest;
  }

  /** Milliseconds until even slow clients have received their responses. */
  lingerMs(): number {
    const now = this.#options.clock.now();
    let longest = 0;
    for (const { sentBy } of this.#open) longest = Math.max(longest, sentBy - now);
    return longest + LINGER_MS;
  }

  /**
   * Closes idle connections when file descriptors have run out, and keeps some descriptors free for
   * a minute. The descriptors are released within {@linkcode RELIEF_MS}; until then, no more
   * connections are closed.
   *
   * @returns the number of closed connections
   */
  relieve(): number {
    const now = this.#options.clock.now();
    const { at, closed } = this.#relief;
    if (closed > 0 && now - at < RELIEF_MS) return closed;
    const count = this.#evict(Math.max(MIN_RESERVE, this.#open.size * RESERVE_SHARE));
    if (count > 0) this.#relief = { at: now, closed: count, remaining: this.#open.size };
    return count;
  }

  /**
   * Closes idle connections.
   *
   * @param address closes only connections of this client
   * @returns the number of closed connections
   */
  #evict(count: number, address?: string): number {
    const now = this.#options.clock.now();
    const idle = [...this.#open]
      .filter((one) => one.isIdle(now) && (address === undefined || one.address === address))
      .sort((one, other) =>
        Number(one.hasServed) - Number(other.hasServed) || one.idleSince - other.idleSince
      )
      .slice(0, Math.ceil(count));
    for (const connection of idle) connection.close("room");
    return idle.length;
  }

  #remove(connection: Connection, reason: CloseReason | undefined): void {
    if (!this.#open.delete(connection)) return;
    const { address } = connection;
    if (address !== undefined) {
      const remaining = (this.#perAddress.get(address) ?? 0) - 1;
      if (remaining > 0) this.#perAddress.set(address, remaining);
      else this.#perAddress.delete(address);
    }
    if (this.#open.size === 0) this.#cancelSweep();
    this.#options.onClose?.(reason);
  }

  #scheduleSweep(): void {
    this.#cancelSweep = this.#options.clock.after(SWEEP_MS, () => {
      const now = this.#options.clock.now();
      for (const connection of this.#open) connection.closeIfExpired(now);
      if (this.#open.size > 0) this.#scheduleSweep();
    });
  }
}

/** An open client connection. */
export class Connection implements CallerConnection {
  readonly address: string | undefined;
  /** The time when the last request ended. */
  idleSince: number;
  /** The time by which even a slow client has received the last response. */
  sentBy: number;
  /** Whether a request has ever arrived. */
  hasServed = false;
  isMoving = false;
  readonly #abort: () => void;
  readonly #options: Pick<ConnectionsOptions, "limits" | "clock">;
  readonly #remove: (connection: Connection, reason: CloseReason | undefined) => void;
  /** The time when the connection times out, unless a request arrives. */
  #deadline: number;
  /** The number of open requests; HTTP/2 allows several. */
  #requests = 0;
  #isLast = false;
  #isClosed = false;

  constructor(
    address: string | undefined,
    abort: () => void,
    options: Pick<ConnectionsOptions, "limits" | "clock">,
    remove: (connection: Connection, reason: CloseReason | undefined) => void,
  ) {
    this.address = address;
    this.#abort = abort;
    this.#options = options;
    this.#remove = remove;
    this.idleSince = this.sentBy = options.clock.now();
    this.#deadline = this.idleSince + options.limits().head_timeout;
  }

  /** Whether there is no open request and, as far as is known, no unsent response. */
  isIdle(now: number): boolean {
    return this.#requests === 0 && this.sentBy <= now;
  }

  /** Records the start of a request. */
  requestBegan(): void {
    this.#requests++;
    this.hasServed = true;
    this.#deadline = Infinity;
  }

  requestEnded(unsent: number, now: number): void {
    if (--this.#requests > 0) return;
    this.idleSince = now;
    this.sentBy = now + unsent / CHARS_PER_SECOND * 1000;
    this.#deadline = this.sentBy + (this.#isLast ? LINGER_MS : this.#timeoutAfter(unsent));
  }

  /**
   * The timeout after a response. Whether the client has read the response is unknown, so the write
   * timeout also applies to a long response.
   */
  #timeoutAfter(unsent: number): number {
    const { idle_timeout: idleTimeout, write_timeout: writeTimeout } = this.#options.limits();
    return unsent > MAX_BUFFERED_CHARS ? Math.min(idleTimeout, writeTimeout) : idleTimeout;
  }

  closeAfterAnswer(): void {
    this.#isLast = true;
  }

  closeUnread(): void {
    this.close("write_timeout");
  }

  /** Closes the connection at once. */
  close(reason?: CloseReason): void {
    if (this.#isClosed) return;
    this.ended(reason);
    this.#abort();
  }

  /** Records that the connection is closed, by either side. */
  ended(reason?: CloseReason): void {
    this.#isClosed = true;
    this.#remove(this, reason);
  }

  /** Closes the connection if it has timed out. */
  closeIfExpired(now: number): void {
    if (this.#deadline > now) return;
    if (this.#isLast) this.close("answered");
    else this.close(this.hasServed ? "idle_timeout" : "head_timeout");
  }
}
