/**
 * Numbers that the gateway reads mean the same in any spelling, so that all that keep their text are
 * only passed on: every case with 1.0 for 1.
 */

import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { parseExactly } from "../../src/core/json/exact_numbers.ts";
import { encodeMessages, type EventMessage } from "../support/event_stream.ts";
import { configOf, exists, type Fixture, readFixtures } from "../support/fixtures.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { fromChat } from "../support/responses/from_chat.ts";
import { TOKEN_URI } from "../support/service_account.ts";

type Members = Record<string, unknown>;

/** Strings stay as they are. */
const NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(\.\d+)?(?![\d.eE])/g;

/** JSON in which each number ends in `.0`, or in 0 after its fraction. */
function respelled(text: string): string {
  return text.replaceAll(NUMBER, (found, fraction?: string) => {
    if (found.startsWith('"')) return found;
    return fraction === undefined ? `${found}.0` : `${found}0`;
  });
}

/** The data of events, and lines of JSON. */
function respelledLines(text: string): string {
  return text.replaceAll(
    /^(data: |)(?=[{[])(.*)$/gm,
    (_, start: string, data: string) => start + respelled(data),
  );
}

/** A text with the usual spelling of all numbers, in strings too. */
function normalized(text: string): string {
  return text.replaceAll(/-?\d+\.\d+(?![\d.])/g, (found) => String(Number(found)));
}

interface Spelling {
  readonly body: (value: unknown) => string;
  readonly lines: (text: string) => string;
}

const USUAL: Spelling = { body: (value) => JSON.stringify(value), lines: (text) => text };
const OTHER: Spelling = {
  body: (value) => respelled(JSON.stringify(value)),
  lines: respelledLines,
};

/** Sends the request of a case in a spelling, which the vendor answers in it. */
async function run(
  fixture: Pick<Fixture, "about" | "upstream" | "vendor"> & { readonly directory?: string },
  path: string,
  request: unknown,
  spelling: Spelling,
): Promise<string> {
  let sent = "";
  const gateway = createTestGateway({
    config: configOf(fixture as Fixture),
    fetch: (url, init) => {
      if (url === TOKEN_URI) return Promise.resolve(Response.json({ access_token: VENDOR_KEY }));
      sent += `${url} ${String(init.body)}\n`;
      return Promise.resolve(toResponse(fixture, spelling));
    },
  });
  const response = await gateway.call(path, spelling.body(request), {
    "x-request-id": "req_test",
    ...fixture.about.headers,
  });
  const headers = [...response.headers].filter(([name]) => name !== "x-sluice-overhead-ms");
  const answer = `${response.status} ${JSON.stringify(headers)}\n${await response.text()}`;
  gateway.flush();
  assertEquals(gateway.bugs, []);
  const lines = gateway.lines.map((line) =>
    // Estimates depend on the length of the answer.
    line.usage_estimated === true || line.prompt_tokens === undefined
      ? ""
      : JSON.stringify([line.prompt_tokens, line.completion_tokens, line.cost_usd])
  );
  return normalized(`${sent}${answer}\n${lines.join("\n")}`);
}

function toResponse(
  { directory = "", upstream }: {
    readonly directory?: string;
    readonly upstream: Fixture["upstream"];
  },
  spelling: Spelling,
): Response {
  if (upstream.type === "answer") {
    const { status, headers, body } = upstream;
    return new Response(typeof body === "string" ? body : spelling.body(body), { status, headers });
  }
  return new Response(toBytes(directory, upstream.bytes, spelling), {
    headers: { "content-type": upstream.contentType },
  });
}

function toBytes(
  directory: string,
  bytes: Uint8Array<ArrayBuffer>,
  { body, lines }: Spelling,
): BodyInit {
  const path = `${directory}/events.json`;
  if (!exists(path)) return lines(new TextDecoder().decode(bytes));
  const events = JSON.parse(Deno.readTextFileSync(path)) as EventMessage[];
  return encodeMessages(
    events.map((event) =>
      "data" in event ? { ...event, data: parseExactly(body(event.data)) } : event
    ),
  );
}

interface Run {
  readonly fixture: Parameters<typeof run>[0];
  readonly path: string;
  readonly request: unknown;
}

/** Other vendors have the API of one of these. */
const MAIN_VENDORS: ReadonlySet<string> = new Set([
  ..."anthropic azure bedrock cohere gemini mistral ollama openai".split(" "),
]);

/** The request of a case in each format. */
function runsOf(fixture: Fixture): Run[] {
  const { request, upstream, vendor } = fixture;
  const { model, stream } = request;
  const isStreamed = stream === true || upstream.type === "stream";
  const turn = { role: "user", content: "Hi" };
  const asked = { model, ...(isStreamed && { stream: true }) };
  const { body, lost } = fromChat(request);
  const method = isStreamed ? "streamGenerateContent?alt=sse" : "generateContent";
  const thinking = { type: "enabled", budget_tokens: 2000 };
  const chat = { fixture, path: "/v1/chat/completions", request };
  if (!MAIN_VENDORS.has(vendor)) return [chat];
  return [
    chat,
    {
      fixture,
      path: "/v1/messages",
      request: { ...asked, max_tokens: 4000, top_k: 3, thinking, messages: [turn] },
    },
    {
      fixture,
      path: "/v1/responses",
      request: lost.length === 0 ? body : { ...asked, max_output_tokens: 400, input: [turn] },
    },
    {
      fixture,
      path: `/v1beta/models/${encodeURIComponent(String(model))}:${method}`,
      request: {
        contents: [{ role: "user", parts: [{ text: "Hi" }] }],
        generationConfig: {
          candidateCount: 1,
          maxOutputTokens: 400,
          temperature: 1,
          topK: 3,
          topP: 0.5,
          seed: 7,
          thinkingConfig: { thinkingBudget: 200 },
        },
      },
    },
  ];
}

for (const fixture of readFixtures()) {
  Deno.test(`${fixture.vendor}/${fixture.name}: the same with 1.0 for 1`, async () => {
    for (const { path, request } of runsOf(fixture)) {
      const expected = await run(fixture, path, request, USUAL);
      assertEquals(await run(fixture, path, request, OTHER), expected, path);
    }
  });
}

/** Other operations: the folders of their cases, and their paths. */
const OPERATIONS = ["embeddings", "moderations", "rerank"];

for (const operation of OPERATIONS) {
  const root = fileURLToPath(new URL(`../${operation}/cases/`, import.meta.url));
  for (const { name: vendor } of Deno.readDirSync(root)) {
    for (const { name } of Deno.readDirSync(`${root}${vendor}`)) {
      Deno.test(`${vendor} ${operation}, ${name}: the same with 1.0 for 1`, async () => {
        const { about, request, upstream } = JSON.parse(
          Deno.readTextFileSync(`${root}${vendor}/${name}`),
        ) as { about: Fixture["about"]; request: Members; upstream?: Members };
        const fixture = { vendor, about, upstream: { type: "answer", ...upstream } as never };
        const path = `/v1/${operation}`;
        const expected = await run(fixture, path, request, USUAL);
        assertEquals(await run(fixture, path, request, OTHER), expected);
      });
    }
  }
}

Deno.test("the other spelling changes the numbers of a text, and only them", () => {
  assertEquals(respelled('{"a 1":[1,-2,0.5],"b":"3,4"}'), '{"a 1":[1.0,-2.0,0.50],"b":"3,4"}');
  assert(respelledLines('event: a\ndata: {"a":1}\n').includes('data: {"a":1.0}'));
  assertEquals(normalized('{"a":1.0,"b":"0.50"}'), '{"a":1,"b":"0.5"}');
});
