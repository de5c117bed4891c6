/**
 * Requests, answers and streams between all pairs of caller formats, each written and read by the
 * tests' own code: nothing is lost that both formats have.
 */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/contract/chat.ts";
import { createTestGateway, VENDOR_KEY } from "../support/gateway.ts";
import { Random } from "../support/random.ts";
import { chat } from "../support/round_trips/chat.ts";
import {
  type Answer,
  type Conversation,
  type Feature,
  featuresOf,
  type Format,
  randomAnswer,
  randomConversation,
} from "../support/round_trips/conversation.ts";
import { gemini } from "../support/round_trips/gemini.ts";
import { messages } from "../support/round_trips/messages.ts";
import { ollama } from "../support/round_trips/ollama.ts";
import { responses } from "../support/round_trips/responses.ts";
import { textOf } from "../support/sent_body.ts";

const FORMATS = [chat, responses, messages, gemini, ollama];
/** Enough for every feature of every pair, as the last test counts. */
const SEEDS = 24;

/** A gateway whose feature sees the content, so that no body passes unread. */
function createWorld(vendor: Format) {
  let sent: JsonObject = {};
  let answer = new Response();
  const { plain, reasoning } = vendor.models;
  const gateway = createTestGateway({
    config: {
      providers: {
        vendor: { api_key: VENDOR_KEY, models: [plain, reasoning], retries: 0, ...vendor.provider },
      },
    },
    fetch: async (_, init) => {
      sent = JSON.parse(await textOf(init.body));
      return answer;
    },
    features: [{ name: "reader", plan: () => ({ start: () => ({ seesContent: true }) }) }],
  });
  return {
    /** Sends a request; returns what the vendor got and the text of the answer. */
    async ask(path: string, body: JsonObject, response: Response) {
      sent = {};
      answer = response;
      const answered = await gateway.call(path, body);
      const text = await answered.text();
      assertEquals(gateway.bugs, []);
      assertEquals(answered.status, 200, text);
      return { sent, text, receipt: answered.headers };
    },
  };
}

/** Equal for requests with the same meaning. */
function comparable(conversation: Conversation): unknown {
  return JSON.parse(JSON.stringify(conversation, (name, value) => {
    // IDs may be the vendor's, and a choice that is automatic is the default.
    return name === "id" || (name === "choice" && value === "auto") ? undefined : value;
  }));
}

/** Equal for answers with the same content: IDs are the gateway's. */
function joined({ thoughts, text, calls, ...rest }: Answer): unknown {
  return {
    ...rest,
    thoughts: thoughts.join(""),
    text: text.join(""),
    calls: calls.map(({ name, pieces }) => ({ name, input: JSON.parse(pieces.join("")) })),
  };
}

/** The same with the pieces of a stream. */
function inPieces({ calls, ...rest }: Answer, has: ReadonlySet<Feature>): unknown {
  return {
    ...rest,
    calls: calls.map(({ name, pieces }) => ({
      name,
      input: has.has("pieces of arguments") ? pieces : JSON.parse(pieces.join("")),
    })),
  };
}

interface Sample {
  readonly has: ReadonlySet<Feature>;
  readonly model: string;
  readonly asked: Conversation;
  readonly given: Answer;
}

function sampleOf(caller: Format, vendor: Format, seed: number): Sample {
  const random = new Random(seed);
  const effort = random.chance(0.5) ? undefined : random.pick(["low", "high"] as const);
  const has = featuresOf(caller, vendor, effort !== undefined);
  const asked = randomConversation(random, has, effort);
  const model = vendor.models[effort === undefined ? "plain" : "reasoning"];
  return { has, model, asked, given: randomAnswer(random, has, asked) };
}

const KINDS = ["answer", "stream"] as const;

/** The streams of these seeds arrive a second time, with one byte in each packet. */
const CUT_SEEDS = 2;

function streamed(vendor: Format, given: Answer, isCut: boolean): Response {
  const bytes = new TextEncoder().encode(vendor.writeStream(given));
  const packets = isCut ? Array.from(bytes, (byte) => Uint8Array.of(byte)) : [bytes];
  const headers = { "content-type": vendor.streamType };
  return new Response(ReadableStream.from(packets), { headers });
}

for (const vendor of FORMATS) {
  const world = createWorld(vendor);
  for (const caller of FORMATS) {
    Deno.test(`${caller.name} in front of ${vendor.name}: nothing is lost that both have`, async () => {
      for (let seed = 1; seed <= SEEDS; seed++) {
        const { has, model, asked, given } = sampleOf(caller, vendor, seed);
        for (const kind of seed <= CUT_SEEDS ? [...KINDS, "bytes"] as const : KINDS) {
          const stream = kind !== "answer";
          const { path, body } = caller.writeRequest(asked, model, stream);
          const response = stream
            ? streamed(vendor, given, kind === "bytes")
            : Response.json(vendor.writeAnswer(given));
          const { sent, text } = await world.ask(path, body, response);
          const about = `seed ${seed}, ${kind}`;
          assertEquals(comparable(vendor.readRequest(sent)), comparable(asked), about);
          if (stream) {
            assertEquals(inPieces(caller.readStream(text), has), inPieces(given, has), about);
          } else assertEquals(joined(caller.readAnswer(JSON.parse(text))), joined(given), about);
        }
      }
    });
  }
}

/** Which features a sample has; all others are in every sample. */
function featuresIn({ asked, given }: Sample): Feature[] {
  const user = asked.turns.flatMap((turn) => turn.role === "user" ? turn.parts : []);
  const results = asked.turns.flatMap((turn) => turn.role === "tool" ? turn.results : [])
    .flatMap(({ parts }) => parts);
  const found: Readonly<Record<Feature, boolean>> = {
    "audio": user.some((part) => "audio" in part),
    "cached tokens": given.usage.cached > 0,
    "choice of tools": typeof asked.choice === "object" || asked.choice === "required",
    "file": user.some((part) => "file" in part),
    "filter": given.finish === "filter",
    "image by URL": user.some((part) => "imageUrl" in part),
    "image in results": results.some((part) => "image" in part),
    "logprobs": given.logprobs.length > 1,
    "order of parts": asked.turns.some((turn) =>
      turn.role === "user" && turn.parts.length > 2 && "text" in (turn.parts.at(-1) ?? {})
    ),
    "parallel calls": asked.parallel === false,
    "penalties": asked.presencePenalty !== undefined && asked.frequencyPenalty !== undefined,
    "pieces of arguments": given.calls.some(({ pieces }) => pieces.length > 1),
    "reasoning tokens": given.usage.reasoning > 0,
    "seed": asked.seed !== undefined,
    "stop": asked.stop !== undefined,
    "strict tools": asked.tools.some(({ strict }) => strict),
    "top_k": asked.topK !== undefined,
    "user": asked.user !== undefined,
  };
  return (Object.keys(found) as Feature[]).filter((feature) => found[feature]);
}

Deno.test("the requests and answers of each pair have every feature that both formats have", () => {
  for (const vendor of FORMATS) {
    for (const caller of FORMATS) {
      const samples = Array.from({ length: SEEDS }, (_, at) => sampleOf(caller, vendor, at + 1));
      const found = new Set(samples.flatMap(featuresIn));
      const both = [true, false].map((isReasoning) => featuresOf(caller, vendor, isReasoning));
      const missing = new Set(both.flatMap((has) => [...has])).difference(found);
      assertEquals([...missing], [], `${caller.name} in front of ${vendor.name}`);
      for (const finish of ["calls", "length", "stop"]) {
        assert(samples.some(({ given }) => given.finish === finish), finish);
      }
      assert(samples.some(({ given }) => given.thoughts.length > 1 && given.calls.length > 1));
    }
  }
});
