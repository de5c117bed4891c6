/**
 * One gateway in a process, as the start task runs it, and one client of each API. What else needs
 * a process is tested by `deno task test:all`.
 */

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { assert, assertEquals } from "@std/assert";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { addressOf, startSluice } from "../support/process.ts";

const KEY = "sk-one-process";
const CONFIG = JSON.stringify({
  server: { port: 0, keys: [{ name: "own", key: KEY }] },
  providers: { mock: { kind: "mock", models: ["mock-echo"] } },
});
const MODEL = "mock-echo";
const TEXT = "Hello";
const ANSWER = `You said: ${TEXT}`;
const MESSAGES = [{ role: "user" as const, content: TEXT }];

/** What the clients have in common. */
interface Caller {
  readonly url: string;
  readonly fetch: typeof fetch;
}

const CLIENTS: Readonly<Record<string, (caller: Caller) => Promise<void>>> = {
  async "chat completions"(caller) {
    const { chat } = openAi(caller);
    const answer = await chat.completions.create({ model: MODEL, messages: MESSAGES });
    assertEquals(answer.choices[0]?.message.content, ANSWER);
    let text = "";
    const stream = await chat.completions.create({
      model: MODEL,
      messages: MESSAGES,
      stream: true,
    });
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
    assertEquals(text, ANSWER);
  },
  async "Responses"(caller) {
    const stream = openAi(caller).responses.stream({ model: MODEL, input: TEXT });
    assertEquals((await stream.finalResponse()).output_text, ANSWER);
  },
  async "Messages"({ url, fetch }) {
    const client = new Anthropic({ baseURL: url, apiKey: KEY, fetch, maxRetries: 0 });
    const stream = client.messages.stream({ model: MODEL, max_tokens: 50, messages: MESSAGES });
    assertEquals(await stream.finalText(), ANSWER);
  },
  async "Gemini"({ url, fetch }) {
    const httpOptions = { baseUrl: url, fetch };
    const client = new GoogleGenAI({ apiKey: KEY, httpOptions: httpOptions as never });
    const stream = await client.models.generateContentStream({ model: MODEL, contents: TEXT });
    let text = "";
    for await (const chunk of stream) text += chunk.text ?? "";
    assertEquals(text, ANSWER);
  },
  async "Ollama"({ url, fetch }) {
    const headers = { authorization: `Bearer ${KEY}` };
    const answer = await new Ollama({ host: url, fetch, headers })
      .chat({ model: MODEL, messages: MESSAGES });
    assertEquals(answer.message.content, ANSWER);
  },
  async "embeddings, images and moderations"(caller) {
    const client = openAi(caller);
    const { data: [vector] } = await client.embeddings.create({ model: MODEL, input: TEXT });
    assert((vector?.embedding.length ?? 0) > 0);
    const { data: [image] = [] } = await client.images.generate({ model: MODEL, prompt: TEXT });
    assert((image?.b64_json?.length ?? 0) > 0);
    const { results: [judged] } = await client.moderations.create({ model: MODEL, input: TEXT });
    assertEquals(judged?.flagged, false);
  },
  async "speech and transcriptions"({ url, fetch }) {
    const { audio } = openAi({ url, fetch });
    const speech = await audio.speech.create({ model: MODEL, voice: "alloy", input: TEXT });
    const bytes = await speech.bytes();
    assert(bytes.length > 0);
    const file = new File([bytes.slice()], "speech.mp3");
    const { text } = await audio.transcriptions.create({ model: MODEL, file });
    assert(text.includes(String(bytes.length)), text);
  },
  async "rerank, which has no package"({ url, fetch }) {
    const response = await fetch(`${url}/v1/rerank`, {
      method: "POST",
      headers: { authorization: `Bearer ${KEY}` },
      body: JSON.stringify({ model: MODEL, query: TEXT, documents: ["Goodbye", TEXT] }),
    });
    assertEquals((await response.json()).results[0].index, 1);
  },
};

function openAi({ url, fetch }: Caller): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: KEY, fetch, maxRetries: 0 });
}

Deno.test("a started gateway answers one client of each API, and ends at SIGTERM", async (test) => {
  await using running = startSluice([], { files: { "config.yaml": CONFIG } });
  const url = await addressOf(running);
  using client = Deno.createHttpClient({});
  const caller: Caller = { url, fetch: (input, init) => fetch(input, { ...init, client }) };
  for (const [api, call] of Object.entries(CLIENTS)) {
    // Connections of the client stay open between steps; the test checks that none does at its end.
    const sanitizers = { sanitizeOps: false, sanitizeResources: false };
    await test.step({ name: api, ...sanitizers, fn: () => call(caller) });
  }
  if (Deno.build.os === "windows") return;
  running.signal("SIGTERM");
  assertEquals((await running.finished).code, 0);
});
