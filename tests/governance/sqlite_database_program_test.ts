import { assertEquals, assertMatch } from "@std/assert";
import { withKeyFile } from "../support/keys.ts";

const MODULE = new URL("../../src/governance/sqlite_database.ts", import.meta.url);
const PROCESSES = 6;
const ROUNDS = 12;

Deno.test("processes that create the same file at once all open it", async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const directory = await Deno.makeTempDir({ prefix: "sluice-" });
    const path = JSON.stringify(`${directory}/s.db`);
    const code = `const { openDatabase } = await import(${JSON.stringify(MODULE.href)});
      console.log("ready");
      await Deno.stdin.read(new Uint8Array(1));
      openDatabase(${path}, "FULL", () => {}).close();`;
    const children = Array.from({ length: PROCESSES }, () =>
      new Deno.Command(Deno.execPath(), {
        args: ["eval", code],
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
      }).spawn());
    const writers = children.map(({ stdin }) => stdin.getWriter());
    const readers = children.map(({ stdout }) => stdout.getReader());
    await Promise.all(readers.map((reader) => reader.read()));
    await Promise.all(writers.map((writer) => writer.write(new Uint8Array(1))));
    const errors = await Promise.all(children.map(({ stderr }) => new Response(stderr).text()));
    assertEquals(errors, Array(PROCESSES).fill(""));
    for (const [index, { status }] of children.entries()) {
      assertEquals((await status).code, 0);
      await writers[index]?.close().catch(() => {});
      await readers[index]?.cancel();
    }
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("two processes that open a new file at once agree on one pepper", async () => {
  await withKeyFile(async (path) => {
    const module = import.meta.resolve("../../src/governance/keys/sqlite_key_store.ts");
    const code = `
      import { SqliteKeyStore } from "${module}";
      const store = new SqliteKeyStore(${JSON.stringify(path)}, () => crypto.randomUUID());
      console.log((await store.readKeys()).pepper);`;
    const outputs = await Promise.all(
      [0, 1, 2].map(() =>
        new Deno.Command(Deno.execPath(), { args: ["eval", code], stdin: "null" }).output()
      ),
    );
    const peppers = outputs.map(({ stdout }) => new TextDecoder().decode(stdout).trim());
    assertEquals(new Set(peppers).size, 1, String(peppers));
    assertMatch(peppers[0] ?? "", /^[0-9a-f-]{36}$/);
  });
});
