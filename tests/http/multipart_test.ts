/** Forms, cut at every byte, and forms with faults. */

import { assertEquals, assertRejects } from "@std/assert";
import { GatewayError } from "../../src/core/errors.ts";
import { boundaryOf, MultipartReader } from "../../src/http/multipart.ts";

const FORM = [
  "preamble\r\n",
  '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n',
  '--b\r\ncontent-disposition: form-data; name="empty"\r\n\r\n\r\n',
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a \\"b\\".mp3"\r\n' +
  "Content-Type: audio/mpeg\r\n\r\n\r\n--x\r\n\r\n--\r\r\n\r\n",
  "--b--\r\nepilogue",
].join("");

function readerOf(pieces: readonly string[], boundary = "b"): MultipartReader {
  const left = [...pieces].map((piece) => new TextEncoder().encode(piece));
  return new MultipartReader(() => Promise.resolve(left.shift()), boundary);
}

async function partsOf(reader: MultipartReader): Promise<unknown[]> {
  const parts: unknown[] = [];
  for (let part; (part = await reader.nextPart()) !== undefined;) {
    let text = "";
    const decoder = new TextDecoder();
    for (let bytes; (bytes = await part.read()) !== undefined;) text += decoder.decode(bytes);
    parts.push([part.name, part.filename, part.type, text]);
  }
  return parts;
}

Deno.test("a form that is cut at every byte has the same parts", async () => {
  for (let at = 0; at <= FORM.length; at++) {
    assertEquals(await partsOf(readerOf([FORM.slice(0, at), FORM.slice(at)])), [
      ["model", undefined, undefined, "whisper-1"],
      ["empty", undefined, undefined, ""],
      ["file", 'a "b".mp3', "audio/mpeg", "\r\n--x\r\n\r\n--\r\r\n"],
    ], `cut at ${at}`);
  }
  assertEquals((await partsOf(readerOf([...FORM]))).length, 3);
});

const HEADS: readonly (readonly [head: string, filename: string | undefined, type?: string])[] = [
  ["filename*=utf-8''%C3%A4%20b.mp3", "ä b.mp3"],
  ["filename=\"a.mp3\"; filename*=UTF-8'de'%C3%A4.mp3", "ä.mp3"],
  // It stays a file.
  ["filename*=utf-8''%E4.mp3", ""],
  ["filenames=a", undefined],
  ["filename=a\r\ncontent-type: audio/mpeg; codecs=mp3", "a", "audio/mpeg; codecs=mp3"],
  // None of these could be a header of the vendor's request.
  ["filename=a\r\ncontent-type: audio/mpeg\nhost: other.test", "a"],
  ["filename=a\r\ncontent-type: audio/mpeg\0", "a"],
  ["filename=a\r\ncontent-type: 音/mpeg", "a"],
  [`filename=a\r\ncontent-type: ${"a".repeat(1000)}`, "a"],
  ["filename=a\r\ncontent-type:", "a"],
];

for (const [head, filename, type] of HEADS) {
  Deno.test(`a part with ${JSON.stringify(head.slice(0, 60))} has its name and type`, async () => {
    const form = `--b\r\ncontent-disposition: form-data; name=file; ${head}\r\n\r\nx\r\n--b--`;
    assertEquals(await partsOf(readerOf([form])), [["file", filename, type, "x"]]);
  });
}

for (
  const [what, text] of [
    ["without an end", FORM.slice(0, -20)],
    ["without a part", "nothing"],
    ["with a part without a name", "--b\r\ncontent-disposition: form-data\r\n\r\nx\r\n--b--"],
    ["with a long beginning", `${"a".repeat(100_000)}\r\n${FORM}`],
    ["with a long head", `--b\r\nx: ${"a".repeat(40_000)}\r\n\r\nx\r\n--b--`],
  ] as const
) {
  Deno.test(`a form ${what} is refused`, async () => {
    const error = await assertRejects(() => partsOf(readerOf([text])), GatewayError);
    assertEquals(error.kind, "invalid_request");
  });
}

Deno.test("boundaryOf() reads the boundary of forms only", () => {
  assertEquals(boundaryOf("multipart/form-data; boundary=abc"), "abc");
  assertEquals(boundaryOf('Multipart/Form-Data; charset=utf-8; boundary="a b"'), "a b");
  assertEquals(boundaryOf("multipart/mixed; boundary=abc"), undefined);
  assertEquals(boundaryOf("multipart/form-data"), undefined);
  assertEquals(boundaryOf(null), undefined);
});
