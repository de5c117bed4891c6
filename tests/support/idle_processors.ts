/** Loaded before Sluice: whatever the machine does, its processors seem to have time. */

const { readTextFileSync } = Deno;
Object.assign(Deno, {
  readTextFileSync(path: string) {
    if (path.startsWith("/proc/pressure/")) throw new Deno.errors.NotFound();
    return readTextFileSync(path);
  },
});
