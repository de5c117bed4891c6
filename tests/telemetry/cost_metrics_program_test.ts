import { assertEquals } from "@std/assert";

Deno.test("CPU time grows, and an open file takes a descriptor", async () => {
  // A separate process: other tests of this one open and close files, too.
  const facts = new URL("../../src/process/system/process_facts.ts", import.meta.url);
  const script = `
    const { createProcessFacts } = await import("${facts}");
    const { cpu, freeDescriptor } = createProcessFacts(0);
    const before = { cpu: cpu().user, free: freeDescriptor() };
    for (let at = 0; at < 50; at++) Deno.openSync("deno.json");
    while (cpu().user < before.cpu + 20_000);
    console.log(freeDescriptor() - before.free);
    Deno.exit();`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--quiet", script],
  }).output();
  const grown = Number(new TextDecoder().decode(stdout));
  assertEquals(grown >= 40 && grown < 100, true, `${grown}: ${new TextDecoder().decode(stderr)}`);
});
