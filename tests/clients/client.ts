/** What a client is that runs as a process, and what it has to do. */

import { assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../src/contract/chat.ts";
import type { VendorApi } from "./vendor_api.ts";

/** Text that the shell of a client prints, or that it writes into a file. */
export const PROOF = "proof-of-the-client";

/** Time without an event from the vendor: before its first one, and before its last one. */
export const SILENCE_MS = 12_000;

/** Shorter than the silence: clients that have such a limit fail without keep-alives. */
export const IDLE_LIMIT_MS = 8_000;

/** A client. */
export interface ClientProgram {
  readonly title: string;
  readonly version: string;
  /** The name for `sluice connect`; without it, variables say all. */
  readonly connectId?: string;
  /** The variable that names an installed executable. */
  readonly variable: string;
  /** The command that runs the version otherwise. */
  readonly command: readonly string[];
  /** The method and path of its requests, excluding requests for lists of models and similar ones. */
  readonly request: string;
  /** Settings of the gateway that the client needs. */
  readonly server?: JsonObject;
  /** Whether its limit of silence begins with the response, and ends with an event. */
  readonly waitsForEvents?: boolean;
  /** Further arguments, and variables beside the service key. */
  launch(prompt: string, serviceKey: string, url: string): Launch;
  /** Whether a request belongs to the conversation, by its tools; others ask for titles and such. */
  isConversation(tools: readonly string[]): boolean;
  readonly loop: Loop;
  /** How often it sends a request that fails with 400. Default: once. */
  readonly sendsFailed?: number;
  /** The name and input of a search, if the client has a tool for it. */
  readonly search?: readonly [name: string, input: JsonObject];
}

export interface Launch {
  readonly args: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Two turns with work for the client, and a last one. */
export interface Loop {
  /** The answer to the first or second turn. */
  answer(api: VendorApi, body: JsonObject, turn: number): Response;
  /** Throws unless the client did the work. */
  check(bodies: readonly JsonObject[], home: string): Promise<void>;
}

/** A loop with a shell, whose output comes back in the next request. */
export function shellLoop(
  toCall: (command: string, tools: readonly string[]) => readonly [string, JsonObject],
): Loop {
  return {
    answer(api, body, turn) {
      const [name, input] = toCall(`echo ${PROOF}-${turn} | tr a-z A-Z`, api.toolsOf(body));
      return api.call(`call_${turn}`, name, input);
    },
    check(bodies) {
      for (const turn of [1, 2]) {
        assertStringIncludes(JSON.stringify(bodies[turn]), `${PROOF.toUpperCase()}-${turn}`);
      }
      return Promise.resolve();
    },
  };
}
