/** The generated parts of the documents are what the code writes today. */

import { assert, assertEquals } from "@std/assert";
import { Ajv2020 } from "ajv/2020";
import { exampleOf } from "../scripts/docs/config_pages.ts";
import { BODIES, describeAll, listEndpoints } from "../scripts/docs/endpoints.ts";
import { VARIABLES } from "../scripts/docs/environment.ts";
import { EXAMPLES } from "../scripts/docs/examples.ts";
import { REQUEST_HEADERS } from "../src/http/openapi/headers.ts";
import { ANSWER_HEADERS } from "../src/http/response.ts";
import { listSettings, partOfSetting, type Schema } from "../scripts/docs/settings.ts";
import { configSchema } from "../src/config/config.ts";
import { adapters } from "../src/providers/registry.ts";
import { partOf, PARTS, readSince } from "../scripts/docs/main.ts";
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

const SETTINGS = listSettings(adapters);

Deno.test("each setting has a page, one anchor, and the version that first had it", () => {
  const recorded = Object.values(readSince()).flat();
  assertEquals(recorded.length, new Set(recorded).size);
  assertEquals(
    SETTINGS.map(({ path }) => path).toSorted(),
    recorded.toSorted(),
    "run: deno task docs",
  );
  for (const { path } of SETTINGS) assert(partOfSetting(path) !== undefined, path);
});

Deno.test("each setting of the JSON Schema has an entry, or one that names its members", () => {
  const named = new Set(
    SETTINGS.flatMap(({ path, like }) => [
      path.split(".").at(-1)?.replace("[]", ""),
      ...like?.members ?? [],
    ]),
  );
  assertEquals([...membersOf(configSchema(adapters))].filter((name) => !named.has(name)), []);
});

/** The names of all members that a schema describes. */
function membersOf(schema: unknown): Set<string> {
  const names = new Set<string>();
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    if ("properties" in value) {
      for (const name of Object.keys(value.properties as object)) names.add(name);
    }
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(schema);
  return names;
}

Deno.test("each setting has an example that its schema allows, or members that have one", () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const { definitions } = configSchema(adapters) as Schema;
  for (const setting of SETTINGS) {
    const { path, schema } = setting;
    const example = exampleOf(setting);
    if (example === undefined) {
      const hasMembers = SETTINGS.some((other) =>
        other.path.startsWith(path) && /^(?:\[\])?\./.test(other.path.slice(path.length))
      );
      assert(hasMembers || setting.like !== undefined, `${path} has no example`);
      continue;
    }
    // Secrets and files are references here.
    const { default: _, ...rest } = schema;
    const isAllowed = ajv.compile({ ...rest, definitions });
    assert(isAllowed(example), `${path}: ${JSON.stringify(isAllowed.errors)}`);
  }
  const paths = new Set(SETTINGS.map(({ path }) => path));
  assertEquals(Object.keys(EXAMPLES).filter((path) => !paths.has(path)), []);
});

Deno.test("each endpoint with a body has an example that its description allows", () => {
  const { components } = describeAll();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  for (const { method, path, operation } of listEndpoints()) {
    const [content] = Object.entries(operation.requestBody?.content ?? {});
    if (content === undefined || content[0] === "*/*") continue;
    const example = BODIES[`${method} ${path}`];
    assert(example !== undefined, `${method} ${path} has no example`);
    // Fields of forms are files.
    if (content[0] !== "application/json") continue;
    const isAllowed = ajv.compile({ ...content[1].schema, components });
    assert(isAllowed(example), `${method} ${path}: ${JSON.stringify(isAllowed.errors)}`);
  }
  const names = new Set(listEndpoints().map(({ method, path }) => `${method} ${path}`));
  assertEquals(Object.keys(BODIES).filter((name) => !names.has(name)), []);
});

/** The sources of the gateway, without the console's page and the description of the API. */
function sources(folder = "src/"): string[] {
  const url = new URL(`../${folder}`, import.meta.url);
  return [...Deno.readDirSync(url)].flatMap(({ name, isDirectory }) =>
    isDirectory
      ? ["assets", "openapi"].includes(name) ? [] : sources(`${folder}${name}/`)
      : name.endsWith(".ts")
      ? [Deno.readTextFileSync(new URL(name, url))]
      : []
  );
}

Deno.test("each x-sluice header of the source has an entry, and each entry is in the source", () => {
  const named = sources().flatMap((text) =>
    [...text.matchAll(/["`](x-sluice-[a-z-]*[a-z])["`]/g)].map(([, name = ""]) => name)
  );
  const listed = [...Object.keys(REQUEST_HEADERS), ...Object.keys(ANSWER_HEADERS)];
  assertEquals([...new Set(named)].toSorted(), [...new Set(listed)].toSorted());
});

Deno.test("each variable that the source reads has an entry, and each entry is in the source", () => {
  const texts = sources();
  const read = texts.flatMap((text) =>
    [...text.matchAll(/\benv(?:\.get)?\("([A-Z][A-Z0-9_]+)"\)/g)].map(([, name = ""]) => name)
  );
  const listed = Object.values(VARIABLES).flatMap((group) => Object.keys(group));
  assertEquals([...new Set(read)].filter((name) => !listed.includes(name)), []);
  for (const name of listed) assert(texts.some((text) => text.includes(`"${name}"`)), name);
});
