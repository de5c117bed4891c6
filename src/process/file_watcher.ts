/** Watches a file for changes. */

import { dirname } from "node:path";

/**
 * The events of a file: its own, since what is written to one that is mounted
 * alone is no event of its folder, those of its folder, and those of the folder
 * that its links lead to. When they lead to another one, that is watched instead.
 */
export async function* watchFile(path: string): AsyncGenerator<{ readonly kind: string }> {
  for (;;) {
    const real = realPathOf(path);
    const paths = real === undefined ? [dirname(path)] : [dirname(path), dirname(real), path];
    let watcher: Deno.FsWatcher;
    try {
      watcher = Deno.watchFs([...new Set(paths)], { recursive: false });
    } catch (thrown) {
      if (realPathOf(path) === real) throw thrown;
      // It has just been moved or removed.
      continue;
    }
    // What happened until now is no event of this watcher.
    yield { kind: "any" };
    for await (const event of watcher) {
      yield event;
      if (event.kind !== "access" && realPathOf(path) !== real) break;
    }
  }
}

/** Where a path leads, or undefined when it leads nowhere. */
function realPathOf(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}
