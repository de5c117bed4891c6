/** The difference between two texts, line by line. */

/** The number of unchanged lines shown around changes. */
const CONTEXT = 3;

/** The maximum number of line comparisons; larger parts are shown as replaced. */
const MAX_COMPARISONS = 4_000_000;

/** A line that both texts or one of them contain. */
interface Line {
  readonly sign: " " | "-" | "+";
  readonly text: string;
}

/**
 * Prints a unified diff without line numbers; `@@` separates distant changes. The values of keys
 * and tokens are hidden in lines that are not new.
 */
export function toDiff(before: string, after: string): string {
  const lines = compare(toLines(before), toLines(after));
  const isShown = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== " ")
  );
  let printed = "";
  for (const [index, { sign, text }] of lines.entries()) {
    if (!isShown[index]) continue;
    if (!isShown[index - 1] && index > 0) printed += "@@\n";
    printed += `${sign}${sign === "+" ? text : withoutSecrets(text)}\n`;
  }
  return printed;
}

function toLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

const SECRET = /((?:key|token|secret|password)[\w-]*["']?\s*[:=]\s*["']?)(?![${])[^"'\s,#]{8,}/gi;

function withoutSecrets(line: string): string {
  return line.replace(SECRET, "$1…");
}

function compare(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - start;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const [old, young] = [
    before.slice(start, before.length - tail),
    after.slice(start, after.length - tail),
  ];
  return [
    ...before.slice(0, start).map(toLine(" ")),
    ...compareMiddle(old, young),
    ...before.slice(before.length - tail).map(toLine(" ")),
  ];
}

function toLine(sign: Line["sign"]): (text: string) => Line {
  return (text) => ({ sign, text });
}

/** The longest common subsequence of lines is unchanged. */
function compareMiddle(before: readonly string[], after: readonly string[]): readonly Line[] {
  if (before.length * after.length > MAX_COMPARISONS) {
    return [...before.map(toLine("-")), ...after.map(toLine("+"))];
  }
  const width = after.length + 1;
  /** The length of the longest common subsequence of the lines from these positions. */
  const lengths = new Uint32Array((before.length + 1) * width);
  const lengthAt = (row: number, column: number) => lengths[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      lengths[row * width + column] = before[row] === after[column]
        ? lengthAt(row + 1, column + 1) + 1
        : Math.max(lengthAt(row + 1, column), lengthAt(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, young] = [before[row], after[column]];
    if (old !== undefined && old === young) {
      lines.push({ sign: " ", text: old });
      row++;
      column++;
    } else if (
      old !== undefined &&
      (young === undefined || lengthAt(row + 1, column) >= lengthAt(row, column + 1))
    ) {
      lines.push({ sign: "-", text: old });
      row++;
    } else {
      lines.push({ sign: "+", text: young ?? "" });
      column++;
    }
  }
  return lines;
}
