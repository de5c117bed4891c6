import { assert, assertEquals } from "@std/assert";
import { listMessages, messagesIn } from "../../scripts/docs/messages.ts";

Deno.test("messagesIn() reads templates, joined texts and alternatives", () => {
  const source = "log(`the store ${name} fails: ${reasonOf(thrown)}`);\n" +
    'logMessage(isOk ? "everything works again" : "nothing works at all" + ", as before");\n' +
    'function logMessage(text = "not a call at all") {}\nblog("not a message either");';
  assertEquals(messagesIn(source), [
    "the store … fails: …",
    "everything works again",
    "nothing works at all, as before",
  ]);
});

Deno.test("the table of messages has those of the store, of reloads and of the listener", () => {
  const texts = listMessages().map(({ text }) => text);
  assert(texts.length > 20, String(texts.length));
  for (
    const part of ["rows are queued in memory", "requires a restart", "cannot accept connections"]
  ) {
    assert(texts.some((text) => text.includes(part)), part);
  }
});
