/** What a scenario works with, and what it reports. */

import { type GatewayOptions, GatewayProcess } from "./gateway_process.ts";
import { Pinger } from "./pinger.ts";

/** One line of the table. */
export interface Figure {
  readonly scenario: string;
  readonly bar: string;
  readonly measured: string;
  readonly result: "ok" | "FAIL" | "skipped" | "noted";
}

/** One attack. */
export interface Scenario {
  /** The number of the point it proves and what it does. */
  readonly name: string;
  /** Whether it measures times so short that nothing else may run beside it. */
  readonly alone?: boolean;
  /** Seconds after which it is ended, in the long form. */
  readonly seconds: number;
  readonly run: (trial: Trial) => Promise<void>;
}

export interface TrialOptions {
  /** The directory whose sources are tried. */
  readonly checkout: string;
  /** Whether half a minute has to do for all. */
  readonly short: boolean;
  /** How many times longer than usual all of it may take, for a busy machine. Bars stay. */
  readonly patience: number;
}

/** One run of one scenario. What it starts ends with it. */
export class Trial implements AsyncDisposable {
  readonly short: boolean;
  readonly patience: number;
  readonly figures: Figure[] = [];
  readonly #checkout: string;
  readonly #name: string;
  readonly #owned = new AsyncDisposableStack();
  #isOver = false;

  constructor(name: string, { checkout, short, patience }: TrialOptions) {
    this.#name = name;
    this.#checkout = checkout;
    this.short = short;
    this.patience = patience;
  }

  /** Starts a gateway. */
  async start(options: GatewayOptions): Promise<GatewayProcess> {
    const gateway = await GatewayProcess.start(this.#checkout, options);
    if (this.#isOver) await gateway[Symbol.asyncDispose]();
    else this.#owned.use(gateway);
    return gateway;
  }

  /** Starts asking a gateway for its health. */
  ping(gateway: GatewayProcess): Pinger {
    return this.own(new Pinger(gateway.port));
  }

  /** Ends something with the scenario. */
  own<Resource extends Disposable | AsyncDisposable>(resource: Resource): Resource {
    return this.#owned.use(resource);
  }

  /** Reports whether a figure is within its bar. */
  report(what: string, bar: string, measured: string, isWithin: boolean): void {
    this.#add(what, bar, measured, isWithin ? "ok" : "FAIL");
  }

  /** Reports a figure that has no bar, for the limits of the runtime. */
  note(what: string, measured: string): void {
    this.#add(what, "", measured, "noted");
  }

  /** Reports what could not be tried here. */
  skip(what: string, reason: string): void {
    this.#add(what, "", reason, "skipped");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#owned.disposeAsync();
  }

  #add(what: string, bar: string, measured: string, result: Figure["result"]): void {
    // What a scenario that was ended still reports is not its result.
    if (this.#isOver) return;
    const scenario = what === "" ? this.#name : `${this.#name}: ${what}`;
    this.figures.push({ scenario, bar, measured, result });
  }
}
