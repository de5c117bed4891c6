/** A folder for a test, and the permissions of its files. */

/** Whether this system has file modes. */
export const HAS_MODES = Deno.build.os !== "windows";

/** Runs a test with a folder, which is removed afterwards. */
export async function inFolder(test: (folder: string) => Promise<void> | void): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The modes of the files of a folder, in octal digits, by name. */
export function modesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    [...Deno.readDirSync(folder)].map(({ name }) => [
      name,
      ((Deno.statSync(`${folder}/${name}`).mode ?? 0) & 0o777).toString(8),
    ]).sort(),
  );
}
