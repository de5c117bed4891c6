import { assertEquals } from "@std/assert";
import { z } from "zod";
import {
  didYouMean,
  nearest,
  pathOf,
  sentenceOf,
  worstIssue,
} from "../../src/core/validation_messages.ts";

Deno.test("pathOf() writes members with dots and items with brackets", () => {
  assertEquals(pathOf(["messages", 2, "content", 0, "type"]), "messages[2].content[0].type");
  assertEquals(pathOf([0, "a"]), "[0].a");
  assertEquals(pathOf([]), "");
});

/** A schema, an invalid value, and the message. */
const SENTENCES: readonly (readonly [string, z.ZodType, unknown, string])[] = [
  ["what is missing", z.object({ a: z.string() }), {}, "a is required"],
  ["a wrong type", z.object({ a: z.int() }), { a: "1" }, "a must be a number"],
  ["a fraction", z.object({ a: z.int() }), { a: 1.5 }, "a must be an integer"],
  [
    "a number that is too small",
    z.object({ a: z.number().min(2) }),
    { a: 1 },
    "a must be at least 2",
  ],
  [
    "a number that is too large",
    z.object({ a: z.number().max(2) }),
    { a: 3 },
    "a must be at most 2",
  ],
  ["an empty text", z.object({ a: z.string().min(1) }), { a: "" }, "a must not be empty"],
  ["an empty array", z.object({ a: z.array(z.int()).min(1) }), { a: [] }, "a must not be empty"],
  ["a value of a closed set", z.enum(["a", "b", "c"]), "d", " must be 'a', 'b' or 'c'"],
  ["unknown keys", z.strictObject({}), { a: 1, b: 2 }, " unknown: 'a', 'b'"],
  [
    "a union of types",
    z.union([z.string(), z.array(z.string())]),
    1,
    " must be a string or an array",
  ],
  [
    "the branch of a union that came nearest",
    z.union([z.string(), z.array(z.object({ b: z.boolean() }))]),
    [{ b: 1 }],
    "[0].b must be true or false",
  ],
  [
    "a union told apart by a field",
    z.discriminatedUnion("t", [z.object({ t: z.literal("x") }), z.object({ t: z.literal("y") })]),
    { t: "z" },
    "t must be 'x' or 'y'",
  ],
  [
    "a custom rule",
    z.string().refine(() => false, { error: "must rhyme" }),
    "a",
    " must rhyme",
  ],
];

for (const [what, schema, value, expected] of SENTENCES) {
  Deno.test(`sentenceOf() says what is wrong with ${what}`, () => {
    const { error } = schema.safeParse(value, { reportInput: true });
    const issue = worstIssue(error?.issues ?? []);
    assertEquals(issue, nearest(issue));
    assertEquals(`${pathOf(issue.path)} ${sentenceOf(issue)}`, expected);
  });
}

/** What was written, among what, and what was meant. */
const NEAR: readonly (readonly [string, readonly string[], string | undefined])[] = [
  ["opnai", ["anthropic", "openai"], "openai"],
  ["prot", ["host", "port"], "port"],
  ["apikey", ["api_key", "api"], "api_key"],
  ["OpenAI", ["openai", "open"], "openai"],
  ["gpt-5.4", ["gpt-5.5", "gpt-5.4-mini", "gpt-5.4@openai"], "gpt-5.5"],
  ["claude-opus", ["gpt-5", "claude-opus-5"], "claude-opus-5"],
  ["same", ["same"], "same"],
  ["aaa", ["aab", "aac"], "aab"],
  ["x", ["y"], undefined],
  ["", ["a"], undefined],
  ["a", [], undefined],
  ["timeout", ["retries", "models"], undefined],
  ["a".repeat(1_000_000), ["a".repeat(1_000_000)], undefined],
];

for (const [name, candidates, expected] of NEAR) {
  Deno.test(`didYouMean() ${expected ? "finds" : "finds nothing for"} '${name.slice(0, 20)}'`, () => {
    assertEquals(didYouMean(name, candidates), expected);
  });
}
