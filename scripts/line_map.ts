/** Source maps that tell the file and the line of each position, and nothing else. */

/** A source map of version 3, as far as it is read: https://tc39.es/ecma426/ (2026-11-28). */
export interface SourceMap {
  readonly version: number;
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
}

/**
 * Keeps the first position of each run of code from one line of the source: a third of the
 * positions, and a tenth of the size.
 *
 * @param toSource names each source anew
 */
export function toLineMap(
  { version, sources, mappings }: SourceMap,
  toSource: (source: string) => string,
): SourceMap {
  let [source, line] = [0, 0];
  // What was last written, to which the next position is relative.
  let [writtenSource, writtenLine] = [0, 0];
  const lines = mappings.split(";").map((generated) => {
    let [column, writtenColumn] = [0, 0];
    const kept: string[] = [];
    for (const position of generated.split(",")) {
      const [columns = 0, sourceStep, lineStep] = decode(position);
      column += columns;
      // Code of the bundler itself.
      if (sourceStep === undefined || lineStep === undefined) continue;
      source += sourceStep;
      line += lineStep;
      if (kept.length > 0 && source === writtenSource && line === writtenLine) continue;
      const steps = [column - writtenColumn, source - writtenSource, line - writtenLine, 0];
      kept.push(steps.map(encode).join(""));
      [writtenColumn, writtenSource, writtenLine] = [column, source, line];
    }
    return kept.join(",");
  });
  return { version, sources: sources.map(toSource), names: [], mappings: lines.join(";") };
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = new Map([...DIGITS].map((digit, value) => [digit, value]));

/** Numbers of a variable length: five bits in each digit, and whether others follow. */
function decode(text: string): number[] {
  const numbers: number[] = [];
  let [bits, shift] = [0, 0];
  for (const digit of text) {
    const value = VALUES.get(digit) ?? 0;
    bits |= (value & 31) << shift;
    shift += 5;
    if (value & 32) continue;
    numbers.push(bits & 1 ? -(bits >> 1) : bits >> 1);
    [bits, shift] = [0, 0];
  }
  return numbers;
}

function encode(number: number): string {
  let rest = number < 0 ? -number * 2 + 1 : number * 2;
  let text = "";
  do {
    const value = rest & 31;
    rest >>= 5;
    text += DIGITS.charAt(rest > 0 ? value | 32 : value);
  } while (rest > 0);
  return text;
}
