/**
 * One of several workers: a thread with a gateway of its own on the port that
 * all of them share. It does what the supervisor orders, and reports.
 */

import {
  type AdminAnswer,
  type AdminCommand,
  administer,
  type AdminResult,
} from "../routing/admin.ts";
import { systemClock } from "../core/clock.ts";
import type { Config } from "../config/config.ts";
import { StartError } from "./startup_error.ts";
import type { Figures } from "../telemetry/aggregate_metrics.ts";
import { adapters } from "../providers/registry.ts";
import { type Address, createGateway, type Gateway, type Listening } from "./server.ts";
import { loadSnapshot, type Snapshot } from "../config/snapshot.ts";
import { State } from "../routing/state.ts";

/** What stays the same for a worker's whole life. */
export interface Post {
  readonly where: Address;
  /** How many share the port, and so the limits. */
  readonly workers: number;
  /** When the process began, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** The configuration in force, and why it is not the one in the file, if it is not. */
export interface Setting {
  readonly snapshot: Snapshot;
  readonly stale: string | undefined;
}

/** What the supervisor says to a worker. */
export type Order =
  | { readonly type: "serve"; readonly post: Post; readonly setting: Setting }
  | { readonly type: "set"; readonly id: number; readonly setting: Setting }
  | { readonly type: "read"; readonly id: number }
  /** The answer to `gather`. */
  | { readonly type: "gathered"; readonly id: number; readonly text: string }
  | { readonly type: "administer"; readonly id: number; readonly command: AdminCommand }
  /** The answer to `ask_all`. */
  | { readonly type: "answered"; readonly id: number; readonly answers: readonly AdminAnswer[] }
  | { readonly type: "drain" }
  | { readonly type: "cut" };

/** What a worker says to the supervisor; those with an `id` answer the order that had it. */
export type Report =
  | { readonly type: "serves"; readonly address: Address }
  /** It cannot serve, for this reason. */
  | { readonly type: "fails"; readonly reason: string }
  | { readonly type: "done"; readonly id: number }
  | { readonly type: "read"; readonly id: number; readonly figures: Figures }
  /** It was asked for the metrics of all. */
  | { readonly type: "gather"; readonly id: number }
  | { readonly type: "administered"; readonly id: number; readonly result: AdminResult }
  /** An admin has asked it for what every worker is to do. */
  | { readonly type: "ask_all"; readonly id: number; readonly command: AdminCommand }
  | { readonly type: "drained" };

/** The thread as the worker sees it. */
export interface WorkerScope {
  postMessage(report: Report): void;
  onmessage: ((event: { readonly data: Order }) => void) | null;
}

/** Takes the orders of the supervisor that has started this thread. */
export function attend(scope: WorkerScope): void {
  let duty: Duty | undefined;
  const report = (one: Report) => scope.postMessage(one);
  scope.onmessage = ({ data }) => {
    if (data.type === "serve") duty = begin(data.post, data.setting, report);
    else duty?.obey(data);
  };
}

function begin(
  post: Post,
  setting: Setting,
  report: (report: Report) => void,
): Duty | undefined {
  const duty = new Duty(post, setting, report);
  try {
    report({ type: "serves", address: duty.listen() });
    return duty;
  } catch (thrown) {
    if (!(thrown instanceof StartError)) throw thrown;
    report({ type: "fails", reason: thrown.message });
    return undefined;
  }
}

/** One worker at work. */
class Duty {
  readonly #gateway: Gateway;
  #listening: Listening | undefined;
  readonly #post: Post;
  readonly #report: (report: Report) => void;
  readonly #state = new State();
  /** Who waits for the metrics of all, by number. */
  readonly #waiting = new Map<number, (text: string) => void>();
  /** Who waits for what every worker answers to an admin, by number. */
  readonly #admins = new Map<number, (answers: readonly AdminAnswer[]) => void>();
  #asked = 0;
  #config: Config;
  #stale: string | undefined;

  constructor(post: Post, { snapshot, stale }: Setting, report: (report: Report) => void) {
    this.#post = post;
    this.#report = report;
    this.#config = shareOf(loadSnapshot(snapshot, adapters), post.workers);
    this.#stale = stale;
    this.#gateway = createGateway({
      config: () => this.#config,
      stale: () => this.#stale,
      state: this.#state,
      startedAt: post.startedAt,
      gather: () => this.#gather(),
      administer: (command) => this.#askAll(command),
      workers: post.workers,
    });
  }

  obey(order: Exclude<Order, { type: "serve" }>): void {
    switch (order.type) {
      case "set":
        this.#set(order.setting);
        return this.#report({ type: "done", id: order.id });
      case "read":
        return void this.#read(order.id);
      case "gathered":
        this.#waiting.get(order.id)?.(order.text);
        return void this.#waiting.delete(order.id);
      case "administer":
        return this.#administer(order.id, order.command);
      case "answered":
        this.#admins.get(order.id)?.(order.answers);
        return void this.#admins.delete(order.id);
      case "drain":
        return void this.#drain();
      case "cut":
        return this.#gateway.app.cut();
      default:
        order satisfies never;
    }
  }

  #set({ snapshot, stale }: Setting): void {
    this.#stale = stale;
    // What a faulty file leaves in force is in force.
    if (stale !== undefined) return;
    this.#config = shareOf(loadSnapshot(snapshot, adapters), this.#post.workers);
    this.#state.prune(this.#config.providers.values());
  }

  async #read(id: number): Promise<void> {
    this.#report({ type: "read", id, figures: await this.#gateway.readMetrics() });
  }

  /** @throws {StartError} when it cannot listen there. */
  listen(): Address {
    this.#listening = this.#gateway.listen(this.#post.where, true);
    return this.#listening.address;
  }

  async #drain(): Promise<void> {
    await this.#listening?.drain();
    this.#report({ type: "drained" });
  }

  #administer(id: number, command: AdminCommand): void {
    const result = administer(command, this.#config, this.#state, systemClock.now());
    this.#report({ type: "administered", id, result });
  }

  #askAll(command: AdminCommand): Promise<readonly AdminAnswer[]> {
    const id = ++this.#asked;
    return new Promise((resolve) => {
      this.#admins.set(id, resolve);
      this.#report({ type: "ask_all", id, command });
    });
  }

  #gather(): Promise<string> {
    const id = ++this.#asked;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#report({ type: "gather", id });
    });
  }
}

/** Limits on all requests and all connections together, divided among the workers. */
export function shareOf(config: Config, workers: number): Config {
  const { server } = config;
  const share = (limit: number) => Math.ceil(limit / workers);
  return {
    ...config,
    server: {
      ...server,
      maxInFlight: share(server.maxInFlight),
      maxConnections: share(server.maxConnections),
      maxConnectionsPerAddress: share(server.maxConnectionsPerAddress),
    },
  };
}
