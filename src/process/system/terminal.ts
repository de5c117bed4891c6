/** The terminal and the machine of a command. */

import { printable } from "../../core/printable.ts";
import { write } from "./stdio.ts";

/** Prints a text, and asks a question that is answered with yes or no. */
type Ask = (text: string, question: string) => Promise<boolean>;

/** Undefined if standard input and output are not a terminal: nobody could answer. */
export function questioner(): Ask | undefined {
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) return undefined;
  return async (text, question) => {
    write(Deno.stdout, printable(`${text}\n${question} [y/N] `));
    const answer = new Uint8Array(256);
    const size = await Deno.stdin.read(answer);
    const word = new TextDecoder().decode(answer.subarray(0, size ?? 0)).trim().toLowerCase();
    return word === "y" || word === "yes";
  };
}

/** The operating system; others than Windows and macOS are like Linux. */
export function operatingSystem(): "linux" | "darwin" | "windows" {
  const { os } = Deno.build;
  return os === "windows" || os === "darwin" ? os : "linux";
}

/** A variable of the environment itself, without `.env`. */
export function shellVariable(name: string): string | undefined {
  return Deno.env.get(name);
}

export function fileExists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
