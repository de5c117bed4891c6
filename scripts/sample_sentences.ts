/**
 * Prints a sample of the sentences of the project, the same for the same seed, to be judged by a
 * reader:
 *
 *     deno run --allow-read scripts/sample_sentences.ts [--count 200] [--seed 1] [--kind docs]
 *
 * Kinds: `docs` (pages), `messages` (errors and the log), `comments` (of the source), `help`
 * (commands and settings). Without a kind, each has a quarter.
 */

import { parseArgs } from "@std/cli/parse-args";
import { configSchema } from "../src/config/config.ts";
import { COMMANDS } from "../src/tools/help.ts";
import { adapters } from "../src/providers/registry.ts";
import { listMessages } from "./docs/messages.ts";

const ROOT = new URL("../", import.meta.url);

/** A sentence and where it is. */
export interface Sentence {
  readonly kind: string;
  readonly place: string;
  readonly text: string;
}

/** The files below a folder with an ending, in a fixed order. */
function files(folder: string, ending: string): string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))]
    .toSorted((one, other) => one.name < other.name ? -1 : 1)
    .flatMap(({ name, isDirectory }) =>
      isDirectory
        ? name === "node_modules" ? [] : files(`${folder}${name}/`, ending)
        : name.endsWith(ending)
        ? [`${folder}${name}`]
        : []
    );
}

/** The sentences of a paragraph. */
function sentencesOf(kind: string, place: string, text: string): Sentence[] {
  return text.replaceAll(/\s+/g, " ").split(/(?<=[.!?:]) (?=[A-Z`])/)
    .map((part) => part.trim())
    .filter((part) => part.split(" ").length >= 4)
    .map((part) => ({ kind, place, text: part }));
}

function ofPages(): Sentence[] {
  const pages = [...files("docs/", ".md"), ...files("deploy/", ".md"), ...files("src/", ".md")];
  return [...pages, "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].flatMap(
    (file) => {
      const text = Deno.readTextFileSync(new URL(file, ROOT))
        .replaceAll(/^ *```[^]*?^ *```/gm, "").replaceAll(/^[|#<].*$/gm, "");
      return text.split(/\n{2,}|^- /m).flatMap((part) => sentencesOf("docs", file, part));
    },
  );
}

function ofMessages(): Sentence[] {
  return listMessages().flatMap(({ file, text }) => sentencesOf("messages", `src/${file}`, text));
}

function ofComments(): Sentence[] {
  return files("src/", ".ts").flatMap((file) => {
    const text = Deno.readTextFileSync(new URL(file, ROOT));
    return [...text.matchAll(/\/\*\*([^]*?)\*\/|((?:^ *\/\/ .*\n)+)/gm)].flatMap(
      ([, block, line]) =>
        sentencesOf("comments", file, (block ?? line ?? "").replaceAll(/^ *(?:\*|\/\/) ?/gm, "")),
    );
  });
}

function ofHelp(): Sentence[] {
  const found: Sentence[] = [...COMMANDS].map(([name, text]) => ({
    kind: "help",
    place: `sluice ${name}`,
    text,
  }));
  const visit = (value: unknown, place: string) => {
    if (typeof value !== "object" || value === null) return;
    const { description } = value as { description?: unknown };
    if (typeof description === "string") found.push(...sentencesOf("help", place, description));
    for (const [name, inner] of Object.entries(value)) visit(inner, name);
  };
  visit(configSchema(adapters), "config.yaml");
  const seen = new Set<string>();
  return found.filter(({ text }) => !seen.has(text) && seen.add(text));
}

/** Numbers from 0 to 1, the same for a seed (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Draws sentences without repeating one. */
export function draw(sentences: readonly Sentence[], count: number, seed: number): Sentence[] {
  const rest = [...sentences];
  const random = createRandom(seed);
  const drawn: Sentence[] = [];
  while (drawn.length < count && rest.length > 0) {
    drawn.push(...rest.splice(Math.floor(random() * rest.length), 1));
  }
  return drawn;
}

/** All sentences, by kind. */
export const KINDS: Readonly<Record<string, () => readonly Sentence[]>> = {
  docs: ofPages,
  messages: ofMessages,
  comments: ofComments,
  help: ofHelp,
};

if (import.meta.main) {
  const { count, seed, kind } = parseArgs(Deno.args, {
    string: ["count", "seed", "kind"],
    default: { count: "200", seed: "1" },
  }) as { count: string; seed: string; kind?: string };
  const chosen = Object.entries(KINDS).filter(([name]) => kind === undefined || name === kind);
  for (const [, read] of chosen) {
    for (
      const { place, text } of draw(read(), Math.ceil(Number(count) / chosen.length), Number(seed))
    ) {
      Deno.stdout.writeSync(new TextEncoder().encode(`${place}: ${text}\n`));
    }
  }
}
