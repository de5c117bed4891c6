/** The environment of a scenario, and its reports. */

import type { GatewayOptions, GatewayProcess } from "./gateway_process.ts";
import { Pinger } from "./pinger.ts";

/** One line of the table. */
export interface Figure {
  readonly scenario: string;
  readonly bar: string;
  readonly measured: string;
  readonly result: "ok" | "FAIL" | "noted";
}

/** One attack. */
export interface Scenario {
  /** Its number and its description. */
  readonly name: string;
  /** Whether it measures short times, so that nothing else may run concurrently. */
  readonly alone?: boolean;
  /** The time limit in seconds, in the long form. */
  readonly seconds: number;
  readonly run: (trial: Trial) => Promise<void>;
}

export interface TrialOptions {
  /** Starts a gateway of the tested sources. */
  readonly start: (options: GatewayOptions) => Promise<GatewayProcess>;
  /** Whether the short form is used, of a minute and a half at most. */
  readonly short: boolean;
  /** A factor for time limits on a busy machine. Limits of results stay the same. */
  readonly patience: number;
}

/** One run of a scenario. It stops everything that it started. */
export class Trial implements AsyncDisposable {
  readonly short: boolean;
  readonly patience: number;
  readonly figures: Figure[] = [];
  readonly #start: TrialOptions["start"];
  readonly #name: string;
  readonly #owned = new AsyncDisposableStack();
  #isOver = false;

  constructor(name: string, { start, short, patience }: TrialOptions) {
    this.#name = name;
    this.#start = start;
    this.short = short;
    this.patience = patience;
  }

  /** Starts a gateway. */
  async start(options: GatewayOptions): Promise<GatewayProcess> {
    const gateway = await this.#start(options);
    if (this.#isOver) await gateway[Symbol.asyncDispose]();
    else this.#owned.use(gateway);
    return gateway;
  }

  /** Starts to poll /healthz of a gateway. */
  ping(gateway: GatewayProcess): Pinger {
    return this.own(new Pinger(gateway.port));
  }

  /** Registers a resource that is closed at the end of the scenario. */
  own<Resource extends Disposable | AsyncDisposable>(resource: Resource): Resource {
    return this.#owned.use(resource);
  }

  /** Reports a result and whether it is within its limit. */
  report(what: string, bar: string, measured: string, isWithin: boolean): void {
    this.#add(what, bar, measured, isWithin ? "ok" : "FAIL");
  }

  /** Reports a result without a limit, for properties of the runtime. */
  note(what: string, measured: string): void {
    this.#add(what, "", measured, "noted");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    await this.#owned.disposeAsync();
  }

  #add(what: string, bar: string, measured: string, result: Figure["result"]): void {
    // Reports after the end of the scenario do not count.
    if (this.#isOver) return;
    const scenario = what === "" ? this.#name : `${this.#name}: ${what}`;
    this.figures.push({ scenario, bar, measured, result });
  }
}
