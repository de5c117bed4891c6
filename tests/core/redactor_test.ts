/** Secrets in every form that a vendor may echo them in. */

import { assert, assertEquals } from "@std/assert";
import { Buffer } from "node:buffer";
import { Redactor } from "../../src/core/redactor.ts";
import { threadCpuMs } from "../support/thread_cpu.ts";

const KEY = "sk-Proj_4aB+/9zQ=~x.Y";
const redactor = new Redactor([KEY]);

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}

for (
  const [form, text] of [
    ["as it is", KEY],
    ["in lower case", KEY.toLowerCase()],
    ["in upper case", KEY.toUpperCase()],
    ["URL-encoded", encodeURIComponent(KEY)],
    ["URL-encoded in lower case", encodeURIComponent(KEY).toLowerCase()],
    ["URL-encoded to the last sign", encodeURIComponent(KEY).replace("~", "%7E")],
  ] as const
) {
  Deno.test(`a key is redacted ${form}, alone, twice and between other words`, () => {
    assertEquals(redactor.redact(text), "[redacted]");
    assertEquals(redactor.redact(`a ${text}${text} b`), "a [redacted][redacted] b");
  });
}

for (
  const [what, plain] of [
    ["a key", KEY],
    ["an authorization", `Bearer ${KEY}`],
    ["a user and a key", `user:${KEY}`],
    ["a key and no user", `:${KEY}`],
    ["a key and no password", `${KEY}:`],
    ["a key within JSON", JSON.stringify({ api_key: KEY, n: 1 })],
  ] as const
) {
  Deno.test(`base64 of ${what} does not reveal the key`, () => {
    const base64 = toBase64(plain);
    const forms = [
      base64,
      base64.replace(/=+$/, ""),
      Buffer.from(plain).toString("base64url"),
      encodeURIComponent(base64),
    ];
    for (const text of forms) {
      const clean = redactor.redact(`It was ${text}.`);
      assert(clean.includes("[redacted]"), clean);
      // What is left of it may share three characters with the key at either end, and no more.
      for (const part of clean.split("[redacted]")) {
        const words = Buffer.from(part.match(/[\w+/-]*$/)?.[0] ?? "", "base64").toString("latin1");
        for (let at = 0; at + 4 <= KEY.length; at++) assert(!words.includes(KEY.slice(at, at + 4)));
      }
    }
  });
}

Deno.test("a secret of several lines is redacted in plain form and as JSON", () => {
  const pem = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\n-----END PRIVATE KEY-----\n";
  const lines = new Redactor([pem]);
  assertEquals(lines.redact(`It was ${pem}`), "It was [redacted]");
  assertEquals(lines.redact(JSON.stringify({ pem })), '{"pem":"[redacted]"}');
});

Deno.test("a secret that begins with another one is redacted completely", () => {
  const two = new Redactor(["sk-short-key", "sk-short-key-and-more"]);
  assertEquals(two.redact("sk-short-key-and-more, sk-short-key"), "[redacted], [redacted]");
});

Deno.test("a short secret is redacted only in its plain form", () => {
  const short = new Redactor(["Key"]);
  assertEquals(short.redact("Key or key"), "[redacted] or key");
});

for (const secret of ["n", "no", "a.b", "$", "k-1", "größe", "1234567"]) {
  Deno.test(`the short secret '${secret}' is redacted only as a whole token`, () => {
    const short = new Redactor([secret, "sk-long-0123456789"]);
    const within =
      `Un${secret}nown x${secret} ${secret}x ${secret}_1 9${secret}9 -${secret}- é${secret}é`;
    assertEquals(short.redact(within), within);
    const alone = (it: string) =>
      `${it} Bearer ${it}, '${it}' "${it}" (${it}) key=${it}&x ${it}: ${it}/v1 \\n${it} ${it}`;
    assertEquals(short.redact(alone(secret)), alone("[redacted]"));
    assertEquals(short.redact(secret), "[redacted]");
  });
}

Deno.test("a short secret that begins with another one is redacted completely", () => {
  for (const secrets of [["ab", "ab.c"], ["ab.c", "ab"]]) {
    assertEquals(new Redactor(secrets).redact("ab.c ab"), "[redacted] [redacted]");
  }
});

Deno.test("a secret of eight characters is redacted within words, one of seven is not", () => {
  const redactor = new Redactor(["12345678", "abcdefg"]);
  assertEquals(redactor.redact("x12345678x xabcdefgx"), "x[redacted]x xabcdefgx");
});

Deno.test("the last tokens that were added are redacted, and short ones are not kept", () => {
  const live = new Redactor([KEY]);
  for (const token of ["short", "token-one", "token-two", "token-two", "token-three"]) {
    live.add(token);
  }
  const text = `${KEY} short token-one token-two token-three`;
  assertEquals(live.redact(text), "[redacted] short [redacted] [redacted] [redacted]");
  assertEquals(live.maxChars, redactor.maxChars);
  for (let at = 0; at < 9; at++) live.add(`later-token-${at}`);
  assertEquals(live.redact(text), "[redacted] short token-one token-two token-three");
});

Deno.test("a name of a header is judged again when a secret was added", () => {
  const live = new Redactor([]);
  assertEquals(live.isSecretName("x-later-secret-1"), false);
  live.add("later-secret");
  assertEquals(live.isSecretName("x-later-secret-1"), true);
  for (let at = 0; at < 500; at++) live.isSecretName(`x-${at}`);
  assertEquals(live.isSecretName("x-later-secret-1"), true);
});

Deno.test("without secrets a text is unchanged", () => {
  assertEquals(new Redactor([""]).redact("a [redacted] ya29.x"), "a [redacted] ya29.x");
});

Deno.test("text with many starts of a key takes linear time", () => {
  const key = `${"a".repeat(50)}b`;
  const hostile = new Redactor([key, `${key}c`, `${"a".repeat(49)}d`]);
  const timeOf = (size: number) => {
    const text = "a".repeat(size);
    // The best of several runs: other processes may take the processor in between.
    let best = Infinity;
    for (let run = 0; run < 10; run++) {
      const began = performance.now();
      assertEquals(hostile.redact(text).length, size);
      best = Math.min(best, performance.now() - began);
    }
    return best;
  };
  const small = timeOf(20_000);
  const large = timeOf(200_000);
  assert(large < 10 * 5 * Math.max(small, 0.2), `${small} ms and ${large} ms`);
});

const SPECIAL = `p w/9&x=é+<"🔑'>\\~!*%`;
const percent = (text: string, kept: RegExp) =>
  [...text].map((character) =>
    kept.test(character) ? character : [...new TextEncoder().encode(character)]
      .map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")
  ).join("");
const references = (text: string, radix: 10 | 16, padding = 0) =>
  text.replaceAll(/[^\w ]/gu, (character) => {
    const code = character.codePointAt(0)?.toString(radix) ?? "";
    return `&#${radix === 16 ? "x" : ""}${code.padStart(padding, "0")};`;
  });
const quoted = (text: string) => JSON.stringify(text).slice(1, -1);
const unicode = (text: string) =>
  text.replaceAll(
    /[^\w ]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`,
  );

for (
  const [what, encode] of [
    ["a URL", encodeURI],
    ["a form", (text) => new URLSearchParams([["", text]]).toString().slice(1)],
    ["a path, whose slashes stay", (text) => percent(text, /[\w.~/-]/)],
    ["a URL in capitals", (text) => percent(text, /\w/).toUpperCase()],
    ["a URL in a URL", (text) => encodeURIComponent(encodeURIComponent(text))],
    ["a URL in a URL in a URL", (text) => percent(percent(percent(text, /\w/), /\w/), /\w/)],
    ["JSON", quoted],
    ["JSON in JSON", (text) => quoted(quoted(text))],
    ["JSON with escaped slashes", (text) => quoted(text).replaceAll("/", "\\/")],
    ["JSON in ASCII", (text) => unicode(text)],
    [
      "JSON that HTML cannot misread",
      (text) => quoted(text).replaceAll(/[&<>]/g, (character) => unicode(character)),
    ],
    [
      "HTML",
      (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;"),
    ],
    ["HTML with numbers", (text) => references(text, 10, 3)],
    ["HTML with hexadecimal numbers", (text) => references(text, 16)],
    ["HTML in HTML", (text) => references(text, 10).replaceAll("&", "&amp;")],
  ] as readonly (readonly [string, (text: string) => string])[]
) {
  Deno.test(`a secret with special characters is redacted as in ${what}`, () => {
    const special = new Redactor([SPECIAL, "sk-another-0123"]);
    const text = encode(SPECIAL);
    assertEquals(special.redact(`a ${text} b ${text}`), "a [redacted] b [redacted]");
    assert(special.maxChars >= text.length);
    const base64 = encode(toBase64(KEY));
    const clean = redactor.redact(`a ${base64} b`);
    assert(/^a \[redacted\].{0,9} b$/.test(clean), clean);
  });
}

Deno.test("a long secret with many special characters takes linear time", () => {
  const long = JSON.stringify({ key: "a\\n/+=\n".repeat(40) });
  const redactor = new Redactor([long, "\\".repeat(8) + '"x'.repeat(10)]);
  const began = threadCpuMs();
  assertEquals(redactor.redact(`a ${quoted(long)} b`), "a [redacted] b");
  for (const text of ["\\", '\\"', "%25", "&amp;", quoted(long).slice(0, -1)]) {
    const hostile = text.repeat(Math.ceil(64 * 1024 / text.length));
    assertEquals(redactor.redact(hostile).length, hostile.length);
  }
  assert(threadCpuMs() - began < 1000);
});
