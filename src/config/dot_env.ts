/** Finds lines of a `.env` file that the parser silently ignores. */

/** Line numbers (from 1) of lines that are not `NAME=value`, a comment or part of a quoted value. */
export function ignoredLines(text: string): number[] {
  // A quoted value may span several lines.
  const unquoted = text.replace(
    /=[ \t]*(["'`])[^]*?\1/g,
    (value) => `=${value.replace(/[^\n]/g, "")}`,
  );
  return unquoted.split("\n").flatMap((line, index) =>
    /^\s*(?:#|$|(?:export\s+)?[\w.-]+\s*=)/.test(line) ? [] : [index + 1]
  );
}
