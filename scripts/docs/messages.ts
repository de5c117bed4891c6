/** Lists the messages that the gateway writes to standard error, from the calls in its sources. */

const ROOT = new URL("../../src/", import.meta.url);

/** The functions that write messages for the operator. */
const CALL = /(?<!function )\b(?:log|logMessage)\(/g;

/** A string or a template without nested templates. */
const LITERAL = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;

/** Shorter texts are parts of others, such as separators. */
const MIN_LENGTH = 12;

/** A message and the file that writes it. */
export interface OperatorMessage {
  readonly file: string;
  /** With `…` in place of values. */
  readonly text: string;
}

/** The messages of a source text. */
export function messagesIn(source: string): string[] {
  return [...source.matchAll(CALL)].flatMap(({ index, 0: call }) =>
    literalsIn(argumentsAt(source, index + call.length))
  );
}

/** All messages, sorted by file. */
export function listMessages(folder = "", found: OperatorMessage[] = []): OperatorMessage[] {
  const entries = [...Deno.readDirSync(new URL(folder, ROOT))]
    .toSorted((one, other) => one.name < other.name ? -1 : 1);
  for (const { name, isDirectory } of entries) {
    const path = `${folder}${name}`;
    if (isDirectory) listMessages(`${path}/`, found);
    else if (isOfGateway(path)) {
      const texts = messagesIn(Deno.readTextFileSync(new URL(path, ROOT)));
      for (const text of new Set(texts)) found.push({ file: path, text });
    }
  }
  return found;
}

/** Whether a file of the source runs in the gateway: other commands print what they have to say. */
function isOfGateway(path: string): boolean {
  const isCommand = path.startsWith("cli/") && path !== "cli/serve.ts";
  return path.endsWith(".ts") && !isCommand && !path.includes("/assets/");
}

/** The table of all messages, in Markdown. */
export function toMessagesMarkdown(): string {
  const rows = listMessages().map(({ file, text }) => {
    const area = file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : file;
    return `| ${text.replaceAll("|", "\\|")} | \`${area}\` |`;
  });
  return ["| message | written by |", "| --- | --- |", ...rows].join("\n");
}

/** The text of a call's arguments, to the parenthesis that closes it. */
function argumentsAt(source: string, start: number): string {
  let depth = 1;
  for (let at = start; at < source.length; at++) {
    if (source[at] === "(") depth++;
    else if (source[at] === ")" && --depth === 0) return source.slice(start, at);
  }
  return "";
}

/** The literals of an expression; those that `+` joins are one. */
function literalsIn(expression: string): string[] {
  const texts: string[] = [];
  let end = 0;
  for (const { index, 0: literal } of expression.matchAll(LITERAL)) {
    const text = literal.slice(1, -1).replaceAll(/\$\{[^}]*\}+/g, "…").replaceAll("\\n", " ");
    const isJoined = texts.length > 0 && /^\s*\+\s*$/.test(expression.slice(end, index));
    if (isJoined) texts.push(`${texts.pop()}${text}`);
    else texts.push(text);
    end = index + literal.length;
  }
  return texts.filter((text) => text.length >= MIN_LENGTH && text.includes(" "));
}
