/** A client that runs as a process, with the settings that `sluice connect` writes for it. */

import { assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../src/chat/chat.ts";
import { CLIENTS } from "../../src/clients/clients.ts";
import type { ClientModel } from "../../src/clients/client.ts";
import { applySettings } from "../../src/clients/settings_text.ts";
import { toTarget } from "../../src/cli/connect/target.ts";
import type { VendorApi } from "./vendor_api.ts";

/** Text that the shell of a client prints, or that it writes into a file. */
export const PROOF = "proof-of-the-client";

/** Time without an event from the vendor: before its first one, and before its last one. */
export const SILENCE_MS = 12_000;

/** Shorter than the silence: clients that have such a limit fail without keep-alives. */
export const IDLE_LIMIT_MS = 8_000;

const MAX_RUN_MS = 120_000;

/** A client. */
export interface ClientProgram {
  readonly title: string;
  readonly version: string;
  /** The name for `sluice connect`. */
  readonly connectId: string;
  /** The variable that names an installed executable. */
  readonly variable: string;
  /** The command that runs the version otherwise. */
  readonly command: readonly string[];
  /** The method and path of its requests, without those for models and the like. */
  readonly request: string;
  /** Settings of the gateway that the client needs. */
  readonly server?: JsonObject;
  /** Whether its limit of silence begins with the response, and ends with an event. */
  readonly waitsForEvents?: boolean;
  /** Further arguments, and variables beside the service key. */
  launch(prompt: string, serviceKey: string): Launch;
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

/** What a client printed, and how it ended. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  /** The same with its warnings and errors. */
  readonly all: string;
}

/**
 * Runs one prompt in a home folder.
 *
 * @param interrupt interrupts the client when it resolves
 */
export async function runClient(
  program: ClientProgram,
  { url, serviceKey, home, interrupt }: {
    readonly url: string;
    readonly serviceKey: string;
    readonly home: string;
    readonly interrupt: Promise<void> | undefined;
  },
): Promise<Ended> {
  await connect(program.connectId, url, home);
  const installed = Deno.env.get(program.variable);
  const [command = "", ...before] = installed ? [installed] : program.command;
  const { args, variables } = program.launch(`Print ${PROOF}`, serviceKey);
  const work = `${home}/work`;
  await Deno.mkdir(work);
  const child = new Deno.Command(command, {
    args: [...before, ...args],
    cwd: work,
    clearEnv: true,
    env: { HOME: home, PATH: Deno.env.get("PATH") ?? "", CI: "1", NO_COLOR: "1", ...variables },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    // A process group, which gets signals together, as in a terminal.
    detached: true,
  }).spawn();
  const end = (signal: Deno.Signal) => {
    try {
      Deno.kill(-child.pid, signal);
    } catch {
      // It has ended.
    }
  };
  const timer = setTimeout(() => end("SIGKILL"), MAX_RUN_MS);
  void interrupt?.then(() => end("SIGINT"));
  const { code, stdout, stderr } = await child.output();
  clearTimeout(timer);
  const decoder = new TextDecoder();
  const output = decoder.decode(stdout);
  return { code, output, all: output + decoder.decode(stderr) };
}

/** Writes what `sluice connect` writes. */
async function connect(id: string, url: string, home: string): Promise<void> {
  const models = ["smart", "fast"].map((name): ClientModel => ({
    ...{ id: name, name, contextWindow: 200_000, maxOutputTokens: 64_000, vision: true },
  }));
  const find = (name: string) => models.find((model) => model.id === name);
  const target = toTarget(url, { models, find }, new Map());
  const client = CLIENTS.get(id);
  if (client === undefined) throw new TypeError(id);
  const files = client.files(target, {
    os: "linux",
    env: (name) => name === "HOME" ? home : undefined,
    exists: () => false,
  });
  for (const { path, format, settings } of files) {
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, applySettings("", format, settings));
  }
}
