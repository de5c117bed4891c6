/** Vendors' messages are shown without secrets, addresses and URLs, however they are spelled. */

import { assert, assertEquals } from "@std/assert";
import { HealthBoard } from "../../../src/console/health/health_board.ts";
import { toVendorText } from "../../../src/console/health/target_attempts.ts";
import { ManualClock } from "../../support/manual_clock.ts";

const TEXTS: readonly (readonly [text: string, shown: string])[] = [
  // Keys.
  ["Incorrect API key provided: sk-proj-abc***wxyz.", "Incorrect API key provided: [secret]"],
  ["key sk\u200B-proj-abcdefgh12345678", "key [secret]"],
  ["Invalid key 'SK-ABCDEFGH1234567890'", "Invalid key '[secret]'"],
  ["ｓｋ-abcdefgh12345678", "[secret]"],
  ["x-api-key: abcdefgh", "[secret]"],
  ['{"api_key\\":\\"hunter2\\"}', '{"[secret]"}'],
  ["password: hunter2", "[secret]"],
  ["client_secret=abcDEF", "[secret]"],
  ["Authorization: Bearer abcdefghijkl", "[secret]"],
  ["Basic YWRhOmFkYQ==", "[secret]"],
  ["gsk_abcdefghijkl1234", "[secret]"],
  ["org-abcdefghijklmnop1234 is over its limit", "[secret] is over its limit"],
  ["key 550e8400-e29b-41d4-a716-446655440000", "key [secret]"],
  ["wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "[secret]"],
  ["-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----", "[secret]"],
  ["-----BEGIN PRIVATE KEY-----\nMIIEvQ", "[secret]"],
  // Addresses.
  ["connect to 10.0.0.5:8080.", "connect to [address]."],
  ["connect to ::1 port 80", "connect to [address] port 80"],
  ["connect to fe80::1%eth0", "connect to [address]"],
  ["connect to [2001:db8::1]:443", "connect to [address]"],
  ["connect to ::ffff:10.0.0.5", "connect to [address]"],
  ["connect to 2001:DB8:0:0:8:800:200C:417A", "connect to [address]"],
  ["ada@example.com wrote", "[address] wrote"],
  ["ada@intranet wrote", "[address] wrote"],
  ['"ada lovelace"@example.com', "[address]"],
  ["ada＠example.com", "[address]"],
  ["no route to gateway.internal", "no route to [address]"],
  ["API.INTERNAL.CORP is down", "[address] is down"],
  ["münchen.example is down", "[address] is down"],
  ["getaddrinfo ENOTFOUND vault-prod-1", "getaddrinfo ENOTFOUND [address]"],
  ["host vault refused", "host [address] refused"],
  ["db01:5432 refused", "[address] refused"],
  ["arn:aws:iam::123456789012:role/x", "[address]"],
  // URLs.
  ["HTTPS://User:Pass@Example.com/x", "[url]"],
  ["https:\\/\\/api.example.com\\/v1?key=abcdef", "[url]"],
  ["http:&#x2F;&#x2F;example.com/x", "[url]"],
  ["https%3A%2F%2Fexample.com%2Fx", "[url]"],
  ["see //evil.example/path?key=abc", "see //[address]"],
  ["postgres://u:p@db/x", "[url]"],
  ["<a href='https://example.com/x?k=abc'>x</a>", "<a href='[url]'>x</a>"],
];

for (const [text, shown] of TEXTS) {
  Deno.test(`a vendor's message is cut: ${JSON.stringify(text)}`, () => {
    assertEquals(toVendorText(text), shown);
    assertEquals(toVendorText(shown), shown);
  });
}

/** What an operator needs stays. */
const KEPT = [
  "The model gpt-5.4-mini-2026-01-01 does not exist",
  "model meta-llama/Llama-3.3-70B-Instruct-Turbo is overloaded",
  "us.anthropic.claude-sonnet-4-20250514-v1:0 and claude-3-5-sonnet@20240620 were not found",
  "Rate limit reached for requests per min (RPM): Limit 3, Used 3 at 12:30:45",
  "max_tokens: 5000 is more than 4096; invalid 'messages.0.content' and tools.function.name",
  "The host is overloaded, retry in 20s (code:429)",
];

for (const text of KEPT) {
  Deno.test(`a vendor's message stays: ${text}`, () => assertEquals(toVendorText(text), text));
}

Deno.test("long texts are cut in time, at whole characters", () => {
  for (const part of ["a.", "::", "a-", "@a", "bearer ", "aA1", "http://", "&#x2f;", "é. "]) {
    assert(toVendorText(part.repeat(100_000)).length <= 300);
  }
  assert(toVendorText("😀".repeat(400)).isWellFormed());
});

Deno.test("messages are forgotten when they are turned off", () => {
  let keepsTexts = true;
  const clock = new ManualClock();
  const board = new HealthBoard({ clock, keepsTexts: () => keepsTexts });
  const fail = () =>
    board.add([{
      ...{ provider: "p", upstream: "m", time: clock.wallTime(), request: "req_1" },
      failure: {
        ...{ error: "upstream_error", status: 502, cause: undefined, isRescued: false },
        ended: clock.wallTime(),
        text: "It is broken",
      },
    }]);
  fail();
  assertEquals(board.report().texts.map(({ text }) => text), ["It is broken"]);
  keepsTexts = false;
  assertEquals(board.report().texts, []);
  keepsTexts = true;
  assertEquals(board.report().texts.length, 1, "reading forgets nothing");
  keepsTexts = false;
  board.changed("config", "The configuration was loaded");
  keepsTexts = true;
  assertEquals(board.report().texts, []);
});
