/** Forms made to be expensive: each is answered soon, and none holds the event loop or memory. */

import { assert, assertEquals } from "@std/assert";
import { type RequestBody, RequestBodyError } from "../../src/upstream/transport.ts";
import { createTestGateway, SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { heldCpuMs, MAX_HELD_CPU_MS, streamed } from "../support/held_loop.ts";

const BYTES = 4_000_000;
const KEY = { api_key: VENDOR_KEY, retries: 0 };
const PROVIDERS = {
  openai: { kind: "openai", ...KEY, models: ["whisper-1", "gpt-image-1"] },
  gemini: { kind: "gemini", ...KEY, models: ["gemini-2.5-flash"] },
  deepgram: { kind: "deepgram", ...KEY, models: ["nova-3"] },
};

const MODEL = toField("model", "whisper-1");
const FILE = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
const END = "\r\n--b--\r\n";

function toField(name: string, value: string): string {
  return `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

function times(text: string): string {
  return text.repeat(Math.ceil(BYTES / text.length));
}

/** Forms, the status of a transcription, and that of an edit. */
const SHAPES:
  readonly (readonly [what: string, form: () => string, heard: number, edited: number])[] = [
    ["no boundary", () => times("a"), 400, 400],
    ["line ends", () => times("\r\n"), 400, 400],
    ["beginnings of boundaries", () => MODEL + FILE + times("\r\n--") + END, 200, 400],
    ["boundaries with one more letter", () => MODEL + FILE + times("\r\n--a") + END, 200, 400],
    ["fields", () => times(toField("a", "")), 400, 400],
    ["fields of one name", () => MODEL + times(toField("a[]", "1")) + FILE + END, 400, 400],
    ["files", () => MODEL + times(`${FILE}\r\n`) + END, 400, 400],
    ["a long field", () => toField("prompt", times("a")) + MODEL + FILE + END, 400, 400],
    ["a long name", () => toField(times("a"), "a") + MODEL + FILE + END, 400, 400],
    ["a head of many lines", () => MODEL + `--b\r\n${times("x: y\r\n")}` + END, 400, 400],
    ["parameters of a head", () => MODEL + `--b\r\ncontent-disposition: ${times("; ")}`, 400, 400],
    ["a file without an end", () => MODEL + FILE + times("a"), 400, 400],
    ["bytes after its end", () => MODEL + FILE + END + times("a"), 400, 400],
    ["fields after the file", () => MODEL + FILE + "\r\n" + times(toField("a", "")), 400, 400],
  ];

const PATHS = [
  ["/v1/audio/transcriptions", "whisper-1"],
  ["/v1/audio/transcriptions", "gemini-2.5-flash"],
  ["/v1/audio/transcriptions", "nova-3"],
  ["/v1/images/edits", "gpt-image-1"],
] as const;

for (const [what, toForm, heard, edited] of SHAPES) {
  Deno.test(`${BYTES / 1e6} MB of ${what} as a form: the event loop is not held`, async () => {
    const gateway = createTestGateway({
      config: { providers: PROVIDERS },
      fetch: async (url, { body }) => {
        await receive(body);
        return Response.json(toAnswer(url));
      },
    });
    for (const [path, model] of PATHS) {
      const form = new TextEncoder().encode(toForm().replace("whisper-1", model));
      let answer: Response | undefined;
      const held = await heldCpuMs(async () => {
        answer = await gateway.app.handle(
          new Request(`http://gateway.test${path}`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${SERVICE_KEY}`,
              "content-type": "multipart/form-data; boundary=b",
            },
            body: streamed(form),
          }),
        );
      });
      const text = await answer?.text() ?? "";
      const expected = path.endsWith("edits") ? edited : heard;
      assertEquals([model, answer?.status], [model, expected], text.slice(0, 300));
      assert(text.length < 2000);
      assert(held < MAX_HELD_CPU_MS, `the loop was held for ${held} ms`);
      assertEquals([gateway.bugs, gateway.clock.pending], [[], 0]);
    }
  });
}

/** Reads a body as HTTP clients do. */
async function receive(body: RequestBody | undefined): Promise<void> {
  if (typeof body !== "object" || body instanceof Uint8Array) return;
  try {
    for await (const _ of body);
  } catch (thrown) {
    throw new RequestBodyError(thrown);
  }
}

function toAnswer(url: string) {
  if (url.includes("gemini")) return { candidates: [{ content: { parts: [{ text: "Hi" }] } }] };
  const channels = [{ alternatives: [{ transcript: "Hi" }] }];
  return url.includes("deepgram") ? { results: { channels } } : { text: "Hi" };
}

Deno.test("a form in packets of a byte is read", async () => {
  const gateway = createTestGateway({
    config: { providers: PROVIDERS },
    fetch: async (_, { body }) => {
      let size = 0;
      for await (const bytes of body as AsyncIterable<Uint8Array>) size += bytes.length;
      return Response.json({ text: String(size > 20_000) });
    },
  });
  const form = new TextEncoder().encode(MODEL + FILE + "\r\n--".repeat(5000) + END);
  const request = new Request("http://gateway.test/v1/audio/transcriptions", {
    method: "POST",
    headers: {
      authorization: `Bearer ${SERVICE_KEY}`,
      "content-length": String(form.length),
      "content-type": "multipart/form-data; boundary=b",
    },
    body: streamed(form, 1),
  });
  const response = await gateway.app.handle(request);
  assertEquals(await response.json(), { text: "true" });
});
