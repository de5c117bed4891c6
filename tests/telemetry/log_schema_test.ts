import { assert, assertEquals, assertThrows } from "@std/assert";
import { toLossLine } from "../../src/telemetry/access_log.ts";
import { logLine, logSchema } from "../../src/telemetry/log_schema.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { readRoot } from "../support/read_root.ts";
import { failing } from "../support/scripted_vendor.ts";

interface ObjectSchema {
  readonly properties: Readonly<Record<string, { readonly description?: string }>>;
  readonly required: readonly string[];
}

const { anyOf } = logSchema() as unknown as { readonly anyOf: readonly ObjectSchema[] };
const MEMBERS = new Set(anyOf.flatMap(({ properties }) => Object.keys(properties)));

Deno.test("the shipped schema of the log is the one that the command prints", () => {
  assertEquals(
    JSON.parse(readRoot("docs/schemas/log.schema.json")),
    logSchema(),
    "run: deno task docs",
  );
});

Deno.test("lines of requests, of attempts and of losses have the form of the schema", async () => {
  const one = { kind: "openai", api_key: VENDOR_KEY, retries: 0 };
  const gateway = createTestGateway({
    config: {
      providers: {
        one: { ...one, models: ["m"] },
        two: { ...one, base_url: "https://two.test/v1", models: ["n"] },
      },
      aliases: { chain: ["m", "n"] },
    },
    fetch: failing(503, "").fetch,
  });
  const body = { model: "chain", messages: [{ role: "user", content: "Hi" }] };
  await (await gateway.call("/v1/chat/completions", body)).text();
  gateway.flush();
  const [first, , last] = gateway.lines;
  assertEquals(gateway.lines.length, 3);
  assertEquals(["attempt" in (first ?? {}), "status" in (last ?? {})], [true, true]);
  // Each line fits, and none fits with a member too many or too few.
  const lines = [...gateway.lines, JSON.parse(toLossLine(3, 0, false))];
  for (const line of lines) {
    logLine.parse(line);
    for (const name of ["time", "level"]) {
      const { [name]: _, ...others } = line;
      assertThrows(() => logLine.parse(others));
    }
  }
  assertThrows(() => logLine.parse({ ...last, unheard_of: 1 }));
  assertThrows(() => logLine.parse({ ...first, unheard_of: 1 }));
  assert(MEMBERS.size > 30);
});
