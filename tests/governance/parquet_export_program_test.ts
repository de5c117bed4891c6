/** Exports as Parquet, read back by another library than the one that writes them. */

import { assert, assertEquals } from "@std/assert";
import { hasModule, PYTHON } from "../support/python_clients.ts";
import { EMPTY, exportOf, FULL } from "../support/exported_rows.ts";

const HAS_PYARROW = hasModule("pyarrow");

const NEEDS_PYARROW = HAS_PYARROW ? "" : " (needs SLUICE_TEST_PYTHON with pyarrow)";

Deno.test(`Apache Arrow reads the types${NEEDS_PYARROW}`, { ignore: !HAS_PYARROW }, async () => {
  const path = await Deno.makeTempFile({ suffix: ".parquet" });
  try {
    await Deno.writeFile(path, await exportOf([FULL, EMPTY], 1));
    const program = "import sys, json, pyarrow.parquet as p; t = p.read_table(sys.argv[1]);" +
      "print(json.dumps([{f.name: str(f.type) for f in t.schema}, t.to_pylist()], default=str))";
    const { stdout, success } = await new Deno.Command(PYTHON, { args: ["-c", program, path] })
      .output();
    assert(success);
    const [types, [full, empty]] = JSON.parse(new TextDecoder().decode(stdout));
    assertEquals(
      [types.time, types.tags, types.input_tokens, types.cost_usd, types.id],
      ["timestamp[ms, tz=UTC]", "list<element: string not null>", "int64", "double", "string"],
    );
    assertEquals([full.id, full.tags, full.input_tokens], [FULL.id, FULL.tags, FULL.input]);
    assertEquals([empty.cost_usd, empty.tags], [null, []]);
  } finally {
    await Deno.remove(path);
  }
});
