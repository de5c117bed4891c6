/** Objects that the pass-through makes in the vendor's account belong to the key that made them. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type FetchInit, RequestBodyError } from "../../src/upstream/transport.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";

const ALICE = "sk-test-alice-key";
const BOB = "sk-test-bob-key";
const CAROL = "sk-test-carol-key";
const KEYS = [
  { name: "alice", key: ALICE, group: "one" },
  { name: "bob", key: BOB, group: "two" },
  { name: "carol", key: CAROL, group: "one" },
];

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

async function textOf(body: FetchInit["body"]): Promise<string> {
  if (body === undefined || typeof body === "string") return body ?? "";
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  let text = "";
  try {
    for await (const packet of body) text += new TextDecoder().decode(packet);
  } catch (thrown) {
    // As all transports do.
    throw new RequestBodyError(thrown);
  }
  return text;
}

/** A gateway in front of a vendor that answers each path with this. */
function world(
  answer: (sent: Sent) => Response | unknown,
  passthrough: unknown = true,
  keys: readonly unknown[] = KEYS,
) {
  const sent: Sent[] = [];
  const gateway = createTestGateway({
    config: {
      server: { keys },
      providers: { v: { kind: "openai", api_key: VENDOR_KEY, models: ["gpt-5.4"], passthrough } },
    },
    fetch: async (url, init) => {
      const request = {
        method: init.method ?? "POST",
        path: url.slice("https://api.openai.com/v1/".length),
        body: await textOf(init.body),
      };
      sent.push(request);
      const given = answer(request);
      return given instanceof Response ? given : Response.json(given);
    },
  });
  const ask = async (key: string, path: string, init: RequestInit = {}) => {
    const response = await gateway.app.handle(
      new Request(`http://gateway.test/v1/${path}`, {
        ...init,
        headers: { authorization: `Bearer ${key}`, ...init.headers },
      }),
    );
    const text = await response.text();
    assertEquals(gateway.bugs, []);
    return { status: response.status, text, headers: response.headers };
  };
  const proxy = (key: string, path: string, init?: RequestInit) =>
    ask(key, `providers/v/proxy/${path}`, init);
  const post = (key: string, path: string, body: unknown) =>
    proxy(key, path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    });
  return { gateway, sent, ask, proxy, post };
}

const FILE = '{"id":"file-A1","object":"file","bytes":9007199254740993,"metadata":{"id":"m"}}';

function json(text: string): Response {
  return new Response(text, { headers: { "content-type": "application/json" } });
}

/** Makes a file as Alice. */
async function makeFile(proxy: ReturnType<typeof world>["proxy"]): Promise<string> {
  const body = new FormData();
  body.set("purpose", "batch");
  body.set("file", new File(["{}"], "a.jsonl"));
  const { text } = await proxy(ALICE, "files", { method: "POST", body });
  return JSON.parse(text).id;
}

Deno.test("the ID of an object works only for the owner of the key that made it", async () => {
  const { sent, proxy } = world(({ path }) =>
    path.endsWith("/content") ? new Response("the content") : json(FILE)
  );
  const id = await makeFile(proxy);
  assertMatch(id, /^file-A1\.[\w-]{16}@v$/);
  assertStringIncludes(sent[0]?.body ?? "", 'filename="a.jsonl"');
  for (const [key, as] of [[ALICE, id], [CAROL, encodeURIComponent(id)]] as const) {
    const { status, text } = await proxy(key, `files/${as}`);
    assertEquals(status, 200);
    assertEquals(text, FILE.replace("file-A1", id));
    assertEquals((await proxy(key, `files/${as}/content`)).text, "the content");
    assertEquals(sent.slice(-2).map(({ path }) => path), [
      "files/file-A1",
      "files/file-A1/content",
    ]);
  }
  const before = sent.length;
  const attempts = [
    ["GET", `files/${id}`],
    ["GET", `files/${id}/content`],
    ["DELETE", `files/${id}`],
    ["GET", "files/file-A1"],
    ["GET", "files/file-A1;x/content"],
    ["GET", "FILES/file-A1"],
    ["GET", "files/file%2DA1"],
    ["GET", "files/content/file-A1"],
    ["POST", "fine_tuning/jobs/file-A1/cancel"],
    ["POST", "vector_stores/file-A1/files"],
  ] as const;
  for (const [method, path] of attempts) {
    const { status, text } = await proxy(BOB, path, { method });
    assertEquals(status, 404, path);
    assertStringIncludes(text, "No object with id", path);
  }
  const unknown = await proxy(ALICE, "files/file-Z9");
  const foreign = await proxy(BOB, `files/${id}`);
  assertEquals(foreign.text.replace(id, "file-Z9"), unknown.text);
  assertEquals(sent.length, before);
});

Deno.test("the objects of the account are not listed, but those within an object of the key are", async () => {
  const { sent, proxy, post } = world(({ path }) =>
    path.startsWith("vector_stores/vs_1/files")
      ? { object: "list", data: [{ id: "file-A1", vector_store_id: "vs_1" }], last_id: "file-A1" }
      : { id: "vs_1", object: "vector_store", name: "files/x" }
  );
  for (const path of ["files", "batches?limit=5", "vector_stores", "fine_tuning/jobs", "files/"]) {
    const { status, text } = await proxy(ALICE, path);
    assert(status === 404 || status === 400, path);
    assert(!text.includes("file-A1"));
  }
  assertEquals(sent, []);
  const store = JSON.parse((await post(ALICE, "vector_stores", { name: "files/x" })).text);
  assertEquals(store.name, "files/x");
  const list = JSON.parse((await proxy(ALICE, `vector_stores/${store.id}/files?limit=1`)).text);
  assertMatch(list.last_id, /^file-A1\./);
  assertEquals(list.data[0].vector_store_id, store.id);
  await proxy(ALICE, `vector_stores/${store.id}/files?after=${list.last_id}&order=asc`);
  assertEquals(sent.at(-1)?.path, "vector_stores/vs_1/files?after=file-A1&order=asc");
  const foreign = await proxy(ALICE, `vector_stores/${store.id}/files?after=file-B2`);
  assertEquals(foreign.status, 404);
});

Deno.test("the IDs in a JSON body must be the caller's own", async () => {
  const batch = { id: "batch_1", input_file_id: "file-A1", output_file_id: null, errors: [] };
  const { sent, proxy, post } = world(({ path }) => path === "files" ? json(FILE) : batch);
  const id = await makeFile(proxy);
  const made = await post(ALICE, "batches", {
    input_file_id: id,
    endpoint: "/v1/responses",
    metadata: { file_id: "file-B2" },
    nested: [{ file_ids: [id] }],
  });
  assertEquals(JSON.parse(sent.at(-1)?.body ?? ""), {
    input_file_id: "file-A1",
    endpoint: "/v1/responses",
    metadata: { file_id: "file-B2" },
    nested: [{ file_ids: ["file-A1"] }],
  });
  assertMatch(JSON.parse(made.text).id, /^batch_1\./);
  assertEquals(JSON.parse(made.text).input_file_id, id);
  const before = sent.length;
  const bodies: unknown[] = [
    { input_file_id: "file-A1" },
    { training_file: "file-A1" },
    { file_ids: ["file-A1"] },
    { a: [{ b: { id: "file-A1" } }] },
    { input_file_id: id },
  ];
  for (const body of bodies) {
    assertEquals((await post(BOB, "batches", body)).status, 404, JSON.stringify(body));
  }
  const text = '{"input_file_id":"file-A1"}';
  for (const type of ["text/plain", "application/json; x", ""]) {
    const init = { method: "POST", body: text, headers: { "content-type": type } };
    assertEquals((await proxy(BOB, "batches", init)).status, 404, type);
  }
  const form = (type: string, body: string) => ({
    method: "POST",
    body,
    headers: { "content-type": type },
  });
  const pairs = form("application/x-www-form-urlencoded", "input_file_id=file-A1");
  assertEquals((await proxy(BOB, "batches", pairs)).status, 400);
  const lines = form("text/plain", '{"id":"file-A1"}\n{}');
  assertEquals((await proxy(BOB, "batches", lines)).status, 400);
  assertEquals(sent.length, before);
  // Content passes unchanged.
  for (
    const [type, content] of [["image/svg+xml", "{}"], ["text/plain", "x {}"], [
      "application/jsonl",
      '{"id":"file-A1"}\n{}',
    ]] as const
  ) {
    assertEquals((await proxy(BOB, "files", form(type, content))).status, 200);
    assertEquals(sent.at(-1)?.body, content);
  }
});

Deno.test("foreign IDs are found in every kind of body and query", async () => {
  const { sent, proxy } = world(({ path }) => path === "files" ? json(FILE) : { id: "batch_1" });
  await makeFile(proxy);
  const before = sent.length;
  const send = (body: BodyInit, headers: Record<string, string> = {}, path = "batches") =>
    proxy(BOB, path, { method: "POST", body, headers });
  const text = '{"input_file_id":"file-A1"}';
  const packed = await new Response(
    new Blob([text]).stream().pipeThrough(new CompressionStream("gzip")),
  ).bytes();
  for (const encoding of ["gzip", "br", "identity, gzip", "x"]) {
    const headers = { "content-type": "application/json", "content-encoding": encoding };
    assertEquals((await send(packed, headers)).status, 415, encoding);
  }
  for (
    const type of [
      ...["image/png", "audio/wav", "video/mp4", "application/octet-stream", "application/jsonl"],
      ...["application/x-ndjson", "text/csv", "application/pdf"],
    ]
  ) {
    assertEquals((await send(text, { "content-type": type })).status, 404, type);
    assertEquals((await send(`\n ${text}\n`, { "content-type": type })).status, 404, type);
  }
  for (const type of ["application/x-protobuf", "application/msgpack", "application/yaml"]) {
    assertEquals((await send("\x0a\x07file-A1", { "content-type": type })).status, 415, type);
  }
  const fields = [
    ...["input_file_id", "file_ids[]", "file_ids[0]", "FILE_ID", "fileId", "training_file"],
    ...["attachments[0][file_id]", "\u{ff49}d"],
  ];
  for (const name of fields) {
    for (const isFirst of [true, false]) {
      const form = new FormData();
      if (isFirst) form.set(name, "file-A1");
      form.set("file", new File(["x".repeat(200_000)], "a.txt"));
      if (!isFirst) form.set(name, "file-A1");
      assertEquals((await send(form)).status, 400, name);
    }
  }
  const nested = new FormData();
  nested.set("options", text);
  assertEquals((await send(nested)).status, 400);
  const mixed = { "content-type": "multipart/mixed; boundary=b" };
  assertEquals((await send("--b\r\n\r\nPOST /v1/files/file-A1\r\n--b--", mixed)).status, 415);
  for (const name of ["FILE_ID", "fileId", "Input_File_ID", "\u{ff49}d", "fileIDs"]) {
    const headers = { "content-type": "application/json" };
    assertEquals((await send(JSON.stringify({ [name]: "file-A1" }), headers)).status, 404, name);
  }
  for (
    const query of [
      ...[
        "file_id[]=file-A1",
        "file_ids%5B0%5D=file-A1",
        "AFTER=file-A1",
        "starting_after=file-A1",
      ],
      ...["filter[file_id]=file-A1", "fileId=file-A1", "before=file-A1", "FILE_ID=file-A1"],
      ...["ending_before=file-A1", "file=file-A1"],
    ]
  ) {
    assertEquals((await send("{}", {}, `batches?${query}`)).status, 404, query);
  }
  assertEquals(sent.filter(({ body, path }) => /A1/.test(body + path)), []);
  assertEquals(sent.length >= before, true);
});

Deno.test("content that only looks like JSON, and forms without IDs, pass unchanged", async () => {
  const { sent, proxy } = world(({ path }) => path === "files" ? json(FILE) : { id: "batch_1" });
  const lines = '{"custom_id":"1","body":{"file_id":"file-A1"}}\n{"custom_id":"2"}\n';
  for (const [type, body] of [["application/octet-stream", lines], ["image/png", "{broken"]]) {
    const init = { method: "POST", body: body ?? "", headers: { "content-type": type ?? "" } };
    assertEquals((await proxy(BOB, "files", init)).status, 200);
    assertEquals(sent.at(-1)?.body, body);
  }
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("valid", "android");
  form.set("expires_after[seconds]", "3600");
  form.set("file", new File([lines], "a.jsonl"));
  form.set("note", '{"metadata":{"file_id":"file-A1"}}');
  const request = new Request("http://x/", { method: "POST", body: form });
  const body = await request.clone().text();
  const headers = { "content-type": request.headers.get("content-type") ?? "" };
  const passed = await proxy(BOB, "files", { method: "POST", body, headers });
  assertEquals([passed.status, sent.at(-1)?.body], [200, body]);
});

Deno.test("requests to models may name the caller's own files", async () => {
  const { sent, ask, proxy } = world(({ path }) => path === "files" ? json(FILE) : { error: {} });
  const id = await makeFile(proxy);
  const quoted = `"${id}"`;
  const request = (path: string, content: unknown) => ({
    method: "POST",
    body: JSON.stringify({
      model: "gpt-5.4",
      [path === "responses" ? "input" : "messages"]: [{ role: "user", content }],
    }),
  });
  const bodies = {
    "chat/completions": [{ type: "text", text: quoted }, { type: "file", file: { file_id: id } }],
    responses: [{ type: "input_text", text: quoted }, { type: "input_file", file_id: id }],
  };
  for (const [path, content] of Object.entries(bodies)) {
    for (const key of [ALICE, BOB]) {
      await ask(key, path, request(path, content));
      const body = sent.at(-1)?.body ?? "";
      const expected = key === ALICE ? "file-A1" : id;
      assertStringIncludes(body, `"file_id":"${expected}"`, path);
      // Text that quotes an ID is not changed.
      assertStringIncludes(body, JSON.stringify(quoted), path);
    }
  }
});

Deno.test("with one owner, or where the configuration shares them, nothing is changed", async () => {
  const one = KEYS.filter(({ group }) => group === "one");
  for (
    const { proxy, sent } of [
      world(() => json(FILE), true, one),
      world(() => json(FILE), { shared: true }),
      world(() => json(FILE), { allow: ["* files*"], shared: true }),
    ]
  ) {
    assertEquals((await proxy(ALICE, "files?after=x")).text, FILE);
    assertEquals((await proxy(CAROL, "files/file-A1")).text, FILE);
    assertEquals(sent.map(({ path }) => path), ["files?after=x", "files/file-A1"]);
  }
});

Deno.test("other paths pass as they are", async () => {
  const { proxy, sent } = world(() => json(FILE));
  const { text } = await proxy(ALICE, "images/edits?id=1", { method: "POST", body: '{"id":"x"}' });
  assertEquals(text, FILE);
  assertEquals(sent, [{ method: "POST", path: "images/edits?id=1", body: '{"id":"x"}' }]);
});

Deno.test("resource names of Google's APIs are bound, too", async () => {
  const { proxy, sent } = world(() => json('{"name":"files/abc","state":"ACTIVE"}'));
  const { text } = await proxy(ALICE, "files", { method: "POST", body: "{}" });
  const { name } = JSON.parse(text);
  assertMatch(name, /^files\/abc\.[\w-]{16}@v$/);
  assertEquals((await proxy(ALICE, name)).status, 200);
  assertEquals((await proxy(ALICE, `${name}:cancel`, { method: "POST" })).status, 200);
  assertEquals(sent.slice(1).map(({ path }) => path), ["files/abc", "files/abc:cancel"]);
  assertEquals((await proxy(BOB, name)).status, 404);
  await proxy(ALICE, "batches", { method: "POST", body: JSON.stringify({ fileName: name }) });
  assertEquals(sent.at(-1)?.body, '{"fileName":"files/abc"}');
});
