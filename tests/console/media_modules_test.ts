/** What the playground sends besides chats, without a browser: requests, answers, programs to copy. */

import { assert, assertEquals } from "@std/assert";
import OpenAI from "openai";
import {
  toCurl,
  toPython,
  toTypeScript,
} from "../../src/console/assets/views/playground/copy_as.js";
import {
  restoredMedia,
  toSavedMedia,
} from "../../src/console/assets/views/playground/media_run.js";
import {
  firstTexts,
  MEDIA,
  readMedia,
  toForm,
  toImages,
  toRanking,
} from "../../src/console/assets/views/playground/media.js";

const entry = (texts: Record<string, string>, file: File | null = null) => ({
  ...{ model: "m", texts, file },
});

Deno.test("the fields of each kind become a body, and say what is missing", () => {
  const read = (kind: string, texts: Record<string, string>, file?: File) => {
    const { body, errors } = readMedia(kind, entry({ ...firstTexts(kind), ...texts }, file));
    return [body, Object.fromEntries(errors)];
  };
  assertEquals(read("images", { prompt: "A cat", n: "2" }), [
    { model: "m", prompt: "A cat", n: 2 },
    {},
  ]);
  assertEquals(read("images", { n: "11" })[1], {
    prompt: "Must not be empty",
    n: "Must be a whole number from 1 to 10",
  });
  assertEquals(read("speech", { input: "Hi", speed: "1.5" }), [
    { model: "m", input: "Hi", voice: "alloy", speed: 1.5 },
    {},
  ]);
  assertEquals(read("transcription", {})[1], { file: "Choose a file" });
  assertEquals(read("rerank", { query: "q", documents: "a\n\nb" }), [
    { model: "m", query: "q", documents: ["a", "b"] },
    {},
  ]);
  const form = toForm({ model: "m", temperature: 0.5 }, new File(["x"], "a.mp3"));
  assertEquals([...form.keys()], ["model", "temperature", "file"]);
  assertEquals(form.get("temperature"), "0.5");
});

Deno.test("images are shown by their bytes, and rankings by their documents", () => {
  const data = [{ b64_json: "iVBORw0" }, { b64_json: "/9j/4AA" }, { url: "https://x.example/1" }];
  assertEquals(toImages({ data }).map(({ url, isData }) => [url, isData]), [
    ["data:image/png;base64,iVBORw0", true],
    ["data:image/jpeg;base64,/9j/4AA", true],
    ["https://x.example/1", false],
  ]);
  const results = [{ index: 1, relevance_score: 0.9 }, { index: 7, relevance_score: 0.1 }];
  assertEquals(toRanking({ results }, ["a", "b"]), [
    { index: 1, score: 0.9, text: "b" },
    { index: 7, score: 0.1, text: "" },
  ]);
});

/** A request of each kind, and where it goes. */
const COPIED = new Map<string, Record<string, unknown>>([
  ["images", { model: "m", prompt: 'A "cat"', n: 2 }],
  ["speech", { model: "m", input: "Hi", voice: "alloy" }],
  ["transcription", { model: "m", language: "en" }],
  ["rerank", { model: "m", query: "q", documents: ["a", "it's"] }],
]);

Deno.test("the official client sends what the TypeScript program says", async () => {
  for (const [api, body] of COPIED) {
    let seen: unknown;
    const client = class extends OpenAI {
      constructor({ baseURL }: { baseURL: string }) {
        super({
          baseURL,
          apiKey: "k",
          fetch: async (input, init) => {
            const request = new Request(input, init);
            const isForm = request.headers.get("content-type")?.startsWith("multipart/");
            const { file: _, ...sent } = isForm
              ? Object.fromEntries(await request.formData())
              : await request.json();
            seen = { url: request.url, sent };
            return Response.json({ data: [], text: "t" });
          },
        });
      }
    };
    const program = toTypeScript({ ...base(api), body })
      .replaceAll(/^import .*$/gm, "").replaceAll(" as object", "");
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
    const names = ["OpenAI", "console", "writeFile", "createReadStream", "process", "Buffer"];
    await new AsyncFunction(...names, program)(
      ...[client, { log() {} }, () => {}, () => new File(["x"], "a.mp3"), { env: {} }],
      { from: () => "" },
    );
    assertEquals(seen, { url: `http://h/v1${MEDIA.get(api)?.path.slice(3)}`, sent: body }, api);
  }
});

function base(api: string) {
  const file = api === "transcription" ? 'my, "file".mp3' : undefined;
  return { api, baseUrl: "http://h/v1", headers: {}, ...(file !== undefined && { file }) };
}

Deno.test("commands and Python programs name the file and the path", () => {
  const copied = (api: string) => ({ ...base(api), body: COPIED.get(api) ?? {} });
  const curl = toCurl(copied("transcription"));
  assert(curl.includes(`-F 'file=@"my, \\"file\\".mp3"'`), curl);
  assert(curl.includes("--form-string 'language=en'") && !curl.includes("application/json"), curl);
  assert(toCurl(copied("rerank")).startsWith("curl 'http://h/v1/rerank'"));
  assert(toPython(copied("transcription")).includes('file=open("my, \\"file\\".mp3", "rb"),'));
  const rerank = toPython(copied("rerank"));
  assert(rerank.startsWith("import httpx\nimport os\n"), rerank);
  assert(rerank.includes('client.post(\n    "/rerank",\n    cast_to=httpx.Response,'), rerank);
  assert(toPython(copied("speech")).includes('answer.write_to_file("speech.audio")'));
});

Deno.test("an answer survives a reload unless it is large or failed", async () => {
  const run = { state: "done", body: {}, headers: null, ms: 5, requestId: "req_1", kept: "" };
  const reload = (saved: unknown) => restoredMedia(JSON.parse(JSON.stringify(saved)));
  const answer = { text: "Good morning" };
  const kept = JSON.stringify(answer);
  assertEquals(reload(toSavedMedia({ ...run, answer, kept }))?.answer, answer);
  const sound = new Blob([new Uint8Array([0, 128, 255])], { type: "audio/wav; rate=8000" });
  const spoken = reload(toSavedMedia({ ...run, answer: sound, kept: `${sound.type};AID/` }));
  assertEquals([spoken?.answer.type, ...await spoken?.answer.bytes()], [sound.type, 0, 128, 255]);
  const large = reload(toSavedMedia({ ...run, answer, kept }, 5));
  assertEquals([large?.isLost, large?.answer, large?.requestId], [true, null, "req_1"]);
  for (const state of ["waiting", "failed", "stopped"]) {
    assertEquals(reload(toSavedMedia({ ...run, state, answer, kept })), null);
  }
});
