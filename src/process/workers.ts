/**
 * Several workers on one port. They share nothing but what the supervisor, in
 * the main thread, tells them; one that ends is replaced by another.
 */

import type { AdminAnswer, AdminCommand, AdminResult } from "../routing/admin.ts";
import type { Clock } from "../core/clock.ts";
import { MAX_WORKERS } from "../config/config.ts";
import { StartError } from "./startup_error.ts";
import { addUp, countersOf, type Figures, printSum } from "../telemetry/aggregate_metrics.ts";
import type { Address } from "./server.ts";
import type { Order, Post, Report, Setting } from "./worker.ts";

/** What a thread tells the one that has started it. */
export interface Listener {
  hear(report: Report): void;
  /** It has ended by itself, of an error of this kind. */
  died(why: string): void;
}

/** A thread that attends to orders. */
export interface Thread {
  order(order: Order): void;
  end(): void;
}

export type Spawn = (name: string, listener: Listener) => Thread;

/** Starts a module as a thread; a bundle starts itself. */
export function spawnFrom(url: string): Spawn {
  return (name, { hear, died }) => {
    const worker = new Worker(url, { type: "module", name });
    worker.onmessage = ({ data }: MessageEvent<Report>) => hear(data);
    worker.onerror = (event) => {
      // Else it would end the process. The runtime has told of it already.
      event.preventDefault();
      // What was thrown may hold secrets; its kind does not.
      died(/^Uncaught (?:\(in promise\) )?(\w*Error)\b/.exec(event.message)?.[1] ?? "an error");
    };
    return { order: (order) => worker.postMessage(order), end: () => worker.terminate() };
  };
}

/** How many workers there are to be: one only, where the system cannot share a port. */
export function countWorkers(
  wanted: number | "auto",
  { cores, os }: { readonly cores: number; readonly os: string },
): number {
  if (os !== "linux") return 1;
  if (wanted !== "auto") return wanted;
  // Two cores have enough to do with one worker and the system.
  return cores <= FEW_CORES ? 1 : Math.min(cores, MAX_WORKERS);
}

const FEW_CORES = 2;

/** A worker that ends is replaced after so long, and twice as long each further time. */
const FIRST_WAIT = 100;
const LONGEST_WAIT = 5000;
/** One that lived this long did not end for having begun. */
const HEALTHY = 10_000;

/** How long the others wait for a worker that does not answer, in milliseconds. */
const PATIENCE = { read: 1000, set: 5000, administer: 1000 } as const;

export interface WorkersOptions {
  readonly post: Post;
  readonly spawn: Spawn;
  readonly clock: Clock;
  /** Tells the operator. */
  readonly say: (text: string) => void;
}

interface Member extends Thread {
  readonly number: number;
  /** When it began to serve. */
  servesSince: number | undefined;
  drained: boolean;
  /** What it has counted, as far as is known. */
  counted: Figures;
}

/** What a member answers: its metrics, or what an admin asked for. */
interface Answer {
  readonly figures?: Figures;
  readonly result?: AdminResult;
}

/** A question to all members of a moment. */
interface Round {
  readonly waiting: Set<Member>;
  readonly answers: Map<Member, Answer>;
  readonly end: () => void;
}

export class Workers {
  readonly #options: WorkersOptions;
  readonly #members = new Set<Member>();
  readonly #rounds = new Map<number, Round>();
  /** By a worker's number: how long its next replacement waits. */
  readonly #waits = new Map<number, number>();
  readonly #started = Promise.withResolvers<Address>();
  readonly #drained = Promise.withResolvers<void>();
  #setting: Setting;
  #asked = 0;
  #isUp = false;
  #isDraining = false;
  /** What those have counted that are no more. */
  #past: Figures = [];
  /** The metrics that are being gathered, and those that are next. */
  #current: Promise<string> | undefined;
  #next: Promise<string> | undefined;

  constructor(setting: Setting, options: WorkersOptions) {
    this.#setting = setting;
    this.#options = options;
  }

  /**
   * Starts them all, and gives the address when all of them serve.
   *
   * @throws {StartError} when one of them cannot.
   */
  start(): Promise<Address> {
    for (let number = 1; number <= this.#options.post.workers; number++) this.#hire(number);
    return this.#started.promise;
  }

  /** Gives them all another setting; resolves when it is in force, as far as anybody answers. */
  async set(setting: Setting): Promise<void> {
    this.#setting = setting;
    await this.#ask("set", this.#members, (id) => ({ type: "set", id, setting }));
  }

  /** New work is refused from now on; resolves when every worker's last answer has ended. */
  drain(): Promise<void> {
    this.#isDraining = true;
    for (const member of this.#members) member.order({ type: "drain" });
    this.#checkDrained();
    return this.#drained.promise;
  }

  /** Ends every answer that is still open. */
  cut(): void {
    for (const member of this.#members) member.order({ type: "cut" });
  }

  /**
   * The metrics of all. Of a worker that does not answer, and of those that have
   * ended, what they had counted before is kept: sums that shrink would read as
   * a restart of the process. Those who ask at the same time share an answer.
   */
  metrics(): Promise<string> {
    if (this.#current === undefined) {
      this.#current = this.#gather().finally(() => this.#current = undefined);
      return this.#current;
    }
    // What is being gathered may be from before this was asked.
    this.#next ??= this.#current.finally(() => this.#next = undefined).then(() => this.metrics());
    return this.#next;
  }

  async #gather(): Promise<string> {
    const serving = [...this.#members].filter(isServing);
    const answers = await this.#ask("read", serving, (id) => ({ type: "read", id }));
    const known = [...this.#members].map((member) =>
      answers.get(member)?.figures ?? member.counted
    );
    return await printSum([...known, this.#past]);
  }

  /** Has every worker do what an admin asks; one that does not answer in time does it later. */
  async administer(command: AdminCommand): Promise<readonly AdminAnswer[]> {
    const serving = [...this.#members].filter(isServing);
    const order = (id: number): Order => ({ type: "administer", id, command });
    const answers = await this.#ask("administer", serving, order);
    return serving.map((member) => ({
      worker: member.number,
      result: answers.get(member)?.result,
    })).sort((one, other) => one.worker - other.worker);
  }

  #hire(number: number): void {
    const { post, spawn } = this.#options;
    const listener: Listener = {
      hear: (report) => this.#hear(member, report),
      died: (why) =>
        this.#bury(member, this.#isUp ? why : `A worker has ended before it served: ${why}`),
    };
    const thread = spawn(`worker ${number}`, listener);
    const member: Member = {
      number,
      order: (order) => thread.order(order),
      end: () => thread.end(),
      servesSince: undefined,
      drained: false,
      counted: [],
    };
    this.#members.add(member);
    member.order({ type: "serve", post, setting: this.#setting });
  }

  #hear(member: Member, report: Report): void {
    switch (report.type) {
      case "serves":
        member.servesSince = this.#options.clock.now();
        return this.#welcome(member, report.address);
      case "fails":
        return this.#bury(member, report.reason);
      case "done":
        return this.#settle(member, report.id);
      case "read":
        member.counted = countersOf(report.figures);
        return this.#settle(member, report.id, { figures: report.figures });
      case "gather":
        return void this.metrics().then((text) =>
          member.order({ type: "gathered", id: report.id, text })
        );
      case "administered":
        return this.#settle(member, report.id, { result: report.result });
      case "ask_all":
        return void this.administer(report.command).then((answers) =>
          member.order({ type: "answered", id: report.id, answers })
        );
      case "drained":
        member.drained = true;
        return this.#checkDrained();
      default:
        report satisfies never;
    }
  }

  #welcome({ number }: Member, address: Address): void {
    if (this.#isUp) return this.#options.say(`worker ${number} serves again`);
    const { post } = this.#options;
    if ([...this.#members].filter(isServing).length < post.workers) return;
    this.#isUp = true;
    this.#started.resolve(address);
  }

  /** Whatever waited for it waits no longer. */
  #bury(member: Member, why: string): void {
    if (!this.#members.delete(member)) return;
    member.end();
    this.#past = addUp([this.#past, member.counted]);
    for (const id of this.#rounds.keys()) this.#settle(member, id);
    if (!this.#isUp) this.#started.reject(new StartError(why));
    else if (this.#isDraining) this.#checkDrained();
    else this.#replace(member, why);
  }

  #replace({ number, servesSince }: Member, why: string): void {
    const { clock, say } = this.#options;
    const lived = servesSince === undefined ? 0 : clock.now() - servesSince;
    const wait = lived >= HEALTHY ? FIRST_WAIT : this.#waits.get(number) ?? FIRST_WAIT;
    this.#waits.set(number, Math.min(2 * wait, LONGEST_WAIT));
    say(`worker ${number} has ended: ${why}; another begins in ${wait} ms`);
    clock.after(wait, () => {
      if (!this.#isDraining) this.#hire(number);
    });
  }

  #checkDrained(): void {
    if ([...this.#members].every(({ drained }) => drained)) this.#drained.resolve();
  }

  /** Asks these members; resolves when the last has answered or ended, or after a while. */
  async #ask(
    what: keyof typeof PATIENCE,
    members: Iterable<Member>,
    order: (id: number) => Order,
  ): Promise<ReadonlyMap<Member, Answer>> {
    const id = ++this.#asked;
    const { promise, resolve } = Promise.withResolvers<void>();
    const round: Round = {
      waiting: new Set(members),
      answers: new Map(),
      end: resolve,
    };
    this.#rounds.set(id, round);
    const cancel = this.#options.clock.after(PATIENCE[what], resolve);
    for (const member of members) member.order(order(id));
    if (round.waiting.size > 0) await promise;
    cancel();
    this.#rounds.delete(id);
    return round.answers;
  }

  #settle(member: Member, id: number, answer?: Answer): void {
    const round = this.#rounds.get(id);
    if (round === undefined) return;
    if (answer !== undefined) round.answers.set(member, answer);
    round.waiting.delete(member);
    if (round.waiting.size === 0) round.end();
  }
}

function isServing({ servesSince }: Member): boolean {
  return servesSince !== undefined;
}
