/** What one request enters of `src`, by V8's precise coverage. */

import type { GuardCase } from "./cases.ts";
import { type CoveredFunction, type CoveredScript, type Inspector, pathOf } from "./counting.ts";

/** The path of a request. Names are those of the code, such as `http/app.ts handle`. */
export interface RequestPath {
  readonly files: readonly string[];
  readonly functions: number;
  /** Classes that are instantiated. */
  readonly classes: readonly string[];
  readonly async_functions: readonly string[];
}

/** One function that was entered. */
interface Entered {
  readonly file: string;
  readonly name: string;
  /** How its text begins. */
  readonly head: string;
}

/** Enough of a function's text to see its kind. */
const HEAD_CHARS = 20;

/**
 * Takes the path of a request. A timer may fire meanwhile, so only what two requests enter counts.
 * The inspector must be covering.
 */
export async function takePath(
  { ask, settle }: Pick<GuardCase, "ask" | "settle">,
  inspector: Inspector,
): Promise<RequestPath> {
  await inspector.post("Debugger.enable");
  const run = async () => {
    await ask();
    settle();
  };
  const first = await inspector.cover(run);
  const second = await inspector.cover(run);
  const again = new Set(
    second.flatMap((script) => script.functions.map((one) => keyOf(script, one))),
  );
  const entered: Entered[] = [];
  for (const script of first) {
    const file = pathOf(script);
    const functions = script.functions.filter((one) =>
      (one.ranges[0]?.count ?? 0) > 0 && again.has(keyOf(script, one))
    );
    if (file === undefined || functions.length === 0) continue;
    const { scriptId } = script;
    const { scriptSource } = await inspector.post<{ scriptSource: string }>(
      "Debugger.getScriptSource",
      { scriptId },
    );
    for (const { functionName, ranges: [whole] } of functions) {
      const start = whole?.startOffset ?? 0;
      const head = scriptSource.slice(start, start + HEAD_CHARS);
      entered.push({ file, name: functionName || `(anonymous at ${start})`, head });
    }
  }
  const namesOf = (pattern: RegExp) =>
    [...new Set(entered.filter(({ head }) => pattern.test(head)).map(nameOf))].sort();
  return {
    files: [...new Set(entered.map(({ file }) => file))].sort(),
    functions: entered.length,
    classes: namesOf(/^(?:class|constructor)\b/),
    async_functions: namesOf(/^async\b/),
  };
}

function nameOf({ file, name }: Entered): string {
  return `${file} ${name}`;
}

function keyOf({ scriptId }: CoveredScript, { ranges: [whole] }: CoveredFunction): string {
  return (whole?.count ?? 0) > 0 ? `${scriptId} ${whole?.startOffset}` : "";
}
