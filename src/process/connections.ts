/** The connections of callers: how many may be open, and when one of them is closed. */

import type { CloseReason, RefusalReason } from "../telemetry/server_metrics.ts";
import type { Clock } from "../core/clock.ts";
import type { CallerConnection } from "../routing/request_record.ts";

/** What a configuration says about connections; times are milliseconds. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Until the first request of a connection has arrived, but for its body. */
  readonly headTimeout: number;
  /** Between an answer and the next request. */
  readonly idleTimeout: number;
  /** How long an answer may be left unread. */
  readonly writeTimeout: number;
}

export interface ConnectionsOptions {
  /** Those of the configuration in force. */
  readonly limits: () => ConnectionLimits;
  readonly clock: Clock;
  readonly onOpen?: () => void;
  readonly onRefuse?: (reason: RefusalReason) => void;
  /** @param reason undefined when the caller has closed it, or the process ends */
  readonly onClose?: (reason: CloseReason | undefined) => void;
}

/** How often connections are looked through for those whose time is over. */
const SWEEP_MS = 1000;

/** How long an answer that announces the end of its connection has to reach the caller. */
const LINGER_MS = 2000;

/** An answer has a second more for this many characters: callers may be slow. */
const CHARS_PER_SECOND = 64 * 1024;

/** An answer that is no longer is taken by the system, whether its caller reads or not. */
const MAX_BUFFERED_CHARS = 64 * 1024;

/** The part of them that is closed at once when there is no room: to look for them takes time. */
const ROOM_SHARE = 1 / 16;

/** The part that stays free after file descriptors have run out: vendors need some too. */
const RESERVE_SHARE = 1 / 8;
const MIN_RESERVE = 8;
/** How long it stays free. */
const RESERVE_MS = 60_000;

/** After so long the file descriptors of connections that were closed are free. */
export const RELIEF_MS = 20;

/**
 * All open connections of one listener. Where there is no room for another one,
 * those that have no request under way are closed, first those that never had
 * one, then those that have been idle for longest.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Set<Connection>();
  readonly #perAddress = new Map<string, number>();
  /** When file descriptors ran out, how many were closed, and how many were left. */
  #relief = { at: -Infinity, closed: 0, left: 0 };
  #cancelSweep = () => {};

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Takes a connection that was accepted.
   *
   * @param address what callers are told apart by
   * @param cut closes the connection at once
   * @returns undefined when there is no room for it
   */
  admit(address: string, cut: () => void): Connection | undefined {
    const { limits, clock, onOpen, onRefuse } = this.#options;
    const { maxConnections, maxConnectionsPerAddress } = limits();
    const ofAddress = this.#perAddress.get(address) ?? 0;
    if (
      ofAddress >= maxConnectionsPerAddress &&
      this.#makeRoom(ofAddress * ROOM_SHARE, address) === 0
    ) {
      return void onRefuse?.("max_connections_per_address");
    }
    const { size } = this.#open;
    if (size >= maxConnections && this.#makeRoom(size * ROOM_SHARE) === 0) {
      return void onRefuse?.("max_connections");
    }
    const { at, left } = this.#relief;
    if (size >= left && clock.now() - at < RESERVE_MS) this.#makeRoom(size * ROOM_SHARE);
    const connection = new Connection(address, cut, this.#options, (closed, reason) => {
      this.#remove(closed, reason);
    });
    if (this.#open.size === 0) this.#scheduleSweep();
    this.#open.add(connection);
    this.#perAddress.set(address, (this.#perAddress.get(address) ?? 0) + 1);
    onOpen?.();
    return connection;
  }

  /** How long answers may still be on their way, in milliseconds, now that all of them are made. */
  lingerMs(): number {
    const now = this.#options.clock.now();
    let longest = 0;
    for (const { sentBy } of this.#open) longest = Math.max(longest, sentBy - now);
    return longest + LINGER_MS;
  }

  /**
   * File descriptors have run out: closes idle connections, and keeps some
   * descriptors free for a while. What is closed is free after {@linkcode RELIEF_MS};
   * until then no more are closed.
   *
   * @returns how many were closed
   */
  relieve(): number {
    const now = this.#options.clock.now();
    const { at, closed } = this.#relief;
    if (closed > 0 && now - at < RELIEF_MS) return closed;
    const count = this.#makeRoom(Math.max(MIN_RESERVE, this.#open.size * RESERVE_SHARE));
    if (count > 0) this.#relief = { at: now, closed: count, left: this.#open.size };
    return count;
  }

  /**
   * @param address whose connections are closed; anybody's unless given
   * @returns how many were closed
   */
  #makeRoom(count: number, address?: string): number {
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
    const left = (this.#perAddress.get(address) ?? 0) - 1;
    if (left > 0) this.#perAddress.set(address, left);
    else this.#perAddress.delete(address);
    if (this.#open.size === 0) this.#cancelSweep();
    this.#options.onClose?.(reason);
  }

  #scheduleSweep(): void {
    this.#cancelSweep = this.#options.clock.after(SWEEP_MS, () => {
      const now = this.#options.clock.now();
      for (const connection of this.#open) connection.closeIfOver(now);
      if (this.#open.size > 0) this.#scheduleSweep();
    });
  }
}

/** One open connection. */
export class Connection implements CallerConnection {
  readonly address: string;
  /** Since when no request is under way. */
  idleSince: number;
  /** When even a slow caller has its last answer. */
  sentBy: number;
  /** Whether a request has ever arrived. */
  hasServed = false;
  readonly #cut: () => void;
  readonly #options: Pick<ConnectionsOptions, "limits" | "clock">;
  readonly #remove: (connection: Connection, reason: CloseReason | undefined) => void;
  /** When it is to be closed, unless a request arrives before. */
  #deadline: number;
  /** Requests under way: over HTTP/2 there may be several. */
  #requests = 0;
  #isLast = false;
  #isClosed = false;

  constructor(
    address: string,
    cut: () => void,
    options: Pick<ConnectionsOptions, "limits" | "clock">,
    remove: (connection: Connection, reason: CloseReason | undefined) => void,
  ) {
    this.address = address;
    this.#cut = cut;
    this.#options = options;
    this.#remove = remove;
    this.idleSince = this.sentBy = options.clock.now();
    this.#deadline = this.idleSince + options.limits().headTimeout;
  }

  /** Whether no request is under way, nor an answer, as far as that can be known. */
  isIdle(now: number): boolean {
    return this.#requests === 0 && this.sentBy <= now;
  }

  requestBegan(): void {
    this.#requests++;
    this.hasServed = true;
    this.#deadline = Infinity;
  }

  requestEnded(unsent: number, now: number): void {
    if (--this.#requests > 0) return;
    this.idleSince = now;
    this.sentBy = now + unsent / CHARS_PER_SECOND * 1000;
    this.#deadline = this.sentBy + (this.#isLast ? LINGER_MS : this.#waitAfter(unsent));
  }

  /** Whether an answer has been read is not known. One that is long may be in the way of the next. */
  #waitAfter(unsent: number): number {
    const { idleTimeout, writeTimeout } = this.#options.limits();
    return unsent > MAX_BUFFERED_CHARS ? Math.min(idleTimeout, writeTimeout) : idleTimeout;
  }

  closeAfterAnswer(): void {
    this.#isLast = true;
  }

  closeUnread(): void {
    this.close("write_timeout");
  }

  close(reason?: CloseReason): void {
    if (this.#isClosed) return;
    this.ended(reason);
    this.#cut();
  }

  /** It is closed, by whomever. */
  ended(reason?: CloseReason): void {
    this.#isClosed = true;
    this.#remove(this, reason);
  }

  closeIfOver(now: number): void {
    if (this.#deadline > now) return;
    if (this.#isLast) this.close("answered");
    else this.close(this.hasServed ? "idle_timeout" : "head_timeout");
  }
}
