/** Java programs in front of a gateway. */

import { type Running, startSluice } from "./process.ts";

/** Whether these commands can be run. */
export function hasCommands(...commands: readonly (readonly [string, ...string[]])[]): boolean {
  return commands.every(([path, ...args]) => {
    try {
      return new Deno.Command(path, { args, stdout: "null", stderr: "null" }).outputSync().success;
    } catch {
      return false;
    }
  });
}

/** Whether a JDK is installed, with a compiler. */
export function hasJdk(): boolean {
  return hasCommands(["java", "--list-modules"], ["javac", "-version"]);
}

/** A gateway whose addresses Java programs call. */
export interface JavaGateway extends AsyncDisposable {
  readonly running: Running;
  /** The URL of the main listener, e.g. `http://127.0.0.1:40123`. */
  readonly main: string;
  /** The URL of a listener that is `compatible`. */
  readonly compatible: string;
}

/** Starts a gateway with a mock and the service key `sk-own`. */
export async function startForJava(): Promise<JavaGateway> {
  const config = {
    server: {
      port: 0,
      keys: [{ name: "own", key: "sk-own" }],
      listeners: [{ port: 0, compatible: true }],
      workers: 1,
    },
    providers: { mock: { kind: "mock", models: ["mock-echo"] } },
  };
  const running = startSluice([], { files: { "config.yaml": JSON.stringify(config) } });
  await running.logged("\n    -d ");
  const found = [...running.stderr().matchAll(/127\.0\.0\.1:\d+/g)].map(([one]) => `http://${one}`);
  const [main = "", compatible = ""] = new Set(found);
  return {
    ...{ running, main, compatible },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

/** Runs a program of one source file; returns what it prints. @throws when it fails. */
export async function runJava(
  file: string,
  args: readonly string[],
  classPath = "",
): Promise<string> {
  const { code, stdout } = await new Deno.Command("java", {
    args: [
      "-XX:TieredStopAtLevel=1",
      ...(classPath === "" ? [] : ["-cp", classPath]),
      ...[file, ...args],
    ],
    stderr: "inherit",
  }).output();
  const text = new TextDecoder().decode(stdout);
  if (code !== 0) throw new Error(`java ended with ${code}: ${text}`);
  return text;
}
