import { assertEquals, assertRejects } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { readList } from "../support/model_lists.ts";

const LOCAL = { kind: "openai_compatible", base_url: "http://127.0.0.1:1/v1" };
const listOf = (...ids: readonly string[]) => Response.json({ data: ids.map((id) => ({ id })) });

Deno.test("readModelList() sends a GET with the key and the headers of config.yaml", async () => {
  const entry = { ...LOCAL, api_key: "sk-1", headers: { "X-Team": "a" } };
  const { calls, models } = await readList(entry, () => listOf("m"));
  assertEquals(models, [{ id: "m", facts: {} }]);
  const [call] = calls;
  assertEquals([call?.method, call?.url], ["GET", "http://127.0.0.1:1/v1/models"]);
  assertEquals([call?.headers.authorization, call?.headers["x-team"]], ["Bearer sk-1", "a"]);
});

Deno.test("readModelList() leaves out IDs that are long, empty, or contain controls or spaces", async () => {
  const ids = ["ok/model:1@x", "a b", "a\u0007", "a\u202eb", "", "x".repeat(257), "x".repeat(256)];
  const { models } = await readList(LOCAL, () => listOf(...ids));
  assertEquals(models.map(({ id }) => id), ["ok/model:1@x", "x".repeat(256)]);
});

Deno.test("readModelList() keeps at most 5000 models", async () => {
  const { models, cuts } = await readList(
    LOCAL,
    () => listOf(...Array.from({ length: 6000 }, (_, index) => `m${index}`)),
  );
  assertEquals(models.length, 5000);
  assertEquals(cuts, ["it has more than 5000 selected models, 1000 are left out"]);
});

Deno.test("readModelList() keeps models that config.yaml selects or names, anywhere in the list", async () => {
  const ids = Array.from({ length: 9000 }, (_, index) => `m${index}`);
  const selection = ["m8*", "!m88*", { id: "mine", upstream: "m7777" }];
  const { models, cuts } = await readList({ ...LOCAL, models: selection }, () => listOf(...ids));
  const found = new Set(models.map(({ id }) => id));
  const wanted = ids.filter((id) => id === "m7777" || (/^m8/.test(id) && !/^m88/.test(id)));
  assertEquals(wanted.filter((id) => !found.has(id)), []);
  assertEquals([found.size, cuts], [5000, []]);
});

Deno.test("readModelList() says when a list needs too many requests", async () => {
  const entry = { kind: "gemini", api_key: "k-0123456789" };
  let page = 0;
  const { calls, cuts } = await readList(
    entry,
    () => Response.json({ models: [{ name: `models/m${page}` }], nextPageToken: `p${page++}` }),
  );
  assertEquals(calls.length, 400);
  assertEquals(cuts, ["the list needs more than 400 requests"]);
});

Deno.test("readModelList() refuses a list of more than 8 MiB", async () => {
  const long = `{"data":[{"id":"a"}],"x":"${"x".repeat(8 * 1024 * 1024)}"}`;
  await assertRejects(() => readList(LOCAL, () => new Response(long)), GatewayError, "over 8 MiB");
});

Deno.test("readModelList() tries the next key after one that the vendor refuses", async () => {
  const entry = { ...LOCAL, api_key: ["sk-bad", "sk-good"] };
  const { calls } = await readList(
    entry,
    ({ headers }) =>
      headers.authorization === "Bearer sk-good"
        ? listOf("m")
        : Response.json({ error: { message: "wrong key" } }, { status: 401 }),
  );
  assertEquals(calls.length, 2);
});

Deno.test("readModelList() names the status and the vendor's reason, without a key", async () => {
  const entry = { ...LOCAL, api_key: "sk-very-secret" };
  const error = { message: "Quota of sk-very-secret is over" };
  await assertRejects(
    () => readList(entry, () => Response.json({ error }, { status: 429 })),
    GatewayError,
    "The vendor responded with 429: Quota of [redacted] is over",
  );
});

for (const body of ["{}", '{"data":{}}', "[", "<html>", "", '"x"']) {
  Deno.test(`readModelList() refuses ${JSON.stringify(body)}`, async () => {
    await assertRejects(() => readList(LOCAL, () => new Response(body)), GatewayError);
  });
}
