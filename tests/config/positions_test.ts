import { assertEquals, assertMatch } from "@std/assert";
import { failureOf } from "../support/sample_config.ts";

/** The located errors of a configuration, as lines of position, path and message. */
async function locatedErrorsOf(text: string): Promise<string[]> {
  const { errors } = await failureOf(text)?.located() ?? { errors: [] };
  return errors.map(({ path, message, position }) =>
    `${position?.line}:${position?.column} ${path}: ${message}`
  );
}

Deno.test("located() gives the line and column of values, names and list items", async () => {
  const text = `# A comment
server:
  port: http # not a number
  hots: a
  keys:
    - { name: a, key: b }
    - name: a
      key: c
providers:
  x:
    kind: mock
    models:
      - m

      - "m"
    retries: -1
`;
  assertEquals(await locatedErrorsOf(text), [
    "3:9 server.port: must be an integer from 0 to 65535",
    "4:3 server.hots: is not a known key; did you mean 'host'?",
    "16:14 providers.x.retries: must be an integer from 0 to 10",
    "7:13 server.keys[1].name: another key is also named 'a'",
    "15:9 providers.x.models[1]: this provider lists 'm' more than once",
  ]);
});

Deno.test("located() reports a missing or empty member at its parent", async () => {
  const text = `providers:
  x:
    models: [m]
  y:
  z:
    kind: mock
    models:
      - upstream: u
`;
  const lines = await locatedErrorsOf(text);
  assertEquals(lines.map((line) => line.split(": ")[0]), [
    "2:3 providers.x.kind",
    "4:3 providers.y",
    "8:9 providers.z.models[0].id",
  ]);
});

Deno.test("located() reports an error of an anchored value where the value is written", async () => {
  const text = `providers:
  x: &x
    kind: mock
    models: [m]
    retries: many
  y: *x
`;
  const retries = "retries: must be an integer from 0 to 10";
  assertEquals(await locatedErrorsOf(text), [
    `5:14 providers.x.${retries}`,
    `5:14 providers.y.${retries}`,
  ]);
});

Deno.test("located() reports every duplicate key, and other errors at the last one", async () => {
  const text = `server: { port: 1 }
server: { port: 2 }
providers:
  x: { kind: mock, models: [m], retries: -1 }
  "x": { kind: mock, models: [m], retries: -2 }
`;
  assertEquals(await locatedErrorsOf(text), [
    "2:1 server: duplicate key",
    "5:3 providers.x: duplicate key",
    "5:44 providers.x.retries: must be an integer from 0 to 10",
  ]);
});

Deno.test("located() gives the line and column of YAML errors and their likely causes", async () => {
  assertEquals(await locatedErrorsOf("server:\n  host: ${A}\nproviders: {\n  a: ${KEY} }"), [
    '4:6 : Quote a reference within braces or brackets: "${KEY}"',
    "4:7 : Invalid YAML: unexpected text",
  ]);
  assertEquals(await locatedErrorsOf("providers: {}\nserver:\n \tport: 1\n  - a"), [
    "3:2 : The line begins with a tab; indent with spaces",
    "3:2 : Invalid YAML: a tab is used for indentation; indent with spaces",
  ]);
  assertEquals(await locatedErrorsOf("a: 1\n---\nb: 2"), [
    "2:1 : Invalid YAML: the file must be a single document",
  ]);
  assertEquals(await locatedErrorsOf("a: 1\nb: [*x]"), [
    "2:5 : Invalid YAML: an alias refers to an anchor that does not exist",
  ]);
});

Deno.test("the message of located errors ends each line with the line and column", async () => {
  const failure = await failureOf("server: { port: x }")?.located();
  assertEquals(
    failure?.message,
    "Cannot load test.yaml:\n" +
      "  server.port: must be an integer from 0 to 65535 (line 1, column 17)\n" +
      "  providers: is required (line 1, column 1)",
  );
});

Deno.test("errors of a file that is nested too deeply are reported", async () => {
  const deep = "[".repeat(20_000);
  const failure = await failureOf(deep)?.located();
  assertMatch(failure?.message ?? "", /^Cannot load test\.yaml:\n {2}Invalid YAML/);
});
