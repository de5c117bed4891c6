/** The generated parts of the documents are what the code writes today. */

import { assert, assertEquals } from "@std/assert";
import { adapters } from "../src/providers/registry.ts";
import { partOf, PARTS } from "../scripts/docs/main.ts";
import { createTestGateway } from "./support/gateway.ts";

/** Without what the formatter does: padded tables and folded lines. */
function plain(text: string): string {
  return text.replaceAll(/-{3,}/g, "-").split(/\s+/).filter(Boolean).join(" ");
}

for (const { file, name, write } of PARTS) {
  Deno.test(`${file}: the ${name} part is what the code writes`, () => {
    const text = Deno.readTextFileSync(new URL(`../${file}`, import.meta.url));
    assertEquals(plain(partOf(text, name)), plain(write(adapters)), "run: deno task docs");
  });
}

Deno.test("the description of the API describes each endpoint that the gateway lists", async () => {
  const config = { providers: { mock: { kind: "mock", models: ["mock-echo"] } } };
  const { paths } = await (await createTestGateway({ config }).call("/openapi.json")).json();
  const operations = Object.entries<Record<string, { summary: string; responses: object }>>(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation }))
    );
  assert(operations.length > 50);
  const bare = operations.filter(({ responses }) =>
    !JSON.stringify(responses).includes('"content"')
  );
  assertEquals(
    bare.map(({ method, path }) => `${method} ${path}`),
    [],
    "describe it in src/http/openapi/",
  );
});
