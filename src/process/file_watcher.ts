/** Watches a file for changes. */

import { dirname } from "node:path";

/**
 * Yields the events of a file, of its folder, and of the folder of its symbolic link's target. The
 * file itself is watched because writes to a file that is mounted alone are not events of its
 * folder. When the link's target changes, the new target is watched.
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
      // The file was just moved or removed.
      continue;
    }
    // Changes before the start of this watcher cause no event.
    yield { kind: "any" };
    for await (const event of watcher) {
      yield event;
      if (event.kind !== "access" && realPathOf(path) !== real) break;
    }
  }
}

/** The path without symbolic links, or undefined when the file does not exist. */
function realPathOf(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}
