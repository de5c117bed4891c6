/** Edits files of lines such as `NAME=value`. */

import { parseEnv } from "node:util";
import type { TextFormat } from "./settings_text.ts";

export const dotenvText: TextFormat = {
  parse: (text) => ({ ...parseEnv(text) }),
  edit: (text, edits) =>
    edits.reduce(
      (lines, { path, value }) =>
        path.length === 0
          ? Object.entries(value as object).reduce((all, entry) => set(all, ...entry), lines)
          : set(lines, String(path[0]), value),
      text,
    ),
};

function set(text: string, name: string, value: unknown): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/);
  const index = lines.findLastIndex((line) =>
    line.replace(/^\s*(?:export\s+)?/, "").split("=")[0]?.trim() === name
  );
  if (value === undefined) return index === -1 ? text : lines.toSpliced(index, 1).join(eol);
  const line = `${name}=${quoted(String(value))}`;
  if (index !== -1) {
    const [prefix] = /^\s*(?:export\s+)?/.exec(lines[index] ?? "") ?? [];
    return lines.with(index, `${prefix}${line}`).join(eol);
  }
  const isEnded = lines.at(-1) === "";
  return [...(isEnded ? lines.slice(0, -1) : lines), line, ""].join(eol);
}

function quoted(value: string): string {
  return /^[\w.:/@+-]+$/.test(value) ? value : JSON.stringify(value);
}
