import { assertEquals, assertStrictEquals } from "@std/assert";
import type { Message } from "../../../src/contract/chat.ts";
import { RequestChanges } from "../../../src/contract/request_changes.ts";
import type { MessageRefusals } from "../../../src/contract/refusals.ts";
import { inAcceptedOrder } from "../../../src/providers/shared/refusals/message_order.ts";

const TEMPLATE: MessageRefusals = { developerRole: true, laterInstructions: true };
const ALTERNATING: MessageRefusals = { ...TEMPLATE, repeatedRoles: true };

const system = (content: Message["content"]): Message => ({ role: "system", content }) as Message;
const user = (content: Message["content"]): Message => ({ role: "user", content }) as Message;
const assistant = (content: string): Message => ({ role: "assistant", content });
const calls: Message = {
  role: "assistant",
  tool_calls: ["a", "b"].map((id) => ({
    id,
    type: "function",
    function: { name: "f", arguments: "{}" },
  })),
};
const result = (tool_call_id: string): Message => ({ role: "tool", tool_call_id, content: "ok" });
const text = (text: string) => ({ type: "text" as const, text });
const tagged = (inner: string) => text(`<system>${inner}</system>`);

function sent(messages: readonly Message[], refusals: MessageRefusals) {
  const changes = new RequestChanges();
  const ordered = inAcceptedOrder(messages, refusals, changes);
  return { ordered, converted: [...changes.converted], ignored: [...changes.ignored] };
}

const ORDERS: readonly (readonly [what: string, from: Message[], to: Message[]])[] = [
  [
    "instructions at the start are joined by a blank line",
    [system("A"), { role: "developer", content: "B" }, system([text("C"), text("D")]), user("Hi")],
    [system("A\n\nB\n\nC\n\nD"), user("Hi")],
  ],
  [
    "a later one is appended to the user message before it",
    [system("A"), user("Hi"), system("B"), { role: "developer", content: "C" }, assistant("Yes")],
    [system("A"), user([text("Hi"), tagged("B"), tagged("C")]), assistant("Yes")],
  ],
  [
    "after the assistant it is put first into the next user message",
    [user("Hi"), assistant("Yes"), system("B"), system("C"), user([text("Go")])],
    [user("Hi"), assistant("Yes"), user([tagged("B"), tagged("C"), text("Go")])],
  ],
  [
    "it is never between calls and their results",
    [user("Hi"), calls, system("B"), result("a"), system("C"), result("b"), user("Go")],
    [user("Hi"), calls, result("a"), result("b"), user([tagged("B"), tagged("C"), text("Go")])],
  ],
  [
    "without a user message after it, it is one at the end",
    [user("Hi"), calls, system("B"), result("a"), result("b")],
    [user("Hi"), calls, result("a"), result("b"), user([tagged("B")])],
  ],
  [
    "an answer between it and the next user message stays where it is",
    [user("Hi"), assistant("Yes"), system("B"), assistant("No"), user("Go")],
    [user("Hi"), assistant("Yes"), assistant("No"), user([tagged("B"), text("Go")])],
  ],
  [
    "an image stays beside it",
    [
      user([{ type: "image_url", image_url: { url: "https://a/b" } }]),
      system([text("B"), text("C")]),
    ],
    [user([{ type: "image_url", image_url: { url: "https://a/b" } }, tagged("B\n\nC")])],
  ],
  ["instructions alone are joined", [system("A"), system("B")], [system("A\n\nB")]],
];

for (const [what, from, to] of ORDERS) {
  Deno.test(`templates that take instructions at the start: ${what}`, () => {
    const { ordered, converted } = sent(from, TEMPLATE);
    assertEquals(ordered, to);
    assertEquals(converted, ["messages"]);
    // The result is a conversation that needs no change.
    assertStrictEquals(sent(ordered, TEMPLATE).ordered, ordered);
  });
}

Deno.test("messages in an accepted order are not copied", () => {
  const messages = [system("A"), user("Hi"), calls, result("a"), result("b"), assistant("Yes")];
  for (const refusals of [{}, TEMPLATE, ALTERNATING]) {
    const { ordered, converted } = sent(messages, refusals);
    assertStrictEquals(ordered, messages);
    assertEquals(converted, []);
  }
});

Deno.test("the name of an instruction that is joined is reported", () => {
  const named: Message = { role: "system", content: "B", name: "n" };
  assertEquals(sent([user("Hi"), named], TEMPLATE).ignored, ["messages.name"]);
});

Deno.test("messages of one role in a row are joined where roles must alternate", () => {
  const { ordered, converted } = sent(
    [user("A"), user("B"), user([text("C")]), assistant("D"), { ...calls, content: "E" }],
    ALTERNATING,
  );
  assertEquals(ordered, [
    user([text("A"), text("B"), text("C")]),
    { ...calls, content: "D\n\nE" },
  ]);
  assertEquals(converted, ["messages"]);
  assertEquals(sent([user("A"), assistant(""), calls], ALTERNATING).ordered, [
    user("A"),
    { ...calls, content: "" },
  ]);
});

Deno.test("an answer is put between results and the user where a template requires one", () => {
  const { ordered, converted } = sent(
    [user("A"), calls, result("a"), result("b"), user("B"), user("C")],
    ALTERNATING,
  );
  assertEquals(ordered, [
    user("A"),
    calls,
    result("a"),
    result("b"),
    assistant("OK."),
    user("B\n\nC"),
  ]);
  assertEquals(converted, ["messages"]);
});

Deno.test("many messages are put in order in linear time", () => {
  const pairs = Array.from({ length: 50_000 }, () => [user([text("A")]), system("B")]).flat();
  const { ordered } = sent([...pairs, user("C")], ALTERNATING);
  assertEquals(ordered.length, 1);
  assertEquals(ordered[0]?.content?.length, 100_001);
  const instructions = Array.from({ length: 100_000 }, () => system("B"));
  assertEquals(sent([user("A"), ...instructions], TEMPLATE).ordered[0]?.content?.length, 100_001);
});

Deno.test("a conversation that begins with the assistant gets a user message where roles alternate", () => {
  const { ordered, converted } = sent([system("A"), assistant("Hello"), user("Hi")], ALTERNATING);
  assertEquals(ordered, [system("A"), user("Continue."), assistant("Hello"), user("Hi")]);
  assertEquals(converted, ["messages"]);
});
