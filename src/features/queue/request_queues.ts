/** The lines of requests that wait, by what they wait for. */

import type { Clock } from "../../core/clock.ts";
import type { EndedRequest } from "../../gateway/state.ts";
import { WaitingLine } from "./waiting_line.ts";

/** The lines of one worker. A line exists only while requests wait in it. */
export class RequestQueues {
  readonly #lines = new Map<string, WaitingLine>();
  /** Called when the first request waits, and when none is left. */
  onUse: ((isUsed: boolean) => void) | undefined;

  /** The number of waiting requests. */
  get size(): number {
    let size = 0;
    for (const line of this.#lines.values()) size += line.size;
    return size;
  }

  /** The line of this name, if requests wait in it. */
  find(name: string): WaitingLine | undefined {
    return this.#lines.get(name);
  }

  /** The line of this name, for a request that joins it at once. */
  open(name: string, clock: Clock): WaitingLine {
    let line = this.#lines.get(name);
    if (line === undefined) {
      line = new WaitingLine(clock, () => this.#close(name));
      if (this.#lines.size === 0) this.onUse?.(true);
      this.#lines.set(name, line);
    }
    return line;
  }

  #close(name: string): void {
    if (this.#lines.delete(name) && this.#lines.size === 0) this.onUse?.(false);
  }

  /** A request has ended: limits of the gateway may have room for one that waits. */
  requestEnded({ columns, key, model }: EndedRequest): void {
    this.#lines.get(keyLine(key))?.requestEnded();
    this.#lines.get(modelLine(columns.alias ?? model))?.requestEnded();
  }
}

/** The line for the limits of a key. */
export function keyLine(key: string | undefined): string {
  return `key:${key ?? ""}`;
}

/** The line for the limits of the targets of an alias or a model. */
export function modelLine(model: string | undefined): string {
  return `model:${model ?? ""}`;
}
