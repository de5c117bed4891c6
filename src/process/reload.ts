/** The configuration in force, and how another takes its place while requests go on. */

import type { Clock } from "../core/clock.ts";
import { type Config, ConfigErrors } from "../config/config.ts";

/** What a change of the configuration needs of the process. */
export interface ReloadOptions {
  /** Reads and checks the configuration anew; throws when it cannot be used. */
  readonly load: () => Config;
  /** Tells the operator, in one or more lines. */
  readonly say: (text: string) => void;
  /** Called when another configuration is in force. */
  readonly onSwap: (config: Config) => void;
  /** Called when the file has become unfit, with what anyone may know of why. */
  readonly onStale?: (reason: string) => void;
}

/** One configuration at a time. A request keeps the one that it began with. */
export class LiveConfig {
  readonly #options: ReloadOptions;
  /** The first, whose address is the one that is listened on. */
  readonly #first: Config;
  #current: Config;
  #stale: string | undefined;

  constructor(first: Config, options: ReloadOptions) {
    this.#first = this.#current = first;
    this.#options = options;
  }

  get current(): Config {
    return this.#current;
  }

  /**
   * Why the configuration in force is not the one in the file, or undefined
   * when it is. Anyone may read it, so it names nothing.
   */
  get stale(): string | undefined {
    return this.#stale;
  }

  /** Takes what the file says now, or keeps what is in force when the file is faulty. */
  reload(): void {
    const { load, say, onSwap, onStale } = this.#options;
    let next: Config;
    try {
      next = load();
    } catch (thrown) {
      this.#stale = toReason(thrown);
      onStale?.(this.#stale);
      say(`${messageOf(thrown)}\nThe configuration from before stays in force`);
      return;
    }
    const { generatedKey } = next;
    if (generatedKey !== undefined && this.#current.generatedKey === undefined) {
      say(`No service key is configured; for this run it is ${generatedKey}`);
    }
    this.#current = next;
    this.#stale = undefined;
    onSwap(next);
    const { models, providers, source } = next;
    say(`${source} is in force: ${models.length} models, ${providers.size} providers`);
    for (const member of ["host", "port", "workers"] as const) {
      if (next.server[member] === this.#first.server[member]) continue;
      say(`A change of server.${member} to ${next.server[member]} takes a restart`);
    }
  }
}

/** How long a file may be in the making after the first sign of a change, in milliseconds. */
const SETTLING = 100;

/** After so long a file is looked at again that could not be opened. */
const LOOK_AGAIN_MS = 1000;

/** A file that may change. */
export interface Followed {
  /** Its text as it was loaded. */
  readonly loaded: string;
  /** Its text now, or undefined when it cannot be read; throws when it may be readable later. */
  readonly read: () => string | undefined;
}

/**
 * Calls `changed` after the events that a change of a file comes with, if the
 * file's text is another by then.
 *
 * @param events of the folder as well, since a file is often changed by putting another in its place
 */
export async function followFile(
  events: AsyncIterable<{ readonly kind: string }>,
  { loaded, read }: Followed,
  clock: Clock,
  changed: () => void,
): Promise<void> {
  let known: string | undefined = loaded;
  let waiting = false;
  const look = (ms = SETTLING) => {
    if (waiting) return;
    waiting = true;
    clock.after(ms, () => {
      waiting = false;
      let text: string | undefined;
      try {
        text = read();
      } catch {
        // Whether it has changed cannot be told now.
        return look(LOOK_AGAIN_MS);
      }
      if (text === known) return;
      known = text;
      changed();
    });
  };
  // Of what happened after it was loaded and before anybody watched, there is no event.
  look();
  for await (const { kind } of events) {
    // Our own reading is an event as well.
    if (kind !== "access") look();
  }
}

function toReason(thrown: unknown): string {
  if (!(thrown instanceof ConfigErrors)) return "The file cannot be read; the log says why";
  const { length } = thrown.errors;
  return `The file has ${length} ${length === 1 ? "fault" : "faults"}; the log names them all`;
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
