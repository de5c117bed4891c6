/** Real clients while the vendor is silent: what the gateway sends to keep connections alive. */

import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { assert, assertEquals } from "@std/assert";
import { streamText } from "ai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import type { JsonObject } from "../../src/contract/chat.ts";
import { turn, until } from "../support/elapse.ts";
import { SERVICE_KEY, VENDOR_KEY } from "../support/gateway.ts";
import { sayHello } from "../support/scripted_vendor.ts";
import { Gate, type ServedGateway, serveGateway, serveVendor } from "../support/server.ts";

const MODEL = "some-model";
const QUESTION = "Hi";

type Ask = (served: ServedGateway) => Promise<string>;

const openai = ({ url, fetch }: ServedGateway) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch, maxRetries: 0 });

/** The text of a stream as a client's own code reads it. */
async function textOf<Event>(
  events: AsyncIterable<Event>,
  toText: (event: Event) => string | null | undefined,
): Promise<string> {
  let text = "";
  for await (const event of events) text += toText(event) ?? "";
  return text;
}

/** The response to a request without a client. */
async function streamOf(served: ServedGateway, path: string, body: JsonObject): Promise<string> {
  const response = await served.fetch(`${served.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${SERVICE_KEY}` },
    body: JSON.stringify(body),
  });
  return await response.text();
}

const CLIENTS: Readonly<Record<string, Ask>> = {
  async "openai, chat completions"(served) {
    const messages = [{ role: "user" as const, content: QUESTION }];
    const body = { model: MODEL, messages, stream: true as const };
    const stream = await openai(served).chat.completions.create(body);
    return await textOf(stream, ({ choices: [choice] }) => choice?.delta.content);
  },
  async "openai, responses"(served) {
    const stream = openai(served).responses.stream({ model: MODEL, input: QUESTION });
    return (await stream.finalResponse()).output_text;
  },
  async "@ai-sdk/openai, responses"({ url, fetch }) {
    const provider = createOpenAI({ baseURL: `${url}/v1`, apiKey: SERVICE_KEY, fetch });
    const result = streamText({ model: provider(MODEL), prompt: QUESTION, maxRetries: 0 });
    return await textOf(result.textStream, (text) => text);
  },
  async "@anthropic-ai/sdk"({ url, fetch }) {
    const client = new Anthropic({ baseURL: url, authToken: SERVICE_KEY, fetch, maxRetries: 0 });
    const messages = [{ role: "user" as const, content: QUESTION }];
    return await client.messages.stream({ model: MODEL, max_tokens: 9, messages }).finalText();
  },
  async "@google/genai"({ url, fetch }) {
    const httpOptions = { baseUrl: url, retryOptions: { attempts: 1 }, fetch } as never;
    const client = new GoogleGenAI({ apiKey: SERVICE_KEY, httpOptions });
    const body = { model: MODEL, contents: QUESTION };
    return await textOf(await client.models.generateContentStream(body), ({ text }) => text);
  },
  async "@ai-sdk/google"({ url, fetch }) {
    const provider = createGoogle({ baseURL: `${url}/v1beta`, apiKey: SERVICE_KEY, fetch });
    const result = streamText({ model: provider(MODEL), prompt: QUESTION, maxRetries: 0 });
    return await textOf(result.textStream, (text) => text);
  },
  async "ollama"({ url, fetch }) {
    const headers = { authorization: `Bearer ${SERVICE_KEY}` };
    // The package stops reading at the last line, before the end of the body.
    const bodies: ReadableStream[] = [];
    const client = new Ollama({
      ...{ host: url, headers },
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        const [read, rest] = response.body?.tee() ?? [null, null];
        if (rest !== null) bodies.push(rest);
        return new Response(read, response);
      },
    });
    const messages = [{ role: "user", content: QUESTION }];
    const stream = await client.chat({ model: MODEL, messages, stream: true });
    const text = await textOf(stream, ({ message }) => message.content);
    for (const body of bodies) await new Response(body).text();
    return text;
  },
  /** Gemini CLI 0.61.0 takes events from the beginning of what it has read, and skips only spaces. */
  async "events of Gemini's API as Gemini CLI reads them"(served) {
    const path = `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`;
    let text = await streamOf(served, path, { contents: [{ parts: [{ text: QUESTION }] }] });
    let said = "";
    for (;;) {
      const event = /^\s*data: (.*)(?:\n\n|\r\r|\r\n\r\n)/.exec(text);
      if (event === null) break;
      said += JSON.parse(event[1] ?? "").candidates?.[0]?.content?.parts?.[0]?.text ?? "";
      text = text.slice(event[0].length);
    }
    assertEquals(text.trim(), "");
    return said;
  },
  async "Gemini's API as an array"(served) {
    const path = `/v1beta/models/${MODEL}:streamGenerateContent`;
    const text = await streamOf(served, path, { contents: [{ parts: [{ text: QUESTION }] }] });
    const events: { candidates?: { content?: { parts?: { text?: string }[] } }[] }[] = JSON
      .parse(text);
    return events.map((event) => event.candidates?.[0]?.content?.parts?.[0]?.text ?? "").join("");
  },
};

/** Lets 15 s pass without data from the vendor: before its first event, and before its last. */
async function ask(client: Ask): Promise<string> {
  const gates = [new Gate(), new Gate()];
  const words = new Gate<ReadableStreamDefaultController<string>>();
  let calls = 0;
  await using vendor = serveVendor(async (request) => {
    const body: JsonObject = await request.json();
    calls++;
    await gates[0]?.opened;
    const whole = await sayHello({ url: new URL(request.url).pathname, body }).text();
    const last = whole.lastIndexOf("data: {");
    const stream = new ReadableStream<string>({
      async start(controller) {
        controller.enqueue(whole.slice(0, last));
        words.open(controller);
        await gates[1]?.opened;
        controller.enqueue(whole.slice(last));
        controller.close();
      },
    });
    const headers = { "content-type": "text/event-stream" };
    return new Response(stream.pipeThrough(new TextEncoderStream()), { headers });
  });
  const provider = {
    ...{ kind: "openai_compatible", api_key: VENDOR_KEY, base_url: `${vendor.url}/v1` },
    models: [MODEL],
  };
  const server = { early_keep_alive: "5s", keep_alive: "5s" };
  await using served = serveGateway({ config: { server, providers: { vendor: provider } } });
  const { clock, bugs, lines } = served.gateway;
  const answer = client(served);
  await until(() => calls === 1 && clock.pending > 0);
  for (const gate of gates) {
    for (let pause = 0; pause < 3; pause++) {
      clock.advance(5000);
      await turn();
    }
    gate.open();
    await words.opened;
    await turn();
  }
  const text = await answer;
  assertEquals([calls, bugs, lines.map(({ outcome }) => outcome)], [1, [], ["done"]]);
  await until(() => clock.pending === 0);
  return text;
}

for (const [name, client] of Object.entries(CLIENTS)) {
  Deno.test(`a silent vendor: ${name} waits for the answer`, async () => {
    assertEquals(await ask(client), "Hello.");
  });
}

Deno.test("a silent vendor: streams of the Responses API have events, which Codex waits for", async () => {
  await ask(async (served) => {
    const body = { model: MODEL, input: QUESTION, stream: true };
    const text = await streamOf(served, "/v1/responses", body);
    // OpenAI's packages take no other event before the first one.
    const begin = text.indexOf("event: response.created\n");
    assertEquals(text.slice(0, begin), ": keep-alive\n".repeat(3));
    const events = text.slice(begin).split("\n\n").filter((event) => event !== "")
      .map((event) => JSON.parse(event.slice(event.indexOf("data: ") + "data: ".length)));
    assert(events.filter(({ type }) => type === "keepalive").length >= 2, text);
    let last = -1;
    for (const { type, sequence_number: number } of events) {
      assertEquals(number, type === "keepalive" ? last : last + 1, text);
      last = number;
    }
    return "";
  });
});
