/** Answers of HTTP/1.1 in bytes, without a network. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { createBodyDecoder, type Head, readHead } from "../../../src/upstream/http1/response.ts";
import { BadMessage } from "../../../src/upstream/http1/chunked_body.ts";
import { Random } from "../../support/random.ts";

/** Characters up to U+00FF as a byte each, so that a text can hold any bytes. */
function toBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function toText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

/** A head of these lines, each with the line end that servers write. */
function toHead(...lines: string[]): Head {
  const head = readHead(toBytes(`${lines.join("\r\n")}\r\n\r\n`));
  if (head === undefined) throw new TypeError("The head has no end");
  return head;
}

const OK = "HTTP/1.1 200 OK";

Deno.test("a head has a status, headers with names in lower case, and its length", () => {
  const text = "HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain\r\nX-A:b\r\n\r\n";
  const head = readHead(toBytes(`${text}HTTP/1.1 200 OK\r\n\r\n`));
  assertEquals(head, {
    status: 429,
    headers: new Map([["content-type", "text/plain"], ["x-a", "b"]]),
    limits: [],
    keepAlive: true,
    length: text.length,
  });
});

Deno.test("a head lists the headers about limits of requests", () => {
  const limits = [
    ["retry-after", "1"],
    ["x-ratelimit-limit-tokens", "2, 3"],
    ["anthropic-ratelimit-reset", "4"],
  ] as const;
  const lines = [
    ...["Retry-After: 1", "x-ratelimit-limit-tokens: 2", "X-Rate: 5"],
    ...["X-RateLimit-Limit-Tokens: 3", "Anthropic-RateLimit-Reset: 4"],
  ];
  assertEquals(toHead(OK, ...lines).limits, limits);
});

Deno.test("a head is read at any position of a buffer", () => {
  const buffer = toBytes(`garbage\n\n${OK}\r\nA: b\r\n\r\nbody`);
  const head = readHead(buffer.subarray("garbage\n\n".length));
  assertEquals([head?.status, head?.headers.get("a"), head?.length], [200, "b", 25]);
});

for (const [name, end] of [["CR LF", "\r\n"], ["LF alone", "\n"]] as const) {
  Deno.test(`a head whose lines end with ${name} is read at its last byte and not before`, () => {
    const bytes = toBytes([OK, "A: b", "C: d", "", ""].join(end));
    for (let cut = 0; cut < bytes.length; cut++) {
      assertEquals(readHead(bytes.subarray(0, cut)), undefined, `cut at ${cut}`);
      assertEquals(readHead(bytes, cut), readHead(bytes), `${cut} bytes were seen before`);
    }
    const head = readHead(bytes);
    assertEquals(head?.headers, new Map([["a", "b"], ["c", "d"]]));
    assertEquals(head?.length, bytes.length);
  });
}

Deno.test("one head may have both kinds of line ends", () => {
  const head = readHead(toBytes(`${OK}\nA: b\r\nC: d\n\r\n`));
  assertEquals(head?.headers, new Map([["a", "b"], ["c", "d"]]));
});

Deno.test("repeated headers are joined in their order", () => {
  const { headers } = toHead(OK, "Via: a", "X: 1", "VIA: b", "via:", "Via: c, d");
  assertEquals(headers, new Map([["via", "a, b, , c, d"], ["x", "1"]]));
});

Deno.test("white space around a value is not part of it, and white space inside is", () => {
  const { headers } = toHead(OK, "A:b", "B: \t b\t c \t", "C:", "D:   ", "E: a:b");
  assertEquals([...headers.values()], ["b", "b\t c", "", "", "a:b"]);
});

Deno.test("only spaces and tabs around a value are white space, a no-break space is part of it", () => {
  const { headers } = toHead(OK, "A: \xa0b\xa0\t", "B:\x85b\x85");
  assertEquals([...headers.values()], ["\xa0b\xa0", "\x85b\x85"]);
  assertEquals(toHead(OK, "Connection: close\xa0").keepAlive, true);
});

Deno.test("each byte of a value is one character, so that it can be sent as a header", () => {
  const { headers } = toHead(OK, "X-Text: caf\xc3\xa9 \x80\x9f\xff");
  assertEquals(headers.get("x-text"), "caf\xc3\xa9 \x80\x9f\xff");
  new Headers([["x-text", headers.get("x-text") ?? ""]]);
});

Deno.test("headers may have names of object members", () => {
  const { headers } = toHead(OK, "__proto__: a", "constructor: b");
  assertEquals([...headers], [["__proto__", "a"], ["constructor", "b"]]);
});

for (
  const line of [
    "HTTP/1.1 200",
    "HTTP/1.1 200 ",
    "HTTP/1.0 200 OK",
    "HTTP/1.1 200 Caf\xe9 und\tmehr",
    "HTTP/1.1 200 2",
  ]
) {
  Deno.test(`the status line ${JSON.stringify(line)} is one`, () => {
    assertEquals(toHead(line).status, 200);
    assertEquals(toHead(line, "A: b").headers.get("a"), "b");
  });
}

for (
  const line of [
    "",
    "SSH-2.0-OpenSSH_9.6",
    "HTTP/2 200",
    "HTTP/1.2 200 OK",
    "HTTP/1.1",
    "HTTP/1.1 OK",
    "HTTP/1.1 20 OK",
    "HTTP/1.1 2000 OK",
    "HTTP/1.1 200OK",
    "HTTP/1.1 099 OK",
    "HTTP/1.1 -20 OK",
    "HTTP/1.1  200 OK",
    " HTTP/1.1 200 OK",
    "http/1.1 200 OK",
    "HTTP/1.1 200 O\0K",
    "HTTP/1.1 200 O\rK",
    "HTTP/1.1 200\xa0",
    "\xef\xbb\xbfHTTP/1.1 200 OK",
  ]
) {
  Deno.test(`the status line ${JSON.stringify(line)} is none`, () => {
    assertThrows(() => toHead(line, "A: b"), BadMessage, "not HTTP/1.1");
  });
}

for (
  const [what, line] of [
    ["no colon", "Content-Type text/plain"],
    ["a space before its colon", "Content-Length : 5"],
    ["a tab before its colon", "Content-Length\t: 5"],
    ["no name", ": 5"],
    ["a name that is not ASCII", "caf\xe9: 5"],
    ["a control character in its name", "A\0B: 5"],
    ["a parenthesis in its name", "A(b): 5"],
    ["a line break in the old way", " folded: on"],
    ["a line break in the old way, by tab", "\tfolded"],
    ["a carriage return alone", "A: b\rTransfer-Encoding: chunked"],
    ["a NUL", "A: b\0c"],
    ["a control character", "A: b\x1fc"],
    ["a vertical tab at its end", "A: b\x0b"],
    ["a DEL", "A: b\x7fc"],
  ] as const
) {
  Deno.test(`a header with ${what} is refused, first, last or between others`, () => {
    for (const lines of [[line], [line, "B: c"], ["B: c", line], ["B: c", line, "D: e"]]) {
      assertThrows(() => toHead(OK, ...lines), BadMessage, "faulty header");
    }
  });
}

const V1 = "HTTP/1.1 200 OK";
const V0 = "HTTP/1.0 200 OK";

for (
  const [lines, keepAlive] of [
    [[V1], true],
    [[V1, "Connection: keep-alive"], true],
    [[V1, "Connection: close"], false],
    [[V1, "Connection: Close"], false],
    [[V1, "Connection: Keep-Alive, Close"], false],
    [[V1, "Connection: keep-alive", "Connection: close"], false],
    [[V1, "Connection: x-trace,close"], false],
    [[V1, "Connection: closed"], true],
    [[V1, "Connection: x-close, disclose"], true],
    [[V1, "Connection:"], true],
    [[V1, "Proxy-Connection: close"], true],
    [[V0], false],
    [[V0, "Connection: Keep-Alive"], true],
    [[V0, "Connection: x-trace , keep-alive"], true],
    [[V0, "Connection: keep-alive, close"], false],
    [[V0, "Connection: x-keep-alive"], false],
    [[V1, "Transfer-Encoding: chunked", "Content-Length: 5"], false],
    // HTTP/1.0 knows no chunks, so a proxy between may see another end of this answer.
    [[V0, "Connection: keep-alive", "Transfer-Encoding: chunked"], false],
  ] as const
) {
  Deno.test(`after ${lines.join("; ")} the connection is ${keepAlive ? "" : "not "}kept`, () => {
    assertEquals(toHead(...lines).keepAlive, keepAlive);
  });
}

/** What a decoder made of bytes that came in these pieces. */
interface Decoded {
  readonly payload: string;
  readonly ended: boolean;
  /** How many of all bytes were the body's. */
  readonly taken: number;
}

/** Feeds a body as a connection does: what it does not take comes again, until it has ended. */
function decode(head: Head, pieces: readonly Uint8Array[]): Decoded {
  const decoder = createBodyDecoder(head);
  let payload = "";
  let taken = 0;
  for (const piece of pieces) {
    if (decoder.ended) break;
    // What comes before and behind a piece in its buffer is not the decoder's to touch.
    const buffer = toBytes(`<${toText(piece)}>`);
    const value = decoder.take(buffer.subarray(1, -1));
    assert(value.length <= decoder.taken && decoder.taken <= piece.length);
    payload += toText(value);
    taken += decoder.taken;
    const behind = toText(piece.subarray(decoder.taken));
    assertEquals(toText(buffer.subarray(1 + decoder.taken)), `${behind}>`);
    assertEquals(buffer[0], 60);
    if (decoder.taken < piece.length) assert(decoder.ended, "it gave up before its end");
  }
  return { payload, ended: decoder.ended, taken };
}

/** A text in pieces, cut at these places. */
function cut(text: string, ...places: number[]): Uint8Array[] {
  const edges = [0, ...places, text.length];
  return edges.slice(1).map((to, index) => toBytes(text.slice(edges[index], to)));
}

const CHUNKED = ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"] as const;
const REST = "HTTP/1.1 500 No\r\n\r\n";

/** What a body is called, its head, its bytes and its payload. */
const BODIES: readonly (readonly [string, readonly string[], string, string])[] = [
  ["of a length", [OK, "Content-Length: 11"], "hello\r\n\xe9\0 x", "hello\r\n\xe9\0 x"],
  ["of a length said twice", [OK, "Content-Length: 3", "content-length: 3"], "abc", "abc"],
  ["of a length said twice in one line", [OK, "Content-Length: 3,3"], "abc", "abc"],
  ["of no length", [OK, "Content-Length: 0"], "", ""],
  ["in chunks", CHUNKED, "5\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\n\r\n", "hello world"],
  ["in no chunk", CHUNKED, "0\r\n\r\n", ""],
  [
    "in chunks that look like others",
    CHUNKED,
    "7\r\n0\r\n\r\n5\r\r\n3\r\n\n\r\n\r\n0\r\n\r\n",
    "0\r\n\r\n5\r\n\r\n",
  ],
  [
    "in chunks with extensions",
    CHUNKED,
    '3;a=b\r\nabc\r\n2 ; c="d;e"\r\nde\r\n0;z\r\n\r\n',
    "abcde",
  ],
  ["in chunks with trailers", CHUNKED, "3\r\nabc\r\n0\r\nX-Sum: 1\r\nY: z\r\n\r\n", "abc"],
  [
    "in chunks of hex digits in both cases",
    CHUNKED,
    `1A\r\n${"x".repeat(26)}\r\nb\r\n${"y".repeat(11)}\r\n0\r\n\r\n`,
    "x".repeat(26) + "y".repeat(11),
  ],
  ["in chunks with zeros before their size", CHUNKED, "0003\r\nabc\r\n000\r\n\r\n", "abc"],
  [
    "in chunks with lines that end with a single LF",
    CHUNKED,
    "3\nabc\n2\r\nde\n0\nA: b\n\n",
    "abcde",
  ],
  ["in Chunks", [OK, "Transfer-Encoding: Chunked"], "3\r\nabc\r\n0\r\n\r\n", "abc"],
  [
    "in chunks, with a length that is wrong",
    [...CHUNKED, "Content-Length: 99"],
    "3\r\nabc\r\n0\r\n\r\n",
    "abc",
  ],
  ["of 204", ["HTTP/1.1 204 No Content", "Content-Length: 5"], "", ""],
  ["of 304", ["HTTP/1.1 304 Not Modified", "Transfer-Encoding: chunked"], "", ""],
];

for (const [what, lines, text, payload] of BODIES) {
  const expected = { payload, ended: true, taken: text.length };
  const all = text + REST;

  Deno.test(`a body ${what} is the same at one and a time and all at once, and what follows is left`, () => {
    const head = toHead(...lines);
    assertEquals(decode(head, [toBytes(text)]), expected);
    assertEquals(decode(head, [toBytes(all)]), expected);
    assertEquals(decode(head, cut(all, ...Array.from(all.slice(1), (_, at) => at + 1))), expected);
  });

  Deno.test(`a body ${what} is the same wherever it is cut, once or twice`, () => {
    const head = toHead(...lines);
    for (let one = 0; one <= text.length; one++) {
      // Two cuts at one place make an empty read between them.
      for (let two = one; two <= text.length; two++) {
        assertEquals(decode(head, cut(all, one, two)), expected, `cut at ${one} and ${two}`);
      }
    }
  });

  Deno.test(`a body ${what} that breaks off is not accepted as complete`, () => {
    const head = toHead(...lines);
    for (let end = 0; end < text.length; end++) {
      const decoder = createBodyDecoder(head);
      decoder.take(toBytes(text.slice(0, end)));
      assertEquals(decoder.ended, false);
      assertThrows(() => decoder.close(), BadMessage, "was lost");
    }
    const decoder = createBodyDecoder(head);
    decoder.take(toBytes(text));
    decoder.close();
  });
}

Deno.test("a body without a length and without chunks ends with its connection", () => {
  const decoder = createBodyDecoder(toHead(OK));
  for (const text of ["one", "", "two\r\n\r\n"]) {
    assertEquals(toText(decoder.take(toBytes(text))), text);
    assertEquals([decoder.taken, decoder.ended], [text.length, false]);
  }
  decoder.close();
  assertEquals(decoder.ended, true);
});

Deno.test("204 and 304 have no body, regardless of their headers", () => {
  for (const status of ["204", "304"]) {
    for (const header of ["Content-Length: 9", "Transfer-Encoding: x", "Content-Length: x"]) {
      assertEquals(createBodyDecoder(toHead(`HTTP/1.1 ${status}`, header)).ended, true);
    }
  }
});

for (
  const length of [
    "-1",
    "+5",
    "",
    "5.0",
    "5e3",
    "0x10",
    "five",
    "5 5",
    "5, 6",
    "5, 5, 6",
    "5,",
    "5\xa0",
    "05, 5",
    "\xb2",
    "9".repeat(16),
    "1".repeat(400),
  ]
) {
  Deno.test(`the length '${length.slice(0, 20)}' is refused`, () => {
    const head = toHead(OK, `Content-Length: ${length}`);
    assertThrows(() => createBodyDecoder(head), BadMessage, "faulty content length");
  });
}

Deno.test("two lengths that differ are refused", () => {
  const head = toHead(OK, "Content-Length: 5", "Content-Length: 6");
  assertThrows(() => createBodyDecoder(head), BadMessage, "faulty content length");
});

Deno.test("a length of more than 2^32 is exact", () => {
  const decoder = createBodyDecoder(toHead(OK, "Content-Length: 999999999999999"));
  assertEquals(toText(decoder.take(toBytes("abc"))), "abc");
  assertEquals(decoder.ended, false);
});

for (
  const encoding of [
    "gzip, chunked",
    "chunked, gzip",
    "gzip",
    "identity",
    "xchunked",
    "chunked, chunked",
    "chunked;q=1",
    "",
  ]
) {
  Deno.test(`the transfer encoding '${encoding}' is refused`, () => {
    const head = toHead(OK, `Transfer-Encoding: ${encoding}`, "Content-Length: 3");
    assertThrows(() => createBodyDecoder(head), BadMessage, "unknown transfer encoding");
  });
}

for (
  const [what, text] of [
    ["no size", "\r\nabc"],
    ["an extension without a size", ";a=b\r\n"],
    ["a size that is no number", "xyz\r\n"],
    ["a size with letters behind it", "5g\r\nhello"],
    ["a size with a sign", "-5\r\n"],
    ["a size in C's way", "0x5\r\nhello"],
    ["a space before its size", " 5\r\nhello"],
    ["a size beyond all numbers", "FFFFFFFFFFFFFFFF\r\n"],
    ["a size beyond the safe ones", "20000000000000\r\n"],
    ["more bytes than it says", "3\r\nabcd\r\n"],
    ["fewer bytes than it says, and another behind it", "9\r\nabc\r\n3\r\nabc\r\n0\r\n\r\n"],
    ["an extension without an end", `1;${"x".repeat(9000)}`],
    ["a size without an end", "0".repeat(9000)],
    ["a trailer without an end", `0\r\nA: ${"x".repeat(9000)}`],
    ["a carriage return alone behind its size", "1\rX\na\r\n0\r\n\r\n"],
    ["a carriage return alone in its extension", "1;a\rb\na\r\n0\r\n\r\n"],
    ["two carriage returns behind its size", "1\r\r\na\r\n0\r\n\r\n"],
    ["two carriage returns behind its data", "1\r\na\r\r\n0\r\n\r\n"],
    ["two carriage returns at its end", "0\r\n\r\r\n"],
    ["a carriage return alone in a trailer", "0\r\nA: b\rc\r\n\r\n"],
  ] as const
) {
  Deno.test(`a chunk with ${what} is refused, wherever it is cut`, () => {
    const head = toHead(...CHUNKED);
    assertThrows(() => decode(head, [toBytes(text)]), BadMessage);
    for (let at = 0; at <= Math.min(text.length, 50); at++) {
      assertThrows(() => decode(head, cut(text, at)), BadMessage);
    }
  });
}

Deno.test("endless trailers are refused, even with short lines", () => {
  const head = toHead(...CHUNKED);
  const trailers = (count: number) => `0\r\n${"A: b\r\n".repeat(count)}\r\n`;
  assertEquals(decode(head, [toBytes(trailers(100))]).ended, true);
  assertThrows(() => decode(head, [toBytes(trailers(5000))]), BadMessage, "trailer");
});

Deno.test("extensions may be as long as the payload and 16 KiB, and no longer", () => {
  const head = toHead(...CHUNKED);
  const chunks = (count: number, payload: number, extension: number) =>
    `${payload.toString(16)};${"e".repeat(extension)}\r\n${"x".repeat(payload)}\r\n`.repeat(count);
  const text = `${chunks(2000, 100, 90)}0\r\n\r\n`;
  assertEquals(decode(head, [toBytes(text)]).payload.length, 200_000);
  assertThrows(() => decode(head, [toBytes(chunks(2000, 1, 90))]), BadMessage, "extension");
});

Deno.test("the payload of several chunks is joined in place, and is valid until the next bytes", () => {
  const decoder = createBodyDecoder(toHead(...CHUNKED));
  const buffer = toBytes("3\r\nabc\r\n4\r\ndefg\r\n2\r\nh");
  const value = decoder.take(buffer);
  assertEquals(toText(value), "abcdefgh");
  assert(value.buffer === buffer.buffer, "the payload was copied");
  // The next bytes come into another part of the buffer, or into the same one once it is read.
  const next = decoder.take(toBytes("i\r\n0\r\n\r\nrest"));
  assertEquals([toText(value), toText(next)], ["abcdefgh", "i"]);
  assertEquals([decoder.ended, decoder.taken], [true, 8]);
});

/** Bytes of chance, many of which mean something. */
function randomText(random: Random): string {
  const PARTS = [
    "\r\n",
    "\n",
    "\r",
    "0",
    "5",
    "a",
    "F",
    ";",
    " ",
    ":",
    "abc",
    "0\r\n\r\n",
    "3\r\nabc\r\n",
  ];
  let text = "";
  for (let left = random.below(40); left > 0; left--) {
    text += random.chance(0.8) ? random.pick(PARTS) : String.fromCharCode(random.below(256));
  }
  return text;
}

/** Runs what may refuse, and lets every other failure through. */
function orRefuse<Value>(run: () => Value): Value | undefined {
  try {
    return run();
  } catch (thrown) {
    if (thrown instanceof BadMessage) return undefined;
    throw thrown;
  }
}

Deno.test("random bytes as a head are read or refused, and the head is never longer than the bytes", () => {
  const random = new Random(1);
  const seen = { read: 0, refused: 0, open: 0 };
  for (let run = 0; run < 20_000; run++) {
    const line = random.pick(["HTTP/1.1 200 OK\r\n", "HTTP/1.0 99 x\n", ""]);
    const bytes = toBytes(line + randomText(random) + random.pick(["\r\n\r\n", "\n\n", ""]));
    let refused = true;
    const head = orRefuse(() => {
      const head = readHead(bytes);
      refused = false;
      return head;
    });
    if (refused) seen.refused++;
    else if (head === undefined) seen.open++;
    else {
      seen.read++;
      assert(head.length <= bytes.length);
      // What is read can be said again without harm.
      new Headers([...head.headers]);
      for (const value of head.headers.values()) assert(/^[\t\x20-\x7e\x80-\xff]*$/.test(value));
    }
  }
  assert(seen.read > 500 && seen.refused > 500 && seen.open > 500, JSON.stringify(seen));
});

Deno.test("random bytes as chunks end or are refused, with the same result in any pieces", () => {
  const random = new Random(2);
  const head = toHead(...CHUNKED);
  const seen = { ended: 0, refused: 0, open: 0 };
  for (let run = 0; run < 20_000; run++) {
    const text = randomText(random);
    const whole = orRefuse(() => decode(head, [toBytes(text)]));
    const places = Array.from({ length: random.below(6) }, () => random.below(text.length + 1));
    const pieces = cut(text, ...places.sort((one, other) => one - other));
    assertEquals(orRefuse(() => decode(head, pieces)), whole);
    if (whole === undefined) seen.refused++;
    else if (whole.ended) seen.ended++;
    else seen.open++;
    assert((whole?.payload.length ?? 0) <= text.length);
  }
  assert(seen.ended > 500 && seen.refused > 500 && seen.open > 500, JSON.stringify(seen));
});
