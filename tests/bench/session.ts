/** A run with a directory, children and a time limit, which are always cleaned up. */

import { Nursery } from "./children.ts";

export interface Session {
  readonly nursery: Nursery;
  /** A directory that is removed after the run. */
  readonly directory: string;
}

const FAILED = 1;
const INTERRUPTED = 130;

const encoder = new TextEncoder();

/** Writes to the standard output. */
export function print(text: string): void {
  let bytes = encoder.encode(text);
  while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
}

/**
 * Runs in a session and exits with the resulting code.
 *
 * @param limit time limit of the run in milliseconds
 */
export async function runSession(
  limit: number,
  run: (session: Session) => Promise<number>,
): Promise<never> {
  const directory = Deno.makeTempDirSync({ prefix: "sluice-bench-" });
  const nursery = new Nursery();
  let leaving = false;
  const leave = async (code: number): Promise<never> => {
    // Errors during the cleanup are ignored.
    if (leaving) return await new Promise<never>(() => {});
    leaving = true;
    if (code !== 0) print(nursery.lastWords);
    await nursery[Symbol.asyncDispose]();
    Deno.removeSync(directory, { recursive: true });
    Deno.exit(code);
  };
  const fail = (thrown: unknown) => {
    if (!leaving) {
      print(`\n${thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown)}\n`);
    }
    return leave(FAILED);
  };
  setTimeout(() => void fail(new Error("The run took too long")), limit);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, () => void leave(INTERRUPTED));
  }
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    void fail(event.reason);
  });
  try {
    return await leave(await run({ nursery, directory }));
  } catch (thrown) {
    return await fail(thrown);
  }
}
