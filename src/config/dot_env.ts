/** Lines of a `.env` file that set no variable: its parser passes over them in silence. */

/** The numbers of the lines that are neither `NAME=value`, a comment nor part of a quoted value. */
export function ignoredLines(text: string): number[] {
  // A quoted value may go over several lines.
  const unquoted = text.replace(
    /=[ \t]*(["'`])[^]*?\1/g,
    (value) => `=${value.replace(/[^\n]/g, "")}`,
  );
  return unquoted.split("\n").flatMap((line, index) =>
    /^\s*(?:#|$|(?:export\s+)?[\w.-]+\s*=)/.test(line) ? [] : [index + 1]
  );
}
