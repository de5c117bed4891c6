/**
 * Loaded before Sluice: its heap seems to grow, its time passes faster, and collections of
 * garbage are also reported to standard error.
 */

const runtime = globalThis as unknown as { gc?: (options: unknown) => void };
const collect = runtime.gc;
if (collect === undefined) throw new TypeError("The flag --expose-gc is missing");
let collections = 0;
runtime.gc = (options) => {
  collect(options);
  const text = `collected ${++collections}: ${JSON.stringify(options)}\n`;
  Deno.stderr.writeSync(new TextEncoder().encode(text));
};

let factor = 1;
const memoryUsage = Deno.memoryUsage;
Object.assign(Deno, {
  memoryUsage: () => ({ ...memoryUsage(), heapTotal: memoryUsage().heapTotal * factor++ }),
});

const SPEED = 30;
const { setTimeout } = globalThis;
Object.assign(globalThis, {
  setTimeout: (run: () => void, ms = 0) => setTimeout(run, ms / SPEED),
});
const now = performance.now.bind(performance);
performance.now = () => now() * SPEED;
